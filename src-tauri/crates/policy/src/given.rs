//! Values that a line gives to its variables: assignments, elements of arrays, and the texts that `read` may take.

use foldhash::{HashMap, HashSet};
use postern_command::{Assignment, ParsedCommand, Redirection, RedirectionKind, Step, Word};

/// Builtins that take `NAME=value` as words.
const DECLARE: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

/// Names of a shell's own arguments, which `set` gives values.
const POSITIONAL: [&str; 11] = ["@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Builtins that set variables to what stands on their input.
const READ: [&str; 3] = ["mapfile", "read", "readarray"];

/// Bytes of a value that is put together of several.
const LONGEST_JOINED: usize = 4096;

/// Values that the line gives to its variables.
#[derive(Debug, Default)]
pub(crate) struct GivenValues {
    by_name: HashMap<String, Vec<String>>,
    /// Names that are set to what stands on some input.
    read: HashSet<String>,
    /// Texts that may stand there.
    fed: Vec<String>,
}

impl GivenValues {
    /// Returns what the steps of a line give to their variables, wherever they do.
    pub(crate) fn new(reading: &ParsedCommand) -> Self {
        let mut all = Self::default();
        for step in &reading.steps {
            for Assignment { name, value } in assigned(step) {
                all.add(&name, array_elements(&value));
            }
            let words = || step.argv.iter().skip(1).map(text_of);
            match step.program() {
                Some(name) if READ.contains(&name) => {
                    all.read.extend(words().filter(|word| !word.starts_with('-')));
                    all.read.extend(["REPLY", "MAPFILE"].map(str::to_owned));
                }
                Some("set") => POSITIONAL.iter().for_each(|name| all.add(name, words().collect())),
                Some("printf") if words().next().as_deref() == Some("-v") => {
                    all.add(&words().nth(1).unwrap_or_default(), words().skip(2).collect());
                }
                Some(_) | None => {}
            }
        }
        if !all.read.is_empty() {
            all.fed = fed_texts(reading);
        }
        all
    }

    /// Adds values, and what `x+=value` makes of all of them.
    fn add(&mut self, name: &str, values: Vec<String>) {
        let known = self.by_name.entry(name.to_owned()).or_default();
        let joined = match (&*values, known.last()) {
            ([value], Some(before)) if before.len() + value.len() <= LONGEST_JOINED => {
                Some(format!("{before}{value}"))
            }
            _ => None,
        };
        known.extend(values);
        known.extend(joined);
    }

    /// Returns the values that a variable may have.
    pub(crate) fn of(&self, name: &str) -> impl Iterator<Item = &String> {
        let own = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        own.iter().chain(if self.read.contains(name) { &*self.fed } else { &[] })
    }
}

/// Returns the assignments of a step, those among the words of a builtin as well.
fn assigned(step: &Step) -> Vec<Assignment> {
    let declares = step.program().is_some_and(|name| DECLARE.contains(&name));
    let named = |word: &Word| {
        let (name, _) = word.raw.split_once('=')?;
        let raw = word.raw.get(name.len() + 1..)?.to_owned();
        let value = word.value.as_ref().and_then(|value| value.split_once('='));
        let value = Word { raw, value: value.map(|(_, value)| value.to_owned()) };
        Some(Assignment { name: variable(name).to_owned(), value })
    };
    let words = step.argv.iter().skip(1).filter(|_| declares).filter_map(named);
    step.assignments.iter().cloned().chain(words).collect()
}

/// Returns the name of `name`, `name+` and `name[0]`.
pub(crate) fn variable(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

fn array_elements(value: &Word) -> Vec<String> {
    if let Some(value) = &value.value {
        return vec![value.clone()];
    }
    let raw = value.raw.split_once('=').map_or(value.raw.as_str(), |(name, rest)| {
        if variable(name) == name.trim_end_matches('+') { rest } else { &value.raw }
    });
    let Some(inside) = raw.strip_prefix('(') else { return vec![without_quotes(raw)] };
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let split = || inside.split_whitespace().map(without_quotes).collect();
    let words = postern_command::words_of(inside).unwrap_or_else(|_| split());
    let value = |word: String| match word.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
        Some((_, value)) => value.to_owned(),
        None => word,
    };
    words.into_iter().map(value).collect()
}

/// Returns the texts that some step of the line may read from its input. Of a document in which something is expanded those
/// are lines of the whole text.
fn fed_texts(reading: &ParsedCommand) -> Vec<String> {
    let prints = |step: &&Step| matches!(step.program(), Some("echo" | "printf"));
    let printed = reading.steps.iter().filter(prints).flat_map(|step| step.argv.iter().skip(1).map(text_of));
    let unknown =
        reading.steps.iter().flat_map(here_redirections).any(|redirection| redirection.text.is_none());
    let lines = reading.text.lines().filter(|_| unknown).map(|line| line.trim().to_owned());
    reading.steps.iter().flat_map(here_texts).chain(printed).chain(lines).collect()
}

/// Returns the here-strings and here-documents of a step.
pub(crate) fn here_redirections(step: &Step) -> impl Iterator<Item = &Redirection> {
    step.redirections.iter().filter(|redirection| redirection.kind == RedirectionKind::Here)
}

/// Returns the texts of a step's here-strings and here-documents: their lines, what is left of each behind its first words, and
/// their words.
pub(crate) fn here_texts(step: &Step) -> Vec<String> {
    let parts = |redirection: &Redirection| {
        let text = redirection.text.clone().unwrap_or_else(|| text_of(&redirection.target));
        let lines = text.lines().flat_map(|line| remaining_words(line.trim())).map(str::to_owned);
        let words = text.split_whitespace().map(without_quotes);
        lines.chain(words).collect::<Vec<_>>()
    };
    here_redirections(step).flat_map(parts).collect()
}

/// Most words of a line that `read` gives to names before the last one, which takes the rest.
const MOST_NAMES: usize = 16;

/// Returns a line, and what is left of it behind each of its first words: the last name that `read` is given takes it.
fn remaining_words(line: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(line), |rest| Some(rest.split_once(char::is_whitespace)?.1.trim_start()))
        .take(MOST_NAMES)
}

/// Returns the texts by which a step alone may name a file, besides its words: what it assigns, and what it is fed.
pub(crate) fn literals(step: &Step) -> Vec<String> {
    // A document that is written to a file, or printed, names nothing.
    let copies = matches!(step.program(), Some("cat" | "tee"));
    let fed = if copies { Vec::new() } else { here_texts(step) };
    assigned(step).iter().flat_map(|one| array_elements(&one.value)).chain(fed).collect()
}

pub(crate) fn text_of(word: &Word) -> String {
    word.value.clone().unwrap_or_else(|| without_quotes(&word.raw))
}

/// Returns a word as written without quotes and backslashes.
pub(crate) fn without_quotes(word: &str) -> String {
    word.replace(['"', '\'', '\\'], "")
}
