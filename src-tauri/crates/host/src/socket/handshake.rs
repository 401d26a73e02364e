//! Both sides prove that they hold the channel's key before anything else is said.

use super::reader::Reader;
use crate::outbox::Outbox;
use postern_protocol::{
    AuthenticateParams, CallId, ErrorCode, ErrorObject, Handshake, HandshakeSide, Hello, Nonce, PROTOCOL,
    RefusedMessage, Socket, SocketKey, error_line, limits, notification_line,
};
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio::time::timeout;

/// A client that proved who it is.
#[derive(Debug)]
pub(crate) struct Proved {
    /// Id for its answer.
    pub(crate) id: CallId,
    pub(crate) params: AuthenticateParams,
    /// The host's own proof.
    pub(crate) proof: String,
}

/// Says hello and waits for the client's proof. None: it was told what is wrong, and is to be dropped.
pub(crate) async fn handshake<S: AsyncRead + Unpin>(
    reader: &mut Reader<S>,
    outbox: &Outbox,
    socket: Socket,
    key: &SocketKey,
) -> Option<Proved> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    let nonce = Nonce::from_bytes(bytes);
    let server = concat!("postern/", env!("CARGO_PKG_VERSION")).to_owned();
    let hello = Hello { protocol: PROTOCOL, server, nonce: nonce.clone() };
    outbox.push(notification_line("hello", &hello).into());

    let waited = timeout(Duration::from_millis(limits::AUTHENTICATE_MS), reader.next_frame()).await;
    let Ok(read) = waited else {
        refuse(outbox, None, ErrorCode::Unauthenticated, "no proof came in time");
        return None;
    };
    let frame = read.ok()??;
    let request = match frame.and_then(postern_protocol::Frame::into_request) {
        Ok(request) => request,
        Err(refused) => {
            outbox.push(refused.into_line().into());
            return None;
        }
    };
    let id = request.id.clone();
    if request.method != AuthenticateParams::METHOD {
        refuse(outbox, Some(&id), ErrorCode::Unauthenticated, "say authenticate first");
        return None;
    }
    let params = match AuthenticateParams::of_request(request) {
        Ok(params) => params,
        Err(mistake) => {
            outbox.push(RefusedMessage { id: Some(id), mistake }.into_line().into());
            return None;
        }
    };
    if params.protocol != PROTOCOL {
        let message = format!("this host speaks version {PROTOCOL} of the protocol");
        refuse(outbox, Some(&id), ErrorCode::UnsupportedProtocol, message);
        return None;
    }
    let both = Handshake { socket, server_nonce: nonce, client_nonce: params.nonce.clone() };
    if !both.verify_proof(key, HandshakeSide::Client, &params.proof) {
        refuse(
            outbox,
            Some(&id),
            ErrorCode::Unauthenticated,
            "the proof is not made with this channel's key",
        );
        return None;
    }
    let proof = both.make_proof(key, HandshakeSide::Server);
    Some(Proved { id, params, proof })
}

fn refuse(outbox: &Outbox, id: Option<&CallId>, code: ErrorCode, message: impl Into<String>) {
    outbox.push(error_line(id, &ErrorObject::new(code, message)).into());
}
