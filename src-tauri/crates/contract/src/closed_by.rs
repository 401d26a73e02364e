//! Cause of the end of a question.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Cause of a question's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedBy {
    /// A user allowed it.
    Allowed,
    /// A user denied it, or blocked the agent.
    Denied,
    /// Unanswered in time.
    Expired,
    /// The agent withdrew it.
    Withdrawn,
    /// A new rule answered it.
    Rule,
    /// The cause was not seen.
    Resolved,
}

impl std::fmt::Display for ClosedBy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::Rule => "rule",
            Self::Resolved => "resolved",
        })
    }
}
