//! Problems of a rule, as facts: `contract::render` makes the words. Patterns are kept as they are written.

use super::FindingKind;
use crate::cause::Cause;
use crate::rule::RuleId;
use crate::rule_problem::RuleProblem;

/// Problem of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LintProblem {
    /// Refused if it was saved now.
    Broken(RuleProblem),
    Expired,
    NeverMatches(NeverMatches),
    /// A deny rule denies all that it allows.
    Shadowed {
        by: RuleId,
        pattern: String,
    },
    TooBroad(TooBroad),
    /// Broad, which the user confirmed.
    Broad {
        pattern: String,
    },
    /// A line of a file allows every command that nothing else names.
    AllowsEverything {
        tool: String,
        pattern: String,
    },
    /// The program is not the one that it is bound to.
    Changed {
        pattern: String,
    },
    /// Nothing is at its path.
    Missing {
        pattern: String,
        allows: bool,
    },
    /// Open to replacement of what it allows.
    AgentWritable {
        pattern: String,
        by: Changeable,
    },
    /// Another rule does all that it does.
    Covered {
        by: RuleId,
    },
    /// A later line of the file matches all that it does.
    CoveredLine {
        tool: String,
        pattern: String,
        by: usize,
    },
    /// Unused for 90 days.
    Unused,
}

/// Reason why a rule can never match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeverMatches {
    /// A made-up command that fits is not decided by it; `cause` is what it got.
    NotEven { argv: Vec<String>, allows: bool, cause: Option<Cause> },
    /// The wrapper is taken off before rules are looked at.
    Wrapper { argv: Vec<String> },
    /// Arguments that contradict the command.
    Contradicts { pattern: String },
    /// A glob never covers a program that starts others.
    GlobOfCarrier { name: String },
}

/// Way in which a rule allows too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooBroad {
    /// Program that runs other programs or code of its arguments.
    Carrier { pattern: String, carrier: Carrier, by_path: bool },
    /// All of a folder.
    Folder { pattern: String },
    /// All programs of a developer.
    Developer { pattern: String },
}

/// A program that runs what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// A shell.
    Shell,
    /// An interpreter.
    Interpreter,
    /// A program that starts others.
    Starter,
}

/// Party that can replace a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changeable {
    /// The agent, and the rule is bound to its content.
    PinnedByAgent,
    /// The agent, and the rule is bound to nothing.
    ByAgent,
    /// Anything that runs as the person.
    ByAnyone,
}

impl LintProblem {
    /// Returns the kind of the problem.
    pub fn kind(&self) -> FindingKind {
        match self {
            Self::Broken(_) => FindingKind::Broken,
            Self::Expired => FindingKind::Expired,
            Self::NeverMatches(_) => FindingKind::NeverMatches,
            Self::Shadowed { .. } => FindingKind::Shadowed,
            Self::TooBroad(_) | Self::AllowsEverything { .. } => FindingKind::TooBroad,
            Self::Broad { .. } => FindingKind::Broad,
            Self::Changed { .. } => FindingKind::Changed,
            Self::Missing { .. } => FindingKind::Missing,
            Self::AgentWritable { .. } => FindingKind::AgentWritable,
            Self::Covered { .. } | Self::CoveredLine { .. } => FindingKind::Covered,
            Self::Unused => FindingKind::Unused,
        }
    }
}
