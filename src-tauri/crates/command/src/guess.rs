//! One guess at a command: words of a text that was not understood.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Words after one that runs others which may begin the command that it runs, options and assignments not counted.
pub(crate) const MOST_STARTS: usize = 32;

/// The words of a command that may run. Guesses that begin at other words of the same text share them: a text may hold
/// thousands, and each is as long as it can be.
#[derive(Clone)]
pub struct Guess {
    words: Arc<[String]>,
    own: Range<usize>,
    /// Its text may hold words that were not taken from it.
    partly: bool,
}

impl Guess {
    /// The same guess without its first words.
    pub(crate) fn without(&self, first: usize) -> Self {
        let start = (self.own.start + first).min(self.own.end);
        Self { words: Arc::clone(&self.words), own: start..self.own.end, partly: self.partly }
    }

    /// At most so many words of `words` from one of them on.
    pub(crate) fn part(words: &Arc<[String]>, from: usize, most: usize) -> Self {
        let start = from.min(words.len());
        let end = start.saturating_add(most).min(words.len());
        Self { words: Arc::clone(words), own: start..end, partly: false }
    }

    /// The same guess, of a text that may hold other words.
    pub(crate) fn partly(self) -> Self {
        Self { partly: true, ..self }
    }

    /// Whether its text may hold words that were not taken from it, and those may be any.
    pub fn is_partly(&self) -> bool {
        self.partly
    }

    /// The word of the shared ones from which on something may run that no guess shows: its own first where it is cut off,
    /// the second where more may begin behind it than there are guesses for.
    pub fn unseen_from(&self) -> Option<usize> {
        let is_cut = self.own.end < self.words.len();
        let has_more = self.words.len().saturating_sub(self.own.start) > MOST_STARTS;
        (is_cut || has_more).then_some(self.own.start + usize::from(!is_cut))
    }

    /// Which text its words are of, and where among them it stands: the same for guesses that share them.
    pub fn place(&self) -> (&[String], Range<usize>) {
        (&self.words, self.own.clone())
    }
}

impl Deref for Guess {
    type Target = [String];

    fn deref(&self) -> &[String] {
        self.words.get(self.own.clone()).unwrap_or_default()
    }
}

impl From<Vec<String>> for Guess {
    fn from(words: Vec<String>) -> Self {
        let own = 0..words.len();
        Self { words: words.into(), own, partly: false }
    }
}

impl std::fmt::Debug for Guess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Guess {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.words, &other.words) && self.own == other.own;
        same || **self == **other
    }
}

impl Eq for Guess {}

impl Hash for Guess {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
