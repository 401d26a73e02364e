//! Everything that an agent hears without having asked.

use crate::data::Encoding;
use crate::frame::{self, Notification};
use crate::mistake::ProtocolError;
use crate::params::parse_members;
use crate::signal::Signal;
use crate::words::{AllowedBy, Decision, DenyReason, Outcome, OutputStream, Profile};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Event of an agent. `params` is flat: these members, then those of the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Number: gapless, one more than the agent's event before.
    pub sequence: u64,
    /// Time, RFC 3339 with milliseconds, UTC.
    pub at: String,
    /// The request it is about; for `tool.resolved` the check.
    pub request_id: Uuid,
    /// The request's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(flatten)]
    pub event: NoticeEvent,
}

/// Kinds of events, with their members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NoticeEvent {
    /// `exec.pending`: a question is open.
    Pending(Pending),
    /// `exec.started`: accepted and launched.
    Started(ExecStarted),
    /// `exec.output`: it wrote something, where the request said `stream`.
    Output(ExecOutput),
    /// `exec.finished`: it ran and ended.
    Finished(ExecFinished),
    /// `exec.denied`: it never ran.
    Denied(ExecDenied),
    /// `tool.resolved`: a tool's question was answered.
    ToolResolved(ToolResolved),
}

/// `exec.pending`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// Time at which the question ends by itself, RFC 3339.
    pub expires_at: String,
    /// Position among all that waits for the person, from 1.
    pub position: u32,
    /// The question's code, by which the person finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Decision at the end of that time: `deny` or `allow`; `None` if rules decide then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_expiry: Option<Decision>,
}

/// `exec.started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecStarted {
    /// Process id on the host.
    pub pid: u32,
    /// The program's real path.
    pub path: String,
    /// Words of the command.
    pub argv: Vec<String>,
    /// Working directory.
    pub cwd: String,
    /// Rule, person or default that let it through.
    #[serde(flatten)]
    pub by: AllowedBy,
    /// Command that runs instead, as one line of shell text, if the person changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Profile that confines it; absent if it runs with the user's rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// `exec.output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecOutput {
    pub stream: OutputStream,
    /// Start of `data`, in bytes from the stream's beginning.
    pub offset: u64,
    /// Bytes that were written.
    pub data: String,
    /// Encoding of `data`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub encoding: Encoding,
}

impl ExecOutput {
    /// Makes output that carries these bytes.
    pub fn new(stream: OutputStream, offset: u64, bytes: Vec<u8>) -> Self {
        let (data, encoding) = Encoding::encode(bytes);
        Self { stream, offset, data, encoding }
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Result<Vec<u8>, ProtocolError> {
        self.encoding.decode(self.data)
    }
}

/// `exec.finished`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecFinished {
    pub outcome: Outcome,
    /// Exit code, if it exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Signal>,
    /// True if its time ran out.
    pub timed_out: bool,
    /// Run time, in milliseconds.
    pub duration_ms: u64,
    /// Standard output, as far as it was kept.
    pub stdout: String,
    /// Encoding of `stdout`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub stdout_encoding: Encoding,
    /// Standard error, as far as it was kept.
    pub stderr: String,
    /// Encoding of `stderr`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub stderr_encoding: Encoding,
    /// True if output was left out.
    pub truncated: bool,
    /// Bytes it wrote to both streams together, kept or not.
    pub bytes: u64,
    /// Command that ran instead, as one line of shell text, if the person changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Time limit in milliseconds, if shorter than the request asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// More in words, where there is more to say (why it could not be started, how to ask for more time).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// `exec.denied`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecDenied {
    /// Reason, as a stable name.
    pub reason: DenyReason,
    /// Reason, in words. The person's own words are in `feedback`.
    pub message: String,
    /// Advice to the agent on what to do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The number of the rule that denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<i64>,
    /// Time after which it makes sense to try again, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ExecDenied {
    /// Renders the denial for an agent, a sentence or two per line: why, the person's words, what to do instead, when.
    pub fn to_lines(&self) -> Vec<String> {
        let said = self.feedback.as_ref().map(|words| format!("They said: {words}"));
        let again = self.retry_after_ms.map(|wait| format!("Try again in {} s.", wait.div_ceil(1000)));
        [Some(self.message.clone()), said, self.advice.clone(), again].into_iter().flatten().collect()
    }

    /// Renders the denial for an agent in one line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for line in self.to_lines() {
            if !text.is_empty() {
                // The person's words end as the person ended them.
                text.push_str(if text.ends_with(['.', '!', '?']) { " " } else { ". " });
            }
            text.push_str(&line);
        }
        text
    }
}

/// `tool.resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolResolved {
    /// Id of the check, as `tool.check` answered.
    pub check_id: Uuid,
    /// Allow or deny.
    pub decision: Decision,
    /// The person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// With deny: which error it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// With deny: what the agent gives its model as the tool's result, the person's words included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// With allow, if the check said that it rewrites: the command may run so confined, and not otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined: Option<crate::Confined>,
}

/// The errors that a tool's call ends with instead of running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ToolError {
    /// A rule, a limit or a missing answer denied it: nobody said no.
    ToolDeniedError,
    /// A person said no.
    ToolRejectedError,
}

impl NoticeEvent {
    /// Returns the notification's method.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Pending(_) => "exec.pending",
            Self::Started(_) => "exec.started",
            Self::Output(_) => "exec.output",
            Self::Finished(_) => "exec.finished",
            Self::Denied(_) => "exec.denied",
            Self::ToolResolved(_) => "tool.resolved",
        }
    }

    /// Returns true if a request's life ends with it.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Denied(_))
    }
}

/// Members that all notices share. Members that a newer host adds are ignored.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoticeHeader {
    sequence: u64,
    at: String,
    request_id: Uuid,
    #[serde(default)]
    session: Option<String>,
}

impl Notice {
    /// Returns true if a notification's method is that of an event that this version knows.
    pub fn is_known_method(method: &str) -> bool {
        ["exec.pending", "exec.started", "exec.output", "exec.finished", "exec.denied", "tool.resolved"]
            .contains(&method)
    }

    /// Reads a notification that is an event.
    pub fn of_notification(told: Notification) -> Result<Self, ProtocolError> {
        Self::from_params(&told.method, told.params)
    }

    /// Reads the parameters of an event.
    pub(crate) fn from_params(method: &str, params: Value) -> Result<Self, ProtocolError> {
        let Value::Object(mut members) = params else { return Err(ProtocolError::ParamsNotAnObject) };
        let head = ["sequence", "at", "requestId", "session"];
        let head: Map<String, Value> =
            head.into_iter().filter_map(|name| members.remove_entry(name)).collect();
        let head: NoticeHeader = parse_members(Value::Object(head))?;
        let body = Value::Object(members);
        let event = match method {
            "exec.pending" => NoticeEvent::Pending(parse_members(body)?),
            "exec.started" => NoticeEvent::Started(parse_members(body)?),
            "exec.output" => NoticeEvent::Output(parse_members(body)?),
            "exec.finished" => NoticeEvent::Finished(parse_members(body)?),
            "exec.denied" => NoticeEvent::Denied(parse_members(body)?),
            "tool.resolved" => NoticeEvent::ToolResolved(parse_members(body)?),
            other => return Err(ProtocolError::UnknownMethod(other.to_owned())),
        };
        Ok(Self {
            sequence: head.sequence,
            at: head.at,
            request_id: head.request_id,
            session: head.session,
            event,
        })
    }

    /// Returns the notice as a line, `\n` included.
    pub fn to_line(&self) -> Vec<u8> {
        frame::notification_line(self.event.method(), self)
    }
}
