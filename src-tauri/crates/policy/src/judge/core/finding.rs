//! Finder of `find` commands that remove everything.

use super::super::invocation::JudgedInvocation;
use crate::path;

/// Expressions that leave nothing of importance out, with how many words each takes.
const WHOLE: &[(&str, usize)] = &[
    ("-delete", 0),
    ("-depth", 0),
    ("-d", 0),
    ("-xdev", 0),
    ("-mount", 0),
    ("-x", 0),
    ("-print", 0),
    ("-print0", 0),
    ("-true", 0),
    ("-a", 0),
    ("-and", 0),
    ("-noleaf", 0),
    ("-type", 1),
    ("-mindepth", 1),
    ("-maxdepth", 1),
    ("-ls", 0),
    ("-o", 0),
    ("-or", 0),
    ("(", 0),
    (")", 0),
];

/// Tests of a name or path, which leave nothing out where their value is only stars.
const NAMES: &[&str] = &["-name", "-iname", "-path", "-ipath", "-wholename", "-regex"];

/// Returns the folders that it would empty; `None` if it removes nothing, or only what it selects.
pub(super) fn removes<'a>(call: &'a JudgedInvocation<'_>) -> impl Iterator<Item = String> + 'a {
    let word = |at: usize| call.args[at].or_else(|| call.raw.get(at).copied()).unwrap_or_default();
    let mut at = 0;
    while at < call.args.len()
        && matches!(word(at), "-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-x" | "-s" | "-f")
    {
        at += 1;
    }
    let first = at;
    while at < call.args.len() && !word(at).starts_with(['-', '(', '!']) {
        at += 1;
    }
    let roots = first..at;
    let whole = is_whole(&(at..call.args.len()).map(word).collect::<Vec<_>>());
    let here = (whole && roots.is_empty()).then(|| ".".to_owned());
    let named = roots.filter(move |_| whole).map(move |at| word(at).to_owned());
    named.chain(here)
}

fn is_whole(expression: &[&str]) -> bool {
    let (mut at, mut removes) = (0, false);
    while let Some(word) = expression.get(at) {
        if matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir") {
            let runs = expression.get(at + 1).map_or("", |name| path::base_name(name));
            let in_shell = ["sh", "bash", "zsh", "dash"].contains(&runs);
            return ["rm", "grm", "srm", "unlink", "shred"].contains(&runs)
                || in_shell && expression[at + 2..].iter().any(|word| word.trim_start().starts_with("rm "));
        }
        let stars = expression.get(at + 1).is_some_and(|value| value.chars().all(|c| "*.".contains(c)));
        if stars && NAMES.contains(word) {
            at += 2;
            continue;
        }
        let Some((_, takes)) = WHOLE.iter().find(|(name, _)| name == word) else { return false };
        removes |= *word == "-delete";
        at += 1 + takes;
    }
    removes
}

/// Returns true if it would empty the folder in which it runs.
pub(super) fn empties_here(call: &JudgedInvocation<'_>) -> bool {
    call.is_one_of(&["find", "gfind"]) && removes(call).any(|root| root == "." || root == "./")
}
