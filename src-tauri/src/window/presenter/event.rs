//! Events of the windows that show questions, of the person, the pages and the host.

use super::InboxEvent;
use crate::window::surface::Surface;
use postern_contract::methods::{RulePreview, ScriptRef, ScriptText};
use postern_contract::{
    AnswerParams, Answered, EditParams, Edited, PillAct, Question, QuestionName, RequestRow, Showing,
};
use tauri::ipc::Channel;
use tokio::sync::oneshot;

/// Event of the windows that show questions.
pub(crate) enum PresenterEvent {
    /// Something in one of the two places. It counts for nothing while the other one shows the question.
    On(Surface, Box<PresenterEvent>),
    /// Something about the inbox.
    Inbox(InboxEvent),
    /// Something about the questions changed.
    Look,
    /// The person chose a question outside of the inbox.
    Front(String),
    /// The person denied a question by its notification.
    Deny(Box<Question>),
    /// The user pressed the shortcut.
    Shortcut,
    /// The app was opened again.
    #[cfg_attr(not(target_os = "macos"), expect(dead_code, reason = "only macOS tells"))]
    Reopened,
    /// The process of the panel's page is gone.
    #[cfg_attr(not(target_os = "macos"), expect(dead_code, reason = "only macOS tells"))]
    PageGone,
    /// A page is there and listens.
    Page(Channel<Showing>),
    /// A request is in another state.
    Changed(Box<RequestRow>),
    /// The page has laid out a question, or its card for *Always*; all of it would be `height` logical pixels high.
    LaidOut { id: String, digest: String, height: f64, always: bool },
    /// The page has shown the end of a question.
    EndSeen { id: String, digest: String },
    /// Moved, resized, focus came or went.
    Shaken,
    /// The page's answer, also to others that are shown as one with the question.
    Answer {
        params: Box<AnswerParams>,
        others: Vec<QuestionName>,
        reply: oneshot::Sender<Result<Answered, String>>,
    },
    /// The person keeps what is on show for later.
    Later { id: String, digest: String },
    /// The person keeps all that waits for later.
    AllLater,
    /// The person wants those that are alike together, or one at a time.
    Gather(bool),
    /// *Allow* is pressed, to be held. The reply is true once it was held for long enough.
    Hold { id: String, digest: String, reply: oneshot::Sender<bool> },
    /// *Allow* is let go.
    LetGo,
    /// The first of two presses. The reply is true if it counts.
    Press { id: String, digest: String, reply: oneshot::Sender<bool> },
    /// The person opened or closed the details.
    Details(bool),
    /// Action of the person on the last answer.
    Act(PillAct),
    /// The person moves the window.
    Drag,
    /// The app ends.
    Finish(oneshot::Sender<()>),
    /// The person's own version of the command.
    Edit { params: EditParams, reply: oneshot::Sender<Result<Edited, String>> },
    /// The page asks what an offer would have let through.
    Preview { params: Box<AnswerParams>, reply: oneshot::Sender<Result<RulePreview, String>> },
    /// Whole text of a script that the question on show names.
    Script { script: ScriptRef, reply: oneshot::Sender<Result<ScriptText, String>> },
    /// The person closed the window.
    Closed,
    /// The window that was let go does not exist any more.
    Gone,
    /// Time to ask the host again whether *Allow* works.
    Again,
    /// The page did not lay out the question in time.
    GiveUp,
    /// No question came for a while.
    Release,
    /// Something of the presenter's own is due.
    Due,
    /// The page on show is to say that it lives.
    Beat,
}
