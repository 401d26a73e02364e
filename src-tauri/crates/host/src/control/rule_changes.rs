//! Several rules changed at once: `rules.put`, as undo, redo and a clean-up need it, and `rules.undoRenewal`.

use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use postern_contract::methods::{PutRules, RenewalEntry, Rules, RulesPut, UndoRenewal};

impl Handle<PutRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RulesPut) -> MethodResult<PutRules> {
        let listed = self.parts.book.put_rules(params.put, params.remove).await?;
        self.rules_changed(None).await?;
        Ok(Rules { rules: self.rule_rows(listed) })
    }
}

impl Handle<UndoRenewal> for HostControl {
    async fn handle(&self, _: ApproverId, params: RenewalEntry) -> MethodResult<UndoRenewal> {
        let back = self.parts.book.undo_renewal(params.entry).await?;
        self.rules_changed(None).await?;
        let listed = self.parts.book.rules_named(back.into_iter().collect()).await?;
        Ok(Rules { rules: self.rule_rows(listed) })
    }
}
