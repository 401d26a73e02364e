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
    #[serde(default)]
    pub batch: Option<String>,
    /// The rules, in their order.
    pub rules: Vec<RuleDraft>,
}

/// Rules that wait to be taken up. A host keeps the last few batches and forgets them when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesBatch {
    /// Its name.
    pub batch: String,
    /// How many rules it holds by now.
    pub held: u32,
}

/// Settings that come with rules from another program's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedSettings {
    /// How much the agent may run at all.
    pub security: Security,
    /// When a person is asked.
    pub ask: Ask,
    /// What happens when nobody answered.
    pub fallback: Fallback,
    /// How long a question waits, in milliseconds.
    pub approval_timeout_ms: u64,
    /// True if skills' programs are trusted; none leaves that as it is.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub skills: Option<bool>,
    /// The person was told what `fallback: full` means, and wants it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub confirmed: bool,
}

/// Whose rules are looked over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Lint {
    /// This agent's and everybody's; none means all.
    #[serde(default)]
    pub agent: Option<AgentId>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Linted {
    /// How many rules were looked at, lines of `permissions.jsonc` among them.
    pub rules: u32,
    /// What is wrong, in the order of the rules.
    pub findings: Vec<LintFinding>,
}

/// One thing that is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LintFinding {
    /// Its number; none where a whole file is meant.
    pub rule: Option<RuleId>,
    /// Whose it is; none means everybody's.
    pub agent: Option<AgentId>,
    /// What it does.
    pub effect: Option<Effect>,
    /// Its pattern as typed.
    pub pattern: String,
    /// Where it came from, in a word or two.
    pub from: String,
    /// What kind of thing.
    pub kind: FindingKind,
    /// What is wrong, in one sentence.
    pub message: String,
    /// How to mend it, in one sentence.
    pub mend: String,
}

/// Which recorded requests are judged again, and by what. Without rules and permissions: by the policy as it is now,
/// against what became of them then. With them: by that policy, against the policy as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Replay {
    /// Those of this agent.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// Those that came in at or after this time.
    #[serde(default)]
    pub since: Option<Millis>,
    /// These rules instead of the person's own.
    #[serde(default)]
    pub rules: Option<RuleFile>,
    /// The rules of this batch behind them.
    #[serde(default)]
    pub batch: Option<String>,
    /// The rules come besides the person's own, not instead of them.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub besides: bool,
    /// This text instead of the agent's `permissions.jsonc`; needs `agent`.
    #[serde(default)]
    pub permissions: Option<String>,
    /// Those older than this one: [`Replayed::next`] of the call before.
    #[serde(default)]
    pub before: Option<String>,
    /// How many are judged in this call: 1 to 1000, 500 where left out.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// What would come out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replayed {
    /// How many requests were judged again.
    pub judged: u32,
    /// How many could not be: they ended before anything was looked up, or were recorded by an older version.
    pub skipped: u32,
    /// Those that would come out otherwise, newest first.
    pub changes: Vec<ReplayChange>,
    /// What to name as `before` for the next call; none on the last one.
    pub next: Option<String>,
}

/// A request that would come out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayChange {
    /// The host's own number for it.
    pub request: String,
    /// When it came in.
    pub at: Millis,
    /// Whose.
    pub agent: AgentId,
    /// The command as one line of escaped text.
    pub line: String,
    /// What the policy said, or says.
    pub was: Decision,
    /// What it would say.
    pub becomes: Decision,
    /// Why.
    pub reason: Reason,
    /// Why, in one or two sentences.
    pub message: String,
    /// The rule that decides.
    pub rule: Option<RuleRef>,
}
