//! What faces are told while they watch.

use crate::lists::{RequestRow, Status};
use crate::question::Question;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something happened that a face may want to show. Told in order; a face that fell behind reads the lists again.
/// Its JSON is the `method` and the `params` of a notification on the control socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "method", content = "params")]
pub enum Told {
    /// A question waits.
    #[serde(rename = "question.opened")]
    QuestionOpened(Box<Question>),
    /// What a waiting question shows is not what it showed before: more waiters, other offers, or a new digest.
    #[serde(rename = "question.changed")]
    QuestionChanged(Box<Question>),
    /// A question waits no more.
    #[serde(rename = "question.closed")]
    QuestionClosed(Closed),
    /// A request is in another state.
    #[serde(rename = "request.changed")]
    RequestChanged(Box<RequestRow>),
    /// The state of the whole changed.
    #[serde(rename = "status.changed")]
    StatusChanged(Box<Status>),
    /// Agents or their settings changed: read the list again.
    #[serde(rename = "agents.changed")]
    AgentsChanged,
    /// Rules changed: read the list again.
    #[serde(rename = "rules.changed")]
    RulesChanged,
    /// Skills or their CLIs changed: read the list again.
    #[serde(rename = "skills.changed")]
    SkillsChanged,
    /// Something the person should know, in one plain sentence ("an unknown agent knocked").
    #[serde(rename = "attention")]
    Attention(String),
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    /// Its number.
    pub id: String,
    /// Its four hex digits.
    pub code: String,
    /// `allowed`, `denied`, `expired`, `withdrawn` or `rule` (a new rule answered it).
    pub how: String,
    /// The face that answered: "window", "terminal"; none where nobody did.
    pub face: Option<String>,
}
