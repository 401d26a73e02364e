//! Whether anything could deny a command that was only guessed, told from its words alone: text that was not understood
//! may hold thousands of them, and nearly all have nothing to do with any rule.

use super::{against, core};
use crate::agent::AgentPolicy;
use crate::facts::Facts;
use crate::path;
use crate::rule::Effect;

/// What is the same for all guesses of one request.
pub(super) struct Near<'a> {
    policy: &'a AgentPolicy,
    core: core::Far<'a>,
    /// A file's entry denies commands: those are matched one by one.
    entries: bool,
}

impl<'a> Near<'a> {
    pub(super) fn new(policy: &'a AgentPolicy, facts: &Facts<'a>) -> Self {
        let (_, layers) = against::all_layers(policy, facts);
        let mut entries = layers.iter().flat_map(|layer| layer.entries());
        let entries = entries.any(|entry| entry.is_about_commands() && entry.effect == Effect::Deny);
        Self { policy, core: core::Far::new(facts), entries }
    }

    /// Whether the command has to be looked at closely. Never false for one that would be denied.
    pub(super) fn may_be_denied(&self, argv: &[String]) -> bool {
        let Some(name) = argv.first() else { return false };
        if self.entries || name.contains('/') {
            return true;
        }
        let base = path::fold(name);
        self.policy.rules.parts().any(|part| part.deny().may_name(&base))
            || !self.core.is_clear_of(&base, &argv[1..])
    }
}
