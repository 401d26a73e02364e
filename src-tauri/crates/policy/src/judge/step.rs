//! Stages 8 to 10 for one step: rules, skills, the file, the read-only list, and why it is asked about otherwise.

use super::allow::{Coverage, Subject, coverage, target};
use super::outcome::{Outcome, by_rule, entry_ref, rule_ref};
use super::{against, label};
use crate::agent::AgentPolicy;
use crate::facts::{Facts, Input, Lookup};
use crate::rule::{Rule, Source};
use crate::verdict::{Decision, Reason};
use postern_command::{Opaque, Role};

/// What the rules say about the step at `at`. Never denies.
pub(super) fn judge(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> Outcome {
    let subject = Subject::new(&facts.reading.steps[at], &facts.steps[at]);
    if let Some(part) = &subject.step.opaque {
        return opaque(part);
    }
    if needs_no_rule(&subject) || subject.is_builtin_of_known_shell(policy, facts) {
        return builtin(&subject);
    }
    let name = label::of_step(subject.step);
    if let Some(obstacle) = subject.obstacle(policy, facts) {
        let reason = if matches!(subject.found.program, Lookup::NotFound) {
            Reason::NotFound
        } else {
            Reason::AllowlistMiss
        };
        return Outcome::new(Decision::Ask, reason, format!("No rule can allow {name}: {obstacle}."));
    }
    let said = coverage(policy, &subject, facts);
    if let Coverage::Covered(rule) = said {
        return covered(rule);
    }
    // The file and the list know nothing of input: they hold where there is none, or none that tells a program what to do.
    let told = *facts.input != Input::Nothing && !subject.reads_input_as_data();
    let otherwise =
        || by_file(policy, facts, &subject).or_else(|| by_read_only_list(policy, &subject)).filter(|_| !told);
    otherwise().unwrap_or_else(|| miss(&said, &name))
}

/// Whether a rule could cover the step at `at`: nothing stands in the way of every rule.
pub(crate) fn can_be_covered(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = Subject::new(&facts.reading.steps[at], &facts.steps[at]);
    subject.step.opaque.is_none() && !needs_no_rule(&subject) && subject.obstacle(policy, facts).is_none()
}

/// Whether one rule by itself covers the step at `at` of a request.
pub(crate) fn covers(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    let subject = Subject::new(&facts.reading.steps[at], &facts.steps[at]);
    subject.step.opaque.is_none()
        && !needs_no_rule(&subject)
        && subject.obstacle(policy, facts).is_none()
        && matches!(coverage(policy, &subject, facts), Coverage::Covered(_))
}

/// A part that was not understood: at best a question.
pub(super) fn opaque(part: &Opaque) -> Outcome {
    let outcome =
        Outcome::new(Decision::Ask, Reason::Opaque, format!("It cannot be read in full: {}", part.what));
    match &part.advice {
        Some(advice) => outcome.advise(advice),
        None => outcome.advise("Write it as a plain command, without a shell where that is possible."),
    }
}

/// Whether the input of the step at `at` cannot tell it what to do.
pub(crate) fn reads_input_as_data(facts: &Facts<'_>, at: usize) -> bool {
    Subject::new(&facts.reading.steps[at], &facts.steps[at]).reads_input_as_data()
}

/// Builtins, functions and steps that start nothing: unless a wrapper that is a program would run them.
fn needs_no_rule(subject: &Subject<'_>) -> bool {
    let only_shell_words = subject.step.via.iter().all(|via| {
        via.argv.first().and_then(|word| word.value.as_deref()).is_some_and(crate::needed::is_shell_word)
    });
    match subject.step.role {
        Role::Program => false,
        Role::HarmlessBuiltin => only_shell_words,
        Role::Function | Role::Nothing => true,
    }
}

fn builtin(subject: &Subject<'_>) -> Outcome {
    if let Some(write) = subject.step.redirections.iter().find(|redirection| redirection.writes()) {
        return Outcome::new(
            Decision::Ask,
            Reason::AllowlistMiss,
            format!("It writes to {}.", target(write)),
        );
    }
    if let Some(way) = subject.step.ways_out.first() {
        return Outcome::new(Decision::Ask, Reason::AllowlistMiss, format!("{}.", way.what));
    }
    Outcome::new(Decision::Allow, Reason::Builtin, "Nothing here needs a rule.")
}

fn covered(rule: &Rule) -> Outcome {
    let reason = if matches!(rule.source, Source::Skill(_)) { Reason::Skill } else { Reason::Rule };
    let told = rule_ref(rule);
    Outcome::new(Decision::Allow, reason, by_rule(&told)).by(told)
}

/// The file's last match allows it, with the same limits that rules have.
fn by_file(policy: &AgentPolicy, facts: &Facts<'_>, subject: &Subject<'_>) -> Option<Outcome> {
    let entry = against::allowing_entry(policy, facts, subject.words())?;
    let words = entry.command()?;
    let describes = entry.is_catch_all() || !words.names(0);
    let unnamed = subject.step.ways_out.iter().any(|way| !words.names(way.argument));
    let elevated = subject.step.via.iter().any(|via| via.power != postern_command::Power::Transparent);
    let writes = subject.step.redirections.iter().any(postern_command::Redirection::writes);
    if elevated || writes || unnamed || (describes && subject.carries_others()) {
        return None;
    }
    let rule = entry_ref(entry);
    Some(Outcome::new(Decision::Allow, Reason::Rule, by_rule(&rule)).by(rule))
}

fn by_read_only_list(policy: &AgentPolicy, subject: &Subject<'_>) -> Option<Outcome> {
    if !policy.settings.allow_read_only || subject.carries_others() && !subject.carries_nothing() {
        return None;
    }
    let plain = subject.step.ways_out.is_empty()
        && subject.step.via.iter().all(|via| via.power == postern_command::Power::Transparent)
        && !subject.step.redirections.iter().any(postern_command::Redirection::writes);
    let by_name = subject.step.program().is_some_and(|name| !name.contains('/'));
    (plain && by_name && postern_command::is_read_only_anyway(&with_patterns(subject)))
        .then(|| Outcome::new(Decision::Allow, Reason::ReadOnly, "It only reads, and this agent may read."))
}

/// The step's words, with a file in place of a pattern: of a program that reads any number of them, in this folder or below it.
fn with_patterns<'a>(subject: &Subject<'a>) -> Vec<Option<&'a str>> {
    let patterns = subject.step.program().is_some_and(postern_command::reads_any_files);
    let is_pattern = |raw: &str| {
        raw.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '*')
            && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./*?".contains(&byte))
    };
    let words = subject.words().iter().zip(&subject.step.argv);
    words
        .map(|(word, as_written)| word.or(Some("file").filter(|_| patterns && is_pattern(&as_written.raw))))
        .collect()
}

fn miss(said: &Coverage<'_>, name: &str) -> Outcome {
    match said {
        Coverage::Changed(rule, what) => {
            let told = rule_ref(rule);
            let message = format!("{name} changed since the rule {} was given: {what}.", told.pattern);
            Outcome::new(Decision::Ask, Reason::BinaryChanged, message).by(told)
        }
        Coverage::Close(rule, why) => {
            let pattern = rule_ref(rule).pattern;
            let message = format!("The rule {pattern} does not cover {name}: {why}.");
            Outcome::new(Decision::Ask, Reason::AllowlistMiss, message)
        }
        Coverage::Covered(_) | Coverage::Nothing => {
            Outcome::new(Decision::Ask, Reason::AllowlistMiss, format!("No rule for {name}."))
        }
    }
}
