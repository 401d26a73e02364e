//! Rules in bulk and what is known about a policy as a whole: staging, lint, replay.

use crate::RuleDraft;
use postern_policy::{
    AgentId, Ask, Decision, Effect, Fallback, FindingKind, Millis, Reason, RuleId, RuleRef, Security,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::results::RuleFile;

/// A part of a file of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RulesPart {
    /// The batch that the part belongs to: what the call before gave; none begins a new one.
    pub batch: Option<String>,
    /// The rules, in their order.
    pub rules: Vec<RuleDraft>,
}

/// Rules that wait to be taken up. A host keeps the last few batches and forgets them when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesBatch {
    pub batch: String,
    /// Number of rules that it holds by now.
    pub held: u32,
}

/// Settings that come with rules from another program's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedSettings {
    pub security: Security,
    pub ask: Ask,
    /// Decision if nobody answers.
    pub fallback: Fallback,
    /// Time that a question waits, in milliseconds.
    pub approval_timeout_ms: u64,
    /// True if skills' programs are trusted; none leaves that as it is.
    #[ts(optional = nullable)]
    pub skills: Option<bool>,
    /// The person was told what `fallback: full` means, and wants it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub confirmed: bool,
}

/// Filter of rules to check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Lint {
    /// This agent's and everybody's; none means all.
    pub agent: Option<AgentId>,
}

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Linted {
    /// Number of rules that were checked, lines of `permissions.jsonc` among them.
    pub rules: u32,
    /// Problems, in the order of the rules.
    pub findings: Vec<LintFinding>,
}

/// Problem of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LintFinding {
    /// Number of the rule; `None` if a whole file is meant.
    pub rule: Option<RuleId>,
    /// Agent that it is for; `None` means everybody.
    pub agent: Option<AgentId>,
    pub effect: Option<Effect>,
    /// Pattern as typed.
    pub pattern: String,
    /// Source, in a word or two.
    pub from: String,
    pub kind: FindingKind,
    /// Problem, in one sentence.
    pub message: String,
    /// Fix, in one sentence.
    pub fix: String,
}

/// Selection of recorded requests to judge again, and the policy to judge them by.
///
/// Without rules, settings and permissions: by the policy as it is now, against what became of them then. With them: by
/// that policy, against the policy as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Replay {
    /// Those of this agent.
    pub agent: Option<AgentId>,
    /// Those that came in at or after this time.
    pub since: Option<Millis>,
    /// These rules instead of the person's own.
    pub rules: Option<RuleFile>,
    /// The rules of this batch behind them.
    pub batch: Option<String>,
    /// The rules come besides the person's own, not instead of them.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub besides: bool,
    /// Settings by their names, put over those of every agent.
    #[ts(optional, type = "Record<string, unknown>")]
    pub settings: Option<serde_json::Map<String, serde_json::Value>>,
    /// This text instead of the agent's `permissions.jsonc`; needs `agent`.
    pub permissions: Option<String>,
    /// Those older than this one: [`Replayed::next`] of the call before.
    pub before: Option<String>,
    /// Number of requests to judge in this call: 1 to 1000, 500 if left out.
    pub limit: Option<u32>,
}

/// Requests whose decision would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replayed {
    /// Number of requests that were judged again.
    pub judged: u32,
    /// Number of requests that could not be: they ended before anything was looked up, or were recorded by an
    /// older version.
    pub skipped: u32,
    /// Those that would come out otherwise, newest first.
    pub changes: Vec<ReplayChange>,
    /// Value of `before` for the next call; `None` on the last one.
    pub next: Option<String>,
}

/// A request that would come out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayChange {
    /// The host's own number for it.
    pub request: String,
    /// Time of receipt.
    pub at: Millis,
    pub agent: AgentId,
    /// The command as one line of escaped text.
    pub line: String,
    /// Decision of the policy then, or now.
    pub was: Decision,
    /// Decision of the other policy.
    pub becomes: Decision,
    pub reason: Reason,
    /// Reason, in one or two sentences.
    pub message: String,
    /// The rule that decides.
    pub rule: Option<RuleRef>,
}
