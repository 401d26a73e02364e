//! The one escape for everything that is shown or logged: hostile text comes out as visible, unambiguous text.
//!
//! What a person cannot see is written as an escape: control, format, surrogate, private and unassigned characters,
//! every space but U+0020, fillers, variation selectors, tags, and combining marks beyond four in a row. So is what a
//! person would take for something else: the foreign letters of a token that mixes alphabets or is drawn like an ASCII
//! one. The terminal form doubles backslashes, so two different texts never look the same.

mod invisible;
mod lookalike;

pub use lookalike::{Lookalike, Resemblance, lookalikes};

use std::fmt::Write as _;

use invisible::{follows_emoji, is_combining, is_invisible};

/// Combining marks that a letter may carry before the rest is escaped (stacked marks can cover the lines around them).
const MARKS_IN_A_ROW: usize = 4;

/// A stretch of text as it is to be shown: either as it is, or the visible escape of one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscapedPiece {
    pub text: String,
    /// True if `text` stands for a character that cannot be shown: to be set apart by color.
    pub escaped: bool,
}

/// Splits a text into what can be shown and what must be escaped.
///
/// Injective: the pieces tell every text from every other, as long as the `escaped` flag is shown too. Where it cannot be
/// (a terminal, a log), use [`visible_text`].
pub fn pieces(text: &str) -> Vec<EscapedPiece> {
    let mut pieces: Vec<EscapedPiece> = Vec::new();
    for shown in shown_chars(text) {
        match (shown, pieces.last_mut()) {
            (ShownChar::Plain(c), Some(last)) if !last.escaped => last.text.push(c),
            (ShownChar::Plain(c), _) => pieces.push(EscapedPiece { text: c.to_string(), escaped: false }),
            (ShownChar::Escaped(c), _) => pieces.push(EscapedPiece { text: spelled(c), escaped: true }),
        }
    }
    pieces
}

/// Returns the terminal form: one line of visible text, literal backslashes doubled. Injective.
pub fn visible_text(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    push_text(&mut line, text);
    line
}

/// Returns the terminal form of bytes that may not be UTF-8: each invalid byte is shown as `\xNN`. Injective.
pub fn visible_bytes(bytes: &[u8]) -> String {
    let mut line = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        push_text(&mut line, chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(line, "\\x{byte:02x}");
        }
    }
    line
}

/// Returns true if a text is shown as it is, without any escape.
pub fn is_plain(text: &str) -> bool {
    shown_chars(text).all(|shown| matches!(shown, ShownChar::Plain(_)))
}

/// Returns true if every character of a text can be seen. Look-alike letters can: they are escaped where they
/// are shown, and are no reason not to read a text.
pub fn is_visible(text: &str) -> bool {
    shown_among(text, std::iter::empty()).all(|shown| matches!(shown, ShownChar::Plain(_)))
}

/// Checks that every character of a text can be seen, or only picks how the emoji before it is drawn.
///
/// Such a pick is escaped where it is shown, and is no reason not to read a text.
pub fn is_readable(text: &str) -> bool {
    let mut before = None;
    let drawn = text.chars().filter(|c| {
        let drawn = !before.is_some_and(|before| follows_emoji(before, *c));
        before = Some(*c);
        drawn
    });
    is_visible(&drawn.collect::<String>())
}

enum ShownChar {
    Plain(char),
    Escaped(char),
}

fn push_text(line: &mut String, text: &str) {
    if text.bytes().all(|byte| (byte.is_ascii_graphic() || byte == b' ') && byte != b'\\') {
        return line.push_str(text);
    }
    for shown in shown_chars(text) {
        match shown {
            ShownChar::Plain('\\') => line.push_str("\\\\"),
            ShownChar::Plain(c) => line.push(c),
            ShownChar::Escaped(c) => line.push_str(&spelled(c)),
        }
    }
}

/// Returns every character with the decision about it. A combining mark needs a visible letter before it.
fn shown_chars(text: &str) -> impl Iterator<Item = ShownChar> + '_ {
    shown_among(text, lookalikes(text))
}

/// Returns the look-alikes come in the order in which they stand in the text.
fn shown_among<'a>(
    text: &'a str,
    lookalikes: impl Iterator<Item = Lookalike> + 'a,
) -> impl Iterator<Item = ShownChar> + 'a {
    let mut marks = MARKS_IN_A_ROW;
    let mut ahead = lookalikes.map(|token| token.span).peekable();
    text.char_indices().map(move |(at, c)| {
        while ahead.next_if(|span| span.end <= at).is_some() {}
        if c.is_ascii_graphic() || c == ' ' {
            marks = 0;
            return ShownChar::Plain(c);
        }
        if is_invisible(c) || ahead.peek().is_some_and(|span| span.contains(&at)) {
            marks = MARKS_IN_A_ROW;
            return ShownChar::Escaped(c);
        }
        if !is_combining(c) {
            marks = 0;
            return ShownChar::Plain(c);
        }
        if marks == MARKS_IN_A_ROW {
            return ShownChar::Escaped(c);
        }
        marks += 1;
        ShownChar::Plain(c)
    })
}

fn spelled(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        other => format!("\\u{{{:x}}}", u32::from(other)),
    }
}

#[cfg(test)]
mod tests;
