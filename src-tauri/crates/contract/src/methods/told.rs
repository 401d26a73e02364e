//! What a control connection is told without asking.

use crate::{Question, RequestRow, Status};
use postern_policy::AgentId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A notification of the control socket: its JSON is the `method` and `params` of the JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "method", content = "params", deny_unknown_fields)]
pub enum Told {
    /// A question waits for a person.
    #[serde(rename = "question.opened")]
    QuestionOpened(Box<Question>),
    /// A question changed: what waits behind it, who waits for it.
    #[serde(rename = "question.changed")]
    QuestionChanged(Box<Question>),
    /// A question waits no longer.
    #[serde(rename = "question.closed")]
    QuestionClosed(QuestionClosed),
    /// A request is new or in another state.
    #[serde(rename = "request.changed")]
    RequestChanged(Box<RequestRow>),
    /// The state of the whole changed.
    #[serde(rename = "status.changed")]
    StatusChanged(Box<Status>),
    /// Agents were added, changed or removed, or connected or left.
    #[serde(rename = "agents.changed")]
    AgentsChanged(AgentsChanged),
    /// Rules, skills or a `permissions.jsonc` changed.
    #[serde(rename = "rules.changed")]
    RulesChanged(RulesChanged),
}

/// A question that waits no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionClosed {
    /// Its id.
    pub id: String,
    /// How it ended, in a word or two: "allowed once", "denied", "expired", "withdrawn", "allowed by a new rule".
    pub how: String,
}

/// Which agent changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AgentsChanged {
    /// The agent; none means look at all of them.
    #[serde(default)]
    pub agent: Option<AgentId>,
}

/// Whose rules changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RulesChanged {
    /// The agent's own; none means everybody's.
    #[serde(default)]
    pub agent: Option<AgentId>,
}
