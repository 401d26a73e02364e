//! Requests as the activity list shows them, and one request in full.

use crate::lines::BodyLines;
use crate::piece::ShownText;
use crate::shown::{RiskText, ShownRisk, ShownStep, ShownTrace};
use crate::subject::ShownSubject;
use postern_policy::{AgentId, Millis, Origin, RuleId, RuleRef};
use postern_protocol::{Decided, EndReason, RunState, SessionKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request in the activity list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    /// The host's own number: a UUID (v7), which sorts by time.
    pub id: String,
    /// The agent's number for it.
    pub request_id: String,
    pub agent: AgentId,
    /// Actor that carries it out.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub origin: Origin,
    pub session: Option<String>,
    /// The command, or the use of a tool, as one line of escaped text.
    pub line: String,
    pub state: RunState,
    /// The reason of a denial, or the outcome of a run.
    pub ending: Option<EndReason>,
    pub exit_code: Option<i32>,
    /// The approver that answered: "window", "terminal", ….
    pub approver: Option<String>,
    /// Time of receipt.
    pub at: Millis,
    /// Run time, in milliseconds.
    pub duration_ms: Option<u64>,
    pub risk: Option<RiskText>,
    /// Decision on it; `None` until there is one, and if it went away before.
    pub decided: Option<Decided>,
    /// The rule that decided, where one did.
    pub rule: Option<RuleId>,
}

/// A request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestDetail {
    /// As in the list.
    pub row: RequestRow,
    /// Kind of text that the row's `session` is.
    #[serde(default, skip_serializing_if = "SessionKind::is_name")]
    #[ts(as = "Option<_>", optional)]
    pub session_kind: SessionKind,
    /// The command in pieces.
    pub command: ShownText,
    /// Bodies of the here-documents in it that can be folded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<BodyLines>>", optional)]
    pub bodies: Vec<BodyLines>,
    /// The use of one of the agent's tools in its own form; `None` for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<ShownSubject>,
    /// The command as the agent asked it, as escaped text, where the person changed it.
    pub asked: Option<String>,
    pub cwd: String,
    /// Working directory, ready to be shown.
    #[serde(default)]
    pub place: ShownText,
    /// Environment overrides that it asked for.
    pub env: Vec<(String, String)>,
    /// Contribution of each step.
    pub steps: Vec<ShownStep>,
    /// The verdict's trace, as it was then.
    pub trace: Vec<ShownTrace>,
    /// The verdict's message, as plain text.
    pub message: Option<String>,
    /// The message, in pieces.
    pub why: Option<ShownText>,
    /// The risk of the row, its reasons in pieces.
    pub risk: Option<ShownRisk>,
    /// The rule that decided.
    pub rule: Option<RuleRef>,
    /// The digest of the plan.
    pub digest: Option<String>,
    /// The person's words to the agent.
    pub feedback: Option<String>,
    /// Reason that the agent gives.
    pub says: Option<String>,
    /// Moments of its life, in order.
    pub timeline: Vec<Moment>,
    /// The end of what it wrote to standard output, escaped where it cannot be shown.
    pub stdout: Option<String>,
    /// End of standard error, as far as it is kept.
    pub stderr: Option<String>,
    /// True if output was left out.
    pub truncated: bool,
    /// True if secrets were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub redacted: bool,
    /// Process id, while it runs.
    pub pid: Option<u32>,
}

/// A moment in a request's life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    pub at: Millis,
    /// Change at that time.
    #[serde(flatten)]
    pub what: MomentKind,
}

/// Change in a request's life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "kind")]
pub enum MomentKind {
    Received,
    Asked,
    /// A chat showed its question.
    ShownInChat {
        /// The integration: "telegram", "xmpp", ….
        door: String,
        /// The conversation, as escaped text.
        place: String,
        /// The chat's id of the message, as escaped text.
        message: String,
        /// Result of the question there.
        status: ChatStatus,
    },
    Allowed {
        /// The approver that allowed it; `None` if nobody was asked.
        approver: Option<String>,
    },
    Started,
    /// Ended: denied, left to its agent, not started, or run.
    Ended {
        /// Final state.
        state: RunState,
        /// Reason of a denial, or outcome of a run.
        ending: Option<EndReason>,
    },
}

postern_protocol::named_values! {
    /// State of a question that a chat shows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
    pub enum ChatStatus {
        /// Waiting for an answer.
        Pending = "pending",
        /// Approved, once or always.
        Approved = "approved",
        Denied = "denied",
        /// No one answered in time.
        Expired = "expired",
    }
}

impl ChatStatus {
    /// Parses a name of the record. An unknown one counts as denied.
    pub fn of_record(name: &str) -> Self {
        Self::from_name(name).unwrap_or(Self::Denied)
    }
}
