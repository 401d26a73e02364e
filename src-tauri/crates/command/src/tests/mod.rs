//! Whole readings: what a line is understood to run.

mod bodies;
mod constants;
mod lines;
mod peeling;
mod programs;
mod properties;

use crate::{Dialect, ParsedCommand, Step, read_shell};

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

/// Returns the steps' words; those known only at run time in angle brackets.
fn told(reading: &ParsedCommand) -> String {
    let word = |word: &crate::Word| word.value.clone().unwrap_or_else(|| format!("<{}>", word.raw));
    let step = |step: &Step| step.argv.iter().map(word).collect::<Vec<_>>().join(" ");
    reading.steps.iter().map(step).collect::<Vec<_>>().join(" ; ")
}

/// Lines that are read alike.
#[derive(serde::Deserialize)]
struct ReadCase {
    /// The property that they show.
    name: String,
    lines: Vec<String>,
    /// True for lines of zsh.
    #[serde(default)]
    zsh: bool,
    /// True if everything is understood, false if not.
    understood: Option<bool>,
    /// True if no argument is unsafe, either; false if one is, or something is not understood.
    clear: Option<bool>,
    /// First words of the steps.
    programs: Option<Vec<String>>,
    /// Words of the steps; those known only at run time in angle brackets.
    words: Option<String>,
}

#[test]
fn lines_are_read_as_their_cases_say() {
    for case in include_str!("readings.jsonl").lines() {
        let case: ReadCase = serde_json::from_str(case).unwrap();
        for line in &case.lines {
            let reading = read_shell(line, if case.zsh { Dialect::Zsh } else { Dialect::Bash });
            let name = format!("{}: {line:?}: {reading:#?}", case.name);
            assert!(case.understood.is_none_or(|understood| understood == reading.is_clear()), "{name}");
            assert!(case.clear.is_none_or(|clear| clear == reads_clear(&reading)), "{name}");
            assert!(case.programs.as_ref().is_none_or(|programs| *programs == heads(&reading)), "{name}");
            assert!(case.words.as_ref().is_none_or(|words| *words == told(&reading)), "{name}");
        }
    }
}
