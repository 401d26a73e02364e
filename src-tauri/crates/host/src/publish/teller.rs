//! Teller of one agent: tells everything in the order in which it was written.
//!
//! It never waits for a connection: the record's own thread tells what it has just written. A separate task replays missed events as
//! fast as the connection reads; until it has caught up, the connection gets nothing else.

use super::replay;
use crate::socket::{Outbox, OutboxLine};
use postern_policy::AgentId;
use postern_protocol::{ErrorCode, ErrorObject, Notice};
use postern_store::{Store, events};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

type ReplayAnswer = Box<dyn FnOnce(Result<(u64, u64), ErrorObject>) + Send>;

/// A replay that a connection asked for.
pub(super) struct RequestedReplay {
    pub(super) outbox: Outbox,
    pub(super) sequence: u64,
    pub(super) answer: ReplayAnswer,
}

/// A teller. Clones are the same.
#[derive(Clone)]
pub(super) struct AgentNotifier {
    agent: AgentId,
    store: Store,
    runtime: Handle,
    state: Arc<Mutex<Listening>>,
}

/// Listeners of an agent, and how much was told.
#[derive(Default)]
struct Listening {
    /// The newest event that was told, or that was written before the first listener came.
    newest: u64,
    listeners: Vec<ChannelListener>,
}

struct ChannelListener {
    outbox: Outbox,
    /// The newest event that it has heard, or never will.
    heard: u64,
    /// During a replay, the further replays that it asked for, oldest first. The limit on a connection's waiting
    /// calls limits them, too.
    behind: Option<VecDeque<RequestedReplay>>,
}

impl AgentNotifier {
    pub(super) fn new(agent: AgentId, store: Store, runtime: Handle) -> Self {
        Self { agent, store, runtime, state: Arc::default() }
    }

    /// Tells an event to everybody who listens, once it is written under this number.
    pub(super) fn send_event(&self, sequence: u64, notice: &mut Notice) {
        notice.sequence = sequence;
        let mut state = self.lock();
        state.newest = state.newest.max(sequence);
        let hears = |listener: &ChannelListener| listener.behind.is_none() && listener.heard < sequence;
        if !state.listeners.iter().any(hears) {
            return;
        }
        let line: OutboxLine = notice.to_line().into();
        for listener in state.listeners.iter_mut().filter(|listener| hears(listener)) {
            listener.heard = sequence;
            listener.outbox.push(line.clone());
        }
    }

    /// Adds a connection that hears what happens from now on, after its greeting and what it missed since `after`.
    pub(super) async fn subscribe(
        &self,
        outbox: Outbox,
        after: Option<u64>,
        greeting: impl FnOnce(u64) -> OutboxLine,
    ) {
        let written = self.newest_written().await;
        let mut state = self.lock();
        state.newest = state.newest.max(written);
        let newest = state.newest;
        outbox.push(greeting(newest));
        let behind = after.map(|after| {
            self.catch_up(outbox.clone(), after, newest, None);
            VecDeque::new()
        });
        state.listeners.retain(|listener| !listener.outbox.is_gone());
        state.listeners.push(ChannelListener { outbox, heard: newest, behind });
    }

    /// Tells a connection again what came after an event.
    pub(super) fn replay(&self, wanted: RequestedReplay) {
        let mut state = self.lock();
        let newest = state.newest;
        let listener = state.listeners.iter_mut().find(|one| one.outbox.is_same(&wanted.outbox));
        // A receiver that does not listen is gone, and so is its caller.
        let Some(listener) = listener else { return };
        if let Some(waiting) = &mut listener.behind {
            waiting.push_back(wanted);
        } else {
            listener.behind = Some(VecDeque::new());
            self.catch_up(wanted.outbox, wanted.sequence, newest, Some(wanted.answer));
        }
    }

    /// Replays everything after `after`, up to `newest`, to a connection, in a task of its own.
    fn catch_up(&self, outbox: Outbox, after: u64, newest: u64, answer: Option<ReplayAnswer>) {
        let teller = self.clone();
        drop(self.runtime.spawn(async move {
            let (store, agent) = (&teller.store, &teller.agent);
            if let Some(answer) = answer {
                if let Ok(count) = replay::count_missed(store, agent, after, newest).await {
                    answer(Ok((newest, count)));
                } else {
                    let message = "the record of events cannot be read at the moment";
                    answer(Err(ErrorObject::new(ErrorCode::Internal, message)));
                }
            }
            replay::replay(store, agent, &outbox, after, newest).await;
            teller.caught_up(&outbox, newest);
        }));
    }

    /// Lets a connection hear what happens again, or tells it what it asked for or what happened meanwhile.
    fn caught_up(&self, outbox: &Outbox, heard: u64) {
        let mut state = self.lock();
        let newest = state.newest;
        let Some(listener) = state.listeners.iter_mut().find(|one| one.outbox.is_same(outbox)) else {
            return;
        };
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
            self.catch_up(outbox.clone(), heard, newest, None);
        } else if let Some(RequestedReplay { outbox, sequence, answer }) = next {
            self.catch_up(outbox, sequence, newest, Some(answer));
        } else {
            listener.behind = None;
        }
    }

    /// Returns the number of the newest event that is written.
    async fn newest_written(&self) -> u64 {
        let (store, agent) = (self.store.clone(), self.agent.clone());
        let read =
            tokio::task::spawn_blocking(move || store.read(|conn| events::next_sequence(conn, &agent))).await;
        read.ok().and_then(Result::ok).map_or(0, |next| next.saturating_sub(1))
    }

    /// Locks the state. Every change leaves it whole: after a panic elsewhere it is still consistent.
    fn lock(&self) -> MutexGuard<'_, Listening> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for AgentNotifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentNotifier").field("agent", &self.agent).finish_non_exhaustive()
    }
}
