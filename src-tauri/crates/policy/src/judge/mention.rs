//! Names that deny rules know, in text that was not understood.

use crate::facts::Facts;
use crate::path;
use crate::rule::{Pattern, Rule};
use crate::ruleset::{Compiled, Part, RuleSet};
use crate::words::WordPattern;
use std::collections::HashSet;

/// A word of the text, and the rule that is about it.
#[derive(Debug)]
pub(super) struct Mention<'a> {
    pub(super) word: String,
    pub(super) rule: &'a Rule,
}

/// The first rule, by its number, that is about a program which the text names. A command rule's other words have to
/// stand in the text as well.
pub(super) fn find<'a>(rules: &'a RuleSet, facts: &Facts<'_>, text: &str) -> Option<Mention<'a>> {
    let words = words(text);
    let named = rules.parts().flat_map(|part| {
        words.iter().flat_map(move |word| about(part, word, facts).map(move |rule| (word, rule)))
    });
    let alive = named.filter(|(_, rule)| rule.is_alive(facts.now, facts.session));
    let meant = alive.filter(|(_, rule)| other_words(rule).all(|other| words.contains(other)));
    let (word, rule) = meant.min_by_key(|(_, rule)| rule.rule.id)?;
    Some(Mention { word: word.clone(), rule: &rule.rule })
}

fn about<'a>(part: &'a Part, word: &str, facts: &Facts<'_>) -> impl Iterator<Item = &'a Compiled> {
    let index = part.deny();
    let mut found = Vec::new();
    let name = path::fold(path::base_name(word));
    index.by_first_word(&name, &mut found);
    index.by_base_name(&name, &mut found);
    if word.contains('/') {
        let home = path::expand_home(word, facts.home);
        index.by_any_spelling(&path::join(facts.cwd, &home), &mut found);
    }
    found.into_iter().map(|at| part.get(at))
}

/// What a command rule names besides its program.
fn other_words(rule: &Compiled) -> impl Iterator<Item = &String> {
    let words = match (&rule.rule.pattern, &rule.command) {
        (Pattern::Command(_), Some(command)) => command.words.get(1..).unwrap_or_default(),
        _ => &[],
    };
    words.iter().filter_map(|word| match word {
        WordPattern::Literal(text) => Some(text),
        WordPattern::Glob(_) => None,
    })
}

/// The words of a text in each of the spellings that a shell or an interpreter takes for the same.
fn words(text: &str) -> HashSet<String> {
    let unquoted: String = text.chars().filter(|c| !"'\"\\".contains(*c)).collect();
    let decoded = decoded(text);
    let mut all = HashSet::new();
    for text in [text, &unquoted, &decoded] {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || "/_-.+~@".contains(c)));
        let trimmed = parts.map(|part| part.trim_matches(['.', '@', '+']));
        all.extend(trimmed.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    all
}

/// `\x72`, `\162`, `\u0072` as the characters that they stand for.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (skip, digits, radix) = match rest.as_bytes().first() {
            Some(b'x') => (1, 2, 16),
            Some(b'u') => (1, 4, 16),
            Some(b'U') => (1, 8, 16),
            Some(b'0'..=b'7') => (0, 3, 8),
            _ => continue,
        };
        let number: String = rest[skip..].chars().take(digits).take_while(|c| c.is_digit(radix)).collect();
        let Some(c) = u32::from_str_radix(&number, radix).ok().and_then(char::from_u32) else { continue };
        out.push(c);
        rest = &rest[skip + number.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_every_spelling() {
        for text in [
            "os.system('rm -rf x')",
            "u=\"r\"'m'",
            "r\\m",
            "\\x72\\x6d y",
            "printf '\\162\\155'",
            "'\\u0072m'",
            "'\\U00000072m'",
            "{rm,x}",
            "a=rm;$a",
        ] {
            assert!(words(text).contains("rm"), "{text}: {:?}", words(text));
        }
        for text in ["os.rm(x)", "farm", "rm_x", "a.rm", "rm-x", "\\"] {
            assert!(!words(text).contains("rm"), "{text}: {:?}", words(text));
        }
    }
}
