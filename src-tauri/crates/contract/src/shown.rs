//! Findings about a request, as they are shown: steps, effects, risk, trace, and what a rule covers besides.

use crate::piece::ShownText;
use postern_command::{CommandEffect, Reversible};
use postern_policy::{Decision, Reason, RiskLevel, RuleRef};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Contribution of a step to the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownStep {
    /// Words, if all are known before the run; except in an explanation they are escaped, as are the next three.
    pub argv: Option<Vec<String>>,
    /// As written.
    pub text: String,
    /// The program's name.
    pub program: Option<String>,
    /// Resolved path.
    pub path: Option<String>,
    pub decision: Decision,
    /// True if one of its effects is dangerous.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub dangerous: bool,
    /// Stable name of the cause.
    pub reason: Reason,
    /// Cause, in one sentence.
    pub why: ShownText,
    /// The rule that decided it.
    pub rule: Option<RuleRef>,
    /// Span in the request's text: first byte and byte after the last.
    pub span: (usize, usize),
}

/// Risk of a request. Risk explains and orders; it never allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownRisk {
    pub level: RiskLevel,
    /// Reasons, the weightiest first, as sentences without their full stop.
    pub reasons: Vec<ShownText>,
}

impl ShownRisk {
    /// Returns the risk of a request that could not be judged.
    pub fn unknown() -> Self {
        Self { level: RiskLevel::NeedsReview, reasons: Vec::new() }
    }
}

/// An effect of a request, in words and as facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownEffect {
    /// Kind: `delete`, `send`, `run-project-code`.
    pub kind: String,
    /// The effect as a sentence without its full stop.
    pub text: ShownText,
    pub level: RiskLevel,
    #[ts(type = "\"inside\" | \"outside\" | \"machine\" | \"remote\"")]
    pub scope: postern_command::EffectScope,
    /// True if it can be undone.
    #[ts(type = "\"yes\" | \"no\" | \"unknown\"")]
    pub reversible: Reversible,
    /// Index of its step; `None` for a part that belongs to no step.
    pub step: Option<usize>,
    /// Span in the request's text: first byte and byte after the last.
    pub span: (usize, usize),
    /// True if a part that was not understood may have it.
    pub guessed: bool,
    /// The effect with its data; its texts are as they are.
    #[ts(type = "Record<string, unknown>")]
    pub facts: CommandEffect,
}

/// A risk in plain text, as lists and outgoing events have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RiskText {
    pub level: RiskLevel,
    /// Reasons, the weightiest first, as sentences without their full stop.
    pub reasons: Vec<String>,
}

/// Line of a verdict's trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownTrace {
    /// The stage, in a word or two ("read", "core", "deny rules", "step 2: rules").
    pub stage: String,
    /// Finding, in one sentence.
    pub found: ShownText,
}

/// Commands that a broad rule covers besides, or what a person adds to an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AlsoCovers {
    /// The kind of the effect (`delete`); absent if it is that it runs any program it is told to, or no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Some of the arguments that have it.
    pub by: Vec<String>,
    /// The effect and its arguments in words, ready to be shown: `delete files (-delete)`.
    pub text: String,
}
