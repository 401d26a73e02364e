//! Surroundings of a step: what stands beside its words and that a rule for an exact command from an answer is held to.

use super::subject::StepSubject;
use crate::cause::Gap;
use crate::facts::Facts;
use crate::rule::{Pattern, Rule, RuleInput, Source, Surroundings};
use postern_command::{Assignment, Redirection, RedirectionKind, Step, Word};

/// Returns the surroundings of a step; `None` if a part of them is only known when it runs.
pub(crate) fn of_step(step: &Step) -> Option<Surroundings> {
    let known = |word: &Word| word.value.clone();
    let assigned = |one: &Assignment| Some(format!("{}={}", one.name, known(&one.value)?));
    let opened = |one: &&Redirection| one.reads() || one.writes() || one.kind == RedirectionKind::Here;
    Some(Surroundings {
        wrappers: step.via.iter().flat_map(|via| via.argv.iter()).map(known).collect::<Option<_>>()?,
        variables: step.assignments.iter().map(assigned).collect::<Option<_>>()?,
        redirections: step.redirections.iter().filter(opened).map(redirection).collect::<Option<_>>()?,
    })
}

/// Returns a redirection as text; of a text that is fed, its sha256.
fn redirection(one: &Redirection) -> Option<String> {
    let sign = match one.kind {
        RedirectionKind::Read => "<",
        RedirectionKind::Write => ">",
        RedirectionKind::Append => ">>",
        RedirectionKind::ReadWrite => "<>",
        RedirectionKind::Descriptor => "&",
        RedirectionKind::Here => "<<",
    };
    let text = one.text.as_deref().map(super::code::sha256_of);
    Some(format!("{sign} {}", text.or_else(|| one.target.value.clone())?))
}

/// Returns the file that a step has on its input, or opens to read.
pub(crate) fn read_on_input(step: &Step) -> Option<&str> {
    step.redirections.iter().find(|one| one.reads()).and_then(|one| one.target.value.as_deref())
}

/// Returns true if a pipe gives the step at `at` input that its program may take for commands.
pub(crate) fn takes_commands_by_pipe(facts: &Facts<'_>, at: usize) -> bool {
    is_piped_commands(&StepSubject::at(facts, at))
}

fn is_piped_commands(subject: &StepSubject<'_>) -> bool {
    let obeys = |name: &str| !postern_command::takes_text(name);
    subject.step.piped && subject.step.program().is_some_and(obeys) && !subject.reads_input_as_data()
}

/// Returns why a rule for an exact command from an answer does not cover a step that has the same words.
///
/// One that was saved before rules had surroundings covers no file on its input.
pub(super) fn gap(rule: &Rule, subject: &StepSubject<'_>) -> Option<Gap> {
    let shown = rule.limits.as_ref().and_then(|limits| limits.around.as_ref());
    let by_answer = rule.source == Source::Always && matches!(rule.pattern, Pattern::Exact(_));
    if shown.is_none() && !by_answer {
        return None;
    }
    if shown.is_some_and(|shown| of_step(subject.step).as_ref() != Some(shown)) {
        return Some(Gap::OtherSurroundings);
    }
    let reads = shown.is_none() && subject.step.reads_by_redirection();
    let fed = rule.input != RuleInput::Any && (reads || is_piped_commands(subject));
    fed.then_some(Gap::NoInput)
}
