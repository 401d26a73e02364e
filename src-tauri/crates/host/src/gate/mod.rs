//! The gate: one task that owns every live request and drives `postern_request::step`. Everybody else has this handle.

mod message;

pub(crate) use message::Message;
pub use message::{Counts, Killed};

use crate::ask::FaceId;
use postern_contract::methods::{Arming, Presented};
use postern_contract::{AnswerParams, Answered, Question};
use postern_policy::{AgentId, Millis};
use tokio::sync::{mpsc, oneshot};

/// A handle on the gate. Clones speak to the same one.
#[derive(Debug, Clone)]
pub struct Gate {
    messages: mpsc::Sender<Message>,
}

/// The gate is gone: the host is shutting down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Postern is shutting down")]
pub struct Gone;

impl Gate {
    /// Everything that waits for a person, oldest first. A face that reads it has been shown them.
    pub async fn questions(&self) -> Result<Vec<Question>, Gone> {
        self.ask(Message::Questions).await
    }

    /// One waiting question by its id or its four hex digits.
    pub async fn question(&self, id: String) -> Result<Option<Box<Question>>, Gone> {
        self.ask(|reply| Message::Question { id, reply }).await
    }

    /// A person's answer. The answer counts when it names the digest on show and, from a window, was armed.
    pub async fn answer(&self, params: AnswerParams, face: FaceId) -> Result<Answered, Gone> {
        self.ask(|reply| Message::Answer { params: Box::new(params), face, reply }).await
    }

    /// What a face shows at the moment: drives arming. Called again on every change (moved, resized, focus, content).
    pub async fn presented(&self, face: FaceId, seen: Presented) -> Result<Arming, Gone> {
        self.ask(|reply| Message::Presented { face, seen, reply }).await
    }

    /// A face could not show a question (its page crashed, the screen is locked): if nobody answers, nothing runs.
    pub async fn cannot_present(&self, face: FaceId, question: String, why: String) -> Result<(), Gone> {
        self.messages.send(Message::CannotPresent { face, question, why }).await.map_err(|_| Gone)
    }

    /// Ends a run, or denies a request that waits, for the person. `request` is the host's own id.
    pub async fn kill(&self, request: String) -> Result<Killed, Gone> {
        self.ask(|reply| Message::Kill { request, reply }).await
    }

    /// Denies everything until `until`, or until resumed. What waits is denied; what runs goes on.
    pub async fn pause(&self, until: Option<Millis>) -> Result<(), Gone> {
        self.ask(|reply| Message::Pause { until, reply }).await
    }

    /// Ends a pause.
    pub async fn resume(&self) -> Result<(), Gone> {
        self.ask(Message::Resume).await
    }

    /// The policy of `agent` (of every agent: none) changed: what waits is judged again.
    pub async fn rejudge(&self, agent: Option<AgentId>) -> Result<(), Gone> {
        self.messages.send(Message::Rejudge { agent }).await.map_err(|_| Gone)
    }

    /// How much waits and runs, and whether it is paused.
    pub async fn counts(&self) -> Result<Counts, Gone> {
        self.ask(Message::Counts).await
    }

    async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> Result<T, Gone> {
        let (reply, answer) = oneshot::channel();
        self.messages.send(message(reply)).await.map_err(|_| Gone)?;
        answer.await.map_err(|_| Gone)
    }
}

/// Starts the gate's task.
pub(crate) fn start() -> Gate {
    let (messages, _received) = mpsc::channel(BACKLOG);
    Gate { messages }
}

/// Messages that may wait for the gate before senders wait too.
const BACKLOG: usize = 1024;
