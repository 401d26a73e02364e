//! Failures of a command, with their exit codes.

use postern_client::{CallError, ConnectError, ConnectionLoss};
use postern_command::escape::visible_text as escaped;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// The exit codes: what `postern help exit-codes` prints.
pub(crate) const EXIT_CODES: &str = include_str!("texts/exit-codes.txt");

/// Postern does not run, or does not let us in.
const GONE: u8 = 3;

/// A message for the person and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    /// Makes the failure of a negative answer.
    pub(crate) fn negative(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into() }
    }

    /// Makes the failure of a wrong command line.
    pub(crate) fn usage_error(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }

    /// Makes the failure of a file or a folder that the person named.
    pub(crate) fn from_path(path: &Path, error: &io::Error) -> Self {
        let path = escaped(&path.to_string_lossy());
        Self::usage_error(match error.kind() {
            ErrorKind::NotFound => format!("{path} is not there"),
            ErrorKind::PermissionDenied => format!("{path}: permission denied"),
            ErrorKind::IsADirectory => format!("{path} is a folder, not a file"),
            ErrorKind::InvalidData => format!("{path} is not a text file"),
            _ => format!("{path}: {error}"),
        })
    }

    /// Makes the failure of a refusal by Postern.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { code: 4, message: message.into() }
    }

    /// Makes the failure of anything else.
    #[expect(clippy::needless_pass_by_value, reason = "used as a function value in map_err")]
    pub(crate) fn from_error(error: impl ToString) -> Self {
        Self { code: 5, message: error.to_string() }
    }

    pub(crate) fn from_connect(error: ConnectError) -> Self {
        let message = match error {
            ConnectError::NothingListens { .. } => {
                "Postern isn’t running: open the app, or run postern serve".to_owned()
            }
            other => other.to_string(),
        };
        Self { code: GONE, message }
    }

    /// Makes the error for a host that does not answer, or whose data folder does not.
    pub(crate) fn from_silence(waited: Duration) -> Self {
        let waited = waited.as_secs();
        let message = format!("Postern did not answer within {waited} seconds: postern doctor says why");
        Self { code: GONE, message }
    }

    /// Makes the error for a host that went away.
    #[expect(clippy::needless_pass_by_value, reason = "used as a function value in map_err")]
    pub(crate) fn from_gone(error: ConnectionLoss) -> Self {
        Self { code: if error.may_come_back() { GONE } else { 5 }, message: error.to_string() }
    }

    /// Returns true if the host went away: it may come back.
    pub(crate) fn is_gone(&self) -> bool {
        self.code == GONE
    }

    /// Returns a call that did not work.
    #[expect(clippy::needless_pass_by_value, reason = "used as a function value in map_err")]
    pub(crate) fn from_call(error: CallError) -> Self {
        let code =
            if error.may_come_back() || error.error_code() == Some("shutting-down") { GONE } else { 4 };
        Self { code, message: error.to_string() }
    }
}
