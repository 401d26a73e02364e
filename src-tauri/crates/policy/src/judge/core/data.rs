//! Writing into Postern's own data folder.

use super::super::invocation::Invocation;
use super::removal;
use crate::facts::{Facts, StepFacts};
use crate::path;
use postern_command::Step;

/// Whether a redirection of the step writes there.
pub(super) fn redirects_into(step: &Step, found: &StepFacts, facts: &Facts<'_>) -> bool {
    let folder = crate::needed::folder_of(facts.cwd, &step.dir);
    let led = |text: &str| {
        found.targets.iter().any(|target| target.written == text && leads_into(&target.real, facts))
    };
    let targets = step.redirections.iter().filter(|redirection| redirection.writes());
    targets.map(|redirection| &redirection.target).any(|target| {
        let text = target.value.clone().unwrap_or_else(|| target.raw.replace(['"', '\'', '\\'], ""));
        led(&text) || is_inside(&text, folder.as_deref(), facts)
    })
}

/// Whether a program that is not known to only read is given a path in there, or would remove or move it as a whole.
pub(super) fn matches(call: &Invocation<'_>, facts: &Facts<'_>) -> bool {
    let words =
        || call.args.iter().enumerate().filter_map(|(at, word)| word.or_else(|| call.raw.get(at).copied()));
    let folder = call.folder.as_deref();
    let led = |text: &str| {
        call.targets.iter().any(|target| target.written == text && leads_into(&target.real, facts))
    };
    let touched = words().any(|word| spellings(word).any(|text| led(text) || is_inside(text, folder, facts)));
    if touched && !only_reads(call) {
        return true;
    }
    match &*call.base() {
        // The last operand is where it moves to.
        "mv" | "gmv" => {
            let moved = words().count().saturating_sub(1);
            words().take(moved).any(|word| holds_data(word, folder, facts))
        }
        "rm" | "grm" | "srm" | "chmod" | "chown" | "chflags" if removal::is_recursive(call) => {
            words().any(|word| holds_data(word, folder, facts))
        }
        _ => false,
    }
}

fn only_reads(call: &Invocation<'_>) -> bool {
    let argv: Option<Vec<&str>> = std::iter::once(Some(call.name)).chain(call.args.iter().copied()).collect();
    argv.is_some_and(|argv| postern_command::is_read_only(&argv))
}

/// A word may be a path, or an option or assignment with one behind `=` (`--output=/x`, `of=/x`), or behind its letter.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let glued = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    std::iter::once(word).chain(behind).chain(glued)
}

fn resolved(text: &str, folder: Option<&str>, facts: &Facts<'_>) -> String {
    let plain = text.replace(['"', '\'', '\\'], "");
    let text = path::expand_home(&plain, facts.home);
    let here = folder.unwrap_or(facts.cwd);
    path::deny_key(&path::join(here, &path::out_of_proc(&text, here)))
}

/// Whether a real path lies there; a path of the system's view of processes leads there by its end.
fn leads_into(real: &str, facts: &Facts<'_>) -> bool {
    path::is_within(&path::deny_key(real), &path::deny_key(facts.data))
}

fn is_inside(text: &str, folder: Option<&str>, facts: &Facts<'_>) -> bool {
    // A bare word lies where the step runs.
    if !text.contains(['/', '~', '$'])
        && !path::is_within(&path::deny_key(folder.unwrap_or(facts.cwd)), &path::deny_key(facts.data))
    {
        return false;
    }
    path::is_within(&resolved(text, folder, facts), &path::deny_key(facts.data))
}

/// Whether the path is a folder that the data lie in.
fn holds_data(text: &str, folder: Option<&str>, facts: &Facts<'_>) -> bool {
    !text.starts_with('-') && path::is_within(&path::deny_key(facts.data), &resolved(text, folder, facts))
}
