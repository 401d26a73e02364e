//! The approval window: shown without taking the keyboard, closed only by an answer.

use super::pane::Pane;
use super::presenter::{Event, InboxEvent, Presenter};
use super::surface::Surface;
use crate::backend::Backend;
use crate::preferences::Kept;
use crate::system::SessionEvent;
use postern_contract::methods::RulePreview;
use postern_contract::{
    AnswerParams, Answered, EditParams, Edited, Offer, PillAct, QuestionName, RequestRow, Showing,
};
use std::sync::Arc;
use std::time::Duration;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, WindowEvent};
use tokio::sync::{mpsc, oneshot};

/// Label, which its capability names.
pub(crate) const LABEL: &str = "approval";

/// Width, in logical pixels: the page counts on it, so that its height is known before it is shown.
pub(super) const WIDTH: f64 = 460.0;

/// Says that the window that calls does not show the question.
const NOT_HERE: &str = "the question isn't shown in this window";

/// A handle on what shows questions.
#[derive(Debug, Clone)]
pub(crate) struct Approval {
    events: mpsc::UnboundedSender<Event>,
}

/// Handle for one of the two places that show questions: what comes from there counts only while the question
/// is there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    approval: Approval,
    surface: Surface,
}

/// Makes the window, which is kept for so long silently, and starts what drives it.
pub(crate) fn open(
    app: &AppHandle,
    backend: Arc<Backend>,
    preferences: Arc<Kept>,
    keep: Duration,
) -> tauri::Result<Approval> {
    let pane = Pane::open(app.clone(), keep)?;
    let (events, arriving) = mpsc::unbounded_channel();
    tauri::async_runtime::spawn(Presenter::new(pane, backend, preferences).run(arriving));
    Ok(Approval { events })
}

impl Approval {
    /// Reads the waiting questions, after a change of them.
    pub(crate) fn look(&self) {
        self.send(Event::Look);
    }

    /// Returns the place that the window of this label has.
    pub(crate) fn at(&self, label: &str) -> Place {
        Place { approval: self.clone(), surface: Surface::of(label) }
    }

    /// Notes that the inbox was closed: its window is gone, or shows another page.
    pub(crate) fn inbox_closed(&self) {
        self.send(Event::Inbox(InboxEvent::Closed));
    }

    /// Notes that the main window got the keyboard, or lost it.
    pub(crate) fn main_focused(&self, focused: bool) {
        self.send(Event::Inbox(InboxEvent::Focused(focused)));
    }

    /// Shows the question that the person chose in the inbox.
    pub(crate) fn choose(&self, id: String) {
        self.send(Event::Inbox(InboxEvent::Chosen(id)));
    }

    /// Notes that a request is in another state.
    pub(crate) fn changed(&self, row: RequestRow) {
        self.send(Event::Changed(Box::new(row)));
    }

    /// Hands over what the host was not told yet; before the app ends.
    pub(crate) async fn finish(&self) {
        let (reply, done) = oneshot::channel();
        self.send(Event::Finish(reply));
        // A presenter that is gone has nothing to hand over.
        done.await.ok();
    }

    /// Gives the panel the keyboard, or takes it back, after the user pressed the shortcut.
    pub(crate) fn turn_keyboard(&self) {
        self.send(Event::Shortcut);
    }

    /// Shows what waits, or the main window, after the app was opened again.
    #[cfg(target_os = "macos")]
    pub(crate) fn reopen(&self) {
        self.send(Event::Reopened);
    }

    /// Reports that the process of a window's page is gone: it shows nothing until it is loaded again.
    #[cfg(target_os = "macos")]
    pub(crate) fn page_gone(&self, label: &str) {
        if label == LABEL {
            self.send(Event::PageGone);
        } else if label == super::settings::LABEL {
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
        for label in [LABEL, super::settings::LABEL] {
            self.at(label).shaken();
        }
        self.look();
    }

    /// Shows this question, with the keyboard: only where the person asks for it.
    pub(crate) fn to_front(&self, id: String) {
        self.send(Event::Front(id));
    }

    fn send(&self, event: Event) {
        // Only fails while the app ends, when there is nothing left to show.
        self.events.send(event).ok();
    }
}

impl Place {
    /// Notes that a page is there and listens.
    pub(crate) fn watch(&self, page: Channel<Showing>) {
        self.approval.send(match self.surface {
            Surface::Panel => Event::Page(page),
            Surface::Inbox => Event::Inbox(InboxEvent::Opened(page)),
        });
    }

    /// Starts arming over: moved, resized, or drawn again.
    pub(crate) fn shaken(&self) {
        self.send(Event::Shaken);
    }

    /// Notes that the page has laid out a question, or its card for *Always*; all of it would be `height`
    /// logical pixels high.
    pub(crate) fn laid_out(&self, id: String, digest: String, height: f64, always: bool) {
        self.send(Event::LaidOut { id, digest, height, always });
    }

    /// Begins to hold *Allow*: returns true once it was held for long enough, or false if it was not.
    pub(crate) async fn hold(&self, id: String, digest: String) -> bool {
        let (reply, held) = oneshot::channel();
        self.send(Event::Hold { id, digest, reply });
        held.await.unwrap_or(false)
    }

    /// Ends holding *Allow*.
    pub(crate) fn release(&self) {
        self.send(Event::LetGo);
    }

    /// Notes the first of two presses; returns true if it counts.
    pub(crate) async fn press(&self, id: String, digest: String) -> bool {
        let (reply, counts) = oneshot::channel();
        self.send(Event::Press { id, digest, reply });
        counts.await.unwrap_or(false)
    }

    /// Opens or closes the details.
    pub(crate) fn details(&self, open: bool) {
        self.send(Event::Details(open));
    }

    /// Shows those that are alike together, or one at a time, as the person wants.
    pub(crate) fn gather(&self, together: bool) {
        self.send(Event::Gather(together));
    }

    /// Keeps what is on show for later.
    pub(crate) fn put_off(&self, id: String, digest: String) {
        self.send(Event::Later { id, digest });
    }

    /// Does what the person wants about the last answer.
    pub(crate) fn act(&self, act: PillAct) {
        self.send(Event::Act(act));
    }

    /// Begins to move the window.
    pub(crate) fn drag(&self) {
        self.send(Event::Drag);
    }

    /// Notes that the page has shown the end of a question.
    pub(crate) fn seen_end(&self, id: String, digest: String) {
        self.send(Event::EndSeen { id, digest });
    }

    /// Takes the page's answer, also to others that are shown as one with the question.
    pub(crate) async fn answer(
        &self,
        params: AnswerParams,
        others: Vec<QuestionName>,
    ) -> Result<Answered, String> {
        let (reply, answered) = oneshot::channel();
        self.send(Event::Answer { params: Box::new(params), others, reply });
        answered.await.map_err(|_| NOT_HERE.to_owned())?
    }

    /// Returns the command as the person changed it.
    pub(crate) async fn edit(&self, params: EditParams) -> Result<Edited, String> {
        let (reply, edited) = oneshot::channel();
        self.send(Event::Edit { params, reply });
        edited.await.map_err(|_| NOT_HERE.to_owned())?
    }

    /// Returns the effect of an offer's rule on recent requests.
    pub(crate) async fn preview(&self, offer: Offer) -> Result<RulePreview, String> {
        let (reply, preview) = oneshot::channel();
        self.send(Event::Preview { offer, reply });
        preview.await.map_err(|_| NOT_HERE.to_owned())?
    }

    fn send(&self, event: Event) {
        self.approval.send(Event::On(self.surface, Box::new(event)));
    }
}

/// Handles events of the window itself. Closing it denies.
pub(crate) fn on_event(window: &tauri::Window, event: &WindowEvent) {
    let Some(parts) = window.try_state::<crate::run::Parts>() else { return };
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            parts.approval.at(LABEL).send(Event::Closed);
        }
        WindowEvent::Destroyed => parts.approval.send(Event::Gone),
        WindowEvent::Moved(_)
        | WindowEvent::Resized(_)
        | WindowEvent::Focused(_)
        | WindowEvent::ScaleFactorChanged { .. }
        | WindowEvent::ThemeChanged(_) => parts.approval.at(LABEL).shaken(),
        _ => {}
    }
}
