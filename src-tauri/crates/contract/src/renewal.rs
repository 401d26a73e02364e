//! Rules of a program that changed, which *Always* renews instead of saving a new one.

use crate::piece::ShownText;
use postern_policy::{AgentId, RuleId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A program that changed, and the rules that were given for it as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Renewal {
    pub program: ShownText,
    /// Change of it: "2.43.0 → 2.44.0, same signer".
    pub change: String,
    /// Number of rules of all agents.
    pub count: u32,
    /// The rules, by number; the first twenty.
    pub rules: Vec<RenewedRule>,
}

/// A rule that would be renewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields = nullable)]
pub struct RenewedRule {
    pub id: RuleId,
    /// Agent that it is for; `None` means everybody.
    pub agent: Option<AgentId>,
    /// Pattern, escaped.
    pub text: String,
}

/// Rules that were renewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Renewed {
    /// The entry in the audit: what [`crate::methods::UndoRenewal`] names.
    pub entry: i64,
    /// Their numbers.
    pub rules: Vec<RuleId>,
}
