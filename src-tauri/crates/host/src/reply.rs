//! Replies to a caller.

use crate::outbox::Outbox;
use postern_protocol::{CallId, ErrorCode, ErrorObject, error_line, result_line};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// The answer that a call is owed. It is given once; dropped unanswered, it says that Postern is quitting.
#[derive(Debug)]
pub(crate) struct Reply {
    to: Option<(Outbox, CallId)>,
    _owed: PendingReply,
}

impl Reply {
    /// Returns a call with this id came in on the connection of `outbox`.
    pub(crate) fn new(outbox: Outbox, id: CallId, owed: PendingReply) -> Self {
        Self { to: Some((outbox, id)), _owed: owed }
    }

    pub(crate) fn send_result<T: Serialize>(mut self, result: &T) {
        if let Some((outbox, id)) = self.to.take() {
            outbox.push(result_line(&id, result).into());
        }
    }

    pub(crate) fn send_error(mut self, error: &ErrorObject) {
        if let Some((outbox, id)) = self.to.take() {
            outbox.push(error_line(Some(&id), error).into());
        }
    }

    /// Answers with an error of this code, in one plain sentence.
    pub(crate) fn refuse(self, code: ErrorCode, message: impl Into<String>) {
        self.send_error(&ErrorObject::new(code, message));
    }

    /// Returns the connection that the answer goes to.
    pub(crate) fn outbox(&self) -> Option<&Outbox> {
        self.to.as_ref().map(|(outbox, _)| outbox)
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some((outbox, id)) = self.to.take() {
            let error = ErrorObject::new(ErrorCode::ShuttingDown, "Postern is quitting");
            outbox.push(error_line(Some(&id), &error).into());
        }
    }
}

/// Counts the answers that a connection is owed.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    owed: AtomicUsize,
    paid: Notify,
}

impl InFlight {
    /// Counts one more answer that is owed.
    pub(crate) fn begin_reply(&self) -> PendingReply {
        self.0.owed.fetch_add(1, Ordering::AcqRel);
        PendingReply(self.0.clone())
    }

    /// Returns the number of answers that are owed.
    pub(crate) fn pending_count(&self) -> usize {
        self.0.owed.load(Ordering::Acquire)
    }

    /// Waits for one of them to be given. One that was given since this was last asked counts.
    pub(crate) async fn wait_for_reply(&self) {
        self.0.paid.notified().await;
    }
}

/// Guard of an answer that is owed for as long as this lives.
#[derive(Debug)]
pub(crate) struct PendingReply(Arc<Counted>);

impl Drop for PendingReply {
    fn drop(&mut self) {
        self.0.owed.fetch_sub(1, Ordering::AcqRel);
        self.0.paid.notify_one();
    }
}
