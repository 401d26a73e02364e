//! Lines of the corpora with something put in, taken out, or exchanged.

use super::grammar::words;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Returns a line made from one or two of these.
pub fn line(lines: Vec<String>) -> impl Strategy<Value = String> {
    let change = (select(words("pieces")), any::<Index>(), 0..4_usize, any::<bool>());
    let changes = proptest::collection::vec(change, 0..4);
    let joint = select(&["", "; ", " | ", " && ", "\n", " & ", " ", "$(", "`"][..]);
    let one = select(lines.clone());
    let other = prop_oneof![2 => Just(String::new()), 1 => select(lines)];
    (one, joint, other, changes).prop_map(|(one, joint, other, changes)| {
        let start = if other.is_empty() { one } else { one + joint + &other };
        changes
            .into_iter()
            .fold(start, |text, (piece, at, taken, put)| changed(&text, &piece, at, taken, put))
    })
}

/// Takes some characters out at a place, and puts a piece in.
fn changed(text: &str, piece: &str, at: Index, taken: usize, put: bool) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = at.index(places.len());
    let end = places[(at + taken).min(places.len() - 1)];
    format!("{}{}{}", &text[..places[at]], if put { piece } else { "" }, &text[end..])
}
