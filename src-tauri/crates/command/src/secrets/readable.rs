//! Text as a person reads it, from the forms in which it is shown.

use std::ops::Range;

/// Character that stands for one that a person cannot see.
const UNSEEN: char = '\u{fffd}';

/// Text as a person reads it, which knows where each of its characters stands in the form that is shown.
///
/// An escape (`\u{202e}`) is one character here, so no span begins or ends inside of one. Control sequences of a terminal are
/// not read: they stand within a word that is colored.
#[derive(Debug, Default)]
pub struct ReadableText {
    text: String,
    stretches: Vec<Stretch>,
}

/// Stretch of the read text with its place in the shown text.
#[derive(Debug)]
struct Stretch {
    read: Range<usize>,
    shown: Range<usize>,
}

impl ReadableText {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds text whose characters stand for themselves; `at` is its place in the shown text.
    pub fn push_plain(&mut self, text: &str, at: usize) {
        let shown = at..at + text.len();
        let start = self.text.len();
        self.text.push_str(text);
        match self.stretches.last_mut() {
            Some(last) if last.is_plain() && last.shown.end == at => {
                last.read.end = self.text.len();
                last.shown.end = shown.end;
            }
            _ => self.stretches.push(Stretch { read: start..self.text.len(), shown }),
        }
    }

    /// Adds one escape as it is shown (`\n`, `\u{202e}`, `\xff`).
    pub fn push_escape(&mut self, escape: &str, at: usize) {
        let (length, read) = escape_at(escape).unwrap_or((escape.len(), UNSEEN));
        self.push_unit(if length == escape.len() { read } else { UNSEEN }, at..at + escape.len());
    }

    /// Adds text in the terminal form of [`visible_text`](crate::escape::visible_text), in which line ends and tabs may stand
    /// for themselves.
    pub fn push_visible(&mut self, shown: &str, at: usize) {
        let mut from = 0;
        while let Some(next) = shown[from..].find('\\').map(|next| from + next) {
            if next > from {
                self.push_plain(&shown[from..next], at + from);
            }
            let Some((length, read)) = escape_at(&shown[next..]) else {
                self.push_plain("\\", at + next);
                from = next + 1;
                continue;
            };
            from = next + length;
            match (read, control_sequence(&shown[from..])) {
                ('\u{1b}', Some(length)) => from += length,
                ('\u{1b}', None) => self.push_unit(UNSEEN, at + next..at + from),
                _ => self.push_unit(read, at + next..at + from),
            }
        }
        if from < shown.len() {
            self.push_plain(&shown[from..], at + from);
        }
    }

    fn push_unit(&mut self, read: char, shown: Range<usize>) {
        let start = self.text.len();
        self.text.push(read);
        self.stretches.push(Stretch { read: start..self.text.len(), shown });
    }

    /// Returns where a span of the read text stands in the shown text. Neighbors are one part.
    pub(super) fn shown_parts(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let first = self.stretches.partition_point(|stretch| stretch.read.end <= span.start);
        let mut parts: Vec<Range<usize>> = Vec::new();
        for stretch in self.stretches[first..].iter().take_while(|stretch| stretch.read.start < span.end) {
            let part = stretch.shown_part(span);
            match parts.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => parts.push(part),
            }
        }
        parts
    }
}

impl Stretch {
    fn is_plain(&self) -> bool {
        self.read.len() == self.shown.len()
    }

    fn shown_part(&self, span: &Range<usize>) -> Range<usize> {
        if !self.is_plain() {
            return self.shown.clone();
        }
        let start = span.start.max(self.read.start) - self.read.start;
        let end = span.end.min(self.read.end) - self.read.start;
        self.shown.start + start..self.shown.start + end
    }
}

/// Returns the length of the escape that a text begins with, and what it stands for.
fn escape_at(shown: &str) -> Option<(usize, char)> {
    let behind = shown.strip_prefix('\\')?;
    let read = match behind.as_bytes().first()? {
        b'\\' => '\\',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'x' => {
            let digits = behind.get(1..3)?;
            return digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some((4, UNSEEN));
        }
        b'u' => {
            let digits = behind.get(1..)?.strip_prefix('{')?;
            let end = digits.bytes().take(7).position(|byte| byte == b'}')?;
            let read = char::from_u32(u32::from_str_radix(&digits[..end], 16).ok()?)?;
            return Some((end + 4, if read == '\u{1b}' { read } else { UNSEEN }));
        }
        _ => return None,
    };
    Some((2, read))
}

/// Returns the length of the rest of a control sequence (`[31m`) behind its escape character.
fn control_sequence(shown: &str) -> Option<usize> {
    let mut arguments = shown.strip_prefix('[')?.bytes();
    let length = arguments.clone().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    arguments.nth(length).is_some_and(|byte| matches!(byte, 0x40..=0x7e)).then_some(length + 2)
}
