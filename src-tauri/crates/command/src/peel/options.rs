//! Options of a wrapper, read by its own grammar: what is not in the grammar is not guessed.

use crate::call::Arg;

/// The options that a program takes before its operands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Grammar {
    /// Letters without a value.
    pub(crate) flags: &'static str,
    /// Letters with a value, attached or in the next word.
    pub(crate) values: &'static str,
    /// Letters whose value is attached or missing.
    pub(crate) optional: &'static str,
    /// Long names without a value (or with an optional one after `=`).
    pub(crate) long_flags: &'static [&'static str],
    /// Long names with a value.
    pub(crate) long_values: &'static [&'static str],
}

/// An option that was given: its canonical name (`-n`, `--adjustment`) and the words that hold name and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) name: String,
    /// Index of the word that the option stands in.
    pub(crate) at: usize,
    pub(crate) value: Option<String>,
}

/// The options, and the index of the first operand.
pub(crate) struct Parsed {
    pub(crate) given: Vec<Given>,
    pub(crate) operand: usize,
}

impl Parsed {
    /// The value of the last of these options.
    pub(crate) fn last(&self, names: &[&str]) -> Option<&Given> {
        self.given.iter().rev().find(|given| names.contains(&given.name.as_str()))
    }
}

/// Reads options from word 1 on, up to the first operand or `--`.
pub(crate) fn parse(args: &[Arg], grammar: &Grammar) -> Result<Parsed, String> {
    let mut given = Vec::new();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let Some(value) = arg.value() else {
            if arg.dash {
                return Err("an option that is known only at run time".to_owned());
            }
            break;
        };
        if value == "--" {
            at += 1;
            break;
        }
        if value == "-" || !value.starts_with('-') {
            break;
        }
        at = match value.strip_prefix("--") {
            Some(long) => long_option(args, at, long, grammar, &mut given)?,
            None => short_options(args, at, value.get(1..).unwrap_or_default(), grammar, &mut given)?,
        };
    }
    Ok(Parsed { given, operand: at })
}

/// What is said of an option that is not known; it is text of the request.
pub(super) fn unknown(option: &str) -> String {
    format!("the option `{}` is not known here", crate::escape::text(option))
}

fn next_value(args: &[Arg], at: usize, option: &str) -> Result<String, String> {
    let value = args.get(at).ok_or_else(|| format!("`{option}` without its value"))?;
    Ok(value.value().unwrap_or_default().to_owned())
}

fn long_option(
    args: &[Arg],
    at: usize,
    long: &str,
    grammar: &Grammar,
    given: &mut Vec<Given>,
) -> Result<usize, String> {
    let (name, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let all = || grammar.long_flags.iter().chain(grammar.long_values);
    let exact = all().find(|known| **known == name);
    let mut short = all().filter(|known| known.starts_with(name));
    let full = match (exact, short.next(), short.next()) {
        (Some(full), _, _) | (None, Some(full), None) => *full,
        _ => return Err(unknown(&format!("--{name}"))),
    };
    let takes = grammar.long_values.contains(&full);
    let (value, next) = match attached {
        None if takes => (Some(next_value(args, at + 1, full)?), at + 2),
        attached => (attached, at + 1),
    };
    given.push(Given { name: format!("--{full}"), at, value });
    Ok(next)
}

fn short_options(
    args: &[Arg],
    at: usize,
    cluster: &str,
    grammar: &Grammar,
    given: &mut Vec<Given>,
) -> Result<usize, String> {
    for (offset, letter) in cluster.char_indices() {
        let attached = cluster.get(offset + letter.len_utf8()..).unwrap_or_default();
        let name = format!("-{letter}");
        if grammar.values.contains(letter) {
            let (value, next) = if attached.is_empty() {
                (next_value(args, at + 1, &name)?, at + 2)
            } else {
                (attached.to_owned(), at + 1)
            };
            given.push(Given { name, at, value: Some(value) });
            return Ok(next);
        }
        if grammar.optional.contains(letter) {
            given.push(Given { name, at, value: (!attached.is_empty()).then(|| attached.to_owned()) });
            return Ok(at + 1);
        }
        if !grammar.flags.contains(letter) {
            return Err(unknown(&name));
        }
        given.push(Given { name, at, value: None });
    }
    Ok(at + 1)
}
