//! Spellings of a word, as far as the line itself says: quotes, braces, variables that it sets, and
//! substitutions that print a folder.

use crate::given::without_quotes;
use crate::judge::line::JudgmentContext;
use crate::path::{self, Tilde};
use std::borrow::Cow;

/// Bytes of spellings that are followed of every word, and how many more for each byte that it is long.
const BUDGET: (usize, usize) = (8 * 1024, 16);
/// Spelling of a word that has too many of them: such a word is never typed, and any folder may be in it.
pub(in crate::judge) const TOO_MANY: &str = "/";

/// Returns a word without its quotes, with home and working folder put in, one text for each thing it may
/// become. What is not known stays in it as it was written.
pub(in crate::judge) fn all_spellings(word: &str, here: &str, line: &JudgmentContext<'_>) -> Vec<String> {
    let plain = without_quotes(word);
    if !plain.contains(['$', '`', '~', '{']) {
        line.spend_budget(plain.len());
        return vec![plain];
    }
    if line.is_spent() {
        return vec![TOO_MANY.to_owned()];
    }
    let mut budget = BUDGET.0 + BUDGET.1 * plain.len();
    let mut open = braces(&plain, &mut budget);
    let mut done = Vec::new();
    while let Some(text) = open.pop() {
        let one = expand_one(&text, here, line);
        if one.as_ref().is_none_or(|one| !one.known) {
            done.push(at_home(&text, here, line).into_owned());
        }
        if let Some(one) = one.filter(|_| budget > 0) {
            open.extend(within(&mut budget, one.texts));
        }
    }
    if budget == 0 {
        done.push(TOO_MANY.to_owned());
    }
    let kept: usize = done.iter().map(String::len).sum();
    line.spend_budget(BUDGET.0 + BUDGET.1 * plain.len() - budget + kept);
    done
}

/// Returns as many of the texts as there is budget for.
fn within(budget: &mut usize, texts: impl Iterator<Item = String>) -> Vec<String> {
    let paid = texts.take_while(|text| {
        *budget = budget.saturating_sub(text.len() + 1);
        *budget > 0
    });
    paid.collect()
}

/// Expands `~`, `~user` and `~+` at the start of a word.
///
/// Another name may be the account's own all the same, where a path follows, and `~-` and `~1` may be the home folder.
fn at_home<'a>(text: &'a str, here: &str, line: &JudgmentContext<'_>) -> Cow<'a, str> {
    let is_other = |name: &str| {
        let own = path::fold_case(name) == path::fold_case(path::base_name(line.home)) || name == "root";
        !own && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    match path::read_tilde(text) {
        Some((Tilde::Other(name), "" | "/")) if is_other(name) => Cow::Borrowed(text),
        Some((Tilde::Here, behind)) => Cow::Owned(format!("{here}{behind}")),
        Some((_, behind)) => Cow::Owned(format!("{}{behind}", line.home)),
        None => Cow::Borrowed(text),
    }
}

/// Expands `{a,b}`; empty if there is none.
fn braces(text: &str, budget: &mut usize) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match inner_brace(&text) {
            Some(_) if *budget == 0 => {}
            Some((start, end)) => {
                let (before, behind) = (&text[..start], &text[end + 1..]);
                let parts = text[start + 1..end].split(',');
                open.extend(within(budget, parts.map(|part| format!("{before}{part}{behind}"))));
            }
            None => done.push(text),
        }
    }
    done
}

/// Returns the innermost first `{…,…}` that is no `${…}`.
fn inner_brace(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(end) = text[from..].find('}').map(|at| from + at) {
        if let Some(start) = text[..end].rfind('{')
            && !text[..start].ends_with('$')
            && text[start..end].contains(',')
        {
            return Some((start, end));
        }
        from = end + 1;
    }
    None
}

/// A text with its first variable or substitution replaced.
struct Expanded<'t> {
    /// By each thing that it may be.
    texts: Box<dyn Iterator<Item = String> + 't>,
    /// True if the line says what it is: of `${x:-y}` it may say only what stands in for it.
    known: bool,
}

/// Returns the first variable or substitution of a text, replaced by each thing it may be; `None` if nothing
/// is known to replace.
fn expand_one<'t>(text: &'t str, here: &'t str, line: &'t JudgmentContext<'_>) -> Option<Expanded<'t>> {
    let at = text.find(['$', '`'])?;
    let (length, values, instead): (usize, Box<dyn Iterator<Item = String>>, _) =
        if let Some((length, inside)) = substitution(&text[at..]) {
            (length, Box::new(printed(inside, here, line).into_iter()), None)
        } else {
            let found = variable(&text[at..])?;
            (found.length, Box::new(values_of(found.name, here, line)), found.instead)
        };
    let mut values = values.filter(|value| !value.contains(['$', '`'])).peekable();
    let known = values.peek().is_some();
    let put = move |value: String| format!("{}{value}{}", &text[..at], &text[at + length..]);
    let texts = values.chain(instead.map(str::to_owned)).map(put);
    (known || instead.is_some()).then(|| Expanded { texts: Box::new(texts), known })
}

struct Variable<'t> {
    /// Bytes of it, from its `$`.
    length: usize,
    name: &'t str,
    /// Replacement if it is not set, or if it is: `y` of `${x:-y}`, `${x=y}` and `${x:+y}`.
    instead: Option<&'t str>,
}

/// Reads `$name` or `${name…}`.
fn variable(text: &str) -> Option<Variable<'_>> {
    let rest = text.strip_prefix('$')?;
    let inner = rest.strip_prefix('{');
    let body = inner.unwrap_or(rest);
    let plain = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    let end = if body.starts_with(['@', '*']) { 1 } else { plain };
    let name = Some(&body[..end]).filter(|name| !name.is_empty())?;
    let Some(inner) = inner else {
        return Some(Variable { length: "$".len() + end, name, instead: None });
    };
    let close = closing(inner)?;
    let behind = &inner[end..close];
    let instead = behind.strip_prefix(':').unwrap_or(behind).strip_prefix(['-', '=', '+']);
    let length = "${".len() + close + "}".len();
    Some(Variable { length, name, instead: instead.filter(|instead| !instead.is_empty()) })
}

/// Returns the index at which the brace closes that was opened before the text: after those that are opened
/// in it.
fn closing(inner: &str) -> Option<usize> {
    let mut depth = 0usize;
    let close = inner.char_indices().find(|(_, c)| match c {
        '{' => {
            depth += 1;
            false
        }
        '}' if depth > 0 => {
            depth -= 1;
            false
        }
        c => *c == '}',
    });
    close.map(|(at, _)| at).or_else(|| inner.find('}'))
}

/// Returns the values of a variable: those that the line assigns to it, or lists for it.
///
/// A list may be as long as the whole text, so nothing is worked out before it is asked for.
fn values_of<'t>(
    name: &'t str,
    here: &'t str,
    line: &'t JudgmentContext<'_>,
) -> impl Iterator<Item = String> + 't {
    let known = match name {
        "HOME" => Some(line.home.to_owned()),
        "PWD" => Some(here.to_owned()),
        _ => None,
    };
    let given = line.values_given_to(name).map(move |value| {
        line.spend_budget(value.len());
        value.replace("$HOME", line.home).replace("$PWD", here)
    });
    let listed = line.listed(name).flat_map(str::split_whitespace).map(move |word| {
        line.spend_budget(word.len());
        at_home(&without_quotes(word), here, line).into_owned()
    });
    known.into_iter().chain(given).chain(listed)
}

/// Reads `$(…)` or `` `…` `` without anything of that kind inside, and returns its length and content.
fn substitution(text: &str) -> Option<(usize, &str)> {
    let (open, close) = if text.starts_with("$(") { (2, ')') } else { (1, '`') };
    if open == 1 && !text.starts_with('`') {
        return None;
    }
    let end = open + text[open..].find(close)?;
    Some((end + 1, &text[open..end]))
}

/// Returns the output of a command that only prints a folder or its own words.
fn printed(command: &str, here: &str, line: &JudgmentContext<'_>) -> Vec<String> {
    let command = command.replace("$PWD", here).replace("$HOME", line.home);
    let words: Vec<&str> = command.split_whitespace().collect();
    let rest = || words.iter().skip(1).filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned());
    match words.first().map(|name| path::base_name(name)) {
        Some("pwd") => vec![here.to_owned()],
        Some("git") if words.contains(&"--show-toplevel") => vec![here.to_owned()],
        Some("echo" | "printf" | "realpath" | "readlink" | "grealpath" | "greadlink" | "which") => {
            rest().collect()
        }
        Some("dirname") => rest().map(|word| format!("{word}/..")).collect(),
        Some("cd") if words.contains(&"pwd") => rest().take(1).collect(),
        _ => Vec::new(),
    }
}
