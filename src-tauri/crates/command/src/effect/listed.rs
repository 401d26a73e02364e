//! Secrets that a `for` or a search lists, and that a step opens by its variable or by `xargs`.

use super::places::{is_secret, may_be_secret, may_find_secret, opens_nothing};
use super::searched::{patterns_of_fd, patterns_of_find};
use super::{CommandEffect, EffectScope, Reversible, StepEffect};
use crate::programs::{family_of, is_read_only_anyway};
use crate::{ParsedCommand, Role, Step, Word};

/// Returns what steps that only read open by a variable of a `for`, or by `xargs`, of a list that names a secret.
pub(super) fn listed_secrets(reading: &ParsedCommand) -> Vec<(usize, StepEffect)> {
    let fed = reading.steps.iter().any(is_fed);
    if !fed && !reading.text.contains("for ") {
        return Vec::new();
    }
    let mut listings = reading.steps.iter().enumerate().filter(|_| fed);
    let listing = listings.find_map(|(at, step)| Some((at, searched_secret(step)?)));
    let opened = |(at, step): (usize, &Step)| {
        let mut unknown = step.argv.iter().skip(1).filter(|word| word.value.is_none());
        let of_loop = unknown.find_map(|word| listed_secret(&word.raw, &reading.text));
        let of_search = listing.as_ref().filter(|(before, _)| *before < at && is_fed(step));
        let which = of_loop.or_else(|| of_search.map(|(_, which)| which.clone()))?;
        let effect =
            CommandEffect::UseSecret { how: "use keys or passwords from".into(), which: Some(which) };
        let (scope, reversible) = (Some(EffectScope::Machine), Reversible::No);
        opens(step).then(|| (at, StepEffect { effect, scope, reversible, span: step.span.clone() }))
    };
    reading.steps.iter().enumerate().filter_map(opened).collect()
}

/// Returns true if `xargs` or `parallel` gives a step the files that it opens.
fn is_fed(step: &Step) -> bool {
    let names = step.via.iter().filter_map(|via| via.argv.first()).map(|word| family_of(word.text()));
    { names }.any(|name| matches!(&*name, "xargs" | "parallel"))
}

/// Returns the pattern of a step that lists names by it, if that may find a secret.
fn searched_secret(step: &Step) -> Option<String> {
    let words: Vec<&str> = step.argv.iter().skip(1).map(Word::text).collect();
    let patterns = match (&*family_of(step.program()?), words.first()) {
        ("find", _) => patterns_of_find(&words),
        ("fd" | "fdfind" | "ls", _) | ("git", Some(&"ls-files")) => patterns_of_fd(&words),
        _ => Vec::new(),
    };
    patterns.into_iter().find(|pattern| may_find_secret(pattern)).map(str::to_owned)
}

/// Returns true for a program that only reads, and opens what it is given.
fn opens(step: &Step) -> bool {
    let words = step.known_words();
    step.role == Role::Program
        && step.program().is_some_and(|name| !opens_nothing(name))
        && is_read_only_anyway(&words)
}

/// Returns the secret in the list of a `for` of this text whose variable is in the word.
fn listed_secret(word: &str, text: &str) -> Option<String> {
    let variables = word.split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    variables.filter(|name| !name.is_empty()).find_map(|name| {
        let head = format!("for {name} in ");
        let lists = text.split(head.as_str()).skip(1);
        let lists = lists.map(|rest| rest.split([';', '\n']).next().unwrap_or_default());
        let mut words = lists.flat_map(str::split_whitespace).map(|word| word.trim_matches(['"', '\'']));
        words.find(|word| is_secret(word) || may_be_secret(word)).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::listed_secret;

    #[test]
    fn the_list_of_a_loop_names_what_its_variable_stands_for() {
        let text = "for f in README.md '.env'; do cat \"$f\"; done; for g in src/*; do cat $g; done";
        for (word, expected) in [
            ("\"$f\"", Some(".env")),
            ("./${f%x}", Some(".env")),
            ("$g", None),
            ("$h", None),
            ("$(f)", None),
            ("f", None),
        ] {
            assert_eq!(listed_secret(word, text).as_deref(), expected, "{word}");
        }
        assert_eq!(listed_secret("$f", "for f in .env.example; do cat $f; done"), None);
        assert_eq!(listed_secret("$f", "for f in .e*; do cat $f; done").as_deref(), Some(".e*"));
    }
}
