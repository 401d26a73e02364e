//! Decision on a kept request: lists are filtered by it and charts are made of it.

use super::row::Summary;
use postern_policy::RuleId;
use postern_protocol::{By, Decided, RunState};

impl Summary {
    /// Returns how it was decided ([`Decided::of`]).
    pub fn decided(&self) -> Option<Decided> {
        Decided::of(self.phase, self.ending, self.by.as_ref())
    }

    /// Returns the rule that decided, where one did.
    pub fn rule(&self) -> Option<RuleId> {
        match self.by {
            Some(By::Rule(rule) | By::Skill(rule)) if self.phase != RunState::Denied => Some(rule),
            Some(By::Rule(_) | By::Skill(_) | By::Policy | By::Person | By::Fallback | By::Default)
            | None => self.denied_by,
        }
    }
}
