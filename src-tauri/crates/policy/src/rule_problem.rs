//! Reasons why a rule is refused.

use crate::pattern::PatternError;
use crate::readable::NotReadable;

/// Reason why a rule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(
        "{0:?} would allow every program that it can start: name that program, confine the rule to the project, or save it as a broad rule"
    )]
    Carrier(String),
    #[error("{0:?} would allow everything; set the agent to Allow if that is meant, or name a folder")]
    Everything(String),
    #[error("the example {0:?} is not matched by the rule")]
    Misses(String),
    #[error("the example {0:?} is matched by the rule, and should not be")]
    Matches(String),
    #[error("the example {0:?} cannot be read as a command")]
    Unreadable(String),
    #[error("a rule that denies runs nothing: leave out the profile")]
    DeniesConfined,
    #[error("only an allow rule for a command or a path can be broad")]
    NotBroad,
    /// An invalid folder, or a folder in a deny rule.
    #[error("{0}")]
    Folder(String),
    #[error(
        "any file can claim to be {0}; write signing:platform:{0} for a part of macOS, or signing:TEAMID:{0} with the developer's team"
    )]
    Claimed(String),
    #[error(
        "a rule about files holds for every program: leave out arguments, the pin and what else is about programs"
    )]
    Files,
    #[error(
        "no rule lets every program write files: name the agent's folder in its settings, or allow a command"
    )]
    Writes,
    #[error("a rule can't let an agent read {0:?}: {1}")]
    Reads(String, NotReadable),
    #[error("a rule allows or denies; only permissions.jsonc can ask")]
    Asks,
}
