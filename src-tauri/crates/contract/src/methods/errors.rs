//! Errors of the control methods.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Error of a control method: a stable name and a plain sentence fragment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct ControlError {
    /// The stable name.
    pub code: ControlCode,
    /// Problem, and what would be right.
    pub message: String,
}

impl ControlError {
    /// Returns an error of this kind.
    pub fn new(code: ControlCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Makes the error for wrong params.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ControlCode::InvalidParams, message)
    }

    /// Makes the error for something that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ControlCode::NotFound, message)
    }

    /// Makes the error for something that may not be done.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ControlCode::Refused, message)
    }

    /// Makes the error for records that could not be read or written.
    pub fn store(error: impl std::fmt::Display) -> Self {
        Self::new(ControlCode::Store, error.to_string())
    }

    /// Makes the error for a mistake of Postern's own.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::new(ControlCode::Internal, error.to_string())
    }
}

postern_protocol::named_values! {
    /// The stable names of what can go wrong.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
    pub enum ControlCode {
        /// The line is not a JSON-RPC request.
        InvalidRequest = "invalid-request",
        /// No proof of the control key, or a wrong one.
        Unauthenticated = "unauthenticated",
        /// This process may not control Postern: another user's, or started by Postern for an agent.
        Forbidden = "forbidden",
        UnknownMethod = "unknown-method",
        /// The params are not what the method takes.
        InvalidParams = "invalid-params",
        NotFound = "not-found",
        /// Exists already, or something else is in the way.
        Conflict = "conflict",
        /// Not permitted: a managed rule, a rule that is too broad.
        Refused = "refused",
        /// The records could not be read or written.
        Store = "store",
        /// Postern is about to end.
        ShuttingDown = "shutting-down",
        /// A mistake of Postern's own.
        Internal = "internal",
    }
}
