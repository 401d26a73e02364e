//! Answers of each method.

use crate::data::Encoding;
use crate::mistake::ProtocolError;
use crate::notice::{Notice, NoticeEvent, Pending, ToolError};
use crate::params::parse_members;
use crate::words::{Confined, Decision, Outcome, RunState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// Verdict, as far as an agent is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerdictNote {
    pub decision: Decision,
    /// Reason, as a stable name.
    pub reason: String,
    /// Reason, in words.
    pub message: String,
    /// Advice to the agent on what to do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The number of the rule that decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<i64>,
}

/// The answer to `system.run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunResult {
    /// Accepted; events report the rest.
    Accepted(Accepted),
    /// Members of the terminal event, and `state`. Given with `wait: finished`, and if the same request had
    /// ended before.
    Ended(Box<Notice>),
}

/// A request that is on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Accepted {
    pub request_id: Uuid,
    pub state: RunState,
    /// Verdict, once the request was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictNote>,
    /// Time limit in milliseconds, if shorter than the request asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The question that is open about it, where it was joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
}

/// A terminal event as an answer.
#[derive(Serialize)]
struct EndedAnswer<'a> {
    state: RunState,
    #[serde(flatten)]
    notice: &'a Notice,
}

impl RunResult {
    /// Reads an answer.
    pub fn of_value(mut value: Value) -> Result<Self, ProtocolError> {
        let method = match &value {
            Value::Object(members) if members.contains_key("outcome") => "exec.finished",
            Value::Object(members) if members.contains_key("reason") => "exec.denied",
            _ => {
                return parse_members(value).map(Self::Accepted);
            }
        };
        if let Value::Object(members) = &mut value {
            members.remove("state");
        }
        Notice::from_params(method, value).map(|notice| Self::Ended(Box::new(notice)))
    }
}

impl Serialize for RunResult {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Accepted(accepted) => accepted.serialize(serializer),
            Self::Ended(notice) => {
                EndedAnswer { state: notice.event.end_state(), notice }.serialize(serializer)
            }
        }
    }
}

impl NoticeEvent {
    /// Returns the state that a request is in after this event.
    fn end_state(&self) -> RunState {
        match self {
            Self::Denied(_) => RunState::Denied,
            Self::Finished(finished) if finished.outcome == Outcome::Failed => RunState::Failed,
            Self::Finished(_) | Self::ToolResolved(_) => RunState::Finished,
            Self::Pending(_) => RunState::Asking,
            Self::Started(_) | Self::Output(_) => RunState::Running,
        }
    }
}

/// The answer to `system.status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    pub request_id: Uuid,
    pub state: RunState,
    /// Verdict, once the request was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictNote>,
    /// Process id, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Bytes written to standard output so far.
    pub stdout_bytes: u64,
    /// Bytes written to standard error so far.
    pub stderr_bytes: u64,
    /// The terminal event's members, once it ended (as `system.run` with `wait: finished` answers).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Value>,
}

/// The answer to `system.output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutputResult {
    pub request_id: Uuid,
    pub state: RunState,
    /// Start of the data: after the offset that was asked for if that part was not kept.
    pub offset: u64,
    /// Standard output from there; empty where the other stream was asked for.
    pub stdout: String,
    /// Encoding of `stdout`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub stdout_encoding: Encoding,
    /// Standard error from there; empty where the other stream was asked for.
    pub stderr: String,
    /// Encoding of `stderr`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub stderr_encoding: Encoding,
    /// Bytes written to standard output so far, kept or not.
    pub stdout_bytes: u64,
    /// Bytes written to standard error so far, kept or not.
    pub stderr_bytes: u64,
    /// True if output was left out.
    pub truncated: bool,
}

/// The answer to `system.input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InputResult {
    pub request_id: Uuid,
    /// Bytes of this message that were written, or had been before: all of them, or fewer where the run stopped
    /// reading.
    pub written: u64,
}

/// The answer to `system.kill`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KillResult {
    pub request_id: Uuid,
    /// State after the call.
    pub state: RunState,
}

/// The answer to `system.which`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhichResult {
    /// An entry for each name, in the order they were asked for.
    pub programs: Vec<WhichProgram>,
}

/// A program that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhichProgram {
    /// As it was asked for.
    pub name: String,
    /// Resolved path; null if it was not found.
    pub path: Option<String>,
    /// Decision for a run of it without arguments.
    pub decision: Decision,
    /// Reason, in words.
    pub message: String,
}

/// The answer to `session.open` and `session.close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionResult {
    pub session: String,
    /// Number of its requests that were denied because it closed; 0 when it was opened.
    pub denied: u64,
}

/// The answer to `tool.check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolCheckResult {
    pub decision: Decision,
    /// True if only a default allows it. An agent with its own prompt should show it then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_default: bool,
    /// With ask: what `tool.resolved` will name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_id: Option<Uuid>,
    /// Reason, in words: with deny, the text that the agent gives its model as the tool's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// With deny: which error it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// With allow, if the check said that it rewrites: the command may run so confined, and not otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined: Option<Confined>,
}

/// The answer to `events.after`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventsAfterResult {
    /// The agent's newest event.
    pub sequence: u64,
    /// Number of past events that follow as notifications before live ones.
    pub replaying: u64,
}
