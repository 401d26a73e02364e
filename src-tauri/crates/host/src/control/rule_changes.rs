//! `rules.put`: several rules written and removed at once, as undo, redo and a clean-up need it.

use super::{Answer, Control, Handle, rows};
use crate::ask::FaceId;
use postern_contract::methods::{PutRules, Rules, RulesPut};

impl Handle<PutRules> for Control {
    async fn handle(&self, _: FaceId, params: RulesPut) -> Answer<PutRules> {
        let listed = self.parts.book.put_rules(params.put, params.remove).await?;
        self.rules_changed(None).await?;
        Ok(Rules { rules: listed.into_iter().map(rows::rule).collect() })
    }
}
