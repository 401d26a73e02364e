//! Builder of sentences: fixed words and texts of requests go in by different ways.

use crate::piece::{Piece, PieceKind, ShownText, of_kind};
use postern_command::{Note, Words};

/// A sentence in the making. Only words that stand in this program become plain text.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Sentence(ShownText);

/// Returns words with a capital letter at their beginning.
pub(super) fn capitalized(words: &str) -> String {
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_uppercase())
}

impl Sentence {
    /// Begins with fixed words.
    pub fn new(words: impl Into<Words>) -> Self {
        Self::default().literal(words)
    }

    /// Adds fixed words. Backticks in them mark code that Postern names.
    pub fn literal(mut self, words: impl Into<Words>) -> Self {
        for (at, part) in words.into().as_written().split('`').enumerate() {
            let kind = if at % 2 == 0 { PieceKind::Plain } else { PieceKind::Code };
            if !part.is_empty() {
                self.push(Piece { text: part.to_owned(), kind });
            }
        }
        self
    }

    /// Adds text of a request, a rule or a file.
    pub fn code(mut self, text: &str) -> Self {
        let mut pieces = of_kind(text, PieceKind::Code).peekable();
        // The text is code even where no character of it can be shown.
        if pieces.peek().is_none_or(|first| first.kind != PieceKind::Code) {
            self.push(Piece { text: String::new(), kind: PieceKind::Code });
        }
        self.0.extend(pieces);
        self
    }

    /// Adds fixed words in which each `{}` is a text of a request, a rule or a file.
    pub fn fill(mut self, words: &'static str, texts: &[&str]) -> Self {
        for (at, words) in words.split("{}").enumerate() {
            if let Some(text) = at.checked_sub(1).and_then(|before| texts.get(before)) {
                self = self.code(text);
            }
            self = self.literal(words);
        }
        self
    }

    /// Begins with fixed words in which each `{}` is a text of a request, a rule or a file.
    pub fn filled(words: &'static str, texts: &[&str]) -> Self {
        Self::default().fill(words, texts)
    }

    /// Adds texts as a list, each as code.
    pub fn code_list<'a>(mut self, texts: impl IntoIterator<Item = &'a String>) -> Self {
        for (at, text) in texts.into_iter().enumerate() {
            self = if at > 0 { self.literal(", ") } else { self }.code(text);
        }
        self
    }

    /// Ends fixed words that nothing follows without their colon.
    pub fn without_colon(mut self) -> Self {
        if let Some(Piece { text, kind: PieceKind::Plain }) = self.0.last_mut() {
            text.truncate(text.trim_end_matches(':').len());
        }
        self
    }

    /// Begins with a capital letter, unless it begins with code.
    pub fn capitalized(mut self) -> Self {
        if let Some(Piece { text, kind: PieceKind::Plain }) = self.0.first_mut() {
            *text = capitalized(text);
        }
        self
    }

    /// Adds a number.
    pub fn number(mut self, number: impl TryInto<i64>) -> Self {
        let text = number.try_into().map_or_else(|_| "many".to_owned(), |number: i64| number.to_string());
        self.push(Piece { text, kind: PieceKind::Plain });
        self
    }

    /// Adds a number of things, its digits in groups: `41,208`.
    pub fn quantity(self, number: impl TryInto<i64>) -> Self {
        let Ok(number) = number.try_into() else { return self.literal("many") };
        let digits = number.to_string();
        let text = digits.char_indices().flat_map(|(at, digit)| {
            let ends_group = at > 0 && (digits.len() - at).is_multiple_of(3);
            ends_group.then_some(',').into_iter().chain([digit])
        });
        let mut counted = self;
        counted.push(Piece { text: text.collect(), kind: PieceKind::Plain });
        counted
    }

    /// Adds a fragment that the host made at run time (the message of a system error), escaped as a whole.
    pub fn fragment(mut self, text: &str) -> Self {
        for piece in of_kind(text, PieceKind::Plain) {
            self.push(piece);
        }
        self
    }

    /// Adds a note about a part of the request.
    pub fn append_note(self, note: &Note) -> Self {
        let (before, text, after) = note.as_parts();
        let begun = self.literal(before.clone());
        let told = match text {
            Some(text) => begun.code(text),
            None => begun,
        };
        told.literal(after.clone())
    }

    /// Adds another sentence.
    pub fn append(mut self, pieces: ShownText) -> Self {
        for piece in pieces {
            self.push(piece);
        }
        self
    }

    /// Returns the sentence in pieces.
    pub fn pieces(self) -> ShownText {
        self.0
    }

    /// Returns the sentence as plain text.
    pub fn to_text(&self) -> String {
        crate::piece::pieces_to_text(&self.0)
    }

    fn push(&mut self, piece: Piece) {
        match self.0.last_mut() {
            Some(last) if last.kind == PieceKind::Plain && piece.kind == PieceKind::Plain => {
                last.text.push_str(&piece.text);
            }
            Some(_) | None => self.0.push(piece),
        }
    }
}
