//! Checks of a file's examples: each shows what it says, and each effect has one.

use std::iter;

use postern_programs::{Does, EffectKind, Example, ProgramFile};
use serde::Deserialize as _;
use serde::de::IntoDeserializer;

use crate::call::Arg;
use crate::effect::{effects_of_command, has_effect};
use crate::invocation::Invocation;
use crate::programs::table::{Program, TableEffect, UnsafeArgs};
use crate::programs::{family, own, patterns};
use crate::{Dialect, ParsedCommand, Step, Word, read_shell};

/// Problem of a file's examples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExampleProblem {
    #[error("`{line}` shows {}, and not {}", name_examples(.got), name_examples(.wanted))]
    Shows {
        line: String,
        /// Expectation of the file.
        wanted: Vec<Example>,
        /// Actual result.
        got: Vec<Example>,
    },
    #[error("no example shows `when = \"{0}\"`: add one that has such an argument")]
    Unshown(String),
}

/// Checks the examples of a file. Each effect needs one.
///
/// The file's content must have been set before, or be built in. An example may be in one of the file's
/// relatives: the file that it is like, and those that are like it.
pub fn check_examples(file: &ProgramFile, relatives: &[ProgramFile]) -> Vec<ExampleProblem> {
    let mut readings = Vec::new();
    let mut found = Vec::new();
    for (line, wanted) in &file.examples {
        let reading = read_shell(line, Dialect::Bash);
        let got = shown_examples(&reading);
        if !wanted.0.iter().all(|wanted| got.contains(wanted)) {
            found.push(ExampleProblem::Shows { line: line.clone(), wanted: wanted.0.clone(), got });
        }
        readings.push(reading);
    }
    let program = own::compile(file);
    let lines = relatives.iter().flat_map(|relative| relative.examples.keys());
    readings.extend(lines.map(|line| read_shell(line, Dialect::Bash)));
    let steps: Vec<&Step> = readings.iter().flat_map(|reading| &reading.steps).collect();
    let programs: Vec<&'static Program> =
        iter::once(program).chain(relatives.iter().map(own::compile)).collect();
    let any = |test: &dyn Fn(&Step, &'static Program) -> bool| {
        programs.iter().any(|program| steps.iter().any(|step| test(step, program)))
    };
    let is_shown = |one: &UnsafeArgs| any(&|step, program| shows_unsafe(step, program, one));
    let unsafe_args = program.unsafe_args.iter().filter(|one| !is_shown(one)).map(|one| one.when);
    let is_shown = |effect: &TableEffect| any(&|step, program| has_effect(step, program, effect));
    let effects = program.effects.iter().filter(|effect| !is_shown(effect)).map(|effect| effect.when);
    found.extend(unsafe_args.chain(effects).map(|when| ExampleProblem::Unshown(when.to_owned())));
    found
}

/// Returns true if a step has such an unsafe argument.
fn shows_unsafe(step: &Step, program: &'static Program, unsafe_args: &UnsafeArgs) -> bool {
    let arg = |word: &Word| match &word.value {
        Some(value) => Arg::from_value(value, 0..0),
        None => Arg::unknown(&word.raw, 0..0, true),
    };
    let args: Vec<Arg> = step.argv.iter().map(arg).collect();
    let own = step.program().is_some_and(|name| program.names.contains(&family(name).as_str()));
    own && patterns::unsafe_arg(unsafe_args, &Invocation::from_args(&args, program), &step.dir).is_some()
}

/// Returns everything that a line shows.
fn shown_examples(reading: &ParsedCommand) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    let unsafe_args = reading.steps.iter().flat_map(|step| &step.ways_out).map(|one| one.effect);
    let unparsed = !reading.opaque.is_empty() || reading.steps.iter().any(|step| step.opaque.is_some());
    let unsafe_args = unsafe_args.map(|effect| Example::Effect(Does::Unsafe(effect)));
    all.extend(unsafe_args.chain(unparsed.then_some(Example::Unparsed)));
    if all.is_empty() {
        all.push(Example::None);
    }
    let effects = effects_of_command(reading).into_iter().flatten();
    let kinds = effects.filter_map(|found| kind_of(found.effect.kind()));
    all.extend(kinds.map(|kind| Example::Effect(Does::Has(kind))));
    let first = |at: usize, one: &Example| !all[..at].contains(one);
    all.iter().enumerate().filter(|(at, one)| first(*at, one)).map(|(_, one)| *one).collect()
}

/// Returns the kind of effect of a name; `None` for an effect that is not known.
fn kind_of(name: &str) -> Option<EffectKind> {
    EffectKind::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(name)).ok()
}

fn name_examples(all: &[Example]) -> String {
    let one = |example: &Example| match example {
        Example::None => "none".to_owned(),
        Example::Unparsed => "unparsed".to_owned(),
        Example::Effect(effect) => name_of(*effect),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn name_of(effect: Does) -> String {
    let name = serde_json::to_value(effect).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
