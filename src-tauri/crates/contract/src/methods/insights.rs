//! What the history says about the rules: how much was asked, what saves clicks, what could.

use crate::piece::Shown;
use crate::{RuleRow, lists::RuleDraft};
use postern_policy::{AgentId, Millis, Rule, RuleId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How many requests were decided how.
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

/// One day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DayCounts {
    /// When it began, by this machine's clock.
    pub from: Millis,
    /// When it ended.
    pub until: Millis,
    /// What was decided in it.
    pub counts: Counts,
}

/// What one rule did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleCount {
    /// Its number.
    pub id: RuleId,
    /// The rule; none where it is gone by now.
    pub rule: Option<RuleRow>,
    /// How many requests it let through without a question.
    pub allowed: u64,
    /// How many it denied.
    pub denied: u64,
}

/// How requests were decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Insights {
    /// When the first day began.
    pub since: Millis,
    /// Every day, oldest first, those without a request too.
    pub days: Vec<DayCounts>,
    /// The same, summed up.
    pub total: Counts,
    /// The rules that decided most, at most twenty.
    pub rules: Vec<RuleCount>,
}

/// What could be allowed so that less is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suggestions {
    /// How many of the newest questions were looked at.
    pub asked: u64,
    /// What would have spared most of them, first. Nothing in it was ever denied by the person in that time, is
    /// dangerous, or is allowed by now.
    pub suggestions: Vec<Suggestion>,
}

/// Rules that would have spared questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suggestion {
    /// Whose questions.
    pub agent: AgentId,
    /// What would be saved.
    pub offer: RuleOffer,
    /// How many questions it would have spared, together with the suggestions before it.
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
    pub label: Shown,
    /// The rules, whole, bound to the programs as they are now: one for each step that nothing allows yet.
    pub rules: Vec<Rule>,
    /// The same as a person would write them.
    pub drafts: Vec<RuleDraft>,
    /// Their patterns, ready to be shown.
    pub shown: Vec<Shown>,
}

/// What could be saved so that a request of the past is let through from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleOffers {
    /// The offers, narrowest first.
    pub offers: Vec<RuleOffer>,
    /// Why there is none, in words.
    pub why: Option<Shown>,
}
