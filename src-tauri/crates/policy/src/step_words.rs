//! Words of a step as the rules about files read them.

use crate::path;
use postern_command::{Step, Word};
use std::borrow::Cow;

/// Programs whose first operand is a pattern, and that walk the folder where they run if they are given no other.
pub(crate) const SEARCH: &[&str] = &["ack", "ag", "egrep", "fgrep", "ggrep", "grep", "rg", "ug", "ugrep"];

/// Programs that give another one words from their input.
pub(crate) const FEED: &[&str] = &["gxargs", "parallel", "xargs"];

/// Returns a program's name without its folder, in one case.
pub(crate) fn folded_base_name(name: &str) -> Cow<'_, str> {
    path::fold_case(path::base_name(name))
}

pub(crate) fn has_letter(step: &Step, letters: &str) -> bool {
    let option = |word: &str| word.starts_with('-') && !word.starts_with("--");
    step.argv.iter().map(Word::text).any(|word| option(word) && word.contains(|c| letters.contains(c)))
}

/// Returns true if a step has one of these long options, perhaps abbreviated.
pub(crate) fn has_long(step: &Step, names: &[&str]) -> bool {
    let given = step.argv.iter().map(|word| word.text().split('=').next().unwrap_or_default());
    let mut given = given.filter(|text| text.len() > 2 && text.starts_with("--"));
    given.any(|text| names.iter().any(|name| name.starts_with(text)))
}

pub(crate) fn is_option(word: &Word) -> bool {
    word.text().starts_with('-')
}

/// Returns the words of a step that are no options.
pub(crate) fn operands(step: &Step) -> impl Iterator<Item = &Word> {
    step.argv.iter().skip(1).filter(|word| !is_option(word))
}

/// Returns the words that name a step's program.
pub(crate) fn program_word(step: &Step) -> String {
    step.argv.first().map(|word| word.text().to_owned()).unwrap_or_default()
}
