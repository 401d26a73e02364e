//! A push of commits, as far as its words tell.

use super::seen::of_step;
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
    let seen = of_step(step).pop().filter(|seen| plain && seen.is(&["git"]) && !seen.meets(ELSEWHERE))?;
    let words = seen.operands(seen.behind_verb("push")?);
    let name = |at: usize| words.get(at).map(|word| (*word).to_owned());
    let branch = name(1).filter(|branch| branch != "HEAD");
    (words.len() <= 2 && branch.as_ref().is_none_or(|branch| !branch.contains(':')))
        .then(|| Push { remote: name(0), branch })
}
