//! Drives the approval window: takes what happens one by one, reports to the host what is really seen, tells the page.

use super::approval::{LEAST_HEIGHT, WIDTH};
use super::pane::Pane;
use crate::backend::Backend;
use crate::desk::Desk;
use crate::notify;
use crate::preferences::Kept;
use crate::presence;
use postern_contract::methods::{
    AnswerQuestion, CannotPresent, EditQuestion, ListQuestions, Nothing, PresentQuestion, PreviewRule,
    RulePreview, Unpresented,
};
use postern_contract::{
    Answer, AnswerParams, Answered, EditParams, Edited, NotApplied, Offer, Question, Showing,
};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tauri::ipc::Channel;
use tauri::{LogicalPosition, LogicalSize, WebviewWindow};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// A page that has not laid out a question by then is taken for crashed.
const PATIENCE: Duration = Duration::from_secs(10);
/// The part of the screen's height that the window may take.
const MOST_OF_SCREEN: f64 = 0.86;

/// What happens to the approval window.
pub(crate) enum Event {
    /// Something about the questions changed.
    Look,
    /// A page is there and listens.
    Page(Channel<Showing>),
    /// The page has laid out a question.
    LaidOut { id: String, digest: String, height: f64 },
    /// The page has shown the end of a question.
    EndSeen { id: String, digest: String },
    /// Moved, resized, focus came or went.
    Shaken,
    /// The page's answer.
    Answer { params: Box<AnswerParams>, reply: oneshot::Sender<Result<Answered, String>> },
    /// The person's own version of the command.
    Edit { params: EditParams, reply: oneshot::Sender<Result<Edited, String>> },
    /// The page asks what an offer would have let through.
    Preview { offer: Offer, reply: oneshot::Sender<Result<RulePreview, String>> },
    /// The person closed the window.
    Closed,
    /// The window that was let go does not exist any more.
    Gone,
    /// Time to ask the host again whether *Allow* works.
    Again,
}

/// Owns the window, the desk and the page's channel.
pub(crate) struct Presenter {
    pane: Pane,
    backend: Arc<Backend>,
    preferences: Arc<Kept>,
    desk: Desk,
    page: Option<Channel<Showing>>,
    told: Option<Showing>,
    /// When the host says that *Allow* will work.
    again: Option<Instant>,
    /// When the page should have laid out the question.
    patience: Option<Instant>,
}

impl Presenter {
    pub(crate) fn new(pane: Pane, backend: Arc<Backend>, preferences: Arc<Kept>) -> Self {
        let desk = Desk::default();
        Self { pane, backend, preferences, desk, page: None, told: None, again: None, patience: None }
    }

    /// Until the app ends.
    pub(crate) async fn run(mut self, mut events: mpsc::UnboundedReceiver<Event>) {
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = until(self.again) => Some(Event::Again),
                () = until(self.patience) => { self.give_up().await; continue }
                () = until(self.pane.until()) => { self.release(); continue }
            };
            let Some(event) = event else { return };
            if let Err(error) = self.take(event).await {
                tracing::warn!(%error, "the approval window");
            }
            // A resize comes as many events: the host is told once, when they are all in.
            if events.is_empty() {
                self.report().await;
                self.tell();
            }
        }
    }

    async fn take(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Look => self.look().await?,
            Event::Page(page) => {
                self.page = Some(page);
                self.told = None;
            }
            Event::LaidOut { id, digest, height } if self.desk.shows(&id, &digest) => self.show(height)?,
            Event::EndSeen { id, digest } if self.desk.shows(&id, &digest) => self.desk.end_seen(),
            // About a question that is not on show any more.
            Event::LaidOut { .. } | Event::EndSeen { .. } => {}
            Event::Shaken => self.desk.changed(),
            Event::Answer { params, reply } => {
                // The page may be gone by then; the answer counts all the same.
                reply.send(self.answer(*params).await).ok();
                self.look().await?;
            }
            Event::Edit { params, reply } => {
                reply.send(self.edit(params).await).ok();
                self.look().await?;
            }
            Event::Preview { offer, reply } => {
                // The rule is the question's own: the page says which, and what the person made of its pattern.
                let draft = self.desk.draft_of(&offer).ok_or("another question is on show by now".to_owned());
                let backend = Arc::clone(&self.backend);
                tokio::spawn(async move {
                    let preview = match draft {
                        Ok(draft) => backend.ask::<PreviewRule>(&draft).await.map_err(|error| error.message),
                        Err(problem) => Err(problem),
                    };
                    reply.send(preview).ok();
                });
            }
            Event::Closed => {
                if let Some(params) = self.refusal() {
                    self.answer(params).await.map_err(anyhow::Error::msg)?;
                }
                self.look().await?;
            }
            Event::Gone => {
                self.pane.gone();
                self.look().await?;
            }
            Event::Again => self.again = None,
        }
        Ok(())
    }

    /// Puts the oldest question on the desk.
    async fn look(&mut self) -> anyhow::Result<()> {
        let waiting = self.backend.ask::<ListQuestions>(&Nothing {}).await;
        // Without a host no question waits: what it asked last must not stay on show.
        let oldest = waiting.as_ref().ok().and_then(|waiting| waiting.questions.first().cloned());
        let other = self.desk.waiting(oldest);
        if other {
            self.patience = self.desk.question().map(|_| Instant::now() + PATIENCE);
        }
        if self.desk.question().is_some() {
            self.pane.wanted()?;
        } else {
            self.desk.set_visible(false);
            self.pane.window().map_or(Ok(()), WebviewWindow::hide)?;
            self.pane.unused();
        }
        waiting?;
        Ok(())
    }

    /// Shows the window at the question's own height, without taking the keyboard.
    fn show(&mut self, height: f64) -> anyhow::Result<()> {
        let Some(window) = self.pane.window() else { return Ok(()) };
        let scale = window.scale_factor()?;
        let hidden = !window.is_visible()?;
        if !self.desk.is_laid_out() {
            let monitor = match window.current_monitor()? {
                Some(monitor) => Some(monitor),
                None => window.primary_monitor()?,
            };
            let screen = monitor.map(|monitor| monitor.size().to_logical::<f64>(scale));
            let most = screen.map_or(f64::MAX, |screen| screen.height * MOST_OF_SCREEN);
            let width = if hidden { WIDTH } else { f64::from(window.inner_size()?.width) / scale };
            let height = height.min(most).max(LEAST_HEIGHT);
            window.set_size(LogicalSize::new(width, height))?;
            if let (true, Some(screen)) = (hidden, screen) {
                // Where dialogs stand: in the middle, a little above the half.
                let place =
                    LogicalPosition::new((screen.width - width) / 2.0, (screen.height - height) / 3.0);
                window.set_position(place)?;
            }
        }
        self.desk.laid_out();
        self.patience = None;
        if hidden {
            window.show()?;
        }
        self.desk.set_visible(true);
        Ok(())
    }

    /// The page did not lay out the question: the host must not count on it.
    async fn give_up(&mut self) {
        self.patience = None;
        let Some(question) = self.desk.question() else { return };
        let unpresented =
            Unpresented { question_id: question.id.clone(), why: "its page crashed".to_owned() };
        if let Err(error) = self.backend.ask::<CannotPresent>(&unpresented).await {
            tracing::warn!(%error, "cannot say that a question is not shown");
        }
        if let Err(error) = self.pane.window().map_or(Ok(()), WebviewWindow::reload) {
            tracing::warn!(%error, "cannot load the page again");
        }
    }

    /// Nobody asked for a while: the page goes, and the next question has a new one.
    fn release(&mut self) {
        self.page = None;
        self.told = None;
        if let Err(error) = self.pane.release() {
            tracing::warn!(%error, "cannot let the approval window go");
        }
    }

    async fn answer(&self, params: AnswerParams) -> Result<Answered, String> {
        if !self.desk.answers(&params) {
            return Ok(Answered::refused(&NotApplied::OtherQuestion));
        }
        if let Err(words) = self.confirmed(params.answer).await {
            return Ok(Answered::refused(&NotApplied::NotConfirmed(words)));
        }
        let answered = self.backend.ask::<AnswerQuestion>(&params).await.map_err(|error| error.message)?;
        // The window shows the next question by then, or none.
        let saved = answered.saved_words();
        if answered.applied && !saved.is_empty() {
            notify::attention(&saved.join("; "));
        }
        Ok(answered)
    }

    /// Whether the owner confirmed an answer that wants it. Nothing else happens here meanwhile: what is on show stays, and
    /// the focus that the system's own question takes counts for nothing.
    async fn confirmed(&self, answer: Answer) -> Result<(), &'static str> {
        let wanted = |question: &&Question| presence::wanted(question, answer);
        let Some(question) = self.desk.question().filter(wanted) else { return Ok(()) };
        if !self.preferences.get().confirm {
            return Ok(());
        }
        let what = match answer {
            Answer::Always => "allow this always",
            _ => "allow a dangerous command",
        };
        presence::confirm(what, left(question)).await
    }

    async fn edit(&self, params: EditParams) -> Result<Edited, String> {
        if !self.desk.shows(&params.question_id, &params.digest) {
            return Ok(Edited::refused(&NotApplied::OtherQuestion));
        }
        self.backend.ask::<EditQuestion>(&params).await.map_err(|error| error.message)
    }

    fn refusal(&self) -> Option<AnswerParams> {
        self.desk.question().map(|question| AnswerParams::to(question, Answer::Deny))
    }

    /// Tells the host what is seen, and hears whether *Allow* works.
    async fn report(&mut self) {
        self.again = None;
        let Some(report) = self.desk.report() else { return };
        match self.backend.ask::<PresentQuestion>(&report).await {
            Ok(arming) => {
                if let Some(left) = arming.remaining_ms.filter(|_| !arming.armed) {
                    self.again = Some(Instant::now() + Duration::from_millis(left + 5));
                }
                self.desk.armed(&report, arming);
            }
            // Nothing was armed, so nothing can be allowed; the question may just have ended.
            Err(error) => tracing::debug!(%error, "the host did not take what is seen"),
        }
    }

    fn tell(&mut self) {
        let showing = self.desk.showing();
        if self.told.as_ref() == Some(&showing) {
            return;
        }
        if let Some(page) = &self.page
            && page.send(showing.clone()).is_ok()
        {
            self.told = Some(showing);
        }
    }
}

/// How long a question still waits.
fn left(question: &Question) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ends = Duration::from_millis(u64::try_from(question.expires_at).unwrap_or(0));
    ends.saturating_sub(now)
}

/// Sleeps until then; for good where there is no then.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}
