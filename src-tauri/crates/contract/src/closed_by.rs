//! Cause of the end of a question.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

postern_protocol::named_values! {
    /// Cause of a question's end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
    pub enum ClosedBy {
        /// A user allowed it.
        Allowed = "allowed",
        /// A user denied it, or blocked the agent.
        Denied = "denied",
        /// Unanswered in time.
        Expired = "expired",
        /// The agent withdrew it.
        Withdrawn = "withdrawn",
        /// A new rule answered it.
        Rule = "rule",
        /// The cause was not seen.
        Resolved = "resolved",
    }
}
