//! Telling agents what happened: written down first, numbered without gaps, told in order, replayed on reconnect.
//!
//! `exec.output` has a number like every event, but its data is not written down with it: the head and the tail of a
//! run's output are kept with the request. An output that is told again carries the data where it is still kept, and
//! says how much was left out where it is not; `system.output` has the rest.

mod approvers;
mod line;
mod replay;
mod seldom;
mod teller;

pub(crate) use approvers::ApproverNotifier;
pub use line::format_time;
pub(crate) use line::{notice_again, stored};
pub(crate) use seldom::{Stirred, seldom};

use crate::socket::{Outbox, OutboxLine};
use parking_lot::Mutex;
use postern_policy::{AgentId, Millis};
use postern_protocol::{ErrorObject, ExecOutput, Notice, NoticeEvent};
use postern_store::{Connection, Error, Store, events};
use std::collections::HashMap;
use std::sync::Arc;
use teller::{Item, QueuedNotification, RequestedReplay, Subscription};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use uuid::Uuid;

/// Reported facts of a request.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) agent: AgentId,
    /// The host's own id; none for a tool check.
    pub(crate) id: Option<Uuid>,
    /// The agent's id for it.
    pub(crate) request_id: Uuid,
    pub(crate) session: Option<String>,
}

/// Storage of an event.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keeping<'a> {
    /// Event to store instead of the sent one: the same with less in it.
    pub(crate) event: Option<&'a NoticeEvent>,
    /// True if it outlives a power cut.
    pub(crate) durable: bool,
}

/// A handle on the tellers, one for each agent. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Publisher {
    store: Store,
    runtime: Handle,
    tellers: Arc<Mutex<HashMap<AgentId, mpsc::UnboundedSender<Item>>>>,
}

impl Publisher {
    /// Creates a publisher whose tellers run on the current runtime.
    pub(crate) fn new(store: Store) -> Self {
        Self { store, runtime: Handle::current(), tellers: Arc::default() }
    }

    /// Writes `event` down in one transaction with `work`, tells the agent, then says so to `done`. `work` gets the number
    /// that the event will have; where it gives false nothing is told, and `done` gets none.
    #[expect(clippy::too_many_arguments, reason = "what is told, how it is written down, and what with")]
    pub(crate) fn publish_keeping(
        &self,
        about: &About,
        at: Millis,
        event: NoticeEvent,
        keeping: Keeping<'_>,
        work: impl FnOnce(&Connection, u64) -> Result<bool, Error> + Send + 'static,
        done: impl FnOnce(Result<Option<Notice>, Error>) + Send + 'static,
    ) {
        let new = line::stored(about, at, keeping.event.unwrap_or(&event));
        let notice = unnumbered(about, at, event);
        let durable = keeping.durable;
        self.queue_item(&about.agent, move |store| {
            let work = move |conn: &Connection| {
                let next = events::next_sequence(conn, &new.agent)?;
                if work(conn, next)? {
                    events::append_as(conn, next, &new).map(|()| Some(next))
                } else {
                    Ok(None)
                }
            };
            let receipt = if durable { store.write_durable(work) } else { store.write(work) };
            Item::Event(Box::new(QueuedNotification {
                receipt,
                notice,
                done: Some(Box::new(done)),
                place: None,
            }))
        });
    }

    /// Tells a piece of output, of this many bytes; `place` is given back when it is on its way to everybody who listens.
    pub(crate) fn output(
        &self,
        about: &About,
        at: Millis,
        output: ExecOutput,
        (length, place): (usize, OwnedSemaphorePermit),
    ) {
        let new = line::stored_output(about, at, &output, length);
        let notice = unnumbered(about, at, NoticeEvent::Output(output));
        self.queue_item(&about.agent, move |store| {
            let receipt = store.write(move |conn| events::append(conn, &new).map(Some));
            Item::Event(Box::new(QueuedNotification { receipt, notice, done: None, place: Some(place) }))
        });
    }

    /// Subscribes a connection to the agent's events from now on.
    ///
    /// First it gets `greeting` with the number of the newest one, and what it missed since `after`.
    pub(crate) fn subscribe(
        &self,
        agent: &AgentId,
        outbox: Outbox,
        after: Option<u64>,
        greeting: impl FnOnce(u64) -> OutboxLine + Send + 'static,
    ) {
        let greeting = Box::new(greeting);
        self.queue_item(agent, move |_| Item::Subscribe(Subscription { outbox, after, greeting }));
    }

    /// Sends everything after `sequence` to the same connection again. `answer` gets the newest number and
    /// how many follow.
    pub(crate) fn replay(
        &self,
        agent: &AgentId,
        outbox: Outbox,
        sequence: u64,
        answer: impl FnOnce(Result<(u64, u64), ErrorObject>) + Send + 'static,
    ) {
        let answer = Box::new(answer);
        self.queue_item(agent, move |_| Item::Replay(RequestedReplay { outbox, sequence, answer }));
    }

    /// Queues under the lock, so that the order of writing is the order of telling.
    fn queue_item(&self, agent: &AgentId, item: impl FnOnce(&Store) -> Item) {
        let mut tellers = self.tellers.lock();
        let start = || teller::start_notifier(&self.runtime, agent.clone(), self.store.clone());
        let teller = tellers.entry(agent.clone()).or_insert_with(start);
        // A teller ends only with its queue: what it does not take any more, nobody would hear.
        _ = teller.send(item(&self.store));
    }

    /// Forgets an agent that is gone: nobody gets its events any more.
    pub(crate) fn forget(&self, agent: &AgentId) {
        self.tellers.lock().remove(agent);
    }
}

/// Returns an event as it is told, without the number that it gets when it is written down.
fn unnumbered(about: &About, at: Millis, event: NoticeEvent) -> Notice {
    Notice {
        sequence: 0,
        at: line::format_time(at),
        request_id: about.request_id,
        session: about.session.clone(),
        event,
    }
}
