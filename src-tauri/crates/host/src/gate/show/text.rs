//! Every text that a face shows goes through here: the one escape, and a count of how much there is.

use postern_command::escape;
use postern_contract::{Piece, Shown};

/// How much of a question may be text from a request, in bytes. What is longer cannot be judged by a person.
pub(crate) const MOST: usize = 16 * 1024;

/// Hostile text as pieces that are safe to show.
pub(crate) fn shown(text: &str) -> Shown {
    escape::pieces(text).into_iter().map(|piece| Piece { text: piece.text, escaped: piece.escaped }).collect()
}

/// Bytes of shown text.
pub(crate) fn length(shown: &Shown) -> usize {
    shown.iter().map(|piece| piece.text.len()).sum()
}
