//! Shown text in pieces: fixed words, code, and escapes are told apart by type, never by reading the text.

use postern_command::escape;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A piece of shown text. Hostile text is data everywhere: an approver shows `text` as it is, in the style of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    /// Printable text: for an escaped piece the visible escape (`\u{202e}`).
    pub text: String,
    pub kind: PieceKind,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum PieceKind {
    /// Words of Postern, or text that stands by itself as a whole.
    Plain,
    /// Text of a request, a rule or a file within a sentence, or code that Postern itself names.
    Code,
    /// An escape of a character that cannot be shown as itself.
    Escaped,
    /// Mark in place of a secret that is left out: only in what shows past requests.
    Secret,
}

/// Text ready to be shown, made by the one escape function (`postern_command::escape`).
pub type ShownText = Vec<Piece>;

/// Returns a text that stands by itself (a command, a path, a name) as pieces that are safe to show.
pub fn to_pieces(text: &str) -> ShownText {
    of_kind(text, PieceKind::Plain).collect()
}

/// Returns the pieces of a text, all that can be shown as one kind.
pub(crate) fn of_kind(text: &str, kind: PieceKind) -> impl Iterator<Item = Piece> {
    escape::pieces(text).into_iter().map(move |piece| Piece {
        text: piece.text,
        kind: if piece.escaped { PieceKind::Escaped } else { kind },
    })
}

/// Returns the texts of pieces, one behind the other, for what sets code in a style of its own, or has none in it.
pub fn join_pieces(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// Returns pieces as plain text, for agents, logs and terminals without styles.
///
/// Code is between backticks, and no backtick or backslash of the code itself can be taken for the end of it.
pub fn pieces_to_text(pieces: &[Piece]) -> String {
    let mut line = String::new();
    let mut in_code = false;
    for (at, piece) in pieces.iter().enumerate() {
        // An escape or a mark between two pieces of code is part of that code.
        let code = match piece.kind {
            PieceKind::Plain => false,
            PieceKind::Code => true,
            PieceKind::Escaped | PieceKind::Secret => in_code || leads_to_code(&pieces[at..]),
        };
        if code != in_code {
            line.push('`');
            in_code = code;
        }
        match piece.kind {
            PieceKind::Code => {
                for c in piece.text.chars() {
                    if matches!(c, '`' | '\\') {
                        line.push('\\');
                    }
                    line.push(c);
                }
            }
            PieceKind::Plain | PieceKind::Escaped | PieceKind::Secret => line.push_str(&piece.text),
        }
    }
    if in_code {
        line.push('`');
    }
    line
}

fn leads_to_code(pieces: &[Piece]) -> bool {
    pieces
        .iter()
        .find(|piece| !matches!(piece.kind, PieceKind::Escaped | PieceKind::Secret))
        .is_some_and(|piece| piece.kind == PieceKind::Code)
}

#[cfg(test)]
mod tests {
    use super::{Piece, PieceKind, pieces_to_text, to_pieces};

    fn piece(text: &str, kind: PieceKind) -> Piece {
        Piece { text: text.to_owned(), kind }
    }

    #[test]
    fn code_is_between_backticks_that_it_cannot_end() {
        let code = |text: &str| piece(text, PieceKind::Code);
        let plain = |text: &str| piece(text, PieceKind::Plain);
        assert_eq!(
            pieces_to_text(&[plain("No rule allows "), code("git push"), plain(".")]),
            "No rule allows `git push`."
        );
        assert_eq!(pieces_to_text(&[code("a` is allowed `b")]), "`a\\` is allowed \\`b`");
        assert_ne!(pieces_to_text(&[code("a\\"), plain("x")]), pieces_to_text(&[code("a"), plain("\\x")]));
        let escaped = piece("\\u{202e}", PieceKind::Escaped);
        assert_eq!(pieces_to_text(&[code("a"), escaped.clone(), code("b"), plain(".")]), "`a\\u{202e}b`.");
        assert_eq!(pieces_to_text(&[plain("x "), escaped, code(""), plain(".")]), "x `\\u{202e}`.");
    }

    #[test]
    fn what_stands_by_itself_has_no_code() {
        assert_eq!(
            to_pieces("a\u{202e}`b"),
            [
                piece("a", PieceKind::Plain),
                piece("\\u{202e}", PieceKind::Escaped),
                piece("`b", PieceKind::Plain)
            ]
        );
    }
}
