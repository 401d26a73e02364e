//! The client's side of a channel, for one call: what the host says to itself when a person asks on an agent's behalf.

use super::reader::Reader;
use postern_protocol::{
    AgentCall, AuthenticateParams, CallId, Client, Frame, Handshake, HandshakeSide, Hello, Nonce, PROTOCOL,
    Response, Socket, SocketKey, request_line,
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

/// Proves the key, makes the call, and waits for its answer. The error says in words what went wrong.
pub(crate) async fn make_call<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    mut incoming: Reader<R>,
    mut outgoing: W,
    key: &SocketKey,
    call: &AgentCall,
) -> Result<(), String> {
    let hello = match read_frame(&mut incoming).await? {
        Frame::Notification(told) if told.method == "hello" => {
            serde_json::from_value::<Hello>(told.params).map_err(|error| error.to_string())?
        }
        Frame::Notification(_) | Frame::Request(_) | Frame::Response(_) => {
            return Err("the channel says no hello".to_owned());
        }
    };
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    let nonce = Nonce::from_bytes(bytes);
    let both = Handshake { socket: Socket::Channel, server_nonce: hello.nonce, client_nonce: nonce.clone() };
    let params = AuthenticateParams {
        protocol: PROTOCOL,
        nonce,
        proof: both.make_proof(key, HandshakeSide::Client),
        client: Client { name: "postern".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        after: None,
    };
    let (first, second) = (CallId::Number(1), CallId::Number(2));
    let lost = |error: std::io::Error| format!("the channel was closed: {error}");
    outgoing.write_all(&request_line(&first, AuthenticateParams::METHOD, &params)).await.map_err(lost)?;
    let welcome = answer(&mut incoming, &first).await?;
    let proof = welcome.get("proof").and_then(serde_json::Value::as_str).unwrap_or_default();
    if !both.verify_proof(key, HandshakeSide::Server, proof) {
        return Err("what answers on the channel does not hold its key".to_owned());
    }
    outgoing.write_all(&call.to_line(&second)).await.map_err(lost)?;
    answer(&mut incoming, &second).await.map(drop)
}

async fn answer<R: AsyncRead + Unpin>(
    incoming: &mut Reader<R>,
    id: &CallId,
) -> Result<serde_json::Value, String> {
    loop {
        if let Frame::Response(Response { id: of, outcome }) = read_frame(incoming).await?
            && of.as_ref().is_none_or(|of| of == id)
        {
            return outcome.map_err(|error| error.message);
        }
    }
}

async fn read_frame<R: AsyncRead + Unpin>(incoming: &mut Reader<R>) -> Result<Frame, String> {
    match incoming.next_frame().await {
        Ok(Some(Ok(frame))) => Ok(frame),
        Ok(Some(Err(refused))) => Err(refused.mistake.to_string()),
        Ok(None) => Err("the channel was closed".to_owned()),
        Err(error) => Err(format!("the channel was closed: {error}")),
    }
}
