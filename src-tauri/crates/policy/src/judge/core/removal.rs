//! `rm -r` of the root, the home folder, `.` and `..`, in any spelling.

use super::super::invocation::Invocation;
use crate::facts::Facts;
use crate::path;
use std::borrow::Cow;

pub(super) fn matches(call: &Invocation<'_>, facts: &Facts<'_>) -> bool {
    let is_rm = call.names().iter().any(|name| is_rm(path::base_name(name)));
    is_rm
        && is_recursive(call)
        && operands(call).any(|operand| is_everything(&operand, call.folder.as_deref(), facts))
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
