//! Connection on an agent's channel, from hello to its end.

use super::clients::Clients;
use super::handshake::{Proved, handshake};
use super::intake::Intake;
use super::reader::Reader;
use crate::gate::{ConnectionId, GateHandle, GateMessage};
use crate::outbox::{self, Outbox};
use crate::publish::Publisher;
use crate::reply::{InFlight, Reply};
use postern_policy::{AgentId, Settings};
use postern_protocol::limits::{IDLE_MS, WireLimits};
use postern_protocol::{
    AgentCall, ErrorCode, ErrorObject, Frame, PolicyNote, RefusedMessage, Socket, SocketKey, Welcome,
    error_line, result_line,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio::net::UnixStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Calls of one connection that may wait for their answer. The next one is read when one of them was answered.
const OWED: usize = 256;

/// Dependencies of a connection.
#[derive(Debug, Clone)]
pub(crate) struct ChannelContext {
    pub(crate) agent: AgentId,
    pub(crate) key: SocketKey,
    pub(crate) gate: GateHandle,
    pub(crate) publisher: Publisher,
    pub(crate) clients: Clients,
    /// Bytes received on all its connections.
    pub(super) intake: Arc<Intake>,
    /// Cancelled when the channel closes.
    pub(crate) closed: CancellationToken,
}

/// Serves one connection until either side ends it.
pub(crate) async fn serve_channel(stream: UnixStream, channel: ChannelContext) {
    let (incoming, outgoing) = stream.into_split();
    let gone = channel.closed.child_token();
    let (outbox, lines) = outbox::outbox(gone.clone());
    let writer = tokio::spawn(outbox::write_lines(outgoing, lines, outbox.clone()));
    let reader = Reader::new(incoming);
    tokio::select! {
        () = handle_messages(reader, &outbox, &channel) => {}
        () = gone.cancelled() => {}
    }
    outbox.finish();
    drop(outbox);
    // What is on its way is written before the close, as long as somebody reads it.
    if timeout(Duration::from_secs(1), writer).await.is_err() {
        gone.cancel();
    }
}

async fn handle_messages<S: AsyncRead + Unpin>(
    mut reader: Reader<S>,
    outbox: &Outbox,
    channel: &ChannelContext,
) {
    let Some(proved) = handshake(&mut reader, outbox, Socket::Channel, &channel.key).await else { return };
    let Ok(Some(settings)) = channel.gate.settings(channel.agent.clone()).await else {
        let error = ErrorObject::new(ErrorCode::Unauthenticated, "this agent is not enrolled any more");
        outbox.push(error_line(Some(&proved.id), &error).into());
        return;
    };
    let _listed = channel.clients.add_client(&channel.agent, &proved.params.client);
    send_welcome(proved, &settings, outbox, channel);
    let Ok(id) = channel.gate.opened(channel.agent.clone(), outbox.clone()).await else { return };
    let _open = GateConnectionGuard { id, gate: channel.gate.clone() };
    let in_flight = InFlight::default();
    while let Some(read) = next_message(&mut reader, &in_flight, channel).await {
        channel.intake.pace_input(reader.take_read_count()).await;
        match read.and_then(AgentCall::of_frame) {
            Ok((call_id, call)) => {
                let reply = Reply::new(outbox.clone(), call_id, in_flight.begin_reply());
                let message = GateMessage::Call { connection: id, agent: channel.agent.clone(), call, reply };
                if channel.gate.send(message).await.is_err() {
                    return;
                }
            }
            Err(refused) => outbox.push(refused.into_line().into()),
        }
        // A reader that does not take its answers is not read either.
        outbox.wait_for_room().await;
        while in_flight.pending_count() >= OWED && !outbox.is_gone() {
            in_flight.wait_for_reply().await;
        }
    }
}

/// Returns the next message. None: the other side ended it, or was silent for too long with nothing of it
/// running or waiting.
async fn next_message<S: AsyncRead + Unpin>(
    reader: &mut Reader<S>,
    in_flight: &InFlight,
    channel: &ChannelContext,
) -> Option<Result<Frame, RefusedMessage>> {
    loop {
        match timeout(Duration::from_millis(IDLE_MS), reader.next_frame()).await {
            Ok(read) => return read.ok().flatten(),
            Err(_) if in_flight.pending_count() > 0 => {}
            Err(_) => {
                if !channel.gate.is_busy(channel.agent.clone()).await.unwrap_or(false) {
                    return None;
                }
            }
        }
    }
}

/// Answers a good proof, and then sends the events that the agent missed.
fn send_welcome(proved: Proved, settings: &Settings, outbox: &Outbox, channel: &ChannelContext) {
    let Proved { id, params, proof } = proved;
    tracing::debug!(agent = %channel.agent, "a client authenticated");
    let agent = channel.agent.to_string();
    let limits = WireLimits::of_agent(settings.run_timeout_cap_ms);
    let policy =
        PolicyNote { security: settings.security.name().to_owned(), ask: settings.ask.name().to_owned() };
    let greeting = move |sequence| {
        let welcome = Welcome { agent, proof, limits, policy, sequence };
        result_line(&id, &welcome).into()
    };
    channel.publisher.subscribe(&channel.agent, outbox.clone(), params.after, greeting);
}

/// The gate is told when a connection ends, however it ends.
struct GateConnectionGuard {
    id: ConnectionId,
    gate: GateHandle,
}

impl Drop for GateConnectionGuard {
    fn drop(&mut self) {
        self.gate.closed(self.id);
    }
}
