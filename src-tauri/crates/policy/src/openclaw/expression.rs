//! A regular expression over arguments joined by blanks, as patterns over the words: the few forms that people write.
//!
//! Understood are `^` at the start, `$` at the end, letters, escaped signs, blanks between words, groups of alternatives,
//! `?` behind a letter or a group, `.` with `*`, `+` or nothing behind, and `\b` at the end of a word. `\S` and `[^ ]` are
//! not: no pattern of ours says that an argument has no blank in it, and `sh -c` with one word is not `sh -c` with any.

use std::iter::Peekable;
use std::str::Chars;

/// Most patterns that one expression may become.
const MOST: usize = 32;
/// Any further words.
const MORE: &str = "**";
/// Pattern for a word that is not empty. A `*` that ends a command pattern would be any words.
const SOME: &str = "?*";
/// Most levels of nested groups.
const DEEP: u32 = 8;

/// Reason why an expression cannot be written as patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unsayable(pub(super) String);

/// A piece of what the arguments may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpressionPiece {
    Letter(char),
    /// Any one character.
    One,
    /// Any text. Where it ends the expression it runs over words.
    Any,
    /// Here a word ends, or the expression goes on with what is no letter.
    Edge,
}

/// Every way in which the pieces may follow each other.
type Ways = Vec<Vec<ExpressionPiece>>;

/// Returns the argument patterns, one list of words for each way; `**` at the end of one is any further
/// words.
pub(super) fn arguments(expression: &str) -> Result<Vec<Vec<String>>, Unsayable> {
    let no = |what: &str| {
        Unsayable(format!("its argPattern {expression:?} is an expression over joined arguments, and {what}"))
    };
    if expression.contains(char::is_control) {
        return Err(no("holds a character that cannot be seen"));
    }
    let inner = expression.strip_prefix('^').ok_or_else(|| {
        no("does not say what they begin with (^): write a rule for the words that are meant")
    })?;
    let mut reader = ExpressionReader { rest: inner.chars().peekable() };
    let mut ways = reader.read_sequence(0).map_err(no)?;
    match reader.rest.next() {
        // What is not said to end may go on.
        None => ways.iter_mut().for_each(|way| way.push(ExpressionPiece::Any)),
        Some('$') if reader.rest.next().is_none() => {}
        Some('|') => return Err(no("its alternatives stand in no group")),
        Some(_) => return Err(no("has more behind its end")),
    }
    let all = ways.iter().map(|way| to_words(way).map_err(no)).collect::<Result<Vec<_>, _>>()?;
    Ok(merged(all))
}

/// Merges `push` alone, and `push` with more words, to `push` with any further words.
fn merged(mut all: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let something = [SOME.to_owned(), MORE.to_owned()];
    let prefixes: Vec<Vec<String>> =
        all.iter().filter_map(|words| words.strip_suffix(&something).map(<[_]>::to_vec)).collect();
    for prefix in prefixes {
        if all.contains(&prefix) {
            let both = [&prefix[..], &something].concat();
            all.retain(|words| *words != prefix && *words != both);
            all.push([&prefix[..], &[MORE.to_owned()]].concat());
        }
    }
    all
}

struct ExpressionReader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl ExpressionReader<'_> {
    /// Reads until the end, a `$`, or what ends a group or an alternative.
    fn read_sequence(&mut self, depth: u32) -> Result<Ways, &'static str> {
        let mut ways: Ways = vec![Vec::new()];
        while let Some(&next) = self.rest.peek() {
            if matches!(next, '$' | '|' | ')') {
                break;
            }
            let piece = self.read_piece(depth)?;
            ways = ways.iter().flat_map(|way| piece.iter().map(|more| [&way[..], more].concat())).collect();
            if ways.len() > MOST {
                return Err("has too many alternatives");
            }
        }
        Ok(ways)
    }

    fn read_piece(&mut self, depth: u32) -> Result<Ways, &'static str> {
        match self.rest.next().unwrap_or_default() {
            '(' => self.read_group(depth + 1),
            '.' => self.read_any(),
            '[' => Err("names a class of characters that no rule here says"),
            '\\' => match self.rest.next().ok_or("ends in a \\")? {
                's' => {
                    // Several blanks there; here words are words.
                    _ = self.rest.next_if(|next| *next == '+');
                    self.optional_piece(ExpressionPiece::Letter(' '))
                }
                'b' => Ok(vec![vec![ExpressionPiece::Edge]]),
                sign if !sign.is_alphanumeric() => self.read_letter(sign),
                _ => Err("names a class of characters that no rule here says"),
            },
            '*' | '+' | '?' | '{' | '}' | ']' | '^' => Err("repeats what no rule here can repeat"),
            letter => self.read_letter(letter),
        }
    }

    fn read_letter(&mut self, letter: char) -> Result<Ways, &'static str> {
        if matches!(letter, '*' | '?') {
            return Err("names a * or ? that means something else here");
        }
        self.optional_piece(ExpressionPiece::Letter(letter))
    }

    /// Returns a piece that may be optional and may not be repeated.
    fn optional_piece(&mut self, piece: ExpressionPiece) -> Result<Ways, &'static str> {
        let optional = self.rest.next_if(|next| *next == '?').is_some();
        self.not_repeated()?;
        Ok(if optional { vec![Vec::new(), vec![piece]] } else { vec![vec![piece]] })
    }

    /// Reads what comes after a sign for any character.
    fn read_any(&mut self) -> Result<Ways, &'static str> {
        let way = match self.rest.next_if(|next| matches!(next, '*' | '+')) {
            Some('*') => vec![ExpressionPiece::Any],
            Some(_) => vec![ExpressionPiece::One, ExpressionPiece::Any],
            None => return self.optional_piece(ExpressionPiece::One),
        };
        // As few or as many: the same arguments are meant.
        _ = self.rest.next_if(|next| *next == '?');
        self.not_repeated()?;
        Ok(vec![way])
    }

    fn not_repeated(&mut self) -> Result<(), &'static str> {
        match self.rest.peek() {
            Some('*' | '+' | '?' | '{') => Err("repeats what no rule here can repeat"),
            _ => Ok(()),
        }
    }

    fn read_group(&mut self, depth: u32) -> Result<Ways, &'static str> {
        if depth > DEEP {
            return Err("has groups in groups in groups");
        }
        if self.rest.next_if(|next| *next == '?').is_some() && self.rest.next() != Some(':') {
            return Err("looks ahead or behind");
        }
        let mut ways = self.read_sequence(depth)?;
        while self.rest.next_if(|next| *next == '|').is_some() {
            ways.extend(self.read_sequence(depth)?);
        }
        if self.rest.next() != Some(')') {
            return Err("has a group that does not end, or an end within a group");
        }
        if self.rest.next_if(|next| *next == '?').is_some() {
            ways.push(Vec::new());
        }
        self.not_repeated()?;
        if ways.len() > MOST { Err("has too many alternatives") } else { Ok(ways) }
    }
}

/// Converts an alternative to words.
fn to_words(way: &[ExpressionPiece]) -> Result<Vec<String>, &'static str> {
    check_edges(way)?;
    // Any text that ends it runs over words: the rest of this one, and any further.
    let (way, more) = match way.split_last() {
        Some((ExpressionPiece::Any, before)) => (before, true),
        _ => (way, false),
    };
    if way.is_empty() {
        return Ok(if more { vec![MORE.to_owned()] } else { Vec::new() });
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for piece in way {
        match piece {
            ExpressionPiece::Letter(' ') => words.push(std::mem::take(&mut word)),
            ExpressionPiece::Letter(letter) => word.push(*letter),
            ExpressionPiece::One => word.push('?'),
            ExpressionPiece::Any => word.push('*'),
            ExpressionPiece::Edge => {}
        }
    }
    if more && way.last() != Some(&ExpressionPiece::Edge) {
        word.push('*');
    }
    if !word.is_empty() && word.chars().all(|letter| letter == '*') {
        SOME.clone_into(&mut word);
    }
    words.push(word);
    if words.iter().any(String::is_empty) {
        return Err("names an empty argument");
    }
    if more {
        words.push(MORE.to_owned());
    }
    Ok(words)
}

/// Checks that an edge is after a letter, and before a blank or the end.
fn check_edges(way: &[ExpressionPiece]) -> Result<(), &'static str> {
    let fine = |(at, _): (usize, &ExpressionPiece)| {
        let before = at.checked_sub(1).and_then(|before| way.get(before));
        let letter = matches!(before, Some(ExpressionPiece::Letter(letter)) if letter.is_ascii_alphanumeric() || *letter == '_');
        let after = way.get(at + 1..).unwrap_or_default();
        letter && matches!(after, [] | [ExpressionPiece::Any] | [ExpressionPiece::Letter(' '), ..])
    };
    let mut edges = way.iter().enumerate().filter(|(_, piece)| **piece == ExpressionPiece::Edge);
    if edges.all(fine) { Ok(()) } else { Err("has a \\b that ends no word") }
}
