//! Names that deny rules know, in text that was not understood.

use crate::facts::Facts;
use crate::path;
use crate::rule::{Pattern, Rule};
use crate::ruleset::{Compiled, CompiledRules, RuleSet};
use crate::words::WordPattern;
use foldhash::{HashSet, HashSetExt as _};
use std::borrow::Cow;

/// A word of the text, and the rule that is about it.
#[derive(Debug, Clone)]
pub(super) struct Mention<'a> {
    pub(super) word: String,
    pub(super) rule: &'a Rule,
}

/// Returns the first rule, by its number, that is about a program which the text names. A command rule's
/// other words have to stand in the text as well.
pub(super) fn find_mention<'a>(rules: &'a RuleSet, facts: &Facts<'_>, text: &str) -> Option<Mention<'a>> {
    let spelled = spellings(text);
    let mut named: Vec<(&str, &Compiled)> = Vec::new();
    let mut all: HashSet<&str> = HashSet::with_capacity(text.len() / 4);
    all.extend(spelled.iter().flat_map(|text| name_words(text)));
    for part in rules.compiled_parts() {
        for word in &all {
            each_rule_about(part, word, facts, |rule| named.push((word, rule)));
        }
    }
    named.retain(|(_, rule)| rule.is_alive(facts.now, facts.session));
    let meant = |rule: &Compiled| other_words(rule).all(|other| all.contains(other.as_str()));
    let least = named.iter().filter(|(_, rule)| meant(rule)).min_by_key(|(word, rule)| (rule.rule.id, *word));
    least.map(|(word, rule)| Mention { word: (*word).to_owned(), rule: &rule.rule })
}

fn each_rule_about<'a>(
    part: &'a CompiledRules,
    word: &str,
    facts: &Facts<'_>,
    mut each: impl FnMut(&'a Compiled),
) {
    let index = part.deny_index();
    let mut found = Vec::new();
    let name = path::fold_case(path::base_name(word));
    index.by_first_word(&name, &mut found);
    index.by_base_name(&name, &mut found);
    if index.asks_where(word) {
        let home = path::expand_home(word, facts.home);
        index.by_any_spelling(&path::join_path(facts.cwd, &home), &mut found);
    }
    for at in found {
        each(part.get(at));
    }
}

/// Returns the words of a command rule besides its program.
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

/// Returns a text in each of the spellings that a shell or an interpreter takes for the same.
pub(super) fn spellings(text: &str) -> Vec<Cow<'_, str>> {
    let mut all = vec![Cow::Borrowed(text)];
    if text.contains(['\'', '"', '\\']) {
        all.push(text.chars().filter(|c| !"'\"\\".contains(*c)).collect());
    }
    if text.contains('\\') {
        all.push(Cow::Owned(decoded(text)));
    }
    all
}

/// Returns the words of a text that may be paths: names with a leading dot as well.
pub(super) fn path_words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || "/_-.+~$".contains(c)));
    parts.flat_map(|part| [part, part.trim_end_matches('.')]).filter(|part| !part.is_empty())
}

fn name_words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || "/_-.+~@".contains(c)));
    parts.map(|part| part.trim_matches(['.', '@', '+'])).filter(|part| !part.is_empty())
}

/// Decodes `\x72`, `\162` and `\u0072`.
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
    use super::{name_words, spellings};
    use std::collections::HashSet;

    fn all(text: &str) -> HashSet<String> {
        spellings(text).iter().flat_map(|text| name_words(text)).map(str::to_owned).collect()
    }

    #[test]
    fn a_word_is_found_in_every_spelling() {
        for text in [
            "os.system('rm -rf x')", "u=\"r\"'m'", "r\\m", "\\x72\\x6d y", "printf '\\162\\155'",
            "'\\u0072m'", "'\\U00000072m'", "{rm,x}", "a=rm;$a",
        ] {
            assert!(all(text).contains("rm"), "{text}: {:?}", all(text));
        }
        for text in ["os.rm(x)", "farm", "rm_x", "a.rm", "rm-x", "\\"] {
            assert!(!all(text).contains("rm"), "{text}: {:?}", all(text));
        }
    }
}
