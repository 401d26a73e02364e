//! Whole readings: what a line is understood to run.

mod bodies;
mod constants;
mod lines;
mod peeling;
mod programs;
mod properties;

use crate::{Dialect, ParsedCommand, read_shell};

fn bash(text: &str) -> ParsedCommand {
    read_shell(text, Dialect::Bash)
}

/// Returns true if everything is understood, and no unsafe argument.
fn reads_clear(reading: &ParsedCommand) -> bool {
    reading.is_clear() && reading.steps.iter().all(|step| step.ways_out.is_empty())
}

/// Returns the first words of the steps.
fn heads(reading: &ParsedCommand) -> Vec<String> {
    reading.steps.iter().map(|step| step.program().unwrap_or_default().to_owned()).collect()
}
