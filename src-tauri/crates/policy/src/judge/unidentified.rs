//! Programs that cannot be identified, each of which may be the one that a deny rule names: unreadable,
//! missing, or at an unknown place. Postern asks about them, and denies them if nobody is asked.

use super::deny;
use super::invocation;
use super::outcome::{StepOutcome, rule_ref, whole_pattern};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, Unidentified};
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, Lookup};
use postern_command::{Power, Role};

/// Returns the doubt about the step at `at`, if a deny rule may name a program of it.
pub(super) fn of_step(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> Option<StepOutcome> {
    let (step, found) = (&facts.reading.steps[at], &facts.steps[at]);
    let here = step.via.iter().all(|via| via.power != Power::Elsewhere);
    let wrappers = step.via.iter().zip(&found.via).map(|(via, lookup)| (via.argv.first(), lookup));
    let own = (step.role == Role::Program && here).then(|| (step.argv.first(), &found.program));
    let (name, why) = wrappers.chain(own).find_map(|(word, lookup)| {
        let name = word?.value.as_deref()?;
        Some((name, unknown(name, lookup)?))
    })?;
    let calls = invocation::of_step(step, found, facts);
    let mut unidentified = calls.iter().filter(|call| call.program.is_none());
    let rule = unidentified.find_map(|call| deny::may_mean(&policy.rules, call, facts))?;
    let (name, pattern) = (name.to_owned(), whole_pattern(&rule.rule));
    let (cause, rule) = (Cause::Unidentified { name, why, pattern }, rule_ref(&rule.rule));
    Some(
        StepOutcome::new(Decision::Ask, Reason::Denylist, cause)
            .with_rule(rule)
            .advise(Advice::RunReadable)
            .in_doubt(),
    )
}

/// Returns why the program behind this name is unknown; `None` for a known one and for a bare name, which is
/// denied by name.
fn unknown(name: &str, lookup: &Lookup) -> Option<Unidentified> {
    let is_path = name.contains('/');
    match lookup {
        Lookup::Unusable { what, .. } => Some(Unidentified::Unusable(what.clone())),
        Lookup::NotFound if is_path => Some(Unidentified::NotThere),
        Lookup::Nothing if is_path => Some(Unidentified::FolderUnknown),
        Lookup::Found(_) | Lookup::NotFound | Lookup::Nothing => None,
    }
}
