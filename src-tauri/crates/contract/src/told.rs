//! Notifications to watching approvers.

use crate::activity::RequestRow;
use crate::closed_by::ClosedBy;
use crate::lists::Status;
use crate::methods::AuditRow;
use crate::question::Question;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Notification to an approver, in order; one that fell behind reads the lists again.
///
/// Its JSON is the `method` and the `params` of a notification on the control socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "method", content = "params")]
pub enum ApproverNotification {
    /// A question waits.
    #[serde(rename = "question.opened")]
    QuestionOpened(Box<Question>),
    /// The content of a waiting question changed: more waiters, other offers, or a new digest.
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
    /// A change that lets more run.
    #[serde(rename = "policy.widened")]
    PolicyWidened(Box<AuditRow>),
    /// Something the person should know.
    #[serde(rename = "attention")]
    Attention(Attention),
    /// A tool's call waits for a person (source 4's event, with exactly its fields). Told again for each call that still
    /// waits to whoever begins to watch questions.
    #[serde(rename = "tool_approval_required")]
    ToolApprovalRequired(Box<ToolApprovalRequired>),
    /// A tool's call waits no more, whoever or whatever decided.
    #[serde(rename = "tool_approval_resolved")]
    ToolApprovalResolved(ToolApprovalResolved),
}

/// Something the person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// Plain sentence ("an unknown agent knocked").
    pub message: String,
}

/// The one word that an event's `type` is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum RequiredType {
    #[default]
    #[serde(rename = "tool_approval_required")]
    ToolApprovalRequired,
}

/// The one word that an event's `type` is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum ResolvedType {
    #[default]
    #[serde(rename = "tool_approval_resolved")]
    ToolApprovalResolved,
}

/// A tool's call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalRequired {
    /// `tool_approval_required`.
    #[serde(rename = "type")]
    pub kind: RequiredType,
    /// Id that `tool.approve` and `tool.deny` take.
    pub approval_id: String,
    /// The tool; MCP tools by qualified name. Escaped.
    pub tool_name: String,
    /// The arguments as a JSON text, in which characters that cannot be seen are written as `\u` escapes.
    pub arguments: String,
    /// The session; empty where the agent named none.
    pub session_id: String,
}

/// A tool's call that waits no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalResolved {
    /// `tool_approval_resolved`.
    #[serde(rename = "type")]
    pub kind: ResolvedType,
    pub approval_id: String,
    /// Session; empty if the agent named none.
    pub session_id: String,
    /// True if it goes on.
    pub approved: bool,
}

/// End of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    pub id: String,
    /// Code of four hex digits.
    pub code: String,
    /// Cause of the end.
    pub how: ClosedBy,
    /// The face that answered: "window", "terminal"; `None` if nobody did.
    pub face: Option<String>,
}
