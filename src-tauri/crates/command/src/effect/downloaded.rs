//! Code that a line fetches and runs: through a pipe, in a text, or by a file.

use super::command::{ProgramWords, writes};
use super::host::machine_of;
use super::{CommandEffect, StepEffect};
use crate::programs::{ProgramClass, class_of, family_of, known_name};
use crate::{ArgEffect, Dir, RedirectionKind, Step, Word};

/// Returns the steps that run a download or a decoded text, each with the source.
///
/// That is a fetch before a shell or an interpreter that takes its code from its input, within a text that runs, or into a
/// file that runs.
pub(super) fn runs_what_it_fetched(
    steps: &[Step],
    effects: &[Vec<StepEffect>],
) -> Vec<(usize, Option<String>)> {
    let mut all: Vec<(usize, Option<String>)> = Vec::new();
    for (from, fetch) in steps.iter().enumerate().filter(|(at, step)| fetches(step, &effects[*at])) {
        let holds = |step: &Step| step.span.start <= fetch.span.start && fetch.span.end <= step.span.end;
        let kept = kept_files(steps, effects, from);
        let runs = |(at, step): (usize, &Step)| {
            at > from && (takes_input(step) || runs_one_of(step, &effects[at], &kept))
                || at != from && runs_text(step) && holds(step)
        };
        if let Some(at) = steps.iter().enumerate().position(runs)
            && !all.iter().any(|(other, _)| *other == at)
        {
            let source = fetch.argv.iter().skip(1).map(Word::text).find_map(machine_of);
            all.push((at, source.map(str::to_owned)));
        }
    }
    all
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

/// Returns true if a step runs a text that was not read: of an interpreter that is its first operand.
fn runs_text(step: &Step) -> bool {
    let given = || step.argv.iter().skip(1).find(|word| !word.text().starts_with('-'));
    let runs = |name: &str| match class_of(name) {
        ProgramClass::Shell => true,
        ProgramClass::Interpreter => given().is_some_and(|word| word.value.is_none()),
        _ => matches!(name, "eval" | "source" | "."),
    };
    step.opaque.is_some() && step.program().is_none_or(runs)
}

/// Returns the files and folders in which a line keeps what a step fetches: its own, and those of steps that take them in.
///
/// An empty name is the folder itself, in which an archive was unpacked.
fn kept_files(steps: &[Step], effects: &[Vec<StepEffect>], from: usize) -> Vec<String> {
    // The words of a command elsewhere are paths there.
    let is_elsewhere = |found: &StepEffect| matches!(found.effect, CommandEffect::RunElsewhere { .. });
    let fetch = &steps[from];
    let mut kept = if effects[from].iter().any(is_elsewhere) {
        writes(fetch).map(|path| from_start(&fetch.dir, path)).collect()
    } else {
        [written_files(fetch, &effects[from], false), address_names(fetch)].concat()
    };
    let mut flows = true;
    for (step, found) in steps.iter().zip(effects).skip(from + 1) {
        flows &= step.piped;
        let takes =
            flows || step.argv.iter().skip(1).any(|word| kept.iter().any(|one| one == plain(word.text())));
        if takes {
            kept.extend(written_files(step, found, true));
        }
    }
    kept
}

/// Returns the files that a step writes; the folder itself for a step that unpacks an archive there.
fn written_files(step: &Step, effects: &[StepEffect], unpacks: bool) -> Vec<String> {
    let written = effects.iter().filter(|found| matches!(found.effect, CommandEffect::Write { .. }));
    let paths = written.flat_map(|found| match found.effect.affected_paths() {
        [] if unpacks => vec![String::new()],
        paths => paths.to_vec(),
    });
    paths.map(|path| from_start(&step.dir, &path)).collect()
}

/// Returns the last part of every address: the name under which a download or a repository is kept.
fn address_names(step: &Step) -> Vec<String> {
    let addresses = step.argv.iter().skip(1).map(Word::text).filter(|word| word.contains('/'));
    let names = addresses.filter_map(|word| word.rsplit('/').next());
    let names = names.map(|name| name.strip_suffix(".git").unwrap_or(name)).filter(|name| !name.is_empty());
    names.map(|name| from_start(&step.dir, name)).collect()
}

/// Returns true if a step runs one of these files, or code of a project below one of them.
fn runs_one_of(step: &Step, effects: &[StepEffect], kept: &[String]) -> bool {
    let program = step.program().filter(|name| name.contains('/'));
    let script = step.script.and_then(|at| step.argv.get(at)).map(Word::text);
    let builds = |found: &StepEffect| match &found.effect {
        CommandEffect::RunProjectCode { .. } => Some(project_folder(step).unwrap_or_default()),
        _ => None,
    };
    let file = program.or(script);
    // A build runs what is in its folder.
    let project = effects.iter().find_map(builds).filter(|_| file.is_none());
    file.or(project).is_some_and(|path| {
        let path = from_start(&step.dir, path);
        kept.iter().any(|one| is_below(&path, one))
    })
}

/// Returns the folder that an option of the step's program names.
fn project_folder(step: &Step) -> Option<&str> {
    let program = step.program().and_then(known_name)?.program;
    let folders = program.unsafe_args.iter().filter(|row| row.does == ArgEffect::Folder);
    let options: Vec<&str> = folders.flat_map(|row| row.when.split(' ')).collect();
    let is_option =
        |word: &str| options.iter().any(|mark| mark.trim_start_matches('@').trim_end_matches('/') == word);
    let named = step.argv.windows(2).find(|pair| is_option(pair[0].text()));
    named.map(|pair| pair[1].text())
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    match folder {
        "" => !path.starts_with(['/', '~']) && !path.starts_with(".."),
        _ => rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

/// Returns a path as it is written from the folder in which the line begins.
fn from_start(dir: &Dir, path: &str) -> String {
    let path = plain(path);
    match dir {
        Dir::Under(folder) if !path.starts_with(['/', '~']) => {
            format!("{}/{path}", plain(folder).trim_end_matches('/')).trim_end_matches('/').to_owned()
        }
        _ => path.to_owned(),
    }
}

fn plain(path: &str) -> &str {
    let path = path.trim_matches(['"', '\'']);
    if path == "." { "" } else { path.trim_start_matches("./").trim_end_matches('/') }
}
