//! What is wrong with a rule, as facts: `contract::render` makes the words. Patterns are kept as they are written.

use super::FindingKind;
use crate::cause::Cause;
use crate::check::RuleProblem;
use crate::rule::RuleId;

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named for what they hold")]
pub enum Problem {
    /// It would be refused if it was saved now.
    Broken(RuleProblem),
    /// Its time has run out.
    Expired,
    /// It can never match.
    NeverMatches(NeverMatches),
    /// A deny rule denies all that it allows.
    Shadowed { by: RuleId, pattern: String },
    /// It allows more than anybody means.
    TooBroad(TooBroad),
    /// It is broad, and the user confirmed that.
    Broad { pattern: String },
    /// A line of a file allows every command that nothing else names.
    AllowsEverything { tool: String, pattern: String },
    /// The program is not the one that it is bound to.
    Changed { pattern: String },
    /// Nothing is at its path.
    Missing { pattern: String, allows: bool },
    /// What it allows can be replaced.
    AgentWritable { pattern: String, by: Changeable },
    /// Another rule does all that it does.
    Covered { by: RuleId },
    /// A later line of the file matches all that it does.
    CoveredLine { tool: String, pattern: String, by: usize },
    /// It was not used for 90 days.
    Unused,
}

/// Why a rule can never match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named for what they hold")]
pub enum NeverMatches {
    /// A made-up command that fits is not decided by it; `cause` is what it got.
    NotEven { argv: Vec<String>, allows: bool, cause: Option<Cause> },
    /// The wrapper is taken off before rules are looked at.
    Wrapper { argv: Vec<String> },
    /// Its arguments contradict its command.
    Contradicts { pattern: String },
    /// A glob never covers a program that starts others.
    GlobOfCarrier { name: String },
}

/// How a rule allows more than anybody means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named for what they hold")]
pub enum TooBroad {
    /// Its program runs whatever it is told.
    Carrier { pattern: String, carrier: Carrier, by_path: bool },
    /// It allows a whole folder.
    Folder { pattern: String },
    /// It allows every program of a developer.
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

/// Who can replace a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changeable {
    /// The agent, and the rule is bound to its content.
    PinnedByAgent,
    /// The agent, and the rule is bound to nothing.
    ByAgent,
    /// Anything that runs as the person.
    ByAnyone,
}

impl Problem {
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
