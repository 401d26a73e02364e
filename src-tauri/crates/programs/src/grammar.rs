//! Grammar of options.
//!
//! `-n` takes nothing, `-n:` takes the rest of its word or the next word, `-n?` takes the rest of its word or
//! nothing.
//!
//! `--long`, `--long:` and `--long?` likewise, their value after `=`. `-word` is one option with one dash, `+` is any word
//! that begins with a plus. `@-n` is read before the command only, `add|rm:-n,-m:` behind these commands only.

/// Value that an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// The rest of its word, or the next word.
    Value,
    /// The rest of its word, or nothing.
    Optional,
}

/// Commands that an option belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionPosition<'a> {
    /// Before the command and behind it.
    Anywhere,
    /// Before the command.
    Before,
    /// Behind these commands, separated by `|`.
    Behind(&'a str),
}

/// Returns the options of a file, each with its place.
pub(crate) fn placed(options: &str) -> impl Iterator<Item = (OptionPosition<'_>, &str)> {
    options.split_whitespace().flat_map(|word| {
        let (place, options) = match (word.strip_prefix('@'), word.split_once(":-")) {
            (Some(option), _) => (OptionPosition::Before, option),
            (None, Some((commands, _))) if !word.starts_with('-') => {
                (OptionPosition::Behind(commands), word.get(commands.len() + 1..).unwrap_or_default())
            }
            (None, _) => (OptionPosition::Anywhere, word),
        };
        options.split(',').map(move |option| (place, option))
    })
}

/// Returns the options that a grammar lists, with what each takes.
pub fn listed(grammar: &str) -> impl Iterator<Item = (&str, Takes)> {
    grammar.split_whitespace().map(|word| match word.strip_suffix([':', '?']) {
        Some(name) if word.ends_with(':') => (name, Takes::Value),
        Some(name) => (name, Takes::Optional),
        None => (word, Takes::Nothing),
    })
}

/// Returns what an option of this very name takes. Every word of every command is looked up here, some several times.
pub fn option_takes(grammar: &str, name: &str) -> Option<Takes> {
    // A listed name ends with neither.
    if name.ends_with([':', '?']) {
        return None;
    }
    grammar.split_ascii_whitespace().find_map(|word| match word.strip_prefix(name)? {
        "" => Some(Takes::Nothing),
        ":" => Some(Takes::Value),
        "?" => Some(Takes::Optional),
        _ => None,
    })
}
