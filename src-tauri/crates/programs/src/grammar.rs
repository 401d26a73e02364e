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
    let (grammar, is_blank) = (grammar.as_bytes(), |byte: &u8| byte.is_ascii_whitespace());
    // No listed name ends with these, or has a blank.
    if name.is_empty() || name.ends_with([':', '?']) || name.as_bytes().iter().any(is_blank) {
        return None;
    }
    memchr::memmem::find_iter(grammar, name).find_map(|at| {
        let (before, behind) = (&grammar[..at], &grammar[at + name.len()..]);
        let (takes, behind) = match behind {
            [b':', behind @ ..] => (Takes::Value, behind),
            [b'?', behind @ ..] => (Takes::Optional, behind),
            behind => (Takes::Nothing, behind),
        };
        (before.last().is_none_or(is_blank) && behind.first().is_none_or(is_blank)).then_some(takes)
    })
}

#[cfg(test)]
mod tests {
    use super::{Takes, option_takes};

    #[test]
    fn an_option_is_found_by_its_whole_name() {
        let grammar = "-nn -n: --long? -word --no-long -x";
        for (name, expected) in [
            ("-n", Some(Takes::Value)),
            ("-nn", Some(Takes::Nothing)),
            ("--long", Some(Takes::Optional)),
            ("--no-long", Some(Takes::Nothing)),
            ("-word", Some(Takes::Nothing)),
            ("-x", Some(Takes::Nothing)),
            ("-wor", None),
            ("-long", None),
            ("-n:", None),
            ("--long?", None),
            ("-n: --long", None),
            ("", None),
        ] {
            assert_eq!(option_takes(grammar, name), expected, "{name}");
        }
    }
}
