//! Recursive removal of the root, the home folder, `.` and `..`, in any spelling.

use super::super::invocation::JudgedInvocation;
use super::{everything, finding, spelling};
use crate::given;
use crate::judge::line::JudgmentContext;
use crate::path;
use std::borrow::Cow;

const FINDS: &[&str] = &["find", "gfind"];
const MIRRORS: &[&str] = &["rsync"];
const REMOVES: &[&str] = &["rm", "grm", "srm", "rimraf"];
/// Programs that remove folders without an option.
const ALWAYS_RECURSIVE: &[&str] = &["rimraf"];

/// Returns true if programs of this name are looked at.
pub(super) fn is_about(base: &str) -> bool {
    [FINDS, MIRRORS, REMOVES].iter().any(|names| names.contains(&base))
}

pub(super) fn matches(call: &JudgedInvocation<'_>, line: &JudgmentContext<'_>) -> bool {
    let all = |operand: &str| everything::is_meant(operand, call.folder.as_deref(), call.targets, line);
    if call.is_one_of(FINDS) {
        return finding::removes(call).any(|root| root != "." && root != "./" && all(&root));
    }
    if call.is_one_of(MIRRORS) {
        let home = |to: &str| everything::is_home_or_above(to, call.folder.as_deref(), line);
        return mirrors(call, line) && operands(call).last().is_some_and(|to| home(&to));
    }
    call.is_one_of(REMOVES)
        && (call.is_one_of(ALWAYS_RECURSIVE) || is_recursive(call, line))
        && operands(call).any(|operand| all(&operand) || is_fed(&operand, all, line))
}

/// Returns true for `rsync --delete` of what may be an empty folder into the home folder or above it. Into
/// the folder where it runs it is everyday work.
fn mirrors(call: &JudgedInvocation<'_>, line: &JudgmentContext<'_>) -> bool {
    options(call, line).any(|word| word.starts_with("--del"))
}

/// Returns whether `xargs` is given it by an `echo` before, or by the text of a here-string.
fn is_fed(operand: &str, all: impl Fn(&str) -> bool, line: &JudgmentContext<'_>) -> bool {
    if operand != "…" && operand != "{}" {
        return false;
    }
    let steps = line.reading.steps.iter();
    let says =
        steps.filter(|step| matches!(step.program().map(path::base_name), Some("echo" | "printf" | "pwd")));
    let said = says.flat_map(|step| {
        let prints = step.program().map(path::base_name) == Some("pwd");
        let words =
            step.argv.iter().skip(1).map(|word| word.value.clone().unwrap_or_else(|| word.raw.clone()));
        words.chain(prints.then(|| ".".to_owned())).collect::<Vec<_>>()
    });
    let fed = line.reading.steps.iter().flat_map(given::here_texts);
    let mut texts = said.chain(fed);
    texts.any(|text| {
        text.split(|c: char| c.is_whitespace() || c == '\0').any(|part| !part.is_empty() && all(part))
    })
}

/// Returns true if there is `-r`, `-R`, `-rf`, `-fR`, `--recursive` or an abbreviation of it, anywhere among
/// the words.
pub(super) fn is_recursive(call: &JudgedInvocation<'_>, line: &JudgmentContext<'_>) -> bool {
    options(call, line).any(|word| match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && "recursive".starts_with(long),
        None => word[1..].contains(['r', 'R']),
    })
}

/// Returns the options, as known or as the line itself makes them (`f=-rf; rm $f x`).
fn options<'a>(
    call: &'a JudgedInvocation<'_>,
    line: &'a JudgmentContext<'_>,
) -> impl Iterator<Item = Cow<'a, str>> {
    let before_end = call.args.iter().enumerate().take_while(|(_, word)| **word != Some("--"));
    let made =
        |at: usize| spelling::all_spellings(call.raw.get(at).copied().unwrap_or_default(), line.cwd, line);
    let words = before_end.flat_map(move |(at, word)| match word {
        Some(word) => vec![Cow::Borrowed(*word)],
        None => made(at).into_iter().map(Cow::Owned).collect(),
    });
    words.filter(|word| word.len() > 1 && word.starts_with('-'))
}

/// Returns the operands to remove: as known, or as written if the shell expands them.
fn operands<'a>(call: &'a JudgedInvocation<'_>) -> impl Iterator<Item = Cow<'a, str>> {
    let end = call.args.iter().position(|word| *word == Some("--")).unwrap_or(usize::MAX);
    call.args.iter().enumerate().filter_map(move |(at, word)| match word {
        Some(word) if at <= end && word.starts_with('-') => None,
        Some(word) => Some(Cow::Borrowed(*word)),
        None => call.raw.get(at).map(|raw| Cow::Borrowed(*raw)),
    })
}
