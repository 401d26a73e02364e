//! The first three messages on a socket: hello, authenticate, and its answer.

use crate::check::check_text;
use crate::frame::Request;
use crate::limits::{self, WireLimits};
use crate::mistake::ProtocolError;
use crate::params::parse_members;
use crate::proof::Nonce;
use serde::{Deserialize, Serialize};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

/// `hello`: the first thing that a client hears.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The version the host speaks.
    pub protocol: u32,
    /// The host's name and version: `postern/0.1.0`.
    pub server: String,
    /// New for each connection.
    pub nonce: Nonce,
}

/// `authenticate`: the first thing that a client says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthenticateParams {
    /// The version the client speaks.
    pub protocol: u32,
    /// New for each connection.
    pub nonce: Nonce,
    /// The client's proof, 64 hex digits.
    pub proof: String,
    /// Program name and version, for the log.
    pub client: Client,
    /// The last event that the client heard: what came since is told again. None: only what comes from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
}

/// Program of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Client {
    pub name: String,
    pub version: String,
}

impl AuthenticateParams {
    /// The method's name.
    pub const METHOD: &'static str = "authenticate";

    /// Reads the request that must be an authenticate: another method is told as unknown until then.
    pub fn of_request(request: Request) -> Result<Self, ProtocolError> {
        if request.method != Self::METHOD {
            return Err(ProtocolError::UnknownMethod(request.method));
        }
        let params: Self = parse_members(request.params)?;
        check_text("client.name", &params.client.name, limits::SESSION)?;
        check_text("client.version", &params.client.version, limits::SESSION)?;
        Ok(params)
    }
}

/// Welcome that an agent gets once its proof was right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// Name of the agent that owns the channel.
    pub agent: String,
    /// The host's proof, 64 hex digits.
    pub proof: String,
    /// Limits of messages.
    pub limits: WireLimits,
    /// Summary of the agent's policy.
    pub policy: PolicyNote,
    /// The agent's newest event; 0 where there is none yet.
    pub sequence: u64,
}

/// Summary of an agent's policy, as far as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyNote {
    /// `deny`, `allowlist` or `full`.
    pub security: String,
    /// `off`, `on-miss` or `always`.
    pub ask: String,
}

/// Welcome that an approver gets once its proof was right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlWelcome {
    /// The host's proof, 64 hex digits.
    pub proof: String,
}
