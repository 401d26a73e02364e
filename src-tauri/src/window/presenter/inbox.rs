//! The inbox of the main window: while it is open and has the keyboard, questions are shown there and not in the panel.
//!
//! What is on show, arming and holding are the same: there is one desk. A question that goes from one place to the other
//! was not seen there, so that arming starts over.

use super::Presenter;
use crate::window::place::WindowContent;
use crate::window::settings;
use crate::window::surface::{PageListener, Surface};
use postern_contract::{Showing, ShownArming};
use tauri::Manager;
use tauri::ipc::Channel;
use tokio::time::Instant;

pub(crate) enum InboxEvent {
    /// The page is there and listens.
    Opened(Channel<Showing>),
    /// The page is gone, or shows something else.
    Closed,
    /// The main window got the keyboard, or lost it.
    Focused(bool),
    /// The person chose a question, by its id.
    Chosen(String),
}

/// The inbox while it is open.
pub(super) struct Inbox {
    pub(super) listener: PageListener,
    focused: bool,
}

impl Presenter {
    /// Returns the place in which questions are shown.
    pub(super) fn surface(&self) -> Surface {
        match &self.inbox {
            Some(Inbox { focused: true, .. }) => Surface::Inbox,
            Some(_) | None => Surface::Panel,
        }
    }

    pub(super) async fn take_inbox(&mut self, event: InboxEvent) -> anyhow::Result<()> {
        let before = self.surface();
        match event {
            InboxEvent::Opened(channel) => {
                // Another page than before has shown nothing yet.
                if before == Surface::Inbox {
                    self.switch_surface()?;
                }
                let window = self.pane.app_handle().get_webview_window(settings::LABEL);
                let focused = window.is_some_and(|window| window.is_focused().unwrap_or(false));
                self.inbox = Some(Inbox { listener: PageListener::new(channel), focused });
            }
            InboxEvent::Closed => self.inbox = None,
            InboxEvent::Focused(focused) => {
                if let Some(inbox) = &mut self.inbox {
                    inbox.focused = focused;
                }
            }
            InboxEvent::Chosen(id) => self.chosen = Some(id),
        }
        if self.surface() != before {
            self.switch_surface()?;
        }
        self.refresh_question().await
    }

    /// Gives the question to the panel: the inbox did not show it.
    pub(super) async fn leave_inbox(&mut self) -> anyhow::Result<()> {
        tracing::warn!("the inbox does not show its question");
        self.take_inbox(InboxEvent::Closed).await
    }

    /// Questions are shown in the other place from now on: both are cleared, and nothing counts as seen.
    fn switch_surface(&mut self) -> anyhow::Result<()> {
        self.desk.waiting(None, Vec::new());
        self.desk.set_visible(false, Instant::now());
        self.tell_pages(self.idle_showing(), self.idle_showing());
        if let Some(window) = self.pane.window() {
            self.place.show_content(window, WindowContent::Hidden)?;
        }
        self.pane.unused();
        Ok(())
    }

    /// Returns what a place shows while the other one has the question.
    pub(super) fn idle_showing(&self) -> Showing {
        Showing {
            question: None,
            batch: None,
            later: 0,
            arming: ShownArming::Unseen,
            settled: false,
            hold: false,
            details: self.preferences.get().details,
            pill: None,
        }
    }

    /// Tells both pages what to show. One that is gone brings its own channel when it is back.
    pub(super) fn tell_pages(&mut self, panel: Showing, inbox: Showing) {
        if self.page.as_mut().is_some_and(|page| !page.send_showing(panel)) {
            self.page = None;
        }
        if self.inbox.as_mut().is_some_and(|one| !one.listener.send_showing(inbox)) {
            self.inbox = None;
        }
    }
}
