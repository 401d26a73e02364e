//! Reading shell text: a check on the bytes, two parsers that must agree, and a list of constructs that are understood.

mod ansi;
mod around;
mod assign;
mod bounds;
mod braces;
mod compound;
mod crude;
mod crude_words;
mod expansion;
mod flow;
mod fold;
mod gate;
mod heredocs;
mod lists;
mod newlines;
mod output;
mod qualifiers;
mod quoted_bodies;
mod redirect;
mod scanned;
mod scanner;
mod simple;
mod span;
mod variables;
mod walk;
mod word;

use std::ops::Range;

pub use crude::MOST_GUESSES;
pub(crate) use crude::candidates;
pub(crate) use flow::changed;

use crate::call::{CommandCall, Feed, ParseResults};
use crate::{
    Assignment, Dialect, Dir, Invalid, ParsedCommand, Redirection, Unparsed, UnparsedSpan, Via, escape,
};

/// Bytes of shell text that are read; longer text is refused.
pub const LONGEST_TEXT: usize = 32 * 1024;

/// Shells inside shells that are followed.
pub(crate) const DEEPEST: usize = 8;

/// Reads a line (or a script) of shell text.
///
/// Never fails: text that cannot be read comes back as one opaque part, text that cannot be judged with
/// [`ParsedCommand::invalid`] set.
pub fn read_shell(text: &str, dialect: Dialect) -> ParsedCommand {
    parse_with_home(text, dialect, None)
}

/// Reads shell text like [`read_shell`], with the home folder of the person it would run as (an absolute path).
///
/// `~` and `$HOME` are that folder.
pub fn read_shell_at(text: &str, dialect: Dialect, home: &str) -> ParsedCommand {
    parse_with_home(text, dialect, Some(home))
}

fn parse_with_home(text: &str, dialect: Dialect, home: Option<&str>) -> ParsedCommand {
    let mut reading =
        ParsedCommand { text: text.to_owned(), invalid: check_text(text), ..ParsedCommand::default() };
    if reading.invalid.is_some() {
        return reading;
    }
    let home = home.filter(|home| home.starts_with('/'));
    let mut found = ParseResults { home: home.map(str::to_owned), ..ParseResults::default() };
    let place = TextPosition { base: Some(0), whole: 0..text.len() };
    let single = read_text(&Nest { home, ..Nest::top_level(text, place, dialect) }, &mut found);
    found.steps.sort_by_key(|step| step.span.start);
    found.bodies.sort_by_key(|body| body.start);
    reading.steps = found.steps;
    reading.opaque = found.opaque;
    reading.bodies = found.bodies;
    if reading.steps.is_empty() && reading.opaque.is_empty() {
        reading.invalid = Some(empty_text());
    }
    if let (true, [step]) = (reading.is_clear(), reading.steps.as_slice()) {
        reading.plain = single.filter(|_| step.role == crate::Role::Program);
    }
    reading
}

fn check_text(text: &str) -> Option<Invalid> {
    let invalid = |code, message| Some(Invalid { code, message });
    if text.len() > LONGEST_TEXT {
        return invalid(
            "too-long", "the shell text is longer than 32 KiB; write it to a script and run that",
        );
    }
    if text.contains('\0') {
        return invalid("nul", "the shell text holds a NUL byte, which no program can be given");
    }
    text.trim().is_empty().then(empty_text)
}

fn empty_text() -> Invalid {
    Invalid { code: "empty-text", message: "there is no command in the shell text" }
}

/// Position of a text in the request's text.
#[derive(Debug, Clone)]
pub(crate) struct TextPosition {
    /// The offset of its first byte, where it stands there character by character.
    pub(crate) base: Option<usize>,
    pub(crate) whole: Range<usize>,
}

impl TextPosition {
    /// Returns the position of a value that was written as the given word.
    pub(crate) fn of_value(raw: &str, value: &str, span: &Range<usize>) -> Self {
        let quoted = raw.len() == span.len()
            && raw.len() == value.len() + 2
            && raw.get(1..raw.len() - 1) == Some(value);
        let base = if quoted {
            Some(span.start + 1)
        } else {
            (raw == value && raw.len() == span.len()).then_some(span.start)
        };
        Self { base, whole: span.clone() }
    }

    fn locate(&self, range: &Range<usize>) -> Range<usize> {
        self.base.map_or_else(|| self.whole.clone(), |base| base + range.start..base + range.end)
    }
}

/// A text to be read, and what is around it.
pub(crate) struct Nest<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: TextPosition,
    pub(crate) dialect: Dialect,
    /// `$0`, `$1`, … where they are known.
    pub(crate) parameters: Option<Vec<String>>,
    pub(crate) via: Vec<Via>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) dir: Dir,
    pub(crate) feed: Feed,
    pub(crate) piped: bool,
    pub(crate) depth: usize,
    /// The home folder of who it runs as, where that is known.
    pub(crate) home: Option<&'a str>,
}

impl<'a> Nest<'a> {
    fn top_level(text: &'a str, place: TextPosition, dialect: Dialect) -> Self {
        Self {
            text,
            place,
            dialect,
            parameters: None,
            via: Vec::new(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            dir: Dir::Same,
            feed: Feed::Inherited,
            piped: false,
            depth: 0,
            home: None,
        }
    }

    /// Returns a text that a call would run (`sh -c TEXT`, `eval TEXT`).
    pub(crate) fn inside(call: &CommandCall, text: &'a str, place: TextPosition, dialect: Dialect) -> Self {
        Self {
            via: call.via.clone(),
            assignments: call.assignments.clone(),
            redirections: call.redirections.clone(),
            dir: call.dir.clone(),
            feed: call.feed.clone(),
            piped: call.piped,
            depth: call.depth + 1,
            ..Self::top_level(text, place, dialect)
        }
    }
}

/// Reads a text into steps. The argv of the single simple command that it is, if it is nothing else.
pub(crate) fn read_text(nest: &Nest<'_>, found: &mut ParseResults) -> Option<Vec<String>> {
    let whole = nest.place.locate(&(0..nest.text.len()));
    let doubt = |kind, what: &'static str, advice: Option<&'static str>| {
        UnparsedSpan::new(kind, what, whole.clone()).with_candidates(candidates(nest.text)).advised(advice)
    };
    found.cost += bounds::reading_cost(nest.text);
    if nest.depth > DEEPEST || found.cost > bounds::MOST_COST || !bounds::within(nest.text) {
        let what = "it is too long or too deep to follow";
        found.opaque.push(doubt(
            Unparsed::TooDeep,
            what,
            Some("split it into several commands, or write a script and run that"),
        ));
        return None;
    }
    let visible = nest.text.replace(['\n', '\t'], " ");
    if !escape::is_readable(&visible) {
        let what = "it holds characters that cannot be seen";
        found.opaque.push(doubt(
            Unparsed::InvisibleCharacters,
            what,
            Some("write plain spaces and newlines"),
        ));
    }
    let Some(folded) = fold::fold_lines(nest.text) else {
        let what = "a line continues where that is hard to follow";
        found.opaque.push(doubt(Unparsed::Continuation, what, Some("write the command on one line")));
        return None;
    };
    let Some(read) = walk::walk_text(nest, &folded, found) else {
        let what = "this text could not be read in full";
        found.opaque.push(doubt(Unparsed::NotRead, what, Some("write simple commands, one to a line")));
        return None;
    };
    let clear = read.found.opaque.is_empty() && read.found.steps.iter().all(|step| step.opaque.is_none());
    let agreed = read.clean && parsers_agree(&folded.text, &read);
    found.cost = read.found.cost;
    found.steps.extend(read.found.steps);
    found.opaque.extend(read.found.opaque);
    found.unset.extend(read.found.unset);
    if !agreed {
        let (code, what) = if clear {
            (Unparsed::ParsersDisagree, "two readings of this text differ")
        } else {
            (Unparsed::NotRead, "this text could not be read in full")
        };
        found.opaque.push(doubt(code, what, Some("write simple commands, one to a line")));
        return None;
    }
    found.bodies.extend(read.found.bodies);
    read.single
}

/// Checks that the other parser sees the same commands.
///
/// If need be, it gets the text without its here-documents, or with a semicolon for each newline between commands.
fn parsers_agree(text: &str, read: &walk::WalkResult) -> bool {
    let documents = &read.here_documents;
    if !heredocs::share_a_line(documents)
        && gate::outline(text, &read.masks).is_some_and(|other| other == read.outline)
    {
        return true;
    }
    let arrows: Vec<usize> = documents.iter().map(|document| document.operator.start).collect();
    let agrees = |text: &str| {
        gate::outline_where(text, &read.masks, &arrows).is_some_and(|other| other == read.outline)
    };
    let hides = !documents.is_empty();
    let hidden = if hides { heredocs::hide_documents(text, documents) } else { Some(text.to_owned()) };
    hidden.is_some_and(|text| {
        hides && agrees(&text) || newlines::separated(&text, &read.outline).is_some_and(|text| agrees(&text))
    })
}
