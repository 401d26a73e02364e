//! Line continuations, folded as the shell folds them, with the way back to the text as it was written.

use std::ops::Range;

/// A text without its `\`-newline pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folded {
    /// Text that the parsers read.
    pub(super) text: String,
    /// Cuts: the offset in `text` of each, and the number of bytes that were cut up to there.
    cuts: Vec<(usize, usize)>,
}

impl Folded {
    /// Returns the range of the original text that a range of the folded text stands for.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let cut_before = |offset: usize, inclusive: bool| {
            let cuts = self.cuts.iter().rev();
            let mut before = cuts.filter(|(at, _)| if inclusive { *at <= offset } else { *at < offset });
            before.next().map_or(0, |(_, cut)| *cut)
        };
        let start = range.start + cut_before(range.start, true);
        start..(range.end + cut_before(range.end, false)).max(start)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanState {
    Plain,
    Double,
}

/// Folds the continuations; `None` if one is in a place whose rules are not followed here.
///
/// These are a here-document, `${…}`, backquotes, `$'…'`, and a substitution inside double quotes.
pub(super) fn fold_lines(text: &str) -> Option<Folded> {
    if !text.contains("\\\n") {
        return Some(Folded { text: text.to_owned(), cuts: Vec::new() });
    }
    let mut scan = Scan {
        text,
        at: 0,
        place: ScanState::Plain,
        out: String::with_capacity(text.len()),
        cuts: Vec::new(),
        pending: Vec::new(),
    };
    while let Some(next) = scan.scan_step() {
        if next == ScanStep::Unfollowed {
            let rest = text.get(scan.at..)?;
            if rest.contains("\\\n") {
                return None;
            }
            scan.out.push_str(rest);
            break;
        }
    }
    Some(Folded { text: scan.out, cuts: scan.cuts })
}

#[derive(PartialEq, Eq)]
enum ScanStep {
    On,
    /// From here on the text is taken as it is.
    Unfollowed,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    place: ScanState,
    out: String,
    cuts: Vec<(usize, usize)>,
    /// Delimiters of here-documents that begin after this line, and whether tabs before them do not count.
    pending: Vec<(String, bool)>,
}

impl Scan<'_> {
    /// Returns the next character after any continuations, which are cut.
    fn peek(&mut self) -> Option<char> {
        while self.text.get(self.at..)?.starts_with("\\\n") {
            self.at += 2;
            self.cuts.push((self.out.len(), self.at - self.out.len()));
        }
        self.text.get(self.at..)?.chars().next()
    }

    fn take_char(&mut self) -> Option<char> {
        let c = self.text.get(self.at..)?.chars().next()?;
        self.at += c.len_utf8();
        self.out.push(c);
        Some(c)
    }

    fn take_through(&mut self, end: char) {
        while let Some(c) = self.take_char() {
            if c == end {
                break;
            }
        }
    }

    fn scan_step(&mut self) -> Option<ScanStep> {
        let c = self.peek()?;
        let starts = |last: char| last.is_ascii_whitespace() || ";&|()".contains(last);
        let after_blank = self.out.chars().next_back().is_none_or(starts);
        if self.place == ScanState::Plain && c == '#' && after_blank {
            let comment = self.text.get(self.at..)?.find('\n').map_or(self.text.len(), |end| self.at + end);
            self.out.push_str(self.text.get(self.at..comment)?);
            self.at = comment;
            return Some(ScanStep::On);
        }
        self.take_char();
        match (self.place, c) {
            (_, '\\') => {
                self.take_char();
            }
            (_, '`') => return Some(ScanStep::Unfollowed),
            (_, '$') => return Some(self.after_dollar()),
            (ScanState::Plain, '"') => self.place = ScanState::Double,
            (ScanState::Double, '"') => self.place = ScanState::Plain,
            (ScanState::Plain, '\'') => self.take_through('\''),
            (ScanState::Plain, '<') if self.peek() == Some('<') => return self.here_document(),
            (ScanState::Plain, '\n') => return self.bodies(),
            (ScanState::Plain | ScanState::Double, _) => {}
        }
        Some(ScanStep::On)
    }

    fn after_dollar(&mut self) -> ScanStep {
        let complex = match self.peek() {
            Some('{' | '\'' | '"') => self.place == ScanState::Plain || self.peek() == Some('{'),
            Some('(') => self.place == ScanState::Double,
            _ => false,
        };
        if complex { ScanStep::Unfollowed } else { ScanStep::On }
    }

    /// Notes the delimiter of a here-document, if it is quoted as a whole; others are not followed.
    fn here_document(&mut self) -> Option<ScanStep> {
        self.take_char();
        if self.peek() == Some('<') {
            self.take_char();
            return Some(ScanStep::On);
        }
        let tabs = self.peek() == Some('-');
        if tabs {
            self.take_char();
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.take_char();
        }
        let Some(quote @ ('\'' | '"')) = self.peek() else { return Some(ScanStep::Unfollowed) };
        let rest = self.text.get(self.at + 1..)?;
        let inside = rest.get(..rest.find(quote)?).filter(|inside| !inside.contains(['\\', '\n', '$', '`']));
        let after = inside.and_then(|inside| rest.get(inside.len() + 1..)?.chars().next());
        let (Some(delimiter), true) =
            (inside, after.is_none_or(|c| c.is_ascii_whitespace() || ";&|)".contains(c)))
        else {
            return Some(ScanStep::Unfollowed);
        };
        self.pending.push((delimiter.to_owned(), tabs));
        self.take_char();
        self.take_through(quote);
        Some(ScanStep::On)
    }

    /// Takes the bodies of here-documents as they are.
    fn bodies(&mut self) -> Option<ScanStep> {
        for (delimiter, tabs) in std::mem::take(&mut self.pending) {
            loop {
                let rest = self.text.get(self.at..)?;
                if rest.is_empty() {
                    return Some(ScanStep::On);
                }
                let line = rest.lines().next().unwrap_or_default();
                let ends = if tabs { line.trim_start_matches('\t') == delimiter } else { line == delimiter };
                self.take_through('\n');
                if ends {
                    break;
                }
            }
        }
        Some(ScanStep::On)
    }
}

#[cfg(test)]
mod tests {
    use super::fold_lines;

    #[test]
    fn continuations_are_cut_and_offsets_lead_back() {
        let folded = fold_lines("r\\\nm -rf \\\n  b").unwrap();
        assert_eq!(folded.text, "rm -rf   b");
        assert_eq!(folded.original(&(0..2)), 0..4, "the name spans its continuation");
        assert_eq!(folded.original(&(9..10)), 13..14);
    }

    #[test]
    fn quotes_and_comments_keep_their_backslashes() {
        assert_eq!(fold_lines("echo 'a\\\nb'").unwrap().text, "echo 'a\\\nb'");
        assert_eq!(fold_lines("ls # c\\\nrm").unwrap().text, "ls # c\\\nrm", "a comment does not continue");
        assert_eq!(
            fold_lines("echo \\\\\nrm").unwrap().text,
            "echo \\\\\nrm",
            "an escaped backslash protects no newline"
        );
        assert_eq!(fold_lines("echo \"a\\\nb\"").unwrap().text, "echo \"ab\"");
        assert_eq!(fold_lines("echo $\\\n(rm)").unwrap().text, "echo $(rm)");
    }

    #[test]
    fn places_that_are_not_followed_are_refused() {
        for text in [
            "cat <<E\n$\\\n(rm)\nE", "echo ${x:-\\\n}", "echo `a\\\nb`", "echo $'a\\\nb'",
            "echo \"$(a\\\nb)\"",
        ] {
            assert_eq!(fold_lines(text), None, "{text:?}");
        }
        assert!(
            fold_lines("ls \\\n -l <<E\nx\nE").is_some(),
            "a continuation before the here-document is fine"
        );
        assert_eq!(
            fold_lines("cat <<'E'\na\\\nb\nE\nl\\\ns").unwrap().text,
            "cat <<'E'\na\\\nb\nE\nls",
            "a quoted body keeps them"
        );
    }
}
