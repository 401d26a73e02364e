//! Decision on a kept request: lists are filtered by it and charts are made of it.

use super::row::Summary;
use postern_policy::RuleId;
use postern_protocol::{AllowedBy, Decided, RunState};

impl Summary {
    /// Returns how it was decided ([`Decided::from_state`]).
    pub fn decided(&self) -> Option<Decided> {
        Decided::from_state(self.phase, self.ending, self.by.as_ref())
    }

    /// Returns the rule that decided, where one did.
    pub fn rule_id(&self) -> Option<RuleId> {
        match self.by {
            Some(AllowedBy::Rule(rule) | AllowedBy::Skill(rule)) if self.phase != RunState::Denied => {
                Some(rule)
            }
            Some(
                AllowedBy::Rule(_)
                | AllowedBy::Skill(_)
                | AllowedBy::Policy
                | AllowedBy::Person
                | AllowedBy::Fallback
                | AllowedBy::Default,
            )
            | None => self.denied_by,
        }
    }
}
