//! The answer to *may it run*, with its evidence.

use crate::advice::Advice;
use crate::cause::{Cause, StageFinding};
use crate::confinement::Confinement;
use crate::decision::{Decision, Reason, RuleRef};
use crate::risk::Risk;
use crate::rule::RuleId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
    pub rule: Option<RuleRef>,
    /// Span in the request's text: first byte and byte after the last.
    pub span: (usize, usize),
}

/// Line of the trace that `explain` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceLine {
    /// The stage of `decision.md`'s order, in a word or two ("read", "core", "deny rules", "step 2: allow rules").
    pub stage: Cow<'static, str>,
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
    pub rule: Option<RuleRef>,
    pub risk: Risk,
    #[serde(default)]
    pub confinement: Confinement,
    /// Contribution of each step.
    pub steps: Vec<StepVerdict>,
    /// Rules that were used: their last-used columns are written when the request is let through or denied by them.
    pub used: Vec<RuleId>,
    /// Every stage with what it found.
    pub trace: Vec<TraceLine>,
}
