//! The answer to *may it run*, with its evidence.

use crate::advice::Advice;
use crate::cause::{Cause, StageFinding};
use crate::confinement::Confinement;
use crate::risk::Risk;
use crate::rule::{Effect, RuleId};
pub use postern_protocol::Decision;
use serde::{Deserialize, Serialize};

/// Reason, as a stable name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Reason {
    /// Malformed, oversized or impossible to show in full.
    Invalid,
    /// A managed rule or a parent session's layer denies.
    Managed,
    /// The built-in core denies.
    Core,
    /// A deny rule.
    Denylist,
    /// The agent's `security` setting decides.
    Policy,
    /// The only program was not found.
    NotFound,
    /// An allow rule.
    Rule,
    /// A skill's rule.
    Skill,
    /// The read-only list.
    ReadOnly,
    /// The agent's classes.
    Class,
    /// A harmless builtin: nothing to allow.
    Builtin,
    /// A rule matches, but the program or script is not the one it was approved with.
    BinaryChanged,
    /// A rule holds while a program or script is what it was, and the agent can change that file until it runs.
    AgentCanChange,
    /// A part could not be understood.
    Opaque,
    /// No rule covers it.
    AllowlistMiss,
    /// Only reads, and this system cannot hold it to that.
    CannotConfine,
    /// `ask: always`, or a rule that asks.
    AskAlways,
    /// The environment asks for names that are refused.
    EnvRefused,
    /// The working directory is not one of the agent's folders, or is none.
    CwdRefused,
}

/// The rule that decided, as far as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RuleRef {
    pub id: RuleId,
    pub effect: Effect,
    /// Pattern as it is written in a list (`git push *`, `/opt/homebrew/bin/rg`).
    pub pattern: String,
    /// Source, in a word or two ("you", "always", "skill bird", "permissions.jsonc:12").
    pub source: String,
    /// Reason for it, in the person's words.
    pub why: Option<String>,
}

/// Risk level: how careful a person should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RiskLevel {
    /// Reads at most.
    Safe,
    /// Worth a look.
    NeedsReview,
    /// Could do harm that cannot be undone.
    Dangerous,
}

/// Contribution of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepVerdict {
    /// Words, if all are known before the run.
    pub argv: Option<Vec<String>>,
    /// As written.
    pub text: String,
    /// The program's name.
    pub program: Option<String>,
    /// Resolved path.
    pub path: Option<String>,
    pub decision: Decision,
    /// Stable name of the cause.
    pub reason: Reason,
    /// Cause, with its data. Earlier versions recorded a sentence.
    #[serde(alias = "message")]
    pub cause: Cause,
    /// The rule that decided it.
    pub rule: Option<RuleRef>,
    /// Span in the request's text: first byte and byte after the last.
    pub span: (usize, usize),
}

/// Line of the trace that `explain` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceLine {
    /// The stage of `decision.md`'s order, in a word or two ("read", "core", "deny rules", "step 2: allow rules").
    pub stage: String,
    /// Finding of the stage.
    pub found: StageFinding,
}

/// The answer, with its evidence. Only `postern-request` turns one into permission to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct Verdict {
    pub decision: Decision,
    /// Stable name of the cause.
    pub reason: Reason,
    /// Cause, with its data. Earlier versions recorded a sentence.
    #[serde(alias = "message")]
    pub cause: Cause,
    /// Advice for the agent. Earlier versions recorded a sentence.
    pub advice: Option<Advice>,
    /// The rule that decided it.
    pub rule: Option<RuleRef>,
    pub risk: Risk,
    /// Confinement of its run.
    #[serde(default)]
    pub confinement: Confinement,
    /// Contribution of each step.
    pub steps: Vec<StepVerdict>,
    /// Rules that were used: their last-used columns are written when the request is let through or denied by them.
    pub used: Vec<RuleId>,
    /// Every stage with what it found.
    pub trace: Vec<TraceLine>,
}
