//! A push of commits, as far as its words tell.

use super::command::Words;
use crate::{Power, Step};

/// The remote and branch of a `git push`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// Remote; `None` is the branch's own.
    pub remote: Option<String>,
    /// Branch; `None` is the current one.
    pub branch: Option<String>,
}

/// Options with which it pushes from another folder, or more than one branch.
const ELSEWHERE: &str = "^-C ^-c ^--git-dir ^--work-tree =--all =--tags =--mirror";

/// Returns the push that a step is, if all its words are known and it pushes one branch under its own name.
pub fn push_of(step: &Step) -> Option<Push> {
    let plain = step.literal_argv().is_some() && step.via.iter().all(|via| via.power == Power::Transparent);
    let words = Words::of_step(step).pop().filter(|_| plain)?;
    let mut found = None;
    words.read(|command| {
        if command.is(&["git"]) && !command.meets(ELSEWHERE) {
            found =
                found.take().or_else(|| push_of_words(&command.operands(command.read.verb("push")?.1 + 1)));
        }
    });
    found
}

fn push_of_words(words: &[&str]) -> Option<Push> {
    let name = |at: usize| words.get(at).map(|word| (*word).to_owned());
    let branch = name(1).filter(|branch| branch != "HEAD");
    (words.len() <= 2 && branch.as_ref().is_none_or(|branch| !branch.contains(':')))
        .then(|| Push { remote: name(0), branch })
}
