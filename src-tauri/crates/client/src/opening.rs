//! Opening a socket: connect, hello, authenticate, and proof that the host is the host.

use crate::error::{ConnectError, ConnectionLoss};
use crate::stream::tcp_address;
use crate::transport::Transport;
use postern_protocol::{
    AuthenticateParams, CallId, Client, Frame, Handshake, HandshakeSide, Hello, Nonce, PROTOCOL, Socket,
    SocketKey, limits, request_line,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Time that the host has for each message of the opening. The host gives a client two seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the key in a key file: 43 characters of base64url.
pub fn read_key(file: &Path) -> Result<SocketKey, ConnectError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| ConnectError::KeyUnreadable { file: file.to_owned(), error })?;
    SocketKey::from_text(&text).map_err(|error| ConnectError::BadKey { file: file.to_owned(), error })
}

pub(crate) struct SocketOpening<'a> {
    pub(crate) kind: Socket,
    pub(crate) socket: &'a Path,
    pub(crate) key: &'a SocketKey,
    pub(crate) client: Client,
    pub(crate) after: Option<u64>,
}

/// The id of `authenticate`, the first call on every connection.
const FIRST: CallId = CallId::Number(1);

impl SocketOpening<'_> {
    /// Opens it. Gives what the host said when it had proved itself.
    pub(crate) fn open<W: DeserializeOwned>(self) -> Result<(Transport, W), ConnectError> {
        let longest = match self.kind {
            Socket::Channel => limits::FRAME_OUT,
            Socket::Control => limits::CONTROL_OUT,
        };
        let mut transport =
            Transport::connect(self.socket, longest).map_err(|error| self.no_connection(error))?;
        let hello = self.read_hello(&mut transport)?;
        let nonce = random_nonce()?;
        let handshake =
            Handshake { socket: self.kind, server_nonce: hello.nonce, client_nonce: nonce.clone() };
        let params = AuthenticateParams {
            protocol: PROTOCOL,
            nonce,
            proof: handshake.make_proof(self.key, HandshakeSide::Client),
            client: self.client.clone(),
            after: self.after,
        };
        transport.queue_line(&request_line(&FIRST, AuthenticateParams::METHOD, &params));
        transport.flush()?;
        let welcome = self.answer(&mut transport)?;
        let proof = welcome.get("proof").and_then(Value::as_str).unwrap_or_default();
        if !handshake.verify_proof(self.key, HandshakeSide::Server, proof) {
            return Err(ConnectError::Impostor { socket: self.socket.to_owned() });
        }
        let welcome = serde_json::from_value(welcome).map_err(|error| self.not_postern(error.to_string()))?;
        Ok((transport, welcome))
    }

    fn no_connection(&self, error: io::Error) -> ConnectError {
        let socket = self.socket.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                ConnectError::NothingListens { socket }
            }
            io::ErrorKind::PermissionDenied => ConnectError::NotAllowed { socket, error },
            _ if tcp_address(self.socket).is_some() => ConnectError::Unreachable { socket, error },
            _ => ConnectionLoss::Broken(error).into(),
        }
    }

    fn not_postern(&self, what: impl Into<String>) -> ConnectError {
        ConnectError::NotPostern { socket: self.socket.to_owned(), what: what.into() }
    }

    fn read_hello(&self, transport: &mut Transport) -> Result<Hello, ConnectError> {
        match self.read_frame(transport)? {
            Frame::Notification(told) if told.method == "hello" => {
                let hello: Hello = serde_json::from_value(told.params)
                    .map_err(|error| self.not_postern(error.to_string()))?;
                if hello.protocol == PROTOCOL {
                    Ok(hello)
                } else {
                    Err(ConnectError::OtherProtocol(hello.protocol))
                }
            }
            Frame::Response(answer) => Err(match answer.outcome {
                Err(error) => ConnectError::Refused(error),
                Ok(_) => self.not_postern("an answer to nothing"),
            }),
            Frame::Notification(_) | Frame::Request(_) => Err(self.not_postern("no hello")),
        }
    }

    fn answer(&self, transport: &mut Transport) -> Result<Value, ConnectError> {
        match self.read_frame(transport)? {
            Frame::Response(answer) => answer.outcome.map_err(ConnectError::Refused),
            Frame::Notification(_) | Frame::Request(_) => Err(self.not_postern("no answer to authenticate")),
        }
    }

    fn read_frame(&self, transport: &mut Transport) -> Result<Frame, ConnectError> {
        match transport.wait_for_frame(Some(PATIENCE)) {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(self.not_postern("it says nothing")),
            Err(ConnectionLoss::Unreadable(refused)) => Err(self.not_postern(refused.to_string())),
            Err(gone) => Err(gone.into()),
        }
    }
}

fn random_nonce() -> Result<Nonce, ConnectError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ConnectError::NoRandom)?;
    Ok(Nonce::from_bytes(bytes))
}
