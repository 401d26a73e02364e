//! Reasons why a rule is refused.

use crate::pattern::PatternError;
use crate::readable::NotReadable;

/// Reason why a rule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Allows a program that runs other programs or code.
    #[error(
        "{0:?} would allow every program that it can start: name that program, confine the rule to the project, or save it as a broad rule"
    )]
    Carrier(String),
    /// Allows everything.
    #[error("{0:?} would allow everything; set the agent to Allow if that is meant, or name a folder")]
    Everything(String),
    /// An example that should match does not.
    #[error("the example {0:?} is not matched by the rule")]
    Misses(String),
    /// An example that should not match does.
    #[error("the example {0:?} is matched by the rule, and should not be")]
    Matches(String),
    /// An example cannot be read.
    #[error("the example {0:?} cannot be read as a command")]
    Unreadable(String),
    /// A profile in a rule that runs nothing.
    #[error("a rule that denies runs nothing: leave out the profile")]
    DeniesConfined,
    /// Broad, and nothing that could be.
    #[error("only an allow rule for a command or a path can be broad")]
    NotBroad,
    /// An invalid folder, or a folder in a deny rule.
    #[error("{0}")]
    Folder(String),
    /// An allow rule by a name that any file can claim.
    #[error(
        "any file can claim to be {0}; write signing:platform:{0} for a part of macOS, or signing:TEAMID:{0} with the developer's team"
    )]
    Claimed(String),
    /// A rule about files that names a program as well.
    #[error(
        "a rule about files holds for every program: leave out arguments, the pin and what else is about programs"
    )]
    Files,
    /// Files that may be written, in a rule that allows.
    #[error(
        "no rule lets every program write files: name the agent's folder in its settings, or allow a command"
    )]
    Writes,
    /// A folder that may be read, and must not.
    #[error("a rule can't let an agent read {0:?}: {1}")]
    Reads(String, NotReadable),
    /// A file's effect in a rule.
    #[error("a rule allows or denies; only permissions.jsonc can ask")]
    Asks,
}
