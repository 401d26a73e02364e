//! Stages 8 to 10 for one step: rules, skills, the file, the read-only list, and why it is asked about otherwise.

use super::allow::{Coverage, coverage, coverage_by, target};
use super::look::Vouched;
use super::outcome::{StepOutcome, entry_ref, named_entry, rule_ref, to_named_rule, whole_pattern};
use super::profile::Profiles;
use super::subject::StepSubject;
use super::{against, broad, code, confined, label, own_shell};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, Label, NamedRule, Obstacle};
use crate::classes::Access;
use crate::facts::{Facts, Input, Lookup};
use crate::rule::{Pattern, Rule, Source};
use crate::verdict::{Decision, Reason};
use postern_command::{Redirection, Role, UnparsedSpan};
use postern_protocol::Profile;

/// Returns the outcome of the rules for the step at `at`. Never denies.
pub(super) fn judge_step(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    profiles: &Profiles<'_>,
    at: usize,
) -> StepOutcome {
    let subject = StepSubject::new(&facts.reading.steps[at], &facts.steps[at]);
    let outcome = narrow(policy, facts, profiles, at, &subject);
    if outcome.decision == Decision::Allow {
        return outcome;
    }
    let by_broad = |rule: &Rule| {
        let cause = Cause::Rule(NamedRule { broad: true, ..to_named_rule(rule) });
        StepOutcome::new(Decision::Allow, Reason::Rule, cause).with_rule(rule_ref(rule))
    };
    broad::covering(policy, facts, at, &subject).map_or(outcome, by_broad)
}

/// Returns the outcome without broad rules.
fn narrow(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    profiles: &Profiles<'_>,
    at: usize,
    subject: &StepSubject<'_>,
) -> StepOutcome {
    if let Some(part) = &subject.step.opaque {
        let same = || covering_code(policy, facts, subject, part);
        return same().map_or_else(|| unparsed_outcome(part), covered);
    }
    if needs_no_rule(subject) || subject.is_builtin_of_known_shell(policy, facts) {
        let own = builtin(subject);
        let by_rule = || limited(policy, subject, facts).filter(|_| is_coverable_builtin(subject));
        return if own.decision == Decision::Allow { own } else { by_rule().map_or(own, covered) };
    }
    if let Some(allowed) = own_shell::by_file(policy, facts, subject) {
        return allowed;
    }
    let command = || label::of_step(subject.step);
    if let Some(obstacle) = subject.obstacle(policy, facts) {
        if let Some(rule) = rule_for_new_folder(policy, facts, subject, &obstacle) {
            return covered(rule);
        }
        let reason = if matches!(subject.found.program, Lookup::NotFound) {
            Reason::NotFound
        } else {
            Reason::AllowlistMiss
        };
        return StepOutcome::new(Decision::Ask, reason, Cause::NotCoverable { command: command(), obstacle });
    }
    let said = coverage(policy, subject, facts);
    if let Coverage::Covered(rule) = said {
        return covered(rule);
    }
    // The file and the list say nothing about input, so they hold only if it is absent or cannot give commands.
    let told = *facts.input != Input::Nothing && !subject.reads_input_as_data();
    by_file(policy, facts, subject)
        .or_else(|| by_read_only_list(policy, facts, profiles, at))
        .filter(|found| found.decision == Decision::Allow || matches!(said, Coverage::Nothing))
        .filter(|found| found.decision != Decision::Allow || !told)
        .unwrap_or_else(|| miss_outcome(said, command(), subject))
}

/// Returns the rule with limits that covers the step, if one does.
fn limited<'a>(policy: &'a AgentPolicy, subject: &StepSubject<'_>, facts: &Facts<'_>) -> Option<&'a Rule> {
    match coverage_by(policy, subject, facts, |rule| rule.limits.is_some()) {
        Coverage::Covered(rule) => Some(rule),
        _ => None,
    }
}

/// Returns the rule with limits that was given for the very folder that the line moves to.
fn rule_for_new_folder<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    obstacle: &Obstacle,
) -> Option<&'a Rule> {
    let is_folder = matches!(obstacle, Obstacle::Leaves { .. });
    let rest = is_folder && subject.strange_wrapper(policy, facts).is_none();
    rest.then(|| limited(policy, subject, facts)).flatten().filter(|rule| rule.folder.is_some())
}

/// Returns true for a builtin that does more than nothing only by a file that it writes.
fn is_coverable_builtin(subject: &StepSubject<'_>) -> bool {
    subject.step.role == Role::HarmlessBuiltin
        && subject.step.ways_out.is_empty()
        && subject.step.redirections.iter().any(Redirection::writes)
}

/// Returns true if nothing prevents every rule from covering the step at `at`.
pub(crate) fn can_be_covered(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::new(&facts.reading.steps[at], &facts.steps[at]);
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
    covers_as_it_is(policy, facts, at) || confined::covers(policy, facts, at)
}

/// Returns true if a rule or a line of the file allows the step at `at` with the user's rights.
pub(super) fn is_allowed_as_it_is(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::new(&facts.reading.steps[at], &facts.steps[at]);
    let by_line = || {
        let told = *facts.input != Input::Nothing && !subject.reads_input_as_data();
        let free = !told && subject.step.opaque.is_none() && subject.obstacle(policy, facts).is_none();
        free.then(|| by_file(policy, facts, &subject)).flatten()
    };
    covers_as_it_is(policy, facts, at)
        || own_shell::by_file(policy, facts, &subject).or_else(by_line).is_some()
}

fn covers_as_it_is(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = StepSubject::new(&facts.reading.steps[at], &facts.steps[at]);
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

/// Returns a part that was not understood: at best a question.
pub(super) fn unparsed_outcome(part: &UnparsedSpan) -> StepOutcome {
    let outcome = StepOutcome::new(Decision::Ask, Reason::Opaque, Cause::Unparsed(part.note().clone()));
    outcome.advise(part.advice().map_or(Advice::WritePlainly, |words| Advice::Reader(words.into())))
}

/// Returns true if the input of the step at `at` cannot give it commands.
pub(crate) fn reads_input_as_data(facts: &Facts<'_>, at: usize) -> bool {
    StepSubject::new(&facts.reading.steps[at], &facts.steps[at]).reads_input_as_data()
}

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
    StepOutcome::new(Decision::Allow, Reason::Builtin, Cause::NeedsNoRule)
}

pub(super) fn covered(rule: &Rule) -> StepOutcome {
    let reason = if matches!(rule.source, Source::Skill(_)) { Reason::Skill } else { Reason::Rule };
    StepOutcome::new(Decision::Allow, reason, Cause::Rule(to_named_rule(rule))).with_rule(rule_ref(rule))
}

/// Returns true if the file's last match allows it, with the same limits that rules have.
pub(super) fn by_file(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> Option<StepOutcome> {
    let entry = against::allowing_entry(policy, facts, subject.own_words())?;
    let words = entry.command()?;
    let describes = entry.is_catch_all() || !words.names_word(0);
    let unnamed = subject.step.ways_out.iter().any(|way| !words.names_word(way.argument));
    let elevated = subject.step.via.iter().any(|via| via.power != postern_command::Power::Transparent);
    let writes = subject.step.redirections.iter().any(postern_command::Redirection::writes);
    if elevated || writes || unnamed || (describes && subject.carries_others()) {
        return None;
    }
    let cause = Cause::Rule(named_entry(entry));
    Some(StepOutcome::new(Decision::Allow, Reason::Rule, cause).with_rule(entry_ref(entry)))
}

/// Returns the list's verdict if the agent may read: it allows what the system can confine to reading.
fn by_read_only_list(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    profiles: &Profiles<'_>,
    at: usize,
) -> Option<StepOutcome> {
    // A file that the agent could have written or can replace is not the listed program.
    if policy.settings.look != Access::Allow || facts.steps[at].changeable().next().is_some() {
        return None;
    }
    let confined = !profiles.confinement.is_none();
    let not_so = |reason, gap| {
        let cause = Cause::ReadOnlyBut { command: label::of_step(&facts.reading.steps[at]), gap };
        Some(StepOutcome::new(Decision::Ask, reason, cause))
    };
    match profiles.steps.get(at)? {
        Vouched::Confined if !confined => {
            let gap = profiles.class_gap(facts, Some(Profile::Look));
            not_so(gap.reason(), gap)
        }
        Vouched::Confined | Vouched::Anywhere | Vouched::Open => Some(StepOutcome::new(
            Decision::Allow,
            Reason::ReadOnly,
            if confined { Cause::ReadsConfined } else { Cause::ReadsNoFile },
        )),
        Vouched::But(gap) => not_so(Reason::AllowlistMiss, gap.clone()),
        Vouched::Not => None,
    }
}

fn miss_outcome(said: Coverage<'_>, command: Label, subject: &StepSubject<'_>) -> StepOutcome {
    match said {
        Coverage::Changed(rule, change) => {
            let cause = Cause::Changed { command, pattern: whole_pattern(rule), change };
            StepOutcome::new(Decision::Ask, Reason::BinaryChanged, cause).with_rule(rule_ref(rule))
        }
        Coverage::NotHeld(rule, file) => {
            let cause = Cause::NotHeld { pattern: whole_pattern(rule), file };
            StepOutcome::new(Decision::Ask, Reason::AgentCanChange, cause).with_rule(rule_ref(rule))
        }
        Coverage::Close(rule, gap) => {
            let cause = Cause::NotCovered { command, pattern: whole_pattern(rule), gap };
            StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause)
        }
        Coverage::Covered(_) | Coverage::Nothing => {
            let cause = beyond_reading(subject).unwrap_or(Cause::NoRule { command });
            StepOutcome::new(Decision::Ask, Reason::AllowlistMiss, cause)
        }
    }
}

/// Returns the file that a step writes, or the argument by which it does more, where it would only read otherwise.
fn beyond_reading(subject: &StepSubject<'_>) -> Option<Cause> {
    let step = subject.step;
    let transparent = step.via.iter().all(|via| via.power == postern_command::Power::Transparent);
    if !transparent || !postern_command::is_read_only_anyway(subject.own_words()) {
        return None;
    }
    let write = step.redirections.iter().find(|redirection| redirection.writes());
    let write = write.map(|redirection| Cause::Writes { target: target(redirection) });
    write.or_else(|| step.ways_out.first().map(|way| Cause::UnsafeArg(way.fact().clone())))
}

/// Returns the rule from an offer for exactly these words, and exactly this text on its input, that covers a step which was not
/// understood.
fn covering_code<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
    part: &UnparsedSpan,
) -> Option<&'a Rule> {
    if !code::is_constant(subject.step, part) || code::is_obstructed(policy, facts, subject, part) {
        return None;
    }
    let exact = |rule: &Rule| rule.limits.is_some() && matches!(rule.pattern, Pattern::Exact(_));
    match coverage_by(policy, subject, facts, exact) {
        Coverage::Covered(rule) => Some(rule),
        _ => None,
    }
}
