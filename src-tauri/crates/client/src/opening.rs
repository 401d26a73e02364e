//! Opening a socket: connect, hello, authenticate, and proof that the host is the host.

use crate::error::{ConnectError, Gone};
use crate::stream::tcp_address;
use crate::transport::Transport;
use postern_protocol::{
    AuthenticateParams, Client, Frame, Handshake, Hello, Id, Key, Nonce, PROTOCOL, Side, Socket, limits,
    request_line,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Time that the host has for each message of the opening. The host gives a client two seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the key in a key file: 43 characters of base64url.
pub fn read_key(file: &Path) -> Result<Key, ConnectError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| ConnectError::KeyUnreadable { file: file.to_owned(), error })?;
    Key::from_text(&text).map_err(|error| ConnectError::BadKey { file: file.to_owned(), error })
}

/// Inputs of opening a socket.
pub(crate) struct Opening<'a> {
    pub(crate) kind: Socket,
    pub(crate) socket: &'a Path,
    pub(crate) key: &'a Key,
    pub(crate) client: Client,
    pub(crate) after: Option<u64>,
}

/// The id of `authenticate`, the first call on every connection.
const FIRST: Id = Id::Number(1);

impl Opening<'_> {
    /// Opens it. Gives what the host said when it had proved itself.
    pub(crate) fn open<W: DeserializeOwned>(self) -> Result<(Transport, W), ConnectError> {
        let longest = match self.kind {
            Socket::Channel => limits::FRAME_OUT,
            Socket::Control => limits::CONTROL_OUT,
        };
        let mut transport =
            Transport::connect(self.socket, longest).map_err(|error| self.no_connection(error))?;
        let hello = self.hello(&mut transport)?;
        let nonce = random_nonce()?;
        let handshake =
            Handshake { socket: self.kind, server_nonce: hello.nonce, client_nonce: nonce.clone() };
        let params = AuthenticateParams {
            protocol: PROTOCOL,
            nonce,
            proof: handshake.proof(self.key, Side::Client),
            client: self.client.clone(),
            after: self.after,
        };
        transport.queue(&request_line(&FIRST, AuthenticateParams::METHOD, &params));
        transport.flush()?;
        let welcome = self.answer(&mut transport)?;
        let proof = welcome.get("proof").and_then(Value::as_str).unwrap_or_default();
        if !handshake.holds(self.key, Side::Server, proof) {
            return Err(ConnectError::Impostor { socket: self.socket.to_owned() });
        }
        let welcome = serde_json::from_value(welcome).map_err(|error| self.odd(error.to_string()))?;
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
            _ => Gone::Broken(error).into(),
        }
    }

    fn odd(&self, what: impl Into<String>) -> ConnectError {
        ConnectError::NotPostern { socket: self.socket.to_owned(), what: what.into() }
    }

    fn hello(&self, transport: &mut Transport) -> Result<Hello, ConnectError> {
        match self.frame(transport)? {
            Frame::Notification(told) if told.method == "hello" => {
                let hello: Hello =
                    serde_json::from_value(told.params).map_err(|error| self.odd(error.to_string()))?;
                if hello.protocol == PROTOCOL {
                    Ok(hello)
                } else {
                    Err(ConnectError::OtherProtocol(hello.protocol))
                }
            }
            Frame::Response(answer) => Err(match answer.outcome {
                Err(error) => ConnectError::Refused(error),
                Ok(_) => self.odd("an answer to nothing"),
            }),
            Frame::Notification(_) | Frame::Request(_) => Err(self.odd("no hello")),
        }
    }

    fn answer(&self, transport: &mut Transport) -> Result<Value, ConnectError> {
        match self.frame(transport)? {
            Frame::Response(answer) => answer.outcome.map_err(ConnectError::Refused),
            Frame::Notification(_) | Frame::Request(_) => Err(self.odd("no answer to authenticate")),
        }
    }

    fn frame(&self, transport: &mut Transport) -> Result<Frame, ConnectError> {
        match transport.wait(Some(PATIENCE)) {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(self.odd("it says nothing")),
            Err(Gone::Unreadable(refused)) => Err(self.odd(refused.to_string())),
            Err(gone) => Err(gone.into()),
        }
    }
}

fn random_nonce() -> Result<Nonce, ConnectError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ConnectError::NoRandom)?;
    Ok(Nonce::from_bytes(bytes))
}
