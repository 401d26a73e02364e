//! Lint of saved rules: those that never match, allow too much, could be turned against the person, or do
//! nothing.

mod file;
mod never;
mod problem;
#[cfg(test)]
mod tests;

pub use file::lint_file;
pub use problem::{Carrier, Changeable, LintProblem, NeverMatches, TooBroad};

use super::{Remark, check_rule, remarks};
use crate::judge::describes;
use crate::path;
use crate::pattern::pattern_text;
use crate::rule::{Effect, IdentityPattern, Millis, Pattern, Rule, RuleId};
use never::Denies;
use postern_command::{ProgramClass, class_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasher;

postern_protocol::named_values! {
    /// Kind of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum FindingKind {
        /// Unreadable, or with examples that do not hold.
        Broken = "broken",
        /// No command can ever be matched by it.
        NeverMatches = "never-matches",
        /// A deny rule denies everything that it would allow.
        Shadowed = "shadowed",
        /// Allows a carrier of other programs, or all of a folder.
        TooBroad = "too-broad",
        /// Confirmed as broad: allows all that its words cover.
        Broad = "broad",
        /// Allows a file that an agent's commands could replace.
        AgentWritable = "agent-writable",
        /// Names a file that is not there.
        Missing = "missing",
        /// The program is not the one that it was bound to.
        Changed = "changed",
        /// Another rule does all that it does.
        Covered = "covered",
        /// Unused for 90 days.
        Unused = "unused",
        Expired = "expired",
    }
}

/// Problem of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFinding {
    /// The rule; a line of `permissions.jsonc` where it is negative.
    pub rule: RuleId,
    pub problem: LintProblem,
}

impl RuleFinding {
    /// Returns the kind of thing that is wrong.
    pub fn kind(&self) -> FindingKind {
        self.problem.kind()
    }
}

/// Result of looking at the file at a rule's path.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// True if anything lies there; for a glob, whether its folder does.
    pub exists: bool,
    /// True if the person's own user could write to it, or to a folder above it.
    pub mutable: bool,
    /// True if an agent that the rule is for can change the program until it runs.
    pub agent_can_change: bool,
    /// True if it is bound to a program, and that is another one now.
    pub changed: bool,
}

/// Looks rules over, in their order. `seen` says what lies at their paths, where that was looked up; `now` is the
/// present time.
pub fn lint_rules<S: BuildHasher>(
    rules: &[Rule],
    seen: &HashMap<RuleId, Seen, S>,
    home: &str,
    now: Millis,
) -> Vec<RuleFinding> {
    let denies = Denies::new(rules, home);
    let mut said: HashMap<RuleId, Vec<Remark>> = HashMap::new();
    for (id, remark) in remarks(rules, now) {
        said.entry(id).or_default().push(remark);
    }
    let mut found = Vec::new();
    for rule in rules {
        let said = said.remove(&rule.id).unwrap_or_default();
        found.extend(lint_rule(rule, &said, seen.get(&rule.id), &denies, home));
    }
    found
}

fn lint_rule(
    rule: &Rule,
    said: &[Remark],
    seen: Option<&Seen>,
    denies: &Denies,
    home: &str,
) -> Vec<RuleFinding> {
    let finding = |problem| RuleFinding { rule: rule.id, problem };
    if let Err(problem) = check_rule(rule, home) {
        return vec![finding(LintProblem::Broken(problem))];
    }
    let expired = said.contains(&Remark::Expired).then_some(LintProblem::Expired);
    let never = never::matches(rule, home).map(LintProblem::NeverMatches);
    let useless = never.or_else(|| denies.shadow(rule, home));
    let broad = too_broad(rule, said).map(LintProblem::TooBroad);
    let on_disk = seen.and_then(|seen| on_disk(rule, *seen));
    let remarked = said.iter().filter_map(|remark| match remark {
        Remark::CoveredBy(by) => Some(LintProblem::Covered { by: *by }),
        Remark::Unused => Some(LintProblem::Unused),
        Remark::Broad => Some(LintProblem::Broad { pattern: pattern_text(&rule.pattern) }),
        Remark::TooBroad | Remark::Expired => None,
    });
    let all = [expired, useless, broad, on_disk].into_iter().flatten().chain(remarked);
    all.map(finding).collect()
}

fn too_broad(rule: &Rule, said: &[Remark]) -> Option<TooBroad> {
    if rule.effect != Effect::Allow || rule.broad || rule.confine.is_some() {
        return None;
    }
    let pattern = pattern_text(&rule.pattern);
    match &rule.pattern {
        Pattern::Path(path) if !describes(rule) && rule.args.is_none() => {
            let carrier = carrier(path::base_name(path))?;
            let bound = rule.pin.as_ref().is_some_and(|pin| pin.script.is_some());
            (!bound).then_some(TooBroad::Carrier { pattern, carrier, by_path: true })
        }
        Pattern::Command(text) => {
            let words = postern_command::words_of(text).unwrap_or_default();
            let carrier = carrier(words.first()?)?;
            (words.len() == 1).then_some(TooBroad::Carrier { pattern, carrier, by_path: false })
        }
        Pattern::Path(_) if said.contains(&Remark::TooBroad) => Some(TooBroad::Folder { pattern }),
        Pattern::Identity(IdentityPattern::TeamId(_)) => Some(TooBroad::Developer { pattern }),
        Pattern::Path(_)
        | Pattern::Exact(_)
        | Pattern::Identity(_)
        | Pattern::Read(_)
        | Pattern::Write(_) => None,
    }
}

fn carrier(name: &str) -> Option<Carrier> {
    match class_of(name) {
        ProgramClass::Ordinary => None,
        ProgramClass::Shell => Some(Carrier::Shell),
        ProgramClass::Interpreter => Some(Carrier::Interpreter),
        ProgramClass::Wrapper | ProgramClass::Multicall => Some(Carrier::Starter),
    }
}

fn on_disk(rule: &Rule, seen: Seen) -> Option<LintProblem> {
    let pattern = pattern_text(&rule.pattern);
    let allows = match rule.effect {
        Effect::Allow => true,
        Effect::Deny => false,
        Effect::Ask => return seen.changed.then_some(LintProblem::Changed { pattern }),
    };
    let pinned = rule.pin.is_some();
    if seen.changed {
        Some(LintProblem::Changed { pattern })
    } else if !seen.exists {
        Some(LintProblem::Missing { pattern, allows })
    } else if !allows || rule.confine.is_some() {
        None
    } else if seen.agent_can_change {
        let by = if pinned { Changeable::PinnedByAgent } else { Changeable::ByAgent };
        Some(LintProblem::AgentWritable { pattern, by })
    } else {
        let replaceable = seen.mutable && !pinned;
        replaceable.then_some(LintProblem::AgentWritable { pattern, by: Changeable::ByAnyone })
    }
}
