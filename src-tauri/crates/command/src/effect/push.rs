//! Remotes that git pushes to and fetches from, as far as a step's words tell.

use super::command::{ExaminedCommand, ProgramWords, writes};
use crate::{Power, Role, Step};

/// The remote and branch of a `git push`, `git fetch` or `git pull`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    pub pushes: bool,
    /// Remote; `None` is the branch's own.
    pub remote: Option<String>,
    /// Branch; `None` is the current one.
    pub branch: Option<String>,
    /// True for one branch under its own name, whose commits can be counted.
    pub under_own_name: bool,
}

/// Options with which it uses another folder, or more than one remote.
const ELSEWHERE: &str =
    "^-C ^-c ^--git-dir ^--work-tree ^--config-env ^--repo fetch:--all pull:--all fetch:--multiple";
/// Options with which it uses more than one branch.
const SEVERAL: &str = "=--all =--branches =--tags =--mirror";
/// Verbs of git that change no settings, and no files of the project.
const HARMLESS: &str = "add|commit|fetch";

/// Builtins that change no variables.
const BUILTINS: [&str; 8] = ["cd", "pushd", "popd", "pwd", "true", ":", "test", "echo"];

/// Returns the transfer that a step is, if all its words are known and it is to or from one remote.
pub fn transfer_of(step: &Step) -> Option<Transfer> {
    let words = own_words(step).filter(|_| step.literal_argv().is_some())?;
    let mut found = None;
    words.for_each_reading(|command| {
        if command.is_one_of(&["git"]) && !command.matches_any(ELSEWHERE) {
            let at = command.read().find_verb("push|fetch|pull").map(|(at, last)| {
                let pushes = command.read().word_at(at) == Some("push");
                transfer_of_words(pushes, command.matches_any(SEVERAL), &command.operands(last + 1))
            });
            found = found.take().or(at);
        }
    });
    found
}

/// Returns true if the words are those of `git clone`.
pub fn is_git_clone(argv: &[String]) -> bool {
    let mut is = false;
    if let Some(words) = ProgramWords::from_argv(argv) {
        words.for_each_reading(|command| {
            is |= command.is_one_of(&["git"]) && command.read().find_verb("clone").is_some();
        });
    }
    is
}

fn transfer_of_words(pushes: bool, several: bool, words: &[&str]) -> Transfer {
    let one = |branch: &&str| !branch.contains([':', '+']);
    let under_own_name = !several && words.len() <= 2 && words.get(1).is_none_or(one);
    let branch = words.get(1).filter(|branch| under_own_name && **branch != "HEAD");
    Transfer {
        pushes,
        remote: words.first().map(|word| (*word).to_owned()),
        branch: branch.map(|word| (*word).to_owned()),
        under_own_name,
    }
}

/// Returns the words of a step's own program, if nothing that runs it changes what it does.
pub(super) fn own_words(step: &Step) -> Option<ProgramWords<'_>> {
    let plain = step.assignments.is_empty() && step.via.iter().all(|via| via.power == Power::Transparent);
    ProgramWords::of_step(step).pop().filter(|_| plain)
}

/// Returns true if a step moves branches, so that later steps have more or less to push.
pub fn moves_branches(step: &Step) -> bool {
    is_git(step, "commit|fetch")
}

/// Returns true if a step leaves the settings of the steps behind it as they are.
pub fn keeps_settings(step: &Step) -> bool {
    let only_reads = || {
        let found = super::effects_of(step);
        !found.is_empty()
            && found.iter().all(|found| matches!(found.effect, super::CommandEffect::Read { .. }))
    };
    if !step.assignments.is_empty() || writes(step).next().is_some() {
        return false;
    }
    match step.role {
        Role::HarmlessBuiltin => step.program().is_some_and(|name| BUILTINS.contains(&name)),
        Role::Nothing | Role::Function => false,
        Role::Program => is_git(step, HARMLESS) || only_reads(),
    }
}

fn is_git(step: &Step, verbs: &str) -> bool {
    let mut is = false;
    if let Some(words) = own_words(step).filter(|_| step.literal_argv().is_some()) {
        let has = |command: &ExaminedCommand<'_>| {
            command.is_one_of(&["git"])
                && !command.matches_any("^-C ^-c")
                && command.read().find_verb(verbs).is_some()
        };
        words.for_each_reading(|command| is |= has(command));
    }
    is
}
