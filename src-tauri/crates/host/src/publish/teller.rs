//! The task that tells one agent: everything in the order in which it was written.

use super::replay;
use crate::socket::{Line, Outbox};
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, ErrorObject, Notice};
use postern_store::{Error, Receipt, Store, events};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// An event on its way.
pub(super) struct Told {
    /// The number that it was written down under; none where it is not to be told after all.
    pub(super) receipt: Receipt<Option<u64>>,
    pub(super) notice: Notice,
    pub(super) done: Option<Done>,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// A connection that wants to hear.
pub(super) struct Subscription {
    pub(super) outbox: Outbox,
    pub(super) after: Option<u64>,
    pub(super) greeting: Box<dyn FnOnce(u64) -> Line + Send>,
}

/// What is said when an event was told.
pub(super) type Done = Box<dyn FnOnce(Result<Option<Notice>, Error>) + Send>;

type ReplayAnswer = Box<dyn FnOnce(Result<(u64, u64), ErrorObject>) + Send>;

/// What a teller has to do, in order.
pub(super) enum Item {
    Event(Box<Told>),
    Subscribe(Subscription),
    Replay { outbox: Outbox, sequence: u64, answer: ReplayAnswer },
}

struct Teller {
    agent: AgentId,
    store: Store,
    /// The newest event that was told.
    newest: u64,
    listeners: Vec<Listener>,
}

struct Listener {
    outbox: Outbox,
    /// The newest event that it has heard, or never will.
    heard: u64,
}

/// Starts the task of an agent. It ends when its queue is dropped.
pub(super) fn start(agent: AgentId, store: Store) -> mpsc::UnboundedSender<Item> {
    let (sender, mut items) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let newest = newest(&store, &agent).await;
        let mut teller = Teller { agent, store, newest, listeners: Vec::new() };
        while let Some(item) = items.recv().await {
            teller.take(item).await;
        }
    });
    sender
}

/// The newest event that was written before.
async fn newest(store: &Store, agent: &AgentId) -> u64 {
    let (store, agent) = (store.clone(), agent.clone());
    let read = tokio::task::spawn_blocking(move || store.read(|conn| events::next(conn, &agent)));
    read.await.ok().and_then(Result::ok).map_or(0, |next| next.saturating_sub(1))
}

impl Teller {
    async fn take(&mut self, item: Item) {
        self.listeners.retain(|listener| !listener.outbox.is_gone());
        match item {
            Item::Event(told) => self.tell(*told).await,
            Item::Subscribe(Subscription { outbox, after, greeting }) => {
                outbox.push(greeting(self.newest));
                if let Some(after) = after {
                    replay::replay(&self.store, &self.agent, &outbox, after, self.newest).await;
                }
                self.listeners.push(Listener { outbox, heard: self.newest });
            }
            Item::Replay { outbox, sequence, answer } => {
                let count = replay::count(&self.store, &self.agent, sequence, self.newest).await;
                let Ok(count) = count else {
                    let message = "the record of events cannot be read at the moment";
                    answer(Err(ErrorObject::new(ErrorCode::Internal, message)));
                    return;
                };
                answer(Ok((self.newest, count)));
                replay::replay(&self.store, &self.agent, &outbox, sequence, self.newest).await;
            }
        }
    }

    async fn tell(&mut self, told: Told) {
        let Told { receipt, mut notice, done, place } = told;
        let written = receipt.await;
        let outcome = match written {
            Ok(Some(sequence)) => {
                notice.sequence = sequence;
                self.newest = self.newest.max(sequence);
                let line: Line = notice.line().into();
                for listener in &mut self.listeners {
                    if listener.heard < sequence {
                        listener.heard = sequence;
                        listener.outbox.push(line.clone());
                    }
                }
                Ok(Some(notice))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                tracing::error!(agent = %self.agent, %error, "an event could not be written, so it is not told");
                Err(error)
            }
        };
        drop(place);
        if let Some(done) = done {
            done(outcome);
        }
    }
}
