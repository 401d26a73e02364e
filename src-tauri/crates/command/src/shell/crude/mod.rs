//! Guesses at the commands in text that was not understood, for deny rules only: too many are fine, too few are not.
//!
//! Two readings are put together, both linear in the length: one takes every operator for an end of a command, quoted or
//! not; one follows quotes, and looks into quoted text where something else would run it.

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use super::crude_words::{push_unquoted, words_of};
use crate::CandidateCommand;
use crate::guess::{LONGEST, MOST_STARTS};
use crate::programs::table::{self, Trait};
use crate::programs::{ProgramClass, class_of};

/// Most guesses that are made of one text.
///
/// A text with more has one more that stands for the others: a search for denials has to take those for
/// denied. Texts that a person wrote, up to the longest that is read, come to less.
pub const MOST_GUESSES: usize = 2_048;

/// Words that braces may make in one text, beyond one of each: behind them braces stay as they are.
const MOST_SPREAD: usize = 2_048;

/// Quoted texts inside quoted texts that are looked into.
const DEEPEST: usize = 6;

/// Words that stand before a command without being it.
const BEFORE: &[&str] = &[
    "if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "coproc", "noglob", "nocorrect",
    "-", "command", "builtin", "exec", "eval", "repeat", "always", "function", "}",
];

/// Builtins that run what stands somewhere behind them, besides the programs of which that is known.
const RUNS: [&str; 16] = [
    "eval", "trap", "exec", "command", "builtin", "repeat", "coproc", "jobs", "mapfile", "readarray",
    "source", ".", "alias", "complete", "compgen", "bind",
];

/// Returns every stretch of words that may be a command: after each operator, bracket, quote or substitution.
/// At most one more than [`MOST_GUESSES`].
pub(crate) fn candidates(text: &str) -> Vec<CandidateCommand> {
    let folded;
    let text = if text.contains("\\\n") {
        folded = text.replace("\\\n", "");
        folded.as_str()
    } else {
        text
    };
    let mut guesses = CandidateCommands::default();
    for part in text.split(OPERATORS) {
        if guesses.noted.is_full() {
            break;
        }
        guesses.add_loose(part);
        if part.contains(['{', '}']) {
            for inner in part.split(['{', '}']) {
                guesses.add_loose(inner);
            }
        }
    }
    guesses.add_quoted(text);
    guesses.noted.found
}

/// Characters that end a command.
const OPERATORS: [char; 8] = ['\n', '\r', ';', '&', '|', '(', ')', '`'];

#[derive(Default)]
struct CandidateCommands<'t> {
    /// Parts whose quotes were followed.
    followed: HashSet<&'t str>,
    noted: Noted,
    /// Words that braces made so far, beyond one of each.
    spread: usize,
}

/// The guesses so far, each of them once.
#[derive(Default)]
struct Noted {
    found: Vec<CandidateCommand>,
    /// Index in `found` of a guess with this hash.
    known: HashMap<u64, usize>,
    /// Hashes of the stretches that were looked at: a quoted text is one of the line, and a text by itself.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Noted {
    /// Returns true if there are more guesses than anybody looks at.
    fn is_full(&self) -> bool {
        self.found.len() > MOST_GUESSES
    }

    /// Notes the command that the words are, and what it may run where it runs others. `partly`: they are not all that it may
    /// be told.
    fn command(&mut self, words: Vec<String>, head: &CommandHead, partly: bool) {
        let Some(start) = head.start.filter(|_| !self.is_full()) else { return };
        let hashes = self.hashes(&words);
        let plain = |at: &usize| !words[*at].starts_with('-') && !is_assignment(&words[*at]);
        let inner = (start + 1..words.len()).filter(|_| head.runs).filter(plain).take(MOST_STARTS);
        let starts = std::iter::once(start).chain(inner);
        let new: Vec<usize> = starts.filter(|at| !self.has_words(&words[*at..], hashes[*at])).collect();
        let words: Arc<[String]> = if new.is_empty() { return } else { words.into() };
        for at in new {
            if self.is_full() {
                return;
            }
            self.known.insert(hashes[at], self.found.len());
            let guess = CandidateCommand::slice_words(&words, at, LONGEST);
            self.found.push(if partly { guess.partly() } else { guess });
        }
    }

    /// Returns a hash of each word with all that follow it: equal words have equal hashes.
    fn hashes(&self, words: &[String]) -> Vec<u64> {
        let mut hashes = vec![0; words.len()];
        let mut behind = 0u64;
        for (hash, word) in hashes.iter_mut().zip(words).rev() {
            behind = self.hasher.hash_one((behind, word));
            *hash = behind;
        }
        hashes
    }

    /// Returns true if the guess at these words was made already.
    fn has_words(&self, words: &[String], hash: u64) -> bool {
        let known = self.known.get(&hash).and_then(|at| self.found.get(*at));
        known.is_some_and(|known| **known == words[..words.len().min(LONGEST)])
    }
}

impl<'t> CandidateCommands<'t> {
    /// Adds a stretch without operators, with anything quoted in it.
    fn add_loose(&mut self, part: &str) {
        let part = part.trim();
        if part.is_empty() || !self.noted.seen.insert(self.noted.hasher.hash_one(part)) {
            return;
        }
        let mut words = Vec::new();
        let mut partly = false;
        for word in part.split_whitespace() {
            let before = words.len();
            if self.spread > MOST_SPREAD && word.contains('{') {
                partly = true;
                words.push(word.to_owned());
            } else {
                push_unquoted(word, &mut words);
            }
            self.spread += (words.len() - before).saturating_sub(1);
        }
        let head = CommandHead::from_words(&words);
        self.noted.command(words, &head, partly);
    }

    /// Adds the parts of the text as the shell would split it, if quotes make a difference.
    fn add_quoted(&mut self, text: &'t str) {
        let mut quote = None;
        let mut escaped = false;
        let mut start = 0;
        let mut quotes = false;
        for (at, c) in text.char_indices() {
            match (quote, c) {
                _ if escaped => escaped = false,
                (None | Some('"'), '\\') => (escaped, quotes) = (true, true),
                (None, '\'' | '"') => (quote, quotes) = (Some(c), true),
                (Some(open), c) if open == c => quote = None,
                (None, c) if OPERATORS.contains(&c) => {
                    self.add_part(text.get(start..at).unwrap_or_default(), quotes);
                    (start, quotes) = (at + 1, false);
                }
                _ => {}
            }
        }
        self.add_part(text.get(start..).unwrap_or_default(), quotes);
    }

    /// Adds a part in which no quote is open at either end; without quotes it was looked at already.
    fn add_part(&mut self, part: &'t str, quotes: bool) {
        if quotes && !self.noted.is_full() && self.followed.insert(part) {
            self.add_split(words_of(part), 0);
        }
    }

    /// Adds a command whose words are told apart, and the texts in it that something else would run.
    fn add_split(&mut self, words: Vec<String>, depth: usize) {
        let head = CommandHead::from_words(&words);
        for text in words.iter().filter(|word| word.contains([' ', '\t', '\n', ';', '|', '(', '='])) {
            let value = text
                .split_once('=')
                .filter(|(name, _)| super::expansion::is_name(name))
                .map(|(_, value)| value);
            if !self.noted.is_full() && depth < DEEPEST && (head.runs || value.is_some()) {
                let text = value.unwrap_or(text);
                for part in text.split(OPERATORS) {
                    self.add_loose(part);
                }
                self.add_split(words_of(text), depth + 1);
            }
        }
        self.noted.command(words, &head, false);
    }
}

/// Beginning of a stretch of words.
struct CommandHead {
    /// Index of its command; `None` if there is none.
    start: Option<usize>,
    /// True if it is, or stands behind, something that runs others.
    runs: bool,
}

impl CommandHead {
    fn from_words(words: &[String]) -> Self {
        let start = start_of(words);
        let runs = words.iter().take(start.unwrap_or(0) + 1).any(|word| runs_others(word));
        Self { start, runs }
    }
}

/// Returns the index at which the command begins: after keywords, assignments, options and redirections.
fn start_of(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let redirect = word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>']);
        if redirect {
            at += 1 + usize::from(word.ends_with(['<', '>', '!']));
            continue;
        }
        let skip = BEFORE.contains(&word.as_str()) || is_assignment(word) || word.starts_with('-');
        if !skip {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn runs_others(word: &str) -> bool {
    let base = word.rsplit('/').next().unwrap_or(word);
    let known = table::find_name(base).is_some_and(|known| known.has_trait(Trait::RunsOthers));
    RUNS.contains(&base) || known || class_of(base) != ProgramClass::Ordinary
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| super::expansion::is_name(name.trim_end_matches('+')))
}

#[cfg(test)]
mod tests;
