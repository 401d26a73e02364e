//! Values that a line gives to its variables: assignments, elements of arrays, and the texts that `read` may take.

use super::core::without_quotes;
use foldhash::{HashMap, HashMapExt as _};
use postern_command::{Assignment, ParsedCommand, RedirectionKind, Step, Word};

/// Builtins that take `NAME=value` as words.
const DECLARE: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

/// Builtins that set variables to what stands on their input.
const READ: [&str; 3] = ["mapfile", "read", "readarray"];

/// Returns the values that the line gives to each name. Each is one that the variable may have, wherever the line gives it.
pub(super) fn given_values(reading: &ParsedCommand) -> HashMap<String, Vec<String>> {
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    let mut add = |name: &str, values: Vec<String>| {
        let known = all.entry(name.to_owned()).or_default();
        for value in values {
            // `x+=value` adds to what there is.
            let joined = known.last().map(|last| format!("{last}{value}"));
            for value in [joined, Some(value)].into_iter().flatten() {
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
    };
    for step in &reading.steps {
        for Assignment { name, value } in assigned(step) {
            add(&name, elements(&value));
        }
        let words = || step.argv.iter().skip(1).map(text_of);
        match step.program() {
            Some(name) if READ.contains(&name) => {
                let names = words().filter(|word| !word.starts_with('-'));
                for name in names.chain(["REPLY".to_owned(), "MAPFILE".to_owned()]) {
                    add(&name, fed(reading));
                }
            }
            Some("printf") if words().next().as_deref() == Some("-v") => {
                add(&words().nth(1).unwrap_or_default(), words().skip(2).collect());
            }
            Some(_) | None => {}
        }
    }
    all
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
pub(super) fn variable(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns the value of an assignment, or the elements of an array.
fn elements(value: &Word) -> Vec<String> {
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

/// Returns the texts that some step of the line may read from its input: all of each, its lines and its words.
fn fed(reading: &ParsedCommand) -> Vec<String> {
    let prints = |step: &&Step| matches!(step.program(), Some("echo" | "printf"));
    let printed = reading.steps.iter().filter(prints).flat_map(|step| step.argv.iter().skip(1).map(text_of));
    reading.steps.iter().flat_map(|step| here_texts(step, &reading.text)).chain(printed).collect()
}

/// Returns the texts of a step's here-strings and here-documents: all of each, its lines and its words.
pub(super) fn here_texts(step: &Step, text: &str) -> Vec<String> {
    let here = step.redirections.iter().filter(|redirection| redirection.kind == RedirectionKind::Here);
    let whole = here.flat_map(|redirection| {
        let expanded = || text.get(step.span.start..).unwrap_or_default().to_owned();
        let own = redirection.text.clone().or_else(|| redirection.target.value.is_some().then(expanded));
        [own, Some(text_of(&redirection.target))].into_iter().flatten()
    });
    let parts = |text: String| {
        let lines = text.lines().flat_map(|line| rests(line.trim())).map(str::to_owned);
        let words = text.split_whitespace().map(without_quotes);
        lines.chain(words).collect::<Vec<_>>()
    };
    whole.flat_map(parts).collect()
}

/// Most words of a line behind which `read` with so many names is followed.
const MOST_NAMES: usize = 16;

/// Returns a line, and what is left of it behind each of its first words: the last name that `read` is given takes it.
fn rests(line: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(line), |rest| Some(rest.split_once(char::is_whitespace)?.1.trim_start()))
        .take(MOST_NAMES)
}

/// Returns the texts by which a step alone may name a file, besides its words: what it assigns, and what it is fed.
pub(super) fn literals(step: &Step, text: &str) -> Vec<String> {
    // A document that is written to a file, or printed, names nothing.
    let copies = matches!(step.program(), Some("cat" | "tee"));
    let fed = if copies { Vec::new() } else { here_texts(step, text) };
    assigned(step).iter().flat_map(|one| elements(&one.value)).chain(fed).collect()
}

fn text_of(word: &Word) -> String {
    word.value.clone().unwrap_or_else(|| without_quotes(&word.raw))
}
