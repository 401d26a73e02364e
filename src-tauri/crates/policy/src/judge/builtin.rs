//! Builtins, functions and steps that start nothing: the shell itself carries them out.

use super::allow::target;
use super::label;
use super::outcome::StepOutcome;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::cause::Cause;
use crate::decision::{Decision, Reason};
use crate::facts::Facts;
use postern_command::{Redirection, Role};

/// Builtins, functions and steps that start nothing: unless a wrapper that is a program would run them.
pub(super) fn needs_no_rule(subject: &StepSubject<'_>) -> bool {
    let only_shell_words = subject.step.via.iter().all(|via| {
        via.argv.first().and_then(|word| word.value.as_deref()).is_some_and(crate::needed::is_shell_word)
    });
    match subject.step.role {
        Role::Program => false,
        Role::HarmlessBuiltin => only_shell_words,
        Role::Function | Role::Nothing => true,
    }
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
    if subject.step.redirections.iter().any(Redirection::reads) {
        let cause = Cause::NoRule { command: label::of_step(subject.step) };
        return StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause);
    }
    StepOutcome::new(Decision::Allow, Reason::Builtin, Cause::NeedsNoRule)
}

/// Returns true for such a step that does nothing more than the shell's reading of a file for it.
pub(super) fn only_opens(subject: &StepSubject<'_>) -> bool {
    let redirections = &subject.step.redirections;
    needs_no_rule(subject)
        && subject.step.opaque.is_none()
        && subject.step.ways_out.is_empty()
        && redirections.iter().any(Redirection::reads)
        && !redirections.iter().any(Redirection::writes)
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
