//! The approval window: shown without taking the keyboard, closed only by an answer.

use super::pane::Pane;
use super::panel;
pub(crate) use super::presenter::PresenterEvent;
use super::presenter::{InboxEvent, Presenter};
use super::settings;
use super::surface::Surface;
use crate::backend::Backend;
use crate::preferences::StoredPreferences;
use crate::system::SessionEvent;
use postern_contract::{Question, RequestRow, Showing};
use std::sync::Arc;
use std::time::Duration;
use tauri::ipc::Channel;
use tauri::{AppHandle, WindowEvent};
use tokio::sync::{mpsc, oneshot};

/// Label, which its capability names.
pub(crate) const LABEL: &str = "approval";

/// A handle on what shows questions.
#[derive(Debug, Clone)]
pub(crate) struct ApprovalHandle {
    events: mpsc::UnboundedSender<PresenterEvent>,
}

/// Handle for one of the two places that show questions: what comes from there counts only while the question
/// is there.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceHandle {
    approval: ApprovalHandle,
    surface: Surface,
}

/// Makes the window, which is kept for so long silently, and starts what drives it.
pub(crate) fn open_window(
    app: &AppHandle,
    backend: Arc<Backend>,
    preferences: Arc<StoredPreferences>,
    keep: Duration,
) -> tauri::Result<ApprovalHandle> {
    panel::watch_presses();
    let pane = Pane::open(app.clone(), LABEL, keep)?;
    let (events, arriving) = mpsc::unbounded_channel();
    tauri::async_runtime::spawn(Presenter::new(pane, backend, preferences).run(arriving));
    Ok(ApprovalHandle { events })
}

impl ApprovalHandle {
    /// Reads the waiting questions, after a change of them.
    pub(crate) fn refresh_questions(&self) {
        self.send(PresenterEvent::Look);
    }

    /// Returns the place that the window of this label has.
    pub(crate) fn surface_handle(&self, label: &str) -> SurfaceHandle {
        SurfaceHandle { approval: self.clone(), surface: Surface::from_label(label) }
    }

    /// Notes that the inbox was closed: its window is gone, or shows another page.
    pub(crate) fn inbox_closed(&self) {
        self.send(PresenterEvent::Inbox(InboxEvent::Closed));
    }

    /// Notes that the main window got the keyboard, or lost it.
    pub(crate) fn main_focused(&self, focused: bool) {
        self.send(PresenterEvent::Inbox(InboxEvent::Focused(focused)));
    }

    /// Shows the question that the person chose in the inbox.
    pub(crate) fn choose(&self, id: String) {
        self.send(PresenterEvent::Inbox(InboxEvent::Chosen(id)));
    }

    /// Notes that a request is in another state.
    pub(crate) fn changed(&self, row: RequestRow) {
        self.send(PresenterEvent::Changed(Box::new(row)));
    }

    /// Hands over what the host was not told yet; before the app ends.
    pub(crate) async fn finish(&self) {
        let (reply, done) = oneshot::channel();
        self.send(PresenterEvent::Finish(reply));
        // A presenter that is gone has nothing to hand over.
        done.await.ok();
    }

    /// Gives the panel the keyboard, or takes it back, after the user pressed the shortcut.
    pub(crate) fn turn_keyboard(&self) {
        self.send(PresenterEvent::Shortcut);
    }

    /// Shows what waits, or the main window, after the app was opened again.
    #[cfg(target_os = "macos")]
    pub(crate) fn reopen(&self) {
        self.send(PresenterEvent::Reopened);
    }

    /// Reports that the process of a window's page is gone: it shows nothing until it is loaded again.
    #[cfg(target_os = "macos")]
    pub(crate) fn page_gone(&self, label: &str) {
        if label == LABEL {
            self.send(PresenterEvent::PageGone);
        } else if label == settings::LABEL {
            self.inbox_closed();
        }
    }

    /// Handles a change of the user's session. What was seen before counts for nothing.
    pub(crate) async fn session(&self, event: SessionEvent, backend: &Backend) {
        match event {
            SessionEvent::WillSleep => backend.fall_asleep().await,
            SessionEvent::Awoke => backend.wake_up().await,
            SessionEvent::Changed => {}
        }
        for label in [LABEL, settings::LABEL] {
            self.surface_handle(label).shaken();
        }
        self.refresh_questions();
    }

    /// Shows this question, with the keyboard: only where the person asks for it.
    pub(crate) fn to_front(&self, id: String) {
        self.send(PresenterEvent::Front(id));
    }

    /// Denies a question by its notification.
    pub(crate) fn deny(&self, question: Box<Question>) {
        self.send(PresenterEvent::Deny(question));
    }

    /// Keeps all that waits for later: it stays in the inbox.
    pub(crate) fn put_off_all(&self) {
        self.send(PresenterEvent::AllLater);
    }

    fn send(&self, event: PresenterEvent) {
        // Only fails while the app ends, when there is nothing left to show.
        self.events.send(event).ok();
    }
}

impl SurfaceHandle {
    /// Notes that a page is there and listens.
    pub(crate) fn attach_page(&self, page: Channel<Showing>) {
        self.approval.send(match self.surface {
            Surface::Panel => PresenterEvent::Page(page),
            Surface::Inbox => PresenterEvent::Inbox(InboxEvent::Opened(page)),
        });
    }

    /// Starts arming over: moved, resized, or drawn again.
    pub(crate) fn shaken(&self) {
        self.send(PresenterEvent::Shaken);
    }

    /// Sends an event with a place for its answer. Returns `None` if the window that calls does not show the question.
    pub(crate) async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> PresenterEvent) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.send(event(reply));
        answer.await.ok()
    }

    /// Sends an event of this place.
    pub(crate) fn send(&self, event: PresenterEvent) {
        self.approval.send(PresenterEvent::On(self.surface, Box::new(event)));
    }
}

/// Handles events of the window itself. Closing it denies.
pub(crate) fn on_event(event: &WindowEvent, approval: &ApprovalHandle) {
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            approval.surface_handle(LABEL).send(PresenterEvent::Closed);
        }
        WindowEvent::Destroyed => approval.send(PresenterEvent::Gone),
        WindowEvent::Moved(_)
        | WindowEvent::Resized(_)
        | WindowEvent::Focused(_)
        | WindowEvent::ScaleFactorChanged { .. }
        | WindowEvent::ThemeChanged(_) => approval.surface_handle(LABEL).shaken(),
        _ => {}
    }
}

/// Handles events of the main window, which has the inbox.
///
/// Whatever moves it starts the arming of its inbox over, and without the keyboard its inbox shows no question.
pub(crate) fn on_main_window_event(event: &WindowEvent, approval: &ApprovalHandle) {
    match event {
        WindowEvent::Destroyed => approval.inbox_closed(),
        WindowEvent::Focused(focused) => approval.main_focused(*focused),
        WindowEvent::Moved(_)
        | WindowEvent::Resized(_)
        | WindowEvent::ScaleFactorChanged { .. }
        | WindowEvent::ThemeChanged(_) => approval.surface_handle(settings::LABEL).shaken(),
        _ => {}
    }
}
