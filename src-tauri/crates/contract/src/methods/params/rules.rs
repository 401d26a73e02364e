//! Parameters of the methods of rules.

use crate::RuleDraft;
use postern_policy::{AgentId, Rule, RuleId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::methods::policy::ImportedSettings;
use crate::methods::results::RuleFile;

/// Filter of rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RuleFilter {
    /// Those of this agent; none means every agent's.
    pub agent: Option<AgentId>,
    /// Leave out everybody's rules (with `agent`), so that only the agent's own are listed.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub own: bool,
    /// Leave out so many of the first, for the next page of a long list.
    pub skip: Option<u32>,
    /// Most rules to return; all if left out.
    pub limit: Option<u32>,
}

/// Names a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleNumber {
    pub id: RuleId,
}

/// A rule written again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleUpdate {
    pub id: RuleId,
    /// Rule to put in its place.
    pub rule: RuleDraft,
    /// Keep the pin it has instead of pinning the program as it is now (with `rule.pin`).
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub keep_pin: bool,
}

/// Ways to write rules from a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum RulesWrite {
    /// To what is there; the same rule twice is one.
    #[default]
    Add,
    /// Only look: nothing is saved.
    Check,
}

/// Rules from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RulesImport {
    /// The file's content.
    pub file: RuleFile,
    /// Give every rule to this agent, whatever the file says.
    pub agent: Option<AgentId>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub write: RulesWrite,
    /// The rules of this batch behind those of the file.
    pub batch: Option<String>,
    /// Settings that `agent` gets with them, or, where a rule is refused, does not.
    pub settings: Option<ImportedSettings>,
}

/// Rules as they are to be: what undoes and redoes a change, and what a clean-up does, in one transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RulesPut {
    /// Rules to write whole, with pin and use. One whose number is 0 is new; another number is one that was given
    /// before, whether the rule is still there or not.
    #[ts(as = "Option<_>", optional)]
    pub put: Vec<Rule>,
    /// Rules to remove. Those that are gone already are passed over.
    #[ts(as = "Option<_>", optional)]
    pub remove: Vec<RuleId>,
}

/// Names a renewal of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewalEntry {
    /// Entry in the audit ([`crate::Renewed::entry`]).
    pub entry: i64,
}
