//! Words that are looked for: how the index is asked for each, and whether a line holds it.
//!
//! The index keeps the beginnings of words up to three letters, and gives them newest first at once. A longer beginning it
//! gathers whole before it gives the first, which takes the longer the commoner it is. So a long word is asked for by its
//! first three letters and looked for in each line that this gives; where that finds next to nothing the word is rare,
//! and gathering it is cheap.

use std::iter::zip;

/// The longest beginning of a word that the index keeps.
const KEPT: usize = 3;

/// Of this many lines that a beginning gives, fewer than one that holds the whole word make it rare.
const RARE: usize = 20;

#[derive(Debug)]
pub(crate) struct SearchWord {
    text: String,
    /// Letters and digits as the index parts them, if only the beginning of the last is searched for.
    cut: Option<Vec<String>>,
    /// Number of lines that did not hold it.
    missed: usize,
}

impl SearchWord {
    pub(crate) fn new(text: &str) -> Self {
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        let parts: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
        // How the index parts and folds other letters is its own.
        let long = text.is_ascii() && parts.last().is_some_and(|last| last.len() > KEPT);
        Self { text: text.to_owned(), cut: long.then_some(parts), missed: 0 }
    }

    /// Returns the index query for it: the word as it is, from its beginning; nothing in it is an operator.
    pub(crate) fn index_query(&self) -> String {
        let words = match self.cut.as_deref() {
            Some([before @ .., last]) => {
                let last = last.get(..KEPT).unwrap_or(last);
                let parts: Vec<&str> = before.iter().map(String::as_str).chain([last]).collect();
                parts.join(" ")
            }
            Some([]) | None => self.text.replace('"', "\"\""),
        };
        format!("words:\"{words}\"*")
    }

    /// Returns true if only its beginning is asked for.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns true if a line that the index gave for its beginning holds all of it.
    pub(crate) fn is_in(&mut self, line: &str) -> bool {
        let held = self.cut.as_deref().is_none_or(|parts| line_contains(line, parts));
        self.missed += usize::from(!held);
        held
    }

    /// Asks for all of it from now on, where it was in next to none of so many lines.
    pub(crate) fn gather_if_rare(&mut self, looked: usize) {
        if (looked - self.missed.min(looked)) * RARE < looked {
            self.gather();
        }
        self.missed = 0;
    }

    /// Asks for all of it from now on.
    pub(crate) fn gather(&mut self) {
        self.cut = None;
    }
}

/// Returns true if a line holds these parts one after another, the last of them from its beginning.
fn line_contains(line: &str, parts: &[String]) -> bool {
    let of_line: Vec<&str> = line.split(|c| !is_of_word(c)).filter(|part| !part.is_empty()).collect();
    let Some((last, before)) = parts.split_last() else { return true };
    of_line.windows(parts.len()).any(|window| {
        let Some((last_here, before_here)) = window.split_last() else { return false };
        begins(last_here, last)
            && zip(before_here, before).all(|(here, part)| begins(here, part) && letters(here) == part.len())
    })
}

/// Marks above and below letters belong to them.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn letters(part: &str) -> usize {
    part.chars().filter(|c| !is_mark(*c)).count()
}

/// Returns true if a text begins with a part. The index takes `é` for `e`: a letter that is not ASCII may be
/// any.
fn begins(here: &str, part: &str) -> bool {
    let mut here = here.chars().filter(|c| !is_mark(*c));
    part.chars().all(|wanted| here.next().is_some_and(|c| !c.is_ascii() || c.eq_ignore_ascii_case(&wanted)))
}

#[cfg(test)]
mod tests {
    use super::SearchWord;

    #[test]
    fn a_long_word_is_asked_for_by_its_beginning() {
        for (text, query) in [
            ("git", r#"words:"git"*"#),
            ("oneline", r#"words:"one"*"#),
            ("--max-count", r#"words:"max cou"*"#),
            ("max-c", r#"words:"max-c"*"#),
            ("\"status", r#"words:"sta"*"#),
            ("\"st", r#"words:"""st"*"#),
            ("über-alles", r#"words:"über-alles"*"#),
        ] {
            assert_eq!(SearchWord::new(text).index_query(), query, "{text}");
        }
    }

    #[test]
    fn a_line_holds_a_word_as_the_index_would_say() {
        for (text, line, held) in [
            ("oneline", "git log --oneline", true),
            ("ONEL", "git log --oneline", true),
            ("oneline", "git log --one-line", false),
            ("max-count", "git log --max-counter=3", true),
            ("max-count", "git log --maxi-count=3", false),
            ("max-count", "git log --max --fast count", false),
            ("cafes", "open Cafés", true),
            ("cafes", "open Cafe\u{301}s", true),
            ("cafes", "open cafe", false),
        ] {
            assert_eq!(SearchWord::new(text).is_in(line), held, "{text} in {line}");
        }
    }

    #[test]
    fn a_word_that_its_beginning_does_not_find_is_gathered() {
        let mut word = SearchWord::new("statistics");
        for _ in 0..40 {
            word.is_in("git status");
        }
        word.gather_if_rare(40);
        assert_eq!(word.index_query(), r#"words:"statistics"*"#);
        let mut word = SearchWord::new("status");
        for line in ["git stash", "git status"].repeat(20) {
            word.is_in(line);
        }
        word.gather_if_rare(40);
        assert!(word.is_cut(), "half of them hold it: it is common");
    }
}
