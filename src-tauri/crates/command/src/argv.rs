//! Reading a request that came as argv: no shell between, so every character is itself.

use std::ops::Range;

use crate::call::{Arg, CommandCall, Functions, ParseResults};
use crate::quote::quote_word;
use crate::{Invalid, ParsedCommand, Word, peel};

/// Words that an argv may have.
pub const MOST_WORDS: usize = 1024;

/// Bytes that an argv may have in all.
pub const LONGEST_ARGV: usize = 128 * 1024;

/// Reads an argv: wrappers are peeled and inner shells read, as for shell text. Spans point into its quoted rendering.
pub fn read_argv(argv: &[String]) -> ParsedCommand {
    parse_words(argv, None)
}

/// Reads an argv like [`read_argv`], with the home folder of the person it would run as.
///
/// `~` and `$HOME` in a text that an inner shell reads are that folder.
pub fn read_argv_at(argv: &[String], home: &str) -> ParsedCommand {
    parse_words(argv, Some(home))
}

fn parse_words(argv: &[String], home: Option<&str>) -> ParsedCommand {
    let (text, spans) = rendered(argv);
    let mut reading = ParsedCommand { text, invalid: check_argv(argv), ..ParsedCommand::default() };
    if reading.invalid.is_some() {
        return reading;
    }
    let arg = |(value, span): (&String, Range<usize>)| {
        let raw = reading.text.get(span.clone()).unwrap_or_default().to_owned();
        Arg::from_word(Word { raw, value: Some(value.clone()) }, span)
    };
    let call = CommandCall {
        args: argv.iter().zip(spans).map(arg).collect(),
        span: 0..reading.text.len(),
        ..CommandCall::default()
    };
    let mut found = ParseResults { home: home.map(str::to_owned), ..ParseResults::default() };
    peel::add_call(call, &Functions::new(), &mut found);
    found.steps.sort_by_key(|step| step.span.start);
    found.bodies.sort_by_key(|body| body.start);
    reading.steps = found.steps;
    reading.opaque = found.opaque;
    reading.bodies = found.bodies;
    reading.plain = Some(argv.to_vec());
    reading
}

fn rendered(argv: &[String]) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut spans = Vec::with_capacity(argv.len());
    for word in argv {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        text.push_str(&quote_word(word));
        spans.push(start..text.len());
    }
    (text, spans)
}

fn check_argv(argv: &[String]) -> Option<Invalid> {
    let invalid = |code, message| Some(Invalid { code, message });
    let Some(program) = argv.first() else {
        return invalid("empty-argv", "the argv is empty; its first word names the program");
    };
    if program.is_empty() {
        return invalid("empty-program", "the first word of the argv is empty; it names the program");
    }
    if argv.iter().any(|word| word.contains('\0')) {
        return invalid("nul", "an argument holds a NUL byte, which no program can be given");
    }
    if argv.len() > MOST_WORDS || argv.iter().map(String::len).sum::<usize>() > LONGEST_ARGV {
        return invalid("too-long", "the argv is longer than 1024 words or 128 KiB");
    }
    None
}
