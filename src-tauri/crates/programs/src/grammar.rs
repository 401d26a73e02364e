//! How options are written: `-n` takes nothing, `-n:` takes the rest of its word or the next word, `-n?` takes the rest of
//! its word or nothing.
//!
//! `--long`, `--long:` and `--long?` likewise, their value after `=`. `-word` is one option with one dash.

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// The rest of its word, or the next word.
    Value,
    /// The rest of its word, or nothing.
    Optional,
}

/// Returns the options that a grammar lists, with what each takes.
pub fn listed(grammar: &str) -> impl Iterator<Item = (&str, Takes)> {
    grammar.split_whitespace().map(|word| match word.strip_suffix([':', '?']) {
        Some(name) if word.ends_with(':') => (name, Takes::Value),
        Some(name) => (name, Takes::Optional),
        None => (word, Takes::Nothing),
    })
}

/// Returns what an option of this very name takes.
pub fn takes(grammar: &str, name: &str) -> Option<Takes> {
    listed(grammar).find(|(known, _)| *known == name).map(|(_, takes)| takes)
}
