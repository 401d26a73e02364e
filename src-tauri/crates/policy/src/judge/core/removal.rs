//! `rm -r` of the root, the home folder, `.` and `..`, in any spelling.

use super::super::invocation::Invocation;
use crate::facts::Facts;
use crate::path;
use std::borrow::Cow;

pub(super) fn matches(call: &Invocation<'_>, facts: &Facts<'_>) -> bool {
    let all = |operand: &str| is_everything(operand, call.folder.as_deref(), facts);
    if call.names().iter().any(|name| matches!(path::base_name(name), "find" | "gfind")) {
        return super::finding::removes(call).any(|root| root != "." && root != "./" && all(&root));
    }
    let is_rm = call.names().iter().any(|name| is_rm(path::base_name(name)));
    is_rm && is_recursive(call) && operands(call).any(|operand| all(&operand) || is_fed(&operand, all, facts))
}

/// Whether a variable among the operands was given such a value, by a literal `for` list or assignment, or `xargs` is
/// given it by an `echo` before.
fn is_fed(operand: &str, all: impl Fn(&str) -> bool, facts: &Facts<'_>) -> bool {
    let unquoted = |word: &str| word.replace(['"', '\'', '\\'], "");
    let steps = &facts.reading.steps;
    if operand == "…" || operand == "{}" {
        let says = steps
            .iter()
            .filter(|step| matches!(step.program().map(path::base_name), Some("echo" | "printf")));
        return says.flat_map(|step| step.argv.iter().skip(1)).any(|word| {
            let text = word.value.clone().unwrap_or_else(|| unquoted(&word.raw));
            text.split(|c: char| c.is_whitespace() || c == '\0').any(|part| !part.is_empty() && all(part))
        });
    }
    let Some(rest) = operand.strip_prefix('$') else { return false };
    let rest = rest.strip_prefix('{').unwrap_or(rest);
    let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
    if name.is_empty() {
        return false;
    }
    let assigned =
        steps.iter().flat_map(|step| &step.assignments).filter(|assignment| assignment.name == name);
    let mut values = assigned.map(|assignment| {
        let raw = assignment.value.raw.as_str();
        let raw = raw.strip_prefix(name).and_then(|raw| raw.strip_prefix('=')).unwrap_or(raw);
        assignment.value.value.clone().unwrap_or_else(|| unquoted(raw))
    });
    let listed = facts.reading.text.split(&format!("for {name} in ")).skip(1).any(|list| {
        let end = list.find([';', '\n']).unwrap_or(list.len());
        list[..end].split_whitespace().any(|word| all(&unquoted(word)))
    });
    listed || values.any(|value| all(&value))
}

fn is_rm(name: &str) -> bool {
    ["rm", "grm", "srm"].iter().any(|rm| name.eq_ignore_ascii_case(rm))
}

/// `-r`, `-R`, `-rf`, `-fR`, `--recursive` and what it may be shortened to, wherever it stands.
pub(super) fn is_recursive(call: &Invocation<'_>) -> bool {
    options(call).any(|word| match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && "recursive".starts_with(long),
        None => word[1..].contains(['r', 'R']),
    })
}

fn options<'a>(call: &'a Invocation<'_>) -> impl Iterator<Item = &'a str> {
    let before_end = call.args.iter().take_while(|word| **word != Some("--"));
    before_end.filter_map(|word| *word).filter(|word| word.len() > 1 && word.starts_with('-'))
}

/// What is removed: as known, or as written where the shell expands it.
fn operands<'a>(call: &'a Invocation<'_>) -> impl Iterator<Item = Cow<'a, str>> {
    let end = call.args.iter().position(|word| *word == Some("--")).unwrap_or(usize::MAX);
    call.args.iter().enumerate().filter_map(move |(at, word)| match word {
        Some(word) if at <= end && word.starts_with('-') => None,
        Some(word) => Some(Cow::Borrowed(*word)),
        None => call.raw.get(at).map(|raw| Cow::Owned(raw.replace(['"', '\'', '\\'], ""))),
    })
}

/// Whether an operand is the root, home, the working directory, or a folder above one of the last two.
fn is_everything(operand: &str, folder: Option<&str>, facts: &Facts<'_>) -> bool {
    let here = folder.unwrap_or(facts.cwd);
    let mut text = path::expand_home(operand, facts.home);
    for name in ["$PWD", "${PWD}"] {
        if let Some(rest) = text.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            text = Cow::Owned(format!("{here}{rest}"));
        }
    }
    let user = path::base_name(facts.home);
    if let Some(rest) = text.strip_prefix('~').and_then(|text| text.strip_prefix(user))
        && (rest.is_empty() || rest.starts_with('/'))
    {
        text = Cow::Owned(format!("{}{rest}", facts.home));
    }
    let text = path::out_of_proc(&text, here);
    if ["*", ".*", "{*,.*}"].contains(&&*text) {
        // All that is in the folder where it runs: below the request's own that is no more than `rm -rf build`.
        let (here, home, cwd) = (path::fold(here), path::fold(facts.home), path::fold(facts.cwd));
        return path::is_within(&home, &here) || path::is_within(&cwd, &here);
    }
    let bare = without_stars(&text);
    if bare.is_empty() || bare.contains(['$', '`', '*', '?', '[', '{']) {
        return false;
    }
    let target = path::join(here, bare);
    let (target, home, here) = (path::fold(&target), path::fold(facts.home), path::fold(here));
    path::is_within(&home, &target) || path::is_within(&here, &target)
}

/// `/*`, `/.*` and `/**` at the end name all that is in a folder: the folder itself, for this purpose.
fn without_stars(text: &str) -> &str {
    let mut bare = text;
    while let Some(shorter) =
        ["/*", "/.*", "/**", "/.[!.]*", "/{*,.*}"].iter().find_map(|end| bare.strip_suffix(end))
    {
        bare = if shorter.is_empty() { "/" } else { shorter };
    }
    bare
}
