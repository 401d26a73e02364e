//! Guesses at the commands in text that was not understood, for deny rules only: too many are fine, too few are not.

use super::braces::{self, Unit};

/// Bytes of a word whose braces are expanded.
const LONGEST_BRACED: usize = 256;

/// Words of one guess: a deny rule looks at the first few.
const LONGEST: usize = 64;

/// Words that stand before a command without being it.
const BEFORE: &[&str] = &[
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "time",
    "coproc",
    "noglob",
    "nocorrect",
    "-",
    "command",
    "builtin",
    "exec",
    "eval",
    "sudo",
    "doas",
    "env",
    "nohup",
    "nice",
    "xargs",
    "repeat",
];

/// Every stretch of words that may be a command: after each operator, bracket, quote or substitution.
pub(crate) fn candidates(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", "");
    let mut found = Vec::new();
    for part in text
        .split(['\n', '\r', ';', '&', '|', '(', ')', '`', '{', '}'])
        .chain(text.split(['\n', '\r', ';', '&', '|', '(', ')', '`']))
    {
        let words = words(part);
        let mut start = 0;
        while let Some(word) = words.get(start) {
            let skip = BEFORE.contains(&word.as_str()) || is_assignment(word) || word.starts_with('-');
            if !skip {
                found.push(words[start..].iter().take(LONGEST).cloned().collect());
            }
            if !skip {
                break;
            }
            start += 1;
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| super::expansion::is_name(name))
}

fn words(part: &str) -> Vec<String> {
    part.split_whitespace().flat_map(unquoted).filter(|word| !word.is_empty()).collect()
}

/// A word without its quotes and backslashes; braces expanded.
fn unquoted(word: &str) -> Vec<String> {
    let decoded = word.strip_prefix("$'").and_then(|rest| super::ansi::decode(rest.trim_end_matches('\'')));
    let plain: String = decoded.unwrap_or_else(|| word.chars().filter(|c| !"'\"\\".contains(*c)).collect());
    if plain.len() > LONGEST_BRACED {
        return vec![plain];
    }
    let units: Vec<Unit> = plain.chars().map(Unit::Bare).collect();
    let Some(words) = braces::expand(&units) else { return vec![plain] };
    let text = |units: Vec<Unit>| {
        units
            .into_iter()
            .filter_map(|unit| if let Unit::Bare(c) | Unit::Quoted(c) = unit { Some(c) } else { None })
            .collect()
    };
    words.into_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn commands_are_guessed_in_command_places_only() {
        let found = candidates("echo rm; \"r\"m -rf x && X=1 r\\m y | $'\\x72\\x6d' z; {rm,-rf,q}");
        let heads: Vec<&str> = found.iter().map(|argv| argv[0].as_str()).collect();
        assert_eq!(heads.iter().filter(|head| **head == "rm").count(), 4, "{found:?}");
        assert!(found.iter().any(|argv| argv == &["echo", "rm"]));
    }
}
