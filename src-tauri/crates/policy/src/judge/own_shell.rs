//! Judgment of a command in an agent's own shell: as on the host, with `permissions.jsonc` about that shell
//! as one more layer.
//!
//! What a person wrote there to deny or to ask is stricter and wins; what they wrote there to allow allows. A
//! line that asks about every command is how the file begins, and decides nothing.

use super::builtin::starts_nothing;
use super::host::{closed_shell, open_shell};
use super::outcome::{StepOutcome, entry_ref, named_entry};
use super::subject::{StepSubject, is_harmless};
use super::{Judgement, allow};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, StageFinding};
use crate::decision::{Decision, Reason};
use crate::facts::Facts;
use crate::generous::MatchCertainty;
use crate::permissions::PermissionEntry;
use crate::rule::{Effect, Pattern};
use crate::shell_touch::ShellTouch;
use crate::subject::{Origin, SHELL_TOOL};
use crate::verdict::{TraceLine, Verdict};

impl Judgement<'_> {
    /// Returns whether a file, or a subagent's layer, closes the agent's own shell.
    pub(super) fn by_shell_policy(&mut self) -> Option<StepOutcome> {
        let (policy, facts) = (self.policy, self.facts);
        let found = closed_shell(policy, facts.session).map(|(entry, is_veto)| {
            let (rule, cause) = (entry_ref(entry), Cause::Rule(named_entry(entry)));
            let reason = if is_veto { Reason::Managed } else { Reason::Denylist };
            StepOutcome::new(Decision::Deny, reason, cause).with_rule(rule).advise(Advice::WithoutShell)
        });
        self.note_stage(
            "tool policy",
            found.as_ref().map_or(StageFinding::ShellOpen, |outcome| outcome.cause.clone().into()),
        );
        found
    }

    /// Returns the outcome of a file that lets every command of the agent's own shell through.
    pub(super) fn by_open_shell(&self) -> Option<StepOutcome> {
        let (policy, facts) = (self.policy, self.facts);
        if facts.origin != Origin::AgentShell {
            return None;
        }
        let entry = open_shell(policy, facts.session)?;
        let cause = Cause::Rule(named_entry(entry));
        Some(StepOutcome::new(Decision::Allow, Reason::Rule, cause).with_rule(entry_ref(entry)))
    }
}

/// Possible confinement of a command of the agent's own shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewriting {
    /// On the host, or possible in a confined shell instead.
    Fits,
    /// Impossible, as its last step changes the agent's shell.
    ChangesShell,
    /// The agent's file allows all of it: nothing is confined that the person allowed as it is.
    Allowed,
}

/// Builtins of which the shell keeps the effect for later commands.
const KEPT_BY_SHELL: &[&str] = &[
    "cd", "chdir", "pushd", "popd", "export", "unset", "alias", "unalias", "set", "shopt", "umask", "ulimit",
];

/// Returns how much of a command of the agent's own shell may be confined.
///
/// Confined it runs in a shell of its own, and what that shell keeps ends with it. Agents keep the working directory for later
/// commands: `make; cd build` is asked about, or the agent would go on in another folder than it believes. A `cd` that others
/// follow is for these (`cd build && make`), and is confined with them.
pub(super) fn rewriting(policy: &AgentPolicy, facts: &Facts<'_>, subjects: &[StepSubject<'_>]) -> Rewriting {
    if facts.origin.is_host() {
        return Rewriting::Fits;
    }
    let allowed = |subject: &StepSubject<'_>| {
        by_file(policy, facts, subject).is_some_and(|outcome| outcome.decision == Decision::Allow)
            || starts_nothing(policy, facts, subject)
    };
    let kept = |name: &str| KEPT_BY_SHELL.contains(&name);
    if open_shell(policy, facts.session).is_some() || subjects.iter().all(allowed) {
        Rewriting::Allowed
    } else if facts.reading.steps.last().and_then(|step| step.program()).is_some_and(kept) {
        Rewriting::ChangesShell
    } else {
        Rewriting::Fits
    }
}

/// Returns the outcome of a person's line of the file for a step in the agent's own shell.
///
/// The step's program may be in a place that Postern does not look at.
pub(super) fn by_file(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Option<StepOutcome> {
    let harmless = || subject.step.assignments.iter().all(|one| is_harmless(one, &policy.settings));
    (facts.origin == Origin::AgentShell && harmless())
        .then(|| allow::by_file(policy, facts, subject))
        .flatten()
}

/// Returns the verdict of a line that touches protected places: it is dangerous.
///
/// Only a line of the file or a rule that names each of the places lets it through without a person.
pub fn protect_in_own_shell(
    mut verdict: Verdict,
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    touches: &[ShellTouch],
) -> Verdict {
    // What is denied touches nothing.
    if touches.is_empty() || verdict.decision == Decision::Deny {
        return verdict;
    }
    verdict.risk = verdict.risk.touching(touches.iter().map(ShellTouch::effect));
    let named = |touch: &&ShellTouch| {
        names_place(policy, facts, touch) || is_named_by_rule(policy, facts, &verdict, touch)
    };
    let unnamed = touches.iter().find(|touch| !named(touch));
    let found = match unnamed {
        Some(touch) => {
            let (place, protection) = (touch.place.display_path(), touch.place.protection);
            let cause = Cause::Protected { place, protection };
            if verdict.decision == Decision::Allow {
                verdict.decision = Decision::Ask;
                verdict.reason = Reason::AllowlistMiss;
                verdict.rule = None;
                verdict.cause.clone_from(&cause);
                if let Some(step) = verdict.steps.get_mut(touch.step) {
                    step.decision = Decision::Ask;
                    step.reason = Reason::AllowlistMiss;
                    step.rule = None;
                    step.cause.clone_from(&cause);
                }
            }
            cause.into()
        }
        None => StageFinding::AllNamed,
    };
    verdict.trace.push(TraceLine { stage: "protected places".into(), found });
    verdict
}

/// Returns true if the rule that allows the step of a touch names the place: the step's exact words, or the
/// very word.
fn is_named_by_rule(policy: &AgentPolicy, facts: &Facts<'_>, verdict: &Verdict, touch: &ShellTouch) -> bool {
    let by = verdict.steps.get(touch.step).and_then(|step| step.rule.as_ref());
    let Some(by) = by.filter(|by| by.effect == Effect::Allow && by.id > 0) else { return false };
    let mut rules = policy.rules.compiled_parts().flat_map(crate::ruleset::CompiledRules::all_rules);
    let Some(rule) = rules.find(|rule| rule.id == by.id) else { return false };
    match &rule.pattern {
        Pattern::Exact(_) => !touch.by_link,
        Pattern::Command(text) => {
            let words = postern_command::words_of_at(text, facts.home).unwrap_or_default();
            !touch.by_link && words.contains(&touch.word)
        }
        Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => false,
    }
}

/// Returns true if the last line of the file about the step of a touch allows it by naming the place.
///
/// The word itself must be in it.
fn names_place(policy: &AgentPolicy, facts: &Facts<'_>, touch: &ShellTouch) -> bool {
    let Some(step) = facts.reading.steps.get(touch.step) else { return false };
    let argv = step.known_words();
    let name: Vec<&str> = argv.first().copied().flatten().into_iter().collect();
    let names = |entry: &PermissionEntry| {
        let words = postern_command::words_of_at(&entry.written, facts.home).unwrap_or_default();
        let is_it = |word: &String| *word == touch.word && !word.contains(['*', '?', '[', '{', '(']);
        !touch.by_link && words.iter().any(is_it)
    };
    // The last entry that says no, or that names the place: a wildcard that allows is overlooked.
    let counts = |entry: &PermissionEntry| {
        entry.match_command(&name, &argv) != MatchCertainty::No
            && (entry.effect != Effect::Allow || names(entry))
    };
    let decides = policy.layers(facts.session).decide(SHELL_TOOL, counts);
    decides.is_some_and(|entry| entry.effect == Effect::Allow)
}
