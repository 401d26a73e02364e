//! What faces are told while they watch.

use crate::lists::{RequestRow, Status};
use crate::question::Question;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something happened that a face may want to show. Told in order; a face that fell behind reads the lists again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "value")]
#[ts(export)]
pub enum Told {
    /// A question waits.
    QuestionOpened(Box<Question>),
    /// What a waiting question shows is not what it showed before: more waiters, other offers, or a new digest.
    QuestionChanged(Box<Question>),
    /// A question waits no more.
    QuestionClosed(Closed),
    /// A request is in another state.
    RequestChanged(Box<RequestRow>),
    /// The state of the whole changed.
    StatusChanged(Box<Status>),
    /// Agents or their settings changed: read the list again.
    AgentsChanged,
    /// Rules changed: read the list again.
    RulesChanged,
    /// Skills or their CLIs changed: read the list again.
    SkillsChanged,
    /// Something the person should know, in one plain sentence ("an unknown agent knocked").
    Attention(String),
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
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
