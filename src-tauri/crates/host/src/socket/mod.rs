//! The agents' channels: one socket, one key and one task for each agent.

mod accept;
mod clients;
mod connection;
mod handshake;
mod intake;
mod listen;
mod reader;
mod say;

pub(crate) use accept::{ConnectionLimits, ConnectionPermit, accept, accept_until};
pub(crate) use clients::Clients;
pub(crate) use handshake::handshake;
pub use listen::{BindError, BoundSocket, bind_socket};
pub(crate) use reader::Reader;
pub(crate) use say::make_call;

pub(crate) use crate::outbox::{Outbox, OutboxLine, outbox, write_lines};
pub(crate) use crate::reply::Reply;

use crate::book::AgentEntry;
use crate::clock::now_millis;
use crate::gate::GateHandle;
use crate::publish::Publisher;
use connection::ChannelContext;
use parking_lot::Mutex;
use postern_policy::{AgentId, Millis};
use postern_protocol::SocketKey;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The open channels. A handle: clones are the same channels.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    gate: GateHandle,
    publisher: Publisher,
    all: Arc<Semaphore>,
    clients: Clients,
    /// Runtime that serves the connections of every channel.
    runtime: Handle,
    open: Arc<Mutex<HashMap<AgentId, OpenChannel>>>,
    /// Channels that could not be opened: since when, and why.
    shut: Arc<Mutex<BTreeMap<AgentId, (Millis, String)>>>,
}

#[derive(Debug)]
struct OpenChannel {
    limits: ConnectionLimits,
    closed: CancellationToken,
    task: JoinHandle<()>,
}

impl Channels {
    /// Returns the channels, all closed; `open_files` is the system's limit of open files.
    pub(crate) fn new(gate: GateHandle, publisher: Publisher, open_files: u64) -> Self {
        let all = Arc::new(Semaphore::new(accept::shared(open_files)));
        let (clients, runtime) = (Clients::default(), Handle::current());
        Self { gate, publisher, all, clients, runtime, open: Arc::default(), shut: Arc::default() }
    }

    /// Opens the channel of an agent, or notes why it stays closed.
    pub(crate) async fn open_for(&self, entry: &AgentEntry) -> Result<(), String> {
        let agent = &entry.agent;
        let opened = match entry.folder.ensure_key() {
            Ok(key) => {
                let opened = self.open(&agent.id, &entry.folder.socket(), key, &agent.uids).await;
                opened.map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = &opened {
            tracing::error!(agent = %agent.id, error, "an agent's channel stays closed");
            let why = (now_millis(), error.clone());
            self.shut.lock().insert(agent.id.clone(), why);
        }
        opened
    }

    /// Returns the channels that could not be opened: since when, and why.
    pub(crate) fn failed_channels(&self) -> BTreeMap<AgentId, (Millis, String)> {
        self.shut.lock().clone()
    }

    /// Listens for `agent` on `socket`, in a folder that is private already. Peers must be one of `uids` and
    /// hold `key`.
    ///
    /// A channel that was open for this agent is closed first, and everybody on it is cut off.
    pub(crate) async fn open(
        &self,
        agent: &AgentId,
        socket: &Path,
        key: SocketKey,
        uids: &[u32],
    ) -> Result<(), BindError> {
        self.close(agent).await;
        let bound = {
            let _on_these = self.runtime.enter();
            bind_socket(socket)?
        };
        let closed = CancellationToken::new();
        let mut admitted = vec![rustix::process::getuid().as_raw()];
        admitted.extend_from_slice(uids);
        let limits = ConnectionLimits::new(admitted.into(), self.all.clone());
        let channel = ChannelContext {
            agent: agent.clone(),
            key,
            gate: self.gate.clone(),
            publisher: self.publisher.clone(),
            clients: self.clients.clone(),
            intake: Arc::new(intake::Intake::new()),
            closed: closed.clone(),
        };
        let serve = move |stream, place| {
            let channel = channel.clone();
            async move {
                connection::serve_channel(stream, channel).await;
                drop::<ConnectionPermit>(place);
            }
        };
        let task = self.runtime.spawn(accept(bound, limits.clone(), closed.clone(), serve));
        self.open.lock().insert(agent.clone(), OpenChannel { limits, closed, task });
        Ok(())
    }

    pub(crate) async fn close(&self, agent: &AgentId) {
        self.shut.lock().remove(agent);
        let channel = self.open.lock().remove(agent);
        if let Some(channel) = channel {
            channel.closed.cancel();
            // A channel's task that panicked is closed all the same.
            _ = channel.task.await;
        }
    }

    pub(crate) fn is_connected(&self, agent: &AgentId) -> bool {
        self.open.lock().get(agent).is_some_and(|channel| channel.limits.connection_count() > 0)
    }

    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Forgets the events of an earlier agent of this name.
    pub(crate) fn forget(&self, agent: &AgentId) {
        self.publisher.forget(agent);
    }

    pub(crate) async fn close_all(&self) {
        let agents: Vec<AgentId> = self.open.lock().keys().cloned().collect();
        for agent in agents {
            self.close(&agent).await;
        }
    }
}
