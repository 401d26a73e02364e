//! Whole readings: what a line is understood to run.

mod constants;
mod lines;
mod peeling;
mod programs;
mod properties;

use crate::{Dialect, ParsedCommand, Power, Step, read_argv, read_shell};

/// Returns the rows of a table of cases, each a line of JSON.
pub(crate) fn rows<T: serde::Deserialize<'static>>(table: &'static str) -> impl Iterator<Item = T> {
    table.lines().map(|row| serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}")))
}

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

/// Returns each body without its last line end.
fn body_texts(reading: &ParsedCommand) -> Vec<&str> {
    let text = |body: &std::ops::Range<usize>| {
        let text = &reading.text[body.clone()];
        text.strip_suffix('\n').unwrap_or(text)
    };
    reading.bodies.iter().map(text).collect()
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
    /// The last step's program, and the power of one of its wrappers.
    runs: Option<String>,
    power: Option<Power>,
    /// True if a step has an unsafe argument.
    unsafe_args: Option<bool>,
    /// The last argument of the last step; `?` if it is not known.
    last: Option<String>,
    /// Bodies of here-documents, where they stand in the text.
    bodies: Option<Vec<String>>,
}

#[test]
fn lines_are_read_as_their_cases_say() {
    for case in rows::<ReadCase>(include_str!("readings.jsonl")) {
        for line in &case.lines {
            let reading = read_shell(line, if case.zsh { Dialect::Zsh } else { Dialect::Bash });
            let name = format!("{}: {line:?}: {reading:#?}", case.name);
            let (steps, last) = (&reading.steps, reading.steps.last());
            let argument = last.and_then(|step| step.argv.last()?.value.as_deref()).unwrap_or("?");
            let has_power =
                |power: Power| last.is_some_and(|step| step.via.iter().any(|via| via.power == power));
            assert!(case.understood.is_none_or(|understood| understood == reading.is_clear()), "{name}");
            assert!(case.clear.is_none_or(|clear| clear == reads_clear(&reading)), "{name}");
            assert!(case.programs.as_ref().is_none_or(|programs| *programs == heads(&reading)), "{name}");
            assert!(case.words.as_ref().is_none_or(|words| *words == told(&reading)), "{name}");
            assert!(case.runs.is_none() || case.runs.as_deref() == last.and_then(Step::program), "{name}");
            assert!(case.power.is_none_or(has_power), "{name}");
            let unsafe_args = steps.iter().any(|step| !step.ways_out.is_empty());
            assert!(case.unsafe_args.is_none_or(|expected| expected == unsafe_args), "{name}");
            let are_arguments = |step: &Step| step.ways_out.iter().all(|way| way.argument < step.argv.len());
            assert!(case.unsafe_args.is_none() || steps.iter().all(are_arguments), "{name}");
            assert!(case.last.as_deref().is_none_or(|last| last == argument), "{name}");
            assert!(case.bodies.as_ref().is_none_or(|bodies| *bodies == body_texts(&reading)), "{name}");
        }
    }
}

#[test]
fn a_body_of_an_argv_stands_in_its_quoted_form() {
    let words = ["bash", "-c", "cat <<EOF\na\nEOF"].map(str::to_owned);
    assert_eq!(body_texts(&read_argv(&words)), ["a"]);
}
