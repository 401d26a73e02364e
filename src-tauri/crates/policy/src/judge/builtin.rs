//! Builtins, functions and steps that start nothing: the shell itself carries them out.

use super::allow::target;
use super::label;
use super::outcome::StepOutcome;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::cause::Cause;
use crate::decision::{Decision, Reason};
use crate::facts::Facts;
use postern_command::Role;

/// Builtins, functions and steps that start nothing.
pub(super) fn needs_no_rule(subject: &StepSubject<'_>) -> bool {
    subject.is_of_shell()
}

/// Returns the outcome for such a step: at best it needs no rule.
///
/// A file that the shell opens for it is read as by any program: a later step gets its content, or its descriptor.
pub(super) fn builtin(subject: &StepSubject<'_>) -> StepOutcome {
    if let Some(write) = subject.step.redirections.iter().find(|redirection| redirection.writes()) {
        return StepOutcome::new(
            Decision::Ask,
            Reason::AllowlistMiss,
            Cause::Writes { target: target(write) },
        );
    }
    if let Some(way) = subject.step.ways_out.first() {
        return StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, Cause::UnsafeArg(way.fact().clone()));
    }
    if subject.step.reads_by_redirection() {
        let cause = Cause::NoRule { command: label::of_step(subject.step) };
        return StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause);
    }
    StepOutcome::new(Decision::Allow, Reason::Builtin, Cause::NeedsNoRule)
}

/// Returns true for a builtin that does more than nothing only by a file that it reads or writes.
pub(super) fn is_coverable_builtin(subject: &StepSubject<'_>) -> bool {
    subject.step.role == Role::HarmlessBuiltin
        && subject.step.ways_out.is_empty()
        && subject.step.redirections.iter().any(|redirection| redirection.writes() || redirection.reads())
}

/// Returns true for a builtin or a function, which the shell itself carries out.
pub(super) fn starts_nothing(policy: &AgentPolicy, facts: &Facts<'_>, subject: &StepSubject<'_>) -> bool {
    subject.step.opaque.is_none()
        && (needs_no_rule(subject) || subject.is_builtin_of_known_shell(policy, facts))
        && builtin(subject).decision == Decision::Allow
}
