//! The parameters of the agent's other methods.

use crate::check::{check_cwd, check_name, check_session};
use crate::data::Encoding;
use crate::limits;
use crate::mistake::ProtocolError;
use crate::signal::Signal;
use crate::words::{OutputStream, SessionKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// `system.status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusParams {
    pub request_id: Uuid,
}

/// `system.output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputParams {
    pub request_id: Uuid,
    /// Stream; both if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<OutputStream>,
    /// The first byte, counted from the stream's beginning.
    #[serde(default)]
    pub offset: u64,
    /// Most bytes of each stream; left out, as many as one answer holds ([`limits::OUTPUT`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// `system.input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputParams {
    pub request_id: Uuid,
    /// Bytes for its standard input: at most [`limits::STDIN`].
    #[serde(default)]
    pub data: String,
    /// Encoding of `data`.
    #[serde(default, skip_serializing_if = "Encoding::is_utf8")]
    pub encoding: Encoding,
    /// Start of `data`, in bytes from the beginning of standard input.
    ///
    /// With it, a message can be sent again after a connection was lost: bytes that were written already are
    /// skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// True if that was all.
    #[serde(default)]
    pub eof: bool,
}

impl InputParams {
    /// Parameters that send these bytes, at most [`limits::INPUT`] to fit into a line however they are escaped.
    pub fn new(request_id: Uuid, offset: u64, bytes: Vec<u8>, eof: bool) -> Self {
        let (data, encoding) = Encoding::encode(bytes);
        Self { request_id, data, encoding, offset: Some(offset), eof }
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Result<Vec<u8>, ProtocolError> {
        self.encoding.decode(self.data)
    }
}

/// `system.kill`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KillParams {
    /// Request to end. A request that still waits for an answer is withdrawn.
    pub request_id: Uuid,
    /// Signal for it and all that it started.
    #[serde(default = "Signal::sigterm")]
    pub signal: Signal,
}

/// `system.which`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhichParams {
    /// Program names, at most [`limits::NAMES`].
    pub names: Vec<String>,
}

/// `session.open`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOpenParams {
    /// Name, new among the agent's open sessions.
    pub session: String,
    /// The session it stands under: what that one denies, it denies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// A layer of rules in the form of `permissions.jsonc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Map<String, Value>>,
    /// True if it may ask for host commands.
    ///
    /// Left out: a session of the agent's own may, a subagent's (one with `parent` or `rules`) may not. A
    /// parent passes on only what it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elevated: Option<bool>,
}

/// `session.close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionCloseParams {
    pub session: String,
}

/// `tool.check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolCheckParams {
    /// The tool's name.
    pub tool: String,
    /// The MCP server that it is a tool of, which is shown beside it. `server_tool` as name is shown as `tool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Arguments of the call.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The session it is called in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Kind of text that `session` is.
    #[serde(default, skip_serializing_if = "SessionKind::is_name")]
    pub session_kind: SessionKind,
    /// Folder that relative paths among the arguments start in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Behavior if only a default matches; the default decides if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Defaults>,
    /// True if the agent can run another command than the one that it asks about: then Postern may allow it confined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewrites: bool,
}

/// Behavior if no line of the user matches, for an agent with its own prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Defaults {
    /// Asks the user where a default would allow, because the agent's own rules ask.
    Ask,
    /// Asks nobody where a default would ask, because the agent's own rules decide.
    Leave,
}

/// `events.after`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventsAfterParams {
    /// The last event that was heard; 0 replays from the beginning.
    pub sequence: u64,
}

/// Reads the members of an object.
pub(crate) fn parse_members<T: DeserializeOwned>(value: Value) -> Result<T, ProtocolError> {
    serde_json::from_value(value).map_err(|error| ProtocolError::of_shape(&error))
}

/// Reads parameters. What is of the wrong type is named.
pub(crate) fn read_params<P: DeserializeOwned>(params: &Value) -> Result<P, ProtocolError> {
    P::deserialize(params).map_err(|error| {
        let mistake = ProtocolError::of_shape(&error);
        match (&mistake, params) {
            (ProtocolError::WrongType(said), Value::Object(members)) => match culprit::<P>(members, said) {
                Some(name) => ProtocolError::WrongType(format!("{name}: {said}")),
                None => mistake,
            },
            _ => mistake,
        }
    })
}

/// Finds the member without which serde finds something else wrong, or nothing.
fn culprit<'m, P: DeserializeOwned>(members: &'m Map<String, Value>, said: &str) -> Option<&'m str> {
    members.keys().map(String::as_str).find(|name| {
        let mut rest = members.clone();
        rest.remove(*name);
        P::deserialize(&Value::Object(rest)).err().is_none_or(|error| error.to_string() != said)
    })
}

/// Parameters that keep to their limits.
pub(crate) trait CheckLimits {
    /// Checks the parameters for faults. Those whose types say all have none.
    fn check_limits(&self) -> Result<(), ProtocolError> {
        Ok(())
    }
}

impl CheckLimits for StatusParams {}
impl CheckLimits for OutputParams {}
impl CheckLimits for KillParams {}
impl CheckLimits for EventsAfterParams {}

impl CheckLimits for InputParams {
    fn check_limits(&self) -> Result<(), ProtocolError> {
        let bytes = match self.encoding {
            Encoding::Utf8 => self.data.len(),
            Encoding::Base64 => self.encoding.decode(self.data.clone())?.len(),
        };
        if bytes > limits::STDIN {
            Err(ProtocolError::TooLong { field: "data", limit: limits::STDIN })
        } else {
            Ok(())
        }
    }
}

impl CheckLimits for WhichParams {
    fn check_limits(&self) -> Result<(), ProtocolError> {
        if self.names.len() > limits::NAMES {
            return Err(ProtocolError::TooMany { field: "names", limit: limits::NAMES });
        }
        self.names.iter().try_for_each(|name| check_name("names", name, limits::CWD))
    }
}

impl CheckLimits for SessionOpenParams {
    fn check_limits(&self) -> Result<(), ProtocolError> {
        check_session(&self.session)?;
        self.parent.as_deref().map_or(Ok(()), |parent| check_name("parent", parent, limits::SESSION))
    }
}

impl CheckLimits for SessionCloseParams {
    fn check_limits(&self) -> Result<(), ProtocolError> {
        check_session(&self.session)
    }
}

impl CheckLimits for ToolCheckParams {
    fn check_limits(&self) -> Result<(), ProtocolError> {
        check_name("tool", &self.tool, limits::TOOL)?;
        self.cwd.as_deref().map_or(Ok(()), check_cwd)?;
        self.session.as_deref().map_or(Ok(()), check_session)
    }
}
