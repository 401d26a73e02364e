//! Several rules changed at once: `rules.put`, as undo, redo and a clean-up need it, and `rules.undoRenewal`.

use super::{Answer, Control, Handle, rows};
use crate::ask::FaceId;
use postern_contract::methods::{PutRules, RenewalEntry, Rules, RulesPut, UndoRenewal};

impl Handle<PutRules> for Control {
    async fn handle(&self, _: FaceId, params: RulesPut) -> Answer<PutRules> {
        let listed = self.parts.book.put_rules(params.put, params.remove).await?;
        self.rules_changed(None).await?;
        Ok(Rules { rules: listed.into_iter().map(rows::rule).collect() })
    }
}

impl Handle<UndoRenewal> for Control {
    async fn handle(&self, _: FaceId, params: RenewalEntry) -> Answer<UndoRenewal> {
        let back = self.parts.book.undo_renewal(params.entry).await?;
        self.rules_changed(None).await?;
        let listed = self.parts.book.rules_named(back.into_iter().collect()).await?;
        Ok(Rules { rules: listed.into_iter().map(rows::rule).collect() })
    }
}
