//! The task that tells one agent: everything in the order in which it was written.
//!
//! It never waits for a connection. A separate task replays missed events as fast as the connection reads;
//! until it has caught up, the connection gets nothing else.

use super::replay;
use crate::socket::{Outbox, OutboxLine};
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, ErrorObject, Notice};
use postern_store::{Error, Receipt, Store, events};
use std::collections::VecDeque;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// An event on its way.
pub(super) struct QueuedNotification {
    /// The number that it was written down under; `None` if it is not to be told after all.
    pub(super) receipt: Receipt<Option<u64>>,
    pub(super) notice: Notice,
    pub(super) done: Option<SentCallback>,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// A connection that wants to hear.
pub(super) struct Subscription {
    pub(super) outbox: Outbox,
    pub(super) after: Option<u64>,
    pub(super) greeting: Box<dyn FnOnce(u64) -> OutboxLine + Send>,
}

pub(super) type SentCallback = Box<dyn FnOnce(Result<Option<Notice>, Error>) + Send>;

type ReplayAnswer = Box<dyn FnOnce(Result<(u64, u64), ErrorObject>) + Send>;

/// Work of a teller, in order.
pub(super) enum Item {
    Event(Box<QueuedNotification>),
    Subscribe(Subscription),
    Replay(RequestedReplay),
    /// A connection has caught up to `heard`.
    CaughtUp {
        outbox: Outbox,
        heard: u64,
    },
}

/// A replay that a connection asked for.
pub(super) struct RequestedReplay {
    pub(super) outbox: Outbox,
    pub(super) sequence: u64,
    pub(super) answer: ReplayAnswer,
}

struct AgentNotifier {
    agent: AgentId,
    store: Store,
    /// The newest event that was told.
    newest: u64,
    listeners: Vec<ChannelListener>,
    /// Queue to which replay tasks report.
    items: mpsc::WeakUnboundedSender<Item>,
}

struct ChannelListener {
    outbox: Outbox,
    /// The newest event that it has heard, or never will.
    heard: u64,
    /// During a replay, the further replays that it asked for, oldest first. The limit on a connection's waiting
    /// calls limits them, too.
    behind: Option<VecDeque<RequestedReplay>>,
}

/// Starts the task of an agent. It ends when its queue is dropped.
pub(super) fn start_notifier(on: &Handle, agent: AgentId, store: Store) -> mpsc::UnboundedSender<Item> {
    let (sender, mut items) = mpsc::unbounded_channel();
    let own = sender.downgrade();
    let telling = async move {
        let newest = newest(&store, &agent).await;
        let mut teller = AgentNotifier { agent, store, newest, listeners: Vec::new(), items: own };
        while let Some(item) = items.recv().await {
            teller.handle_item(item).await;
        }
    };
    drop(on.spawn(telling));
    sender
}

/// Returns the newest event that was written before.
async fn newest(store: &Store, agent: &AgentId) -> u64 {
    let (store, agent) = (store.clone(), agent.clone());
    let read = tokio::task::spawn_blocking(move || store.read(|conn| events::next_sequence(conn, &agent)));
    read.await.ok().and_then(Result::ok).map_or(0, |next| next.saturating_sub(1))
}

impl AgentNotifier {
    async fn handle_item(&mut self, item: Item) {
        self.listeners.retain(|listener| !listener.outbox.is_gone());
        match item {
            Item::Event(told) => self.send_event(*told).await,
            Item::Subscribe(Subscription { outbox, after, greeting }) => {
                outbox.push(greeting(self.newest));
                let behind = after.map(|after| {
                    self.catch_up(outbox.clone(), after, None);
                    VecDeque::new()
                });
                self.listeners.push(ChannelListener { outbox, heard: self.newest, behind });
            }
            Item::Replay(wanted) => {
                let listener = self.listeners.iter_mut().find(|one| one.outbox.is_same(&wanted.outbox));
                // A receiver that does not listen is gone, and so is its caller.
                let Some(listener) = listener else { return };
                if let Some(waiting) = &mut listener.behind {
                    waiting.push_back(wanted);
                } else {
                    listener.behind = Some(VecDeque::new());
                    self.catch_up(wanted.outbox, wanted.sequence, Some(wanted.answer));
                }
            }
            Item::CaughtUp { outbox, heard } => self.caught_up(&outbox, heard),
        }
    }

    /// Replays everything after `after` to a connection, in a task of its own.
    fn catch_up(&self, outbox: Outbox, after: u64, answer: Option<ReplayAnswer>) {
        let (store, agent, newest) = (self.store.clone(), self.agent.clone(), self.newest);
        let items = self.items.clone();
        tokio::spawn(async move {
            if let Some(answer) = answer {
                if let Ok(count) = replay::count_missed(&store, &agent, after, newest).await {
                    answer(Ok((newest, count)));
                } else {
                    let message = "the record of events cannot be read at the moment";
                    answer(Err(ErrorObject::new(ErrorCode::Internal, message)));
                }
            }
            replay::replay(&store, &agent, &outbox, after, newest).await;
            // The teller may be gone already.
            if let Some(items) = items.upgrade() {
                _ = items.send(Item::CaughtUp { outbox, heard: newest });
            }
        });
    }

    /// Lets a connection hear what happens again, or tells it what it asked for or what happened meanwhile.
    fn caught_up(&mut self, outbox: &Outbox, heard: u64) {
        let newest = self.newest;
        let Some(listener) = self.listeners.iter_mut().find(|one| one.outbox.is_same(outbox)) else { return };
        // A replay does not take back what the connection has received.
        listener.heard = listener.heard.max(heard);
        let (heard, next) = (listener.heard, listener.behind.as_mut().and_then(VecDeque::pop_front));
        if heard < newest {
            if let Some(next) = next
                && let Some(waiting) = &mut listener.behind
            {
                waiting.push_front(next);
            }
            listener.heard = newest;
            self.catch_up(outbox.clone(), heard, None);
        } else if let Some(RequestedReplay { outbox, sequence, answer }) = next {
            self.catch_up(outbox, sequence, Some(answer));
        } else {
            listener.behind = None;
        }
    }

    async fn send_event(&mut self, told: QueuedNotification) {
        let QueuedNotification { receipt, mut notice, done, place } = told;
        let written = receipt.await;
        let outcome = match written {
            Ok(Some(sequence)) => {
                notice.sequence = sequence;
                self.newest = self.newest.max(sequence);
                // Made for the first one that listens: nobody may.
                let mut line: Option<OutboxLine> = None;
                for listener in &mut self.listeners {
                    if listener.behind.is_none() && listener.heard < sequence {
                        listener.heard = sequence;
                        let line = line.get_or_insert_with(|| notice.to_line().into());
                        listener.outbox.push(line.clone());
                    }
                }
                Ok(Some(notice))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                tracing::error!(agent = %self.agent, %error, "an event could not be written, so it is not sent");
                Err(error)
            }
        };
        drop(place);
        if let Some(done) = done {
            done(outcome);
        }
    }
}
