//! Errors as they are sent: a stable `data.code` and a plain sentence.

use serde::{Deserialize, Serialize};

crate::named_values! {
    /// The stable names of errors (`data.code`). A denial is not an error.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    pub enum ErrorCode {
        /// A line is longer than [`crate::limits::FRAME_IN`].
        FrameTooLarge = "frame-too-large",
        /// A line is not UTF-8.
        NotUtf8 = "not-utf8",
        /// A line is not JSON.
        NotJson = "not-json",
        /// Objects and lists are nested deeper than [`crate::limits::DEPTH`].
        TooDeep = "too-deep",
        /// An object has the same key twice.
        DuplicateKey = "duplicate-key",
        /// `jsonrpc` is not `"2.0"`.
        WrongVersion = "wrong-version",
        /// A list of messages in one line.
        Batch = "batch-refused",
        /// JSON, but not a JSON-RPC request.
        InvalidRequest = "invalid-request",
        /// No such method on this socket.
        UnknownMethod = "unknown-method",
        /// A parameter is missing, unknown, of the wrong type or over its limit; `data.problem` says which.
        InvalidParams = "invalid-params",
        /// Not authenticated yet, or the proof is wrong.
        Unauthenticated = "unauthenticated",
        /// The client speaks a version of the protocol that this host does not.
        UnsupportedProtocol = "unsupported-protocol",
        /// Another request has the same `requestId`.
        DuplicateRequest = "duplicate-request",
        /// This agent has no such request.
        UnknownRequest = "unknown-request",
        /// This agent has no such session.
        UnknownSession = "unknown-session",
        /// The request does not run (any more), or never asked to be fed.
        NotRunning = "not-running",
        /// Too many messages or requests; `data.retryAfterMs` says when to try again.
        RateLimited = "rate-limited",
        /// Postern is quitting.
        ShuttingDown = "shutting-down",
        /// Something failed inside Postern; nothing was run because of this message.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// Returns the number that JSON-RPC 2.0 (section 5.1) wants; what it has no number for counts down from
    /// -32001.
    pub fn number(self) -> i64 {
        match self {
            Self::NotUtf8 | Self::NotJson => -32700,
            Self::FrameTooLarge
            | Self::TooDeep
            | Self::DuplicateKey
            | Self::WrongVersion
            | Self::Batch
            | Self::InvalidRequest => -32600,
            Self::UnknownMethod => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::Unauthenticated => -32001,
            Self::UnsupportedProtocol => -32002,
            Self::DuplicateRequest => -32003,
            Self::UnknownRequest => -32004,
            Self::UnknownSession => -32005,
            Self::NotRunning => -32006,
            Self::RateLimited => -32007,
            Self::ShuttingDown => -32008,
        }
    }
}

/// An error as it stands in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct ErrorObject {
    /// JSON-RPC's number.
    pub code: i64,
    /// Plain sentence for people.
    pub message: String,
    /// The stable names.
    #[serde(default)]
    pub data: ErrorData,
}

/// Part of an error that a program may rely on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// Stable name: one of [`ErrorCode`]'s, or one of the control socket's own.
    #[serde(default)]
    pub code: String,
    /// Fault of the message, as a stable name (`nul-in-argument`, `unknown-field`…).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Time after which it makes sense to try again, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ErrorObject {
    /// Returns an error with its stable name and one plain sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let data = ErrorData { code: code.name().to_owned(), ..ErrorData::default() };
        Self { code: code.number(), message: message.into(), data }
    }

    /// Returns an error with a name that only the control socket knows.
    pub fn with_code_name(name: impl Into<String>, message: impl Into<String>) -> Self {
        let data = ErrorData { code: name.into(), ..ErrorData::default() };
        Self { code: -32000, message: message.into(), data }
    }

    /// Adds the time after which to try again.
    #[must_use]
    pub fn retry_after(mut self, milliseconds: u64) -> Self {
        self.data.retry_after_ms = Some(milliseconds);
        self
    }

    /// Returns the code, if it is one of [`ErrorCode`]'s.
    pub fn kind(&self) -> Option<ErrorCode> {
        ErrorCode::from_name(&self.data.code)
    }
}
