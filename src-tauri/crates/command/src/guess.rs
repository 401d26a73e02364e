//! Candidate command: words of a text that was not understood.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Words of one guess: a deny rule looks at the first few.
pub(crate) const LONGEST: usize = 64;

/// Words after one that runs others which may begin the command that it runs, options and assignments not counted.
pub(crate) const MOST_STARTS: usize = 32;

/// Words of a command that may run.
///
/// Guesses that begin at other words of the same text share them: a text may hold thousands, and each is as
/// long as it can be.
#[derive(Clone)]
pub struct CandidateCommand {
    words: Arc<[String]>,
    own: Range<usize>,
    /// True if its text may hold words that were not taken from it.
    partly: bool,
}

impl CandidateCommand {
    /// Returns the guess without its first words.
    pub(crate) fn without(&self, first: usize) -> Self {
        let start = (self.own.start + first).min(self.own.end);
        Self { words: Arc::clone(&self.words), own: start..self.own.end, partly: self.partly }
    }

    /// Returns at most so many words of `words` from one of them on.
    pub(crate) fn slice_words(words: &Arc<[String]>, from: usize, most: usize) -> Self {
        let start = from.min(words.len());
        let end = start.saturating_add(most).min(words.len());
        Self { words: Arc::clone(words), own: start..end, partly: false }
    }

    /// Marks that its text may hold other words.
    pub(crate) fn partly(self) -> Self {
        Self { partly: true, ..self }
    }

    /// Returns true if its text may hold words that were not taken from it, and those may be any.
    pub fn is_partly(&self) -> bool {
        self.partly
    }

    /// Returns the index of the shared word from which on something may run that no guess shows.
    ///
    /// That is its own first if it is cut off, the second if more may begin after it than there are guesses
    /// for.
    pub fn unseen_from(&self) -> Option<usize> {
        let is_cut = self.own.end < self.words.len();
        let has_more = self.words.len().saturating_sub(self.own.start) > MOST_STARTS;
        (is_cut || has_more).then_some(self.own.start + usize::from(!is_cut))
    }

    /// Returns the text that its words are of, and their range in it: the same for guesses that share them.
    pub fn shared_words(&self) -> (&[String], Range<usize>) {
        (&self.words, self.own.clone())
    }
}

impl Deref for CandidateCommand {
    type Target = [String];

    fn deref(&self) -> &[String] {
        self.words.get(self.own.clone()).unwrap_or_default()
    }
}

impl From<Vec<String>> for CandidateCommand {
    fn from(words: Vec<String>) -> Self {
        let own = 0..words.len();
        Self { words: words.into(), own, partly: false }
    }
}

impl std::fmt::Debug for CandidateCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for CandidateCommand {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.words, &other.words) && self.own == other.own;
        same || **self == **other
    }
}

impl Eq for CandidateCommand {}

impl Hash for CandidateCommand {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{CandidateCommand, MOST_STARTS};
    use std::sync::Arc;

    /// Returns the word from which on something is unseen, of a guess that begins at one of so many words.
    fn unseen(count: usize, from: usize, most: usize) -> Option<usize> {
        let words: Arc<[String]> = (0..count).map(|nth| format!("a{nth}")).collect();
        CandidateCommand::slice_words(&words, from, most).unseen_from()
    }

    #[test]
    fn what_no_guess_shows_is_told() {
        assert_eq!(unseen(3, 0, 64), None, "all of it is shown");
        assert_eq!(unseen(MOST_STARTS, 0, 64), None, "and a guess begins at every word");
        assert_eq!(unseen(MOST_STARTS + 10, 10, 64), None, "at every word from its own on");
        assert_eq!(unseen(MOST_STARTS + 2, 0, 64), Some(1), "the last begins none");
        assert_eq!(unseen(MOST_STARTS + 12, 10, 64), Some(11), "the same further back");
        assert_eq!(unseen(65, 0, 64), Some(0), "its own words are cut off");
        assert_eq!(unseen(70, 3, 64), Some(3), "the same further back");
        assert_eq!(unseen(5, 0, 4), Some(0), "few words, cut off all the same");
    }

    #[test]
    fn guesses_of_the_same_words_are_the_same() {
        let words: Arc<[String]> = ["rm", "x", "rm", "x"].map(str::to_owned).into();
        let first = CandidateCommand::slice_words(&words, 0, 2);
        assert!(first == CandidateCommand::slice_words(&words, 2, 64), "they stand elsewhere in the text");
        assert!(first == CandidateCommand::from(vec!["rm".to_owned(), "x".to_owned()]), "or in another");
        assert!(first != CandidateCommand::slice_words(&words, 1, 2));
        assert!(first != CandidateCommand::slice_words(&words, 0, 1));
    }
}
