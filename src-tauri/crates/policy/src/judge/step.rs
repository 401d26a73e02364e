//! Stages 8 to 10 for one step: rules, skills, the file, the read-only list, and why it is asked about otherwise.

use super::allow::{Coverage, by_file, coverage, target};
use super::builtin::{builtin, is_coverable_builtin, needs_no_rule};
use super::covering::{covering_code, limited, rule_for_new_folder};
use super::look::Vouched;
use super::outcome::{StepOutcome, covered, rule_ref, to_named_rule, whole_pattern};
use super::profile::Profiles;
use super::subject::StepSubject;
use super::{broad, label, own_shell};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, Label, NamedRule};
use crate::classes::Access;
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, Input, Lookup};
use crate::rule::Rule;
use postern_command::UnparsedSpan;
use postern_protocol::Profile;

/// Returns the outcome of the rules for the step at `at`. Never denies.
pub(super) fn judge_step(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    profiles: &Profiles<'_>,
    at: usize,
) -> StepOutcome {
    let subject = StepSubject::at(facts, at);
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
        if own.decision == Decision::Allow && profiles.expands && profiles.confinement.is_none() {
            let gap = profiles.class_gap(facts, Some(Profile::Look));
            let reason = gap.reason();
            let cause = Cause::ReadOnlyBut { command: label::of_step(subject.step), gap };
            return StepOutcome::new(Decision::Ask, reason, cause);
        }
        if own.decision == Decision::Allow {
            return own;
        }
        let by_list = || by_read_only_list(policy, facts, profiles, at);
        return by_rule().map(covered).or_else(by_list).unwrap_or(own);
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

/// Returns a part that was not understood: at best a question.
pub(super) fn unparsed_outcome(part: &UnparsedSpan) -> StepOutcome {
    let outcome = StepOutcome::new(Decision::Ask, Reason::Opaque, Cause::Unparsed(part.note().clone()));
    outcome.advise(part.advice().map_or(Advice::WritePlainly, |words| Advice::Reader(words.into())))
}

/// Returns true if the input of the step at `at` cannot give it commands.
pub(crate) fn reads_input_as_data(facts: &Facts<'_>, at: usize) -> bool {
    StepSubject::at(facts, at).reads_input_as_data()
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
