//! Statistics of the history: how much was asked, which rules save questions, and which could.

use crate::piece::ShownText;
use crate::{RuleRow, lists::RuleDraft};
use postern_policy::{AgentId, Millis, Rule, RuleId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Numbers of requests, by decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counts {
    /// A person was asked and said yes.
    pub you_allowed: u64,
    /// A rule let it through.
    pub rule_allowed: u64,
    /// The agent's settings let it through.
    pub setting_allowed: u64,
    /// A person was asked and said no.
    pub you_denied: u64,
    /// A deny rule or the built-in core.
    pub rule_denied: u64,
    /// Settings, limits, a pause, what could not be found or read.
    pub setting_denied: u64,
    /// A person was asked and nobody answered.
    pub unanswered: u64,
}

/// Counts of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DayCounts {
    /// Start of the day, in local time.
    pub from: Millis,
    /// End of the day.
    pub until: Millis,
    pub counts: Counts,
}

/// Counts of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCounts {
    pub agent: AgentId,
    pub counts: Counts,
}

/// Counts of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderCounts {
    /// Real path ([`super::RequestFilter::folder`]).
    pub folder: String,
    /// The path as escaped text, from the home folder on.
    pub text: String,
    pub counts: Counts,
}

/// Counts of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleCount {
    pub id: RuleId,
    /// The rule; `None` if it is gone by now.
    pub rule: Option<RuleRow>,
    /// Number of requests that it let through silently.
    pub allowed: u64,
    /// Number of requests that it denied.
    pub denied: u64,
}

/// Number of requests with an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EffectCount {
    /// Kind of the effect (`delete`).
    pub kind: String,
    /// In words: `Delete files`.
    pub text: String,
    /// Number of requests.
    pub count: u64,
}

/// Counts by day and by rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Insights {
    /// Start of the first day.
    pub since: Millis,
    /// Every day, oldest first, those without a request too.
    pub days: Vec<DayCounts>,
    /// Sum of the days.
    pub total: Counts,
    /// Sums of the hours of the day, in local time, from midnight on.
    pub hours: Vec<Counts>,
    /// The agents that were busy, the busiest first, whatever agent is asked for.
    pub agents: Vec<AgentCounts>,
    /// The folders that requests would run in, the busiest first, at most twelve; none if an effect is asked for.
    pub folders: Vec<FolderCounts>,
    /// The rules that decided most, at most twenty.
    pub rules: Vec<RuleCount>,
    /// Kinds of effects that requests had, the most frequent first, whatever effect is asked for.
    pub effects: Vec<EffectCount>,
}

/// Rules that would spare questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suggestions {
    /// Number of the newest questions that were examined.
    pub asked: u64,
    /// Suggestions, the one that would have spared most first.
    ///
    /// Nothing in it was ever denied by the person in that time, is dangerous, or is allowed by now.
    pub suggestions: Vec<Suggestion>,
}

/// Rules that would have spared questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suggestion {
    pub agent: AgentId,
    /// Rules that would be saved.
    pub offer: RuleOffer,
    /// Number of questions that it would have spared, together with the suggestions before it.
    pub spares: u64,
    /// Some of them, each command once, as one line of escaped text.
    pub examples: Vec<String>,
}

/// Rules that would let a request through, offered after the fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleOffer {
    /// `exact`, `command` or `path`.
    pub id: String,
    /// In words.
    pub label: ShownText,
    /// The rules, whole, bound to the programs as they are now: one for each step that nothing allows yet.
    pub rules: Vec<Rule>,
    /// The rules as a person would write them.
    pub drafts: Vec<RuleDraft>,
    /// Their patterns, ready to be shown.
    pub shown: Vec<ShownText>,
}

/// Rules that would let a request of the past through from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleOffers {
    /// The offers, narrowest first.
    pub offers: Vec<RuleOffer>,
    /// Reason why there is none, in words.
    pub why: Option<ShownText>,
}
