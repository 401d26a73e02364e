//! The two places that show a question: the panel, and the inbox of the main window. One of them does at a time.

use postern_contract::Showing;
use tauri::ipc::Channel;

/// A place that shows a question, and in which it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// The window of its own.
    Panel,
    /// A part of the main window.
    Inbox,
}

impl Surface {
    /// Returns the surface that the window of this label has.
    pub(crate) fn from_label(label: &str) -> Self {
        if label == super::settings::LABEL { Self::Inbox } else { Self::Panel }
    }
}

/// A page that listens, and what it was told last.
pub(super) struct PageListener {
    channel: Channel<Showing>,
    told: Option<Showing>,
}

impl PageListener {
    pub(super) fn new(channel: Channel<Showing>) -> Self {
        Self { channel, told: None }
    }

    /// Tells the page what to show, unless it shows that already. Returns false if the page is gone.
    pub(super) fn send_showing(&mut self, showing: Showing) -> bool {
        if self.told.as_ref() == Some(&showing) {
            return true;
        }
        let sent = self.channel.send(showing.clone()).is_ok();
        self.told = sent.then_some(showing);
        sent
    }

    /// Returns true if the page was told that answers count.
    pub(super) fn is_settled(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.settled)
    }
}
