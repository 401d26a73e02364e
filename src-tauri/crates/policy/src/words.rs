//! Comparison of a word of a command with a word of a pattern.

/// A word of a pattern, ready to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordPattern {
    /// Exactly this.
    Literal(String),
    /// `*` stands for any text, `?` for one character; both inside the word.
    Glob(String),
}

impl WordPattern {
    /// Reads a word of a pattern.
    pub(crate) fn new(text: &str) -> Self {
        if text.contains(['*', '?']) { Self::Glob(text.to_owned()) } else { Self::Literal(text.to_owned()) }
    }

    pub(crate) fn as_written(&self) -> &str {
        let (Self::Literal(text) | Self::Glob(text)) = self;
        text
    }

    /// Returns true if it names the word rather than describing it.
    pub(crate) fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }

    /// Returns true if it matches a known word.
    pub(crate) fn matches(&self, word: &str) -> bool {
        match self {
            Self::Literal(text) => text == word,
            Self::Glob(text) => is_wild_match(text, word),
        }
    }
}

/// Matches a pattern in which each `*` stands for a number.
fn with_numbers(pattern: &str, word: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| word.strip_prefix(first)) else { return false };
    for part in parts {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match behind.strip_prefix(part).filter(|_| behind.len() < rest.len()) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    rest.is_empty()
}

/// The words of a pattern: a last `*` or `**` stands for any further words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordsPattern {
    pub(crate) words: Vec<WordPattern>,
    /// True if any further words may follow.
    pub(crate) more: bool,
}

impl WordsPattern {
    /// Words of a command pattern (`git`, `push`, `*`): a last `*` or `**` means any further arguments.
    pub(crate) fn of_command(words: &[String]) -> Self {
        Self::new(words, &["*", "**"])
    }

    /// Patterns for arguments: `*` is one word, a last `**` any further words.
    pub(crate) fn of_arguments(words: &[String]) -> Self {
        Self::new(words, &["**"])
    }

    fn new(words: &[String], rest: &[&str]) -> Self {
        let more = words.last().is_some_and(|last| rest.contains(&last.as_str()));
        let kept = &words[..words.len() - usize::from(more)];
        Self { words: kept.iter().map(|word| WordPattern::new(word)).collect(), more }
    }

    /// Returns true if the words match one by one. A word that is not known before the run (`None`) is
    /// matched only by *any further words*: it may become any number of words.
    pub(crate) fn matches(&self, words: &[Option<&str>]) -> bool {
        let length =
            if self.more { words.len() >= self.words.len() } else { words.len() == self.words.len() };
        length
            && self
                .words
                .iter()
                .zip(words)
                .all(|(pattern, word)| word.is_some_and(|word| pattern.matches(word)))
    }

    /// Returns true if the words match with each `*` inside a word standing for a number.
    pub(crate) fn matches_with_numbers(&self, words: &[Option<&str>]) -> bool {
        self.matches(words)
            && self.words.iter().zip(words).all(|(pattern, word)| match (pattern, word) {
                (WordPattern::Glob(text), Some(word)) => with_numbers(text, word),
                (WordPattern::Literal(_), Some(_)) => true,
                (_, None) => false,
            })
    }

    /// Returns true if the pattern has a literal word at `index`.
    pub(crate) fn names_word(&self, index: usize) -> bool {
        self.words.get(index).is_some_and(WordPattern::is_literal)
    }
}

/// Matches `*` (any text) and `?` (one character) without backtracking over more than one star: linear in practice,
/// quadratic at worst.
pub(crate) fn is_wild_match(pattern: &str, text: &str) -> bool {
    if pattern.is_ascii() && text.is_ascii() {
        return wild_among(pattern.as_bytes(), text.as_bytes(), b'*', b'?');
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    wild_among(&pattern, &text, '*', '?')
}

fn wild_among<T: Copy + PartialEq>(pattern: &[T], text: &[T], star: T, any: T) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(c) if *c == star => {
                retry = Some((at, read));
                at += 1;
            }
            Some(c) if *c == any || *c == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                at = star + 1;
                read = from + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == star)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Option<&str>> {
        text.split(' ').map(|word| (word != "?").then_some(word)).collect()
    }

    fn pattern(text: &str) -> WordsPattern {
        WordsPattern::of_command(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_compared_one_by_one() {
        for (rule, command, expected) in
            crate::testing::rows::<(&str, &str, bool)>(include_str!("words.jsonl"))
        {
            assert_eq!(pattern(rule).matches(&words(command)), expected, "{rule} against {command}");
        }
    }

    #[test]
    fn stars_of_an_offer_match_numbers_alone() {
        for (rule, command, expected) in [
            (
                "gh api repos/o/r/pulls/*/comments/*/replies -f *",
                "gh api repos/o/r/pulls/1/comments/23/replies -f body=x", true,
            ),
            ("gh api repos/o/r/pulls/* -f *", "gh api repos/o/r/pulls/1/../../../x -f a", false),
            ("gh api repos/o/r/pulls/* -f *", "gh api repos/o/r/pulls/ -f a", false),
            ("gh api repos/o/r/pulls/* -f *", "gh api repos/o/r/pulls/1a -f a", false),
            ("gh api x -F to=* -f *", "gh api x -F to=@f -f a", false),
            ("git push *", "git push ?", true),
        ] {
            assert_eq!(
                pattern(rule).matches_with_numbers(&words(command)),
                expected,
                "{rule} against {command}"
            );
        }
    }

    #[test]
    fn stars_match_any_text_of_one_word() {
        for (rule, word, expected) in [
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "acb", false),
            ("a?c", "abc", true),
            ("*a*a*", "banana", true),
            ("caf?", "café", true),
            ("*?é", "ééé", true),
            ("caf?", "cafés", false),
        ] {
            assert_eq!(is_wild_match(rule, word), expected, "{rule} against {word}");
        }
    }
}
