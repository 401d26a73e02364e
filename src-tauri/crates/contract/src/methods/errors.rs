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
}

impl ControlCode {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid-request",
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::UnknownMethod => "unknown-method",
            Self::InvalidParams => "invalid-params",
            Self::NotFound => "not-found",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::Store => "store",
            Self::ShuttingDown => "shutting-down",
            Self::Internal => "internal",
        }
    }
}

/// The stable names of what can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ControlCode {
    /// The line is not a JSON-RPC request.
    InvalidRequest,
    /// No proof of the control key, or a wrong one.
    Unauthenticated,
    /// This process may not control Postern: another user's, or started by Postern for an agent.
    Forbidden,
    /// No such method.
    UnknownMethod,
    /// The params are not what the method takes.
    InvalidParams,
    NotFound,
    /// Exists already, or something else is in the way.
    Conflict,
    /// Not permitted: a managed rule, a rule that is too broad.
    Refused,
    /// The records could not be read or written.
    Store,
    /// Postern is about to end.
    ShuttingDown,
    /// A mistake of Postern's own.
    Internal,
}

#[cfg(test)]
mod tests {
    use super::ControlCode::{
        Conflict, Forbidden, Internal, InvalidParams, InvalidRequest, NotFound, Refused, ShuttingDown, Store,
        Unauthenticated, UnknownMethod,
    };

    #[test]
    fn a_code_has_one_name() {
        let all = [
            InvalidRequest,
            Unauthenticated,
            Forbidden,
            UnknownMethod,
            InvalidParams,
            NotFound,
            Conflict,
            Refused,
            Store,
            ShuttingDown,
            Internal,
        ];
        for code in all {
            assert_eq!(
                serde_json::to_value(code).unwrap(),
                code.name(),
                "the window and the wire say the same"
            );
        }
    }
}
