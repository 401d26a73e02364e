//! Errors between a client and the host, in words that say what to do.

use postern_protocol::{ErrorObject, RefusedMessage};
use std::io;
use std::path::PathBuf;

/// Error of opening a socket.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No socket, or nobody accepts on it.
    #[error(
        "nothing listens on {socket}: the companion app Postern must be running on the host. \
         Start it there (open Postern, or run `postern serve`), then try again"
    )]
    NothingListens { socket: PathBuf },
    /// The system does not let this process at the socket.
    #[error("may not connect to {socket}: {error}")]
    NotAllowed { socket: PathBuf, error: io::Error },
    /// No way leads to the address.
    #[error(
        "{socket} cannot be reached: {error}. It names the host and the port of Postern's integration `forwarder`, \
         as in tcp://host.docker.internal:7719"
    )]
    Unreachable {
        /// The address, `tcp://HOST:PORT`.
        socket: PathBuf,
        error: io::Error,
    },
    #[error("the key file {file} cannot be read: {error}")]
    KeyUnreadable { file: PathBuf, error: io::Error },
    /// The key file holds something else.
    #[error("the file {file} holds no key: {error}")]
    BadKey { file: PathBuf, error: postern_protocol::BadKey },
    #[error("the system gives no random bytes: {0}")]
    NoRandom(getrandom::Error),
    #[error("Postern refuses the connection: {}", .0.message)]
    Refused(ErrorObject),
    /// The host could not prove that it holds the key: it is not Postern.
    #[error(
        "what listens on {socket} does not hold the key: it is not the Postern that this channel belongs to"
    )]
    Impostor { socket: PathBuf },
    #[error("Postern speaks version {0} of the protocol, this program version {ours}", ours = postern_protocol::PROTOCOL)]
    OtherProtocol(u32),
    /// The listener does not speak the protocol.
    #[error("what listens on {socket} does not answer as Postern does: {what}")]
    NotPostern {
        socket: PathBuf,
        /// Fault in its answer.
        what: String,
    },
    #[error(transparent)]
    Gone(#[from] ConnectionLoss),
}

impl ConnectError {
    /// Returns true if a host that went away may be there again later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::NothingListens { .. } | Self::Unreachable { .. } | Self::Gone(_))
    }
}

/// Reason why a connection gives nothing more.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionLoss {
    #[error("Postern closed the connection")]
    Closed,
    /// The system says what.
    #[error("the connection to Postern broke: {0}")]
    Broken(#[from] io::Error),
    #[error("Postern said something that cannot be read: {0}")]
    Unreadable(#[from] RefusedMessage),
}

/// Error of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The host says what is wrong; `data.code` is its stable name.
    #[error("{}", .0.message)]
    Failed(ErrorObject),
    /// The connection is gone. Whether the call arrived is not known.
    #[error(transparent)]
    Gone(#[from] ConnectionLoss),
    #[error("the answer to {method} cannot be read: {what}")]
    OddAnswer {
        method: String,
        /// Fault in the answer.
        what: String,
    },
}

impl ConnectionLoss {
    /// Returns true if the host may come back: it ended, or the connection broke.
    pub fn may_come_back(&self) -> bool {
        match self {
            Self::Closed | Self::Broken(_) => true,
            Self::Unreadable(_) => false,
        }
    }
}

impl CallError {
    /// Returns true if the host may come back, to be asked again.
    pub fn may_come_back(&self) -> bool {
        matches!(self, Self::Gone(gone) if gone.may_come_back())
    }

    /// Returns the stable name, where the host gave one.
    pub fn error_code(&self) -> Option<&str> {
        match self {
            Self::Failed(error) => Some(&error.data.code),
            Self::Gone(_) | Self::OddAnswer { .. } => None,
        }
    }
}
