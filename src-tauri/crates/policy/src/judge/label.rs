//! Label of a step in a sentence: its program and subcommand, never its whole text.

use crate::cause::Label;
use postern_command::{Power, Step};

/// Bytes of a word that are shown in a sentence: no name is longer (`NAME_MAX` is 255).
const LONGEST: usize = 256;

/// Returns `git push`, `rm`, `sudo rm`, or the text of a step without a name.
pub(super) fn of_step(step: &Step) -> Label {
    let known: Vec<&str> = step.argv.iter().map_while(|word| word.value.as_deref()).collect();
    let elevated = step.via.iter().find(|via| via.power == Power::Elevated);
    let wrapper = elevated.and_then(|via| via.argv.first()?.value.as_deref());
    if let (Some(wrapper), Some(program)) = (wrapper, known.first()) {
        return Some(format!("{} {}", beginning(wrapper), beginning(program)));
    }
    if known.is_empty() { step.argv.first().map(|word| beginning(&word.raw)) } else { Some(of_words(&known)) }
}

/// Returns the words that name the command.
pub(super) fn of_words(words: &[&str]) -> String {
    let shown: Vec<String> = postern_command::command_words(words).into_iter().map(beginning).collect();
    shown.join(" ")
}

/// Returns a word, or its beginning where nobody would read on.
fn beginning(word: &str) -> String {
    let beginning = &word[..word.floor_char_boundary(LONGEST)];
    let rest = if beginning.len() < word.len() { "…" } else { "" };
    format!("{beginning}{rest}")
}
