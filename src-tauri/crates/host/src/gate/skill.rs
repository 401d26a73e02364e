//! A yes to a request that runs a skill's CLI approves the CLI as it was shown (decision.md, *Skills*).

use super::task::Task;
use postern_policy::{Identity, Lookup};
use uuid::Uuid;

impl Task {
    /// Records what was shown, where the agent may use skills. Nothing waits for it: it holds from the next request on.
    pub(super) fn approve_skills(&self, id: Uuid) {
        let Some(request) = self.requests.get(&id) else { return };
        let may = self.parts.book.policy(&request.agent).is_some_and(|policy| policy.settings.allow_skills);
        let Some(judged) = request.judged.as_ref().filter(|_| may) else { return };
        let shown: Vec<(String, Identity)> =
            judged.steps.iter().filter_map(|step| known(&step.program)).collect();
        let book = self.parts.book.clone();
        tokio::spawn(async move {
            if let Err(error) = book.approve_used(&shown).await {
                tracing::warn!(%error, "a skill's CLI could not be approved; it asks again");
            }
        });
    }
}

/// Where a program lies and what it is.
fn known(lookup: &Lookup) -> Option<(String, Identity)> {
    match lookup {
        Lookup::Found(program) => Some((program.path.clone(), program.identity.clone()?)),
        Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => None,
    }
}
