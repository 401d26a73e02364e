//! Words in the body of a `for` that stand for the words of its list.

use shuck_ast::ForCommand;

use super::around::{Around, Pass};
use super::span::byte_range;
use super::walk::Walk;
use crate::{Dialect, ListedWord};

/// Words of a list that are kept.
const MOST: usize = 16;

/// Variables that zsh sets by itself although their names are in small letters.
const OF_ZSH: [&str; 4] = ["argv", "dirstack", "pipestatus", "status"];

impl Walk<'_> {
    /// Enters the body of a `for`: until it is left, its variable stands for the words of the list.
    pub(super) fn enter_list(&mut self, command: &ForCommand, around: &Around) {
        if self.pass == Pass::Learning {
            return;
        }
        let words = if command.targets.len() == 1 { self.listed_words(command, around) } else { None };
        for target in &command.targets {
            let name = target.name.as_ref().map_or("", shuck_ast::Name::as_str);
            let mut outer = self.lists.iter_mut().filter(|(other, _)| other == name).peekable();
            let again = outer.peek().is_some();
            outer.for_each(|(_, words)| *words = None);
            let words = words.clone().filter(|_| !again && self.keeps_its_list(name));
            self.lists.push((name.to_owned(), words));
        }
    }

    /// Returns true if nothing but lists sets a variable, and no shell by itself.
    fn keeps_its_list(&self, name: &str) -> bool {
        // What bash sets by itself has a name of capital letters, or `_`.
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && !(self.nest.dialect == Dialect::Zsh && OF_ZSH.contains(&name))
            && self.variables.looped.contains(name)
    }

    /// Returns the words of a list: fixed ones, and patterns of plain characters as they are written.
    fn listed_words(&mut self, command: &ForCommand, around: &Around) -> Option<Vec<String>> {
        let mut all = Vec::new();
        for word in command.words.iter().flatten() {
            let values = self.scan_word(word.span, &word.parts, around).values;
            if let Some(values) = values {
                all.extend(values);
            } else {
                let raw = self.slice_text(&byte_range(word.span));
                let is_pattern = raw.chars().all(|c| is_plain(c) || "*?".contains(c));
                all.push(Some(raw.to_owned()).filter(|_| is_pattern && !self.shows_hidden())?);
            }
            if all.len() > MOST {
                return None;
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// Returns a word with what it stands for, if the variable of a list around it is all that is not known of it.
    pub(super) fn listed_word(&self, raw: &str) -> Option<ListedWord> {
        let quoted = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (start, behind) = quoted.unwrap_or(raw).split_once('$')?;
        let (braced, end) = match behind.strip_prefix('{') {
            Some(rest) => rest.split_once('}')?,
            None => behind.split_at(name_length(behind)),
        };
        let (name, operator) = braced.split_at(name_length(braced));
        let words = self.lists.iter().rev().find(|(of, _)| of == name)?.1.as_ref()?;
        let plain = |text: &str| text.chars().all(is_plain);
        // Without quotes a name is split at its blanks.
        let whole = quoted.is_some() || words.iter().all(|word| plain(word));
        if !plain(start) || !plain(end) || !whole {
            return None;
        }
        let value = |word: &String| Some(format!("{start}{}{end}", applied(operator, word)?));
        let values = words.iter().map(value).collect::<Option<Vec<String>>>()?;
        Some(ListedWord { raw: raw.to_owned(), values })
    }
}

/// Returns true for a character that every shell leaves as it is.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./".contains(c)
}

/// Returns the length of the variable's name that a text begins with.
fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Returns what an expansion makes of a word: as it is, its last part, or without an ending. Others are not followed.
fn applied<'w>(operator: &str, word: &'w str) -> Option<&'w str> {
    match operator {
        "" => return Some(word),
        "##*/" => return word.rsplit('/').next(),
        _ => {}
    }
    let ending = operator.strip_prefix("%%").or_else(|| operator.strip_prefix('%'))?;
    let name = ending.strip_prefix('.').filter(|name| !name.is_empty())?;
    let is_ending = name.chars().all(|c| c.is_ascii_alphanumeric());
    is_ending.then(|| word.strip_suffix(ending).unwrap_or(word))
}
