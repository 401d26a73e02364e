//! Rules that cover one step by themselves, as it is or confined.

use super::allow::{Coverage, by_file, coverage, coverage_by};
use super::builtin::{is_coverable_builtin, needs_no_rule};
use super::subject::StepSubject;
use super::{broad, code, confined, own_shell};
use crate::agent::AgentPolicy;
use crate::cause::Obstacle;
use crate::facts::{Facts, Input};
use crate::rule::{Pattern, Rule};
use postern_command::UnparsedSpan;

/// Returns true if nothing prevents every rule from covering the step at `at`.
pub(crate) fn can_be_covered(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::at(facts, at);
    if needs_no_rule(&subject) || subject.is_builtin_of_known_shell(policy, facts) {
        return is_coverable_builtin(&subject);
    }
    if let Some(part) = &subject.step.opaque {
        return code::is_constant(subject.step, part) && !code::is_obstructed(policy, facts, &subject, part);
    }
    match subject.obstacle(policy, facts) {
        None => true,
        Some(Obstacle::Leaves { .. }) => subject.strange_wrapper(policy, facts).is_none(),
        Some(_) => false,
    }
}

/// Returns true if one rule by itself covers the step at `at` of a request, confined if the rule names a
/// profile.
pub(crate) fn covers(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    covers_as_it_is(policy, facts, at)
        || confined::covers(policy, facts, at)
        || code::confining_line(policy, facts).is_some()
}

/// Returns true if a rule or a line of the file allows the step at `at` with the user's rights.
pub(super) fn is_allowed_as_it_is(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::at(facts, at);
    let by_line = || {
        let told = *facts.input != Input::Nothing && !subject.reads_input_as_data();
        let free = !told && subject.step.opaque.is_none() && subject.obstacle(policy, facts).is_none();
        free.then(|| by_file(policy, facts, &subject)).flatten()
    };
    covers_as_it_is(policy, facts, at)
        || own_shell::by_file(policy, facts, &subject).or_else(by_line).is_some()
}

fn covers_as_it_is(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::at(facts, at);
    let narrowly = || {
        if let Some(part) = &subject.step.opaque {
            return covering_code(policy, facts, &subject, part).is_some();
        }
        if needs_no_rule(&subject) {
            return is_coverable_builtin(&subject) && limited(policy, &subject, facts).is_some();
        }
        match subject.obstacle(policy, facts) {
            None => matches!(coverage(policy, &subject, facts), Coverage::Covered(_)),
            Some(obstacle) => rule_for_new_folder(policy, facts, &subject, &obstacle).is_some(),
        }
    };
    code::covering_line(policy, facts).is_some()
        || narrowly()
        || broad::covering(policy, facts, at, &subject).is_some()
}

/// Returns the rule with limits that covers the step, if one does.
pub(super) fn limited<'a>(
    policy: &'a AgentPolicy,
    subject: &StepSubject<'_>,
    facts: &Facts<'_>,
) -> Option<&'a Rule> {
    match coverage_by(policy, subject, facts, Rule::holds_effects) {
        Coverage::Covered(rule) => Some(rule),
        _ => None,
    }
}

/// Returns the rule with limits that was given for the very folder that the line moves to.
pub(super) fn rule_for_new_folder<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    obstacle: &Obstacle,
) -> Option<&'a Rule> {
    let is_folder = matches!(obstacle, Obstacle::Leaves { .. });
    let rest = is_folder && subject.strange_wrapper(policy, facts).is_none();
    rest.then(|| limited(policy, subject, facts)).flatten().filter(|rule| rule.folder.is_some())
}

/// Returns the rule from an offer for exactly these words, and exactly this text on its input, that covers a step which was not
/// understood.
pub(super) fn covering_code<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    part: &UnparsedSpan,
) -> Option<&'a Rule> {
    if !code::is_constant(subject.step, part) || code::is_obstructed(policy, facts, subject, part) {
        return None;
    }
    let exact = |rule: &Rule| rule.holds_effects() && matches!(rule.pattern, Pattern::Exact(_));
    match coverage_by(policy, subject, facts, exact) {
        Coverage::Covered(rule) => Some(rule),
        _ => None,
    }
}
