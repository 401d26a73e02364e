//! Context of a request while it is judged.
//!
//! Its facts, what is worked out of its text once, and how much may still be spelled out of guesses.

use super::guarded::Guarded;
use crate::facts::Facts;
use crate::given::GivenValues;
use foldhash::{HashMap, HashMapExt as _};
use postern_command::MOST_GUESSES;
use std::cell::{Cell, OnceCell};
use std::ops::Deref;

/// Bytes that are spelled out of all guesses together. What is left after that is not looked at, but denied as a whole.
const MOST_GUESSED: usize = 96 * 1024;
/// Cost of a word of any length.
const WORD: usize = 64;

/// The facts, and what is worked out of them once.
pub(super) struct JudgmentContext<'a> {
    facts: &'a Facts<'a>,
    /// Indexes of the words that a `for NAME in` lists, by its name.
    lists: OnceCell<HashMap<String, Vec<usize>>>,
    given: OnceCell<GivenValues>,
    guarded: OnceCell<Guarded>,
    /// Budget for spelling out guesses; nothing is counted while none is looked at.
    left: Cell<usize>,
    /// Number of guesses that were looked at.
    guesses: Cell<usize>,
    guessing: Cell<bool>,
}

impl<'a> JudgmentContext<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        Self {
            facts,
            lists: OnceCell::new(),
            given: OnceCell::new(),
            guarded: OnceCell::new(),
            left: Cell::new(MOST_GUESSED),
            guesses: Cell::new(0),
            guessing: Cell::new(false),
        }
    }

    /// Returns the positions of the folders that the built-in denials guard.
    pub(super) fn guarded(&self) -> &Guarded {
        self.guarded.get_or_init(|| Guarded::new(self.facts))
    }

    /// Returns the words that each `for NAME in …` of the text lists, up to the end of its command.
    pub(super) fn listed(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let text = self.facts.reading.text.as_str();
        let starts =
            self.lists.get_or_init(|| find_for_lists(text)).get(name).map(Vec::as_slice).unwrap_or_default();
        starts.iter().enumerate().map(move |(at, start)| {
            let list = &text[*start..starts.get(at + 1).copied().unwrap_or(text.len())];
            &list[..list.find([';', '\n']).unwrap_or(list.len())]
        })
    }

    /// Returns the values that the line gives to a variable, but for those that a `for` lists.
    pub(super) fn values_given_to(&self, name: &str) -> impl Iterator<Item = &String> {
        self.given.get_or_init(|| GivenValues::new(self.facts.reading)).of(name)
    }

    /// Returns true if the text says anything of what a variable holds.
    pub(super) fn knows_variable(&self, name: &str) -> bool {
        matches!(name, "HOME" | "PWD")
            || self.listed(name).next().is_some()
            || self.values_given_to(name).next().is_some()
    }

    /// Notes that so many bytes were spelled out of a word.
    pub(super) fn spend_budget(&self, bytes: usize) {
        if self.guessing.get() {
            self.left.set(self.left.get().saturating_sub(WORD + bytes));
        }
    }

    /// Returns true if too much was spelled out of guesses already.
    pub(super) fn is_spent(&self) -> bool {
        self.guessing.get() && (self.left.get() == 0 || self.guesses.get() > MOST_GUESSES)
    }

    /// Returns the indexes of the words that are meant, up to the one at which the budget was spent.
    pub(super) fn meant_words(&self, words: &[String], is_meant: impl Fn(&str) -> bool) -> Vec<usize> {
        let affordable = (0..words.len()).take_while(|_| !self.is_spent());
        affordable.filter(|at| is_meant(&words[*at])).collect()
    }

    /// Looks at a guess; nothing where that would be too much.
    pub(super) fn try_candidate<T>(&self, look: impl FnOnce() -> T) -> Option<T> {
        self.guessing.set(true);
        self.guesses.set(self.guesses.get() + 1);
        let found = (!self.is_spent()).then(look).filter(|_| !self.is_spent());
        self.guessing.set(false);
        found
    }
}

impl<'a> Deref for JudgmentContext<'a> {
    type Target = Facts<'a>;

    fn deref(&self) -> &Facts<'a> {
        self.facts
    }
}

fn find_for_lists(text: &str) -> HashMap<String, Vec<usize>> {
    let mut lists: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, word) in text.match_indices("for ") {
        let rest = &text[at + word.len()..];
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        if rest[name.len()..].starts_with(" in ") {
            lists.entry(name.to_owned()).or_default().push(at + word.len() + name.len() + " in ".len());
        }
    }
    lists
}
