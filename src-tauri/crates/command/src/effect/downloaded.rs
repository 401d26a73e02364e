//! Code that a line fetches and runs: through a pipe, in a text, or by a file.

use super::command::{ProgramWords, word_text};
use super::host::machine_of;
use super::{CommandEffect, StepEffect};
use crate::programs::{ProgramClass, class_of, family_of};
use crate::{RedirectionKind, Step};

/// Returns the step that runs a download or a decoded text, and the source.
///
/// That is a fetch before a shell or an interpreter that takes its code from its input, or within a text that
/// a shell runs.
pub(super) fn runs_what_it_fetched(
    steps: &[Step],
    effects: &[Vec<StepEffect>],
) -> Option<(usize, Option<String>)> {
    let (from, fetch) = steps.iter().enumerate().find(|(at, step)| fetches(step, &effects[*at]))?;
    let holds = |step: &Step| step.span.start <= fetch.span.start && fetch.span.end <= step.span.end;
    let files = written_files(fetch, &effects[from]);
    let runs = |(at, step): (usize, &Step)| {
        at > from && (takes_input(step) || runs_one_of(step, &files))
            || at != from && runs_text(step) && holds(step)
    };
    let at = steps.iter().enumerate().position(runs)?;
    let source = fetch.argv.iter().skip(1).map(word_text).find_map(machine_of).map(str::to_owned);
    Some((at, source))
}

/// Returns true if a step brings a text from elsewhere, or decodes one.
fn fetches(step: &Step, effects: &[StepEffect]) -> bool {
    const FETCHES: [&str; 8] = ["curl", "wget", "fetch", "nc", "ncat", "base64", "xxd", "openssl"];
    let brings = |found: &StepEffect| {
        matches!(found.effect, CommandEffect::Fetch { .. } | CommandEffect::RunElsewhere { .. })
    };
    step.program().is_some_and(|name| FETCHES.contains(&&*family_of(name))) || effects.iter().any(brings)
}

/// Returns true if a shell or an interpreter takes its code from its input.
fn takes_input(step: &Step) -> bool {
    const CODE: &str = "-c -e -E -p -r -m --eval --print";
    let class = step.program().map_or(ProgramClass::Ordinary, class_of);
    let given = || {
        class == ProgramClass::Interpreter
            && ProgramWords::of_step(step).last().is_some_and(|words| {
                let mut is_given = false;
                words.for_each_reading(|command| is_given |= command.matches_any(CODE));
                is_given
            })
    };
    let written = step.redirections.iter().any(|redirection| redirection.kind == RedirectionKind::Here);
    matches!(class, ProgramClass::Shell | ProgramClass::Interpreter)
        && step.script.is_none()
        && !written
        && !given()
}

/// Returns true if a step runs a text that was not read.
fn runs_text(step: &Step) -> bool {
    let is_shell = |name: Option<&str>| {
        name.is_none_or(|name| {
            class_of(name) == ProgramClass::Shell || matches!(name, "eval" | "source" | ".")
        })
    };
    step.opaque.is_some() && is_shell(step.program())
}

/// Returns the files that a step writes, and the last part of every address: the name under which a download is kept.
fn written_files(step: &Step, effects: &[StepEffect]) -> Vec<String> {
    let written = effects.iter().filter(|found| matches!(found.effect, CommandEffect::Write { .. }));
    let paths = written.flat_map(|found| found.effect.affected_paths()).map(String::as_str);
    let addresses = step.argv.iter().skip(1).map(word_text).filter(|word| word.contains('/'));
    let names = addresses.filter_map(|word| word.rsplit('/').next());
    paths.chain(names).filter(|name| !name.is_empty()).map(|name| plain(name).to_owned()).collect()
}

/// Returns true if a step runs one of these files as a script or as a program.
fn runs_one_of(step: &Step, files: &[String]) -> bool {
    let program = step.program().filter(|name| name.contains('/'));
    let script = step.script.and_then(|at| step.argv.get(at)).map(word_text);
    program.into_iter().chain(script).any(|file| files.iter().any(|one| one == plain(file)))
}

fn plain(path: &str) -> &str {
    path.trim_matches(['"', '\'']).trim_start_matches("./")
}
