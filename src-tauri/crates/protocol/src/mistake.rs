//! Everything that can be wrong with a message, each by its own name.

use crate::error::{ErrorCode, ErrorObject};
use crate::id::CallId;
use crate::limits;

/// Fault of a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    #[error("the message is longer than {limit} bytes")]
    FrameTooLarge { limit: usize },
    #[error("the message is not UTF-8: byte {at} does not continue a character")]
    NotUtf8 {
        /// The first byte that is wrong, counted from 0.
        at: usize,
    },
    #[error("the message is not JSON: {what}")]
    NotJson {
        /// Message of the parser, with line and column.
        what: String,
    },
    #[error("objects and lists may be nested {} deep at most", limits::DEPTH)]
    TooDeep,
    #[error("the key {0:?} is twice in one object")]
    DuplicateKey(String),
    #[error("batches are not taken: send one message a line")]
    Batch,
    #[error("a message is a JSON object with jsonrpc, id, method and params")]
    NotAnObject,
    #[error("jsonrpc must be \"2.0\"")]
    WrongVersion,
    #[error("id must be a whole number or a text of at most {} bytes", limits::ID)]
    BadId,
    #[error("a call needs an id")]
    NoId,
    #[error("a message has either method, or result or error")]
    NotAMessage,
    #[error("a message has no member {0:?}")]
    UnknownMember(String),
    #[error("there is no method {0:?} on this socket")]
    UnknownMethod(String),
    #[error("params must be an object")]
    ParamsNotAnObject,
    /// A parameter is unknown.
    #[error("{0}")]
    UnknownField(String),
    /// A parameter is missing.
    #[error("{0}")]
    MissingField(String),
    /// A parameter is of the wrong type.
    #[error("{0}")]
    WrongType(String),
    #[error("system.run needs either command (a list of arguments) or shell (a line of text), not both")]
    CommandOrShell,
    #[error("the command is empty: its first argument names the program")]
    EmptyCommand,
    #[error("a command has at most {} arguments", limits::ARGUMENTS)]
    TooManyArguments,
    #[error("argument {index} is longer than {} bytes", limits::ARGUMENT)]
    ArgumentTooLong {
        /// Index, counted from 0.
        index: usize,
    },
    #[error("all arguments together are longer than {} bytes", limits::ARGUMENTS_TOTAL)]
    ArgumentsTooLong,
    #[error("{field} is longer than {limit} bytes")]
    TooLong {
        /// The parameter.
        field: &'static str,
        limit: usize,
    },
    #[error("{field} has more than {limit} entries")]
    TooMany {
        /// The parameter.
        field: &'static str,
        limit: usize,
    },
    /// A parameter that must say something is empty.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A number is not in its range.
    #[error("{field} must be {range}")]
    OutOfRange {
        /// The parameter.
        field: &'static str,
        range: &'static str,
    },
    #[error("argument {index} holds a NUL character")]
    NulInArgument {
        /// Index, counted from 0.
        index: usize,
    },
    #[error("the value of environment variable {0} holds a NUL character")]
    NulInEnv(String),
    #[error("cwd holds a NUL character")]
    NulInCwd,
    #[error("confine \"none\" needs a reason, which the user reads: say what failed confined")]
    ConfineWithoutReason,
    #[error("{0} holds a NUL character")]
    Nul(&'static str),
    #[error("a request sets at most {} environment variables", limits::ENV)]
    TooManyEnv,
    #[error(
        "{0:?} is not an environment variable's name: A-Z a-z 0-9 _ are taken, 128 at most, no digit first"
    )]
    BadEnvName(String),
    #[error("stdin is a text of at most {} bytes, or {{\"stream\": true}}", limits::STDIN)]
    BadStdin,
    #[error(
        "stdin holds more than {} bytes: say {{\"stream\": true}} and send it with system.input",
        limits::STDIN
    )]
    StdinTooLong,
    #[error("data is not base64")]
    BadData,
}

impl ProtocolError {
    /// Returns the stable name (`data.problem`) and the error code (`data.code`).
    fn name_and_code(&self) -> (&'static str, ErrorCode) {
        match self {
            Self::FrameTooLarge { .. } => ("frame-too-large", ErrorCode::FrameTooLarge),
            Self::NotUtf8 { .. } => ("not-utf8", ErrorCode::NotUtf8),
            Self::NotJson { .. } => ("not-json", ErrorCode::NotJson),
            Self::TooDeep => ("too-deep", ErrorCode::TooDeep),
            Self::DuplicateKey(_) => ("duplicate-key", ErrorCode::DuplicateKey),
            Self::Batch => ("batch-refused", ErrorCode::Batch),
            Self::NotAnObject => ("not-an-object", ErrorCode::InvalidRequest),
            Self::WrongVersion => ("wrong-version", ErrorCode::WrongVersion),
            Self::BadId => ("bad-id", ErrorCode::InvalidRequest),
            Self::NoId => ("no-id", ErrorCode::InvalidRequest),
            Self::NotAMessage => ("not-a-message", ErrorCode::InvalidRequest),
            Self::UnknownMember(_) => ("unknown-member", ErrorCode::InvalidRequest),
            Self::UnknownMethod(_) => ("unknown-method", ErrorCode::UnknownMethod),
            Self::ParamsNotAnObject => ("params-not-an-object", ErrorCode::InvalidParams),
            Self::UnknownField(_) => ("unknown-field", ErrorCode::InvalidParams),
            Self::MissingField(_) => ("missing-field", ErrorCode::InvalidParams),
            Self::WrongType(_) => ("wrong-type", ErrorCode::InvalidParams),
            Self::CommandOrShell => ("command-or-shell", ErrorCode::InvalidParams),
            Self::EmptyCommand => ("empty-command", ErrorCode::InvalidParams),
            Self::TooManyArguments => ("too-many-arguments", ErrorCode::InvalidParams),
            Self::ArgumentTooLong { .. } => ("argument-too-long", ErrorCode::InvalidParams),
            Self::ArgumentsTooLong => ("arguments-too-long", ErrorCode::InvalidParams),
            Self::TooLong { .. } => ("too-long", ErrorCode::InvalidParams),
            Self::TooMany { .. } => ("too-many", ErrorCode::InvalidParams),
            Self::Empty(_) => ("empty", ErrorCode::InvalidParams),
            Self::OutOfRange { .. } => ("out-of-range", ErrorCode::InvalidParams),
            Self::NulInArgument { .. } => ("nul-in-argument", ErrorCode::InvalidParams),
            Self::NulInEnv(_) => ("nul-in-env", ErrorCode::InvalidParams),
            Self::NulInCwd => ("nul-in-cwd", ErrorCode::InvalidParams),
            Self::ConfineWithoutReason => ("confine-without-reason", ErrorCode::InvalidParams),
            Self::Nul(_) => ("nul", ErrorCode::InvalidParams),
            Self::TooManyEnv => ("too-many-env", ErrorCode::InvalidParams),
            Self::BadEnvName(_) => ("bad-env-name", ErrorCode::InvalidParams),
            Self::BadStdin => ("bad-stdin", ErrorCode::InvalidParams),
            Self::StdinTooLong => ("stdin-too-long", ErrorCode::InvalidParams),
            Self::BadData => ("bad-data", ErrorCode::InvalidParams),
        }
    }

    /// Returns the stable name: `data.problem`.
    pub fn name(&self) -> &'static str {
        self.name_and_code().0
    }

    /// Returns the error code: `data.code`.
    pub fn error_code(&self) -> ErrorCode {
        self.name_and_code().1
    }

    /// Converts serde's error about parameters.
    pub(crate) fn of_shape(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        if said.starts_with("unknown field") {
            Self::UnknownField(said)
        } else if said.starts_with("missing field") {
            Self::MissingField(said)
        } else {
            Self::WrongType(said)
        }
    }
}

impl From<ProtocolError> for ErrorObject {
    fn from(mistake: ProtocolError) -> Self {
        let mut error = Self::new(mistake.error_code(), mistake.to_string());
        error.data.problem = Some(mistake.name().to_owned());
        error
    }
}

/// A message that is not taken, with its id where that could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{mistake}")]
pub struct RefusedMessage {
    /// The message's id, as far as it could be read.
    pub id: Option<CallId>,
    /// Fault of the message.
    pub mistake: ProtocolError,
}
