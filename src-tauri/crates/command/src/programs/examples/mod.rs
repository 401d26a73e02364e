//! Whether the examples of a file show what they say, and whether each effect has one.

use postern_programs::{ArgEffect, Example, ProgramFile};

use super::table::Program;
use super::{family, own, ways};
use crate::{Dialect, Reading, Step, read_shell};

/// What is wrong with the examples of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExampleProblem {
    /// An example shows something else.
    #[error("`{line}` shows {}, and not {}", named(.got), named(.wanted))]
    Shows {
        /// The command line.
        line: String,
        /// What the file says.
        wanted: Vec<Example>,
        /// What was found.
        got: Vec<Example>,
    },
    /// An effect has no example.
    #[error("no example shows `when = \"{0}\"`: add one that has such an argument")]
    Unshown(String),
}

/// Checks the examples of a file. What the file says must have been set before, or be built in.
pub fn check_examples(file: &ProgramFile) -> Vec<ExampleProblem> {
    let mut readings = Vec::new();
    let mut found = Vec::new();
    for (line, wanted) in &file.examples {
        let reading = read_shell(line, Dialect::Bash);
        let got = shown(&reading);
        if !wanted.0.iter().all(|wanted| got.contains(wanted)) {
            found.push(ExampleProblem::Shows { line: line.clone(), wanted: wanted.0.clone(), got });
        }
        readings.push(reading);
    }
    let program = own::compile(file);
    let steps: Vec<&Step> = readings.iter().flat_map(|reading| &reading.steps).collect();
    let unshown =
        program.effects.iter().filter(|effect| !steps.iter().any(|step| shows(step, program, effect)));
    found.extend(unshown.map(|effect| ExampleProblem::Unshown(effect.marks.to_owned())));
    found
}

/// Returns true if a step has an argument that the effect is about.
fn shows(step: &Step, program: &Program, effect: &super::table::Effect) -> bool {
    let own = step.program().is_some_and(|name| program.names.contains(&family(name).as_str()));
    own && ways::has_effect(step, program, effect)
}

/// Returns everything that a line shows.
fn shown(reading: &Reading) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    let effects = reading.steps.iter().flat_map(|step| &step.ways_out).map(|way| Example::Effect(way.effect));
    let unparsed = !reading.opaque.is_empty() || reading.steps.iter().any(|step| step.opaque.is_some());
    for one in effects.chain(unparsed.then_some(Example::Unparsed)) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    if all.is_empty() {
        all.push(Example::None);
    }
    all
}

fn named(all: &[Example]) -> String {
    let one = |example: &Example| match example {
        Example::None => "none".to_owned(),
        Example::Unparsed => "unparsed".to_owned(),
        Example::Effect(effect) => name_of(*effect),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn name_of(effect: ArgEffect) -> String {
    let name = serde_json::to_value(effect).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
