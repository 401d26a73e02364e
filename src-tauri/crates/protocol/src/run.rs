//! `system.run`: what an agent asks for, checked before anything else sees it.

use crate::check::{check_cwd, check_session, check_text};
use crate::data::encode_hex;
use crate::limits;
use crate::mistake::ProtocolError;
use crate::words::{RequestedConfinement, SessionKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A program and its arguments: `command`.
    Command(Vec<String>),
    /// A line of shell text: `shell`.
    Shell(String),
}

/// Standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RunStdin {
    /// No input: the run reads `/dev/null`.
    #[default]
    Nothing,
    /// This text, at most [`limits::STDIN`] bytes.
    Text(String),
    /// Sent with `system.input` while it runs.
    Stream,
}

/// Hint for a `command` that is one text.
const COMMAND_FORM: &str = "command is a list, the program and each argument by itself: [\"git\", \"status\"]; a whole line goes into shell";

/// Time at which `system.run` is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Wait {
    /// Once the request is recorded and judged.
    #[default]
    None,
    /// Once the request has ended.
    Finished,
}

/// The parameters of `system.run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunParams {
    /// The client's own number: the key of at-most-once.
    pub request_id: Uuid,
    /// Command to run.
    pub what: What,
    /// Working directory; left out, the agent's default folder.
    pub cwd: Option<String>,
    /// Environment overrides by name.
    pub env: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: RunStdin,
    /// Time limit in milliseconds, at least 1; left out, the agent's default.
    pub timeout_ms: Option<u64>,
    /// The agent's own words for the person: untrusted, shown as quoted.
    pub reason: Option<String>,
    /// The confinement that it asks for; none leaves it to the agent's policy.
    pub confine: Option<RequestedConfinement>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// Kind of text that `session` is.
    pub session_kind: SessionKind,
    /// Time at which the call is answered.
    pub wait: Wait,
    /// True if output is told as it comes (`exec.output`).
    pub stream: bool,
    /// True if the request is withdrawn, or the run killed, when the connection that made it goes away.
    pub cancel_on_disconnect: bool,
    /// True if it joins the same unfinished or undelivered request of this agent instead of being a new one.
    /// Such a request can be joined in its turn.
    pub join: bool,
}

/// Form of the parameters on the wire.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Wire {
    request_id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shell: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<crate::tests::schema::StdinOnTheWire>"))]
    stdin: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confine: Option<RequestedConfinement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    session_kind: SessionKind,
    #[serde(default, skip_serializing_if = "is_default")]
    wait: Wait,
    #[serde(default, skip_serializing_if = "is_default")]
    stream: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    cancel_on_disconnect: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    join: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl RunParams {
    /// Returns a request for `what`, with everything else as it is when nothing is said.
    pub fn new(request_id: Uuid, what: What) -> Self {
        Self {
            request_id,
            what,
            cwd: None,
            env: BTreeMap::new(),
            stdin: RunStdin::Nothing,
            timeout_ms: None,
            reason: None,
            confine: None,
            session: None,
            session_kind: SessionKind::Name,
            wait: Wait::None,
            stream: false,
            cancel_on_disconnect: false,
            join: false,
        }
    }

    /// Reads and checks `params`.
    pub fn from_value(params: &Value) -> Result<Self, ProtocolError> {
        let wire: Wire = crate::params::read_params(params).map_err(|mistake| match mistake {
            ProtocolError::WrongType(said) if params.get("command").is_some_and(Value::is_string) => {
                ProtocolError::WrongType(format!("{said}; {COMMAND_FORM}"))
            }
            other => other,
        })?;
        let what = match (wire.command, wire.shell) {
            (Some(argv), None) => What::Command(argv),
            (None, Some(text)) => What::Shell(text),
            _ => return Err(ProtocolError::CommandOrShell),
        };
        let run = Self {
            request_id: wire.request_id,
            what,
            cwd: wire.cwd,
            env: wire.env,
            stdin: RunStdin::from_value(wire.stdin)?,
            timeout_ms: wire.timeout_ms,
            reason: wire.reason,
            confine: wire.confine,
            session: wire.session,
            session_kind: wire.session_kind,
            wait: wire.wait,
            stream: wire.stream,
            cancel_on_disconnect: wire.cancel_on_disconnect,
            join: wire.join,
        };
        run.check_limits().map(|()| run)
    }

    /// Returns whether everything keeps to its limits. [`Self::from_value`] has asked already.
    pub fn check_limits(&self) -> Result<(), ProtocolError> {
        match &self.what {
            What::Command(argv) => check_argv(argv)?,
            What::Shell(text) if text.trim().is_empty() => return Err(ProtocolError::Empty("shell")),
            What::Shell(text) => check_text("shell", text, limits::SHELL)?,
        }
        check_env(&self.env)?;
        self.cwd.as_deref().map_or(Ok(()), check_cwd)?;
        if matches!(&self.stdin, RunStdin::Text(text) if text.len() > limits::STDIN) {
            return Err(ProtocolError::StdinTooLong);
        }
        if self.timeout_ms == Some(0) {
            return Err(ProtocolError::OutOfRange { field: "timeoutMs", range: "at least 1" });
        }
        self.reason.as_deref().map_or(Ok(()), |reason| check_text("reason", reason, limits::REASON))?;
        if self.confine == Some(RequestedConfinement::None)
            && self.reason.as_deref().is_none_or(|why| why.trim().is_empty())
        {
            return Err(ProtocolError::ConfineWithoutReason);
        }
        self.session.as_deref().map_or(Ok(()), check_session)
    }

    /// Returns sha256 over all that makes this another request, as 64 hex digits: not how its answer is
    /// listened to.
    ///
    /// The same `requestId` with another fingerprint is an error.
    pub fn fingerprint(&self) -> String {
        let same = Self {
            wait: Wait::None,
            stream: false,
            cancel_on_disconnect: false,
            join: false,
            ..self.clone()
        };
        let mut hash = Sha256::new();
        // Texts and numbers only: it cannot fail to serialise.
        hash.update(serde_json::to_vec(&same.to_wire()).unwrap_or_default());
        encode_hex(&hash.finalize())
    }

    /// Returns true if another request asks for the same, in whatever words and under whatever number.
    pub fn is_same(&self, other: &Self) -> bool {
        let heard = (other.wait, other.stream, other.cancel_on_disconnect, other.join);
        let (wait, stream, cancel_on_disconnect, join) = heard;
        let (request_id, reason) = (other.request_id, other.reason.clone());
        Self { request_id, reason, wait, stream, cancel_on_disconnect, join, ..self.clone() } == *other
    }

    fn to_wire(&self) -> Wire {
        let (command, shell) = match self.what.clone() {
            What::Command(argv) => (Some(argv), None),
            What::Shell(text) => (None, Some(text)),
        };
        Wire {
            request_id: self.request_id,
            command,
            shell,
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            stdin: self.stdin.to_value(),
            timeout_ms: self.timeout_ms,
            reason: self.reason.clone(),
            confine: self.confine,
            session: self.session.clone(),
            session_kind: self.session_kind,
            wait: self.wait,
            stream: self.stream,
            cancel_on_disconnect: self.cancel_on_disconnect,
            join: self.join,
        }
    }
}

impl Serialize for RunParams {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_wire().serialize(serializer)
    }
}

impl RunStdin {
    fn from_value(value: Option<Value>) -> Result<Self, ProtocolError> {
        match value {
            None => Ok(Self::Nothing),
            Some(Value::String(text)) => Ok(Self::Text(text)),
            Some(Value::Object(said))
                if said.len() == 1 && said.get("stream") == Some(&Value::Bool(true)) =>
            {
                Ok(Self::Stream)
            }
            Some(_) => Err(ProtocolError::BadStdin),
        }
    }

    fn to_value(&self) -> Option<Value> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => Some(Value::String(text.clone())),
            Self::Stream => Some(serde_json::json!({"stream": true})),
        }
    }
}

fn check_argv(argv: &[String]) -> Result<(), ProtocolError> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(ProtocolError::EmptyCommand);
    }
    if argv.len() > limits::ARGUMENTS {
        return Err(ProtocolError::TooManyArguments);
    }
    for (index, argument) in argv.iter().enumerate() {
        if argument.contains('\0') {
            return Err(ProtocolError::NulInArgument { index });
        }
        if argument.len() > limits::ARGUMENT {
            return Err(ProtocolError::ArgumentTooLong { index });
        }
    }
    let total: usize = argv.iter().map(String::len).sum();
    if total > limits::ARGUMENTS_TOTAL { Err(ProtocolError::ArgumentsTooLong) } else { Ok(()) }
}

fn check_env(env: &BTreeMap<String, String>) -> Result<(), ProtocolError> {
    if env.len() > limits::ENV {
        return Err(ProtocolError::TooManyEnv);
    }
    for (name, value) in env {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let first = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if !plain || !first || name.len() > limits::ENV_NAME {
            return Err(ProtocolError::BadEnvName(name.clone()));
        }
        if value.contains('\0') {
            return Err(ProtocolError::NulInEnv(name.clone()));
        }
    }
    let total: usize = env.iter().map(|(name, value)| name.len() + value.len()).sum();
    if total > limits::ENV_TOTAL {
        return Err(ProtocolError::TooLong { field: "env", limit: limits::ENV_TOTAL });
    }
    Ok(())
}
