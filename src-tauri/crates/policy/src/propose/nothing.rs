//! Reasons for which *always* saves nothing.

use serde::{Deserialize, Serialize};

/// Reason why *always* saves nothing for a request and allows one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NothingToSave {
    /// A part of the command is only known when it runs.
    Unread,
    /// The request sets environment variables that always need a question.
    Environment,
    /// A setting or a rule asks every time.
    AlwaysAsks,
    /// The command writes to a file.
    Writes,
    /// The agent sends the input during the run.
    Input,
    /// Program not found, or its content unknown.
    Program,
    /// No rule would let the request through.
    NoRuleHelps,
    /// Rule for every folder, from an approver that has no way to confirm that.
    EveryFolder,
    /// High risk, from an approver that may not save that.
    HighRisk,
    /// Offer too long for the approver to show.
    NotShown,
}
