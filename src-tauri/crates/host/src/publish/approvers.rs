//! Telling approvers. Another state of a request concerns only those who watch requests: every request has several.

use postern_contract::ApproverNotification;
use tokio::sync::broadcast::{Receiver, Sender, channel};

/// Messages that a watcher may fall behind before it has to read the lists again.
const BACKLOG: usize = 1024;

/// Handle on everybody who watches. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct ApproverNotifier {
    everything: Sender<ApproverNotification>,
    without_requests: Sender<ApproverNotification>,
}

impl ApproverNotifier {
    pub(crate) fn new() -> Self {
        Self { everything: channel(BACKLOG).0, without_requests: channel(BACKLOG).0 }
    }

    /// Notifies everybody whom it concerns.
    pub(crate) fn send(&self, notification: ApproverNotification) {
        let of_requests = matches!(notification, ApproverNotification::RequestChanged(_));
        // Nobody may be watching.
        if !of_requests && self.without_requests.receiver_count() > 0 {
            _ = self.without_requests.send(notification.clone());
        }
        _ = self.everything.send(notification);
    }

    pub(crate) fn subscribe(&self) -> Receiver<ApproverNotification> {
        self.everything.subscribe()
    }

    /// Returns the notifications, from now on, without those of requests.
    pub(crate) fn subscribe_without_requests(&self) -> Receiver<ApproverNotification> {
        self.without_requests.subscribe()
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.are_requests_watched() || self.without_requests.receiver_count() > 0
    }

    pub(crate) fn are_requests_watched(&self) -> bool {
        self.everything.receiver_count() > 0
    }
}
