//! Parameters of the methods of questions, and of pausing all of them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Time to deny everything for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Pause {
    /// Milliseconds; none lasts until resumed.
    pub for_ms: Option<u64>,
}

/// Names a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionRef {
    /// Id, or four-digit code.
    pub question_id: String,
}

/// Names a script that a question shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptRef {
    /// Id of the question, or its four-digit code.
    pub question_id: String,
    /// The script's sha256, as the question shows it.
    pub sha256: String,
}

/// Kind of approver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ApproverKind {
    /// The approval window.
    Window,
    Terminal,
    /// Something that only looks on: it does not count as being connected.
    Observer,
}

/// Watch the questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionsWatch {
    pub face: ApproverKind,
}

/// Part of a question that an approver shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Presented {
    pub question_id: String,
    /// The digest of what is on show.
    pub digest: String,
    /// True if it is visible: not covered, not hidden, screen unlocked.
    pub visible: bool,
    /// True if its end was seen: it fits, or it was scrolled to the end.
    pub end_seen: bool,
    /// A number that the face raises at every move, resize and change of focus: each starts the waiting over. The same
    /// report again only asks how long it still takes.
    pub change: u64,
}

/// A question that a face cannot show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unpresented {
    pub question_id: String,
    /// Reason, in words: "the screen is locked", "its page crashed".
    pub why: String,
}

/// Approves a tool call (source 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolApprove {
    pub session_id: String,
    pub approval_id: String,
    /// Also allow what is like it from now on.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub always: bool,
}

/// Denies a tool call (source 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct ToolDeny {
    pub session_id: String,
    pub approval_id: String,
    /// Words for the agent.
    pub feedback: Option<String>,
}
