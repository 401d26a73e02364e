//! Drives the approval window: takes what happens one by one, reports to the host what is really seen, tells the page.

mod answers;
mod batch;
mod inbox;
mod pulse;

pub(crate) use inbox::InboxEvent;

use super::outcome::Outcome;
use super::pane::Pane;
use super::panel;
use super::place::{Place, Stage};
use super::surface::{Listener, Surface};
use crate::Page;
use crate::backend::Backend;
use crate::desk::{Desk, HOLD};
use crate::preferences::Kept;
use crate::window::settings;
use batch::Alike;
use inbox::Inbox;
use postern_contract::methods::{
    CannotPresent, ListQuestions, Nothing, PresentQuestion, Presented, PreviewRule, RulePreview, Unpresented,
};
use postern_contract::{
    AnswerParams, Answered, EditParams, Edited, Offer, PillAct, Preferences, Question, QuestionName,
    RequestRow, Showing,
};
use pulse::Pulse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tauri::WebviewWindow;
use tauri::ipc::Channel;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// A page that has not laid out a question by then is taken for crashed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Event of the windows that show questions.
pub(crate) enum Event {
    /// Something in one of the two places. It counts for nothing while the other one shows the question.
    On(Surface, Box<Event>),
    /// Something about the inbox.
    Inbox(InboxEvent),
    /// Something about the questions changed.
    Look,
    /// The person chose a question outside of the inbox.
    Front(String),
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
    /// The page has laid out a question.
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
    /// The person wants those that are alike together, or one at a time.
    Gather(bool),
    /// *Allow* is pressed, to be held.
    Hold { id: String, digest: String, reply: oneshot::Sender<bool> },
    /// *Allow* is let go.
    LetGo,
    /// The first of two presses.
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
    Preview { offer: Offer, reply: oneshot::Sender<Result<RulePreview, String>> },
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

/// Owns the window, the desk and the page's channel.
pub(crate) struct Presenter {
    pane: Pane,
    backend: Arc<Backend>,
    preferences: Arc<Kept>,
    desk: Desk,
    /// The panel's page.
    page: Option<Listener>,
    /// The inbox, while it is open.
    inbox: Option<Inbox>,
    /// The question that the person chose, by its id.
    chosen: Option<String>,
    /// True if the panel takes the keyboard when it is shown next: the person asked for it.
    keyboard: bool,
    /// Time at which the host says that *Allow* will work.
    again: Option<Instant>,
    /// Time by which the page should have laid out the question.
    patience: Option<Instant>,
    /// Time by which *Allow* was held for long enough, with the caller that waits for that.
    held: Option<(Instant, oneshot::Sender<bool>)>,
    /// Denial that can still be undone, and the time when it goes to the host.
    denial: Option<(Vec<AnswerParams>, Instant)>,
    /// Questions that are shown as one with others.
    alike: Alike,
    /// Questions that the person keeps for later, by their ids: they wait in the inbox.
    put_off: HashSet<String>,
    /// Result of the last answer.
    outcome: Option<Outcome>,
    place: Place,
    /// Liveness check of the page on show.
    pulse: Pulse,
}

impl Presenter {
    pub(crate) fn new(pane: Pane, backend: Arc<Backend>, preferences: Arc<Kept>) -> Self {
        Self {
            pane,
            backend,
            preferences,
            desk: Desk::default(),
            page: None,
            inbox: None,
            chosen: None,
            keyboard: false,
            again: None,
            patience: None,
            held: None,
            denial: None,
            alike: Alike::default(),
            put_off: HashSet::new(),
            outcome: None,
            place: Place::default(),
            pulse: Pulse::default(),
        }
    }

    /// Runs until the app ends.
    pub(crate) async fn run(mut self, mut events: mpsc::UnboundedReceiver<Event>) {
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = until(self.again) => Some(Event::Again),
                () = until(self.patience) => Some(Event::GiveUp),
                () = until(self.pane.until()) => Some(Event::Release),
                () = until(self.due()) => Some(Event::Due),
                () = until(self.pulse.next()) => Some(Event::Beat),
            };
            let event = match event {
                None => return,
                Some(Event::On(surface, event)) if surface == self.surface() => *event,
                // Who waits for its reply hears that it did not count.
                Some(Event::On(..)) => continue,
                Some(event) => event,
            };
            if let Err(error) = self.take(event).await {
                tracing::warn!(%error, "the approval window");
            }
            // Whatever starts arming over ends a hold.
            if !self.desk.is_held() {
                self.held = None;
            }
            self.pulse.watch(self.desk.is_on_show(), Instant::now());
            // A resize comes as many events: the host is told once, when they are all in.
            if events.is_empty() {
                self.report().await;
                self.tell();
            }
        }
    }

    /// Returns the time at which something of its own is due.
    fn due(&self) -> Option<Instant> {
        let page = match self.surface() {
            Surface::Panel => self.page.as_ref(),
            Surface::Inbox => self.inbox.as_ref().map(|inbox| &inbox.listener),
        };
        let settles = self.desk.settles().filter(|_| page.is_some_and(|page| !page.is_settled()));
        let times = [
            settles,
            self.held.as_ref().map(|(until, _)| *until),
            self.denial.as_ref().map(|(_, until)| *until),
            self.outcome.as_ref().map(|outcome| outcome.until),
        ];
        times.into_iter().flatten().min()
    }

    async fn is_due(&mut self) -> anyhow::Result<()> {
        let now = Instant::now();
        if let Some((_, reply)) = self.held.take_if(|(until, _)| *until <= now) {
            // A page that is gone holds nothing.
            reply.send(true).ok();
        }
        if self.outcome.take_if(|outcome| outcome.until <= now).is_some() {
            self.stage()?;
        }
        if self.denial.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.hand_over().await;
            // If the denial did not count, its question waits on.
            self.look().await?;
        }
        Ok(())
    }

    async fn take(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Look => self.look().await?,
            Event::Front(id) => self.front(id).await?,
            Event::Shortcut => self.turn_keyboard()?,
            Event::Reopened => self.reopen().await?,
            Event::PageGone => self.page_gone(),
            Event::Page(page) => self.page = Some(Listener::new(page)),
            Event::Inbox(event) => self.take_inbox(event).await?,
            Event::Changed(row) => {
                if let Some(outcome) = &mut self.outcome {
                    outcome.changed(&row, Instant::now());
                }
            }
            Event::LaidOut { id, digest, height, always } if self.desk.shows(&id, &digest) => {
                self.show(height, always)?;
            }
            Event::EndSeen { id, digest } if self.desk.shows(&id, &digest) => self.desk.end_seen(),
            // About a question that is not on show any more, or taken apart before.
            Event::Later { id, digest } if self.desk.shows(&id, &digest) => {
                let done = self.put_off().await;
                self.look().await?;
                done?;
            }
            Event::LaidOut { .. } | Event::EndSeen { .. } | Event::Later { .. } | Event::On(..) => {}
            Event::Shaken => self.desk.changed(),
            Event::Answer { params, others, reply } => {
                // The page may be gone by then; the answer counts all the same.
                reply.send(self.answer(*params, &others).await).ok();
                self.look().await?;
            }
            Event::Gather(together) => {
                self.gather(together);
                self.look().await?;
            }
            Event::Edit { params, reply } => {
                reply.send(self.edit(params).await).ok();
                self.look().await?;
            }
            Event::Preview { offer, reply } => self.preview(&offer, reply),
            Event::Closed => {
                if let Some((params, others)) = self.refusal() {
                    self.answer(params, &others).await.map_err(anyhow::Error::msg)?;
                }
                self.look().await?;
            }
            Event::Gone => {
                self.pane.gone();
                self.place.gone();
                self.look().await?;
            }
            Event::Again => self.again = None,
            Event::GiveUp if self.surface() == Surface::Inbox => self.leave_inbox().await?,
            Event::GiveUp => self.give_up().await,
            Event::Release => self.release(),
            Event::Due => self.is_due().await?,
            Event::Beat => self.beat().await?,
            Event::Hold { .. }
            | Event::LetGo
            | Event::Press { .. }
            | Event::Details(_)
            | Event::Act(_)
            | Event::Drag
            | Event::Finish(_) => self.take_act(event).await?,
        }
        Ok(())
    }

    /// Asks what an offer would have let through. The rule is the question's own: the page says which, and what the person
    /// made of its pattern.
    fn preview(&self, offer: &Offer, reply: oneshot::Sender<Result<RulePreview, String>>) {
        let draft = self.desk.draft_of(offer).ok_or("another question is on show by now".to_owned());
        let backend = Arc::clone(&self.backend);
        tokio::spawn(async move {
            let preview = match draft {
                Ok(draft) => backend.ask::<PreviewRule>(&draft).await.map_err(|error| error.message),
                Err(problem) => Err(problem),
            };
            reply.send(preview).ok();
        });
    }

    /// Applies an action of the person besides answering.
    async fn take_act(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Hold { id, digest, reply } => {
                let now = Instant::now();
                if self.desk.shows(&id, &digest) && self.desk.hold(now) {
                    self.held = Some((now + HOLD, reply));
                } else {
                    reply.send(false).ok();
                }
            }
            Event::LetGo => self.desk.let_go(),
            Event::Press { id, digest, reply } => {
                reply.send(self.desk.shows(&id, &digest) && self.desk.press(Instant::now())).ok();
            }
            Event::Details(details) => {
                let kept = self.preferences.get();
                self.preferences.set(Preferences { details, ..kept })?;
            }
            Event::Act(act) => self.act(act).await?,
            Event::Drag => {
                if let Some(window) = self.pane.window() {
                    self.place.drag(window)?;
                }
            }
            Event::Finish(reply) => {
                self.hand_over().await;
                reply.send(()).ok();
            }
            _ => {}
        }
        Ok(())
    }

    /// Puts a question on the desk: the one that the person chose, or the oldest.
    async fn look(&mut self) -> anyhow::Result<()> {
        let waiting = self.backend.ask::<ListQuestions>(&Nothing {}).await;
        // Without a host no question waits: what it asked last must not stay on show.
        let mut questions = waiting.as_ref().map_or_else(|_| Vec::new(), |waiting| waiting.questions.clone());
        let all = questions.len();
        questions.retain(|question| !self.is_denied(question));
        let put_off = questions.len();
        self.without_put_off(&mut questions);
        let put_off = put_off - questions.len();
        // The one that is denied waits no more for the person.
        let gone = u32::try_from(all - questions.len() - put_off).unwrap_or(u32::MAX);
        let chosen =
            self.chosen.as_deref().and_then(|id| questions.iter().position(|question| question.id == id));
        let others = self.others(questions.get(chosen.unwrap_or(0)), &questions);
        let gone = gone.saturating_add(u32::try_from(others.len()).unwrap_or(u32::MAX));
        let next = questions.into_iter().nth(chosen.unwrap_or(0)).map(|question| Question {
            waiting: question.waiting.saturating_sub(gone),
            // All of them wait until the first one ends.
            expires_at: others.iter().map(|other| other.expires_at).fold(question.expires_at, i64::min),
            ..question
        });
        if self.desk.waiting(next, others) {
            self.patience = self.desk.question().map(|_| Instant::now() + PATIENCE);
        }
        if self.desk.question().is_some() {
            // It takes the place in which a denial could be undone.
            self.outcome = None;
            self.hand_over().await;
            if self.surface() == Surface::Panel {
                self.pane.wanted()?;
            }
        } else {
            self.keyboard = false;
            self.desk.set_visible(false, Instant::now());
            self.stage()?;
        }
        waiting?;
        Ok(())
    }

    /// Shows the panel at the question's own height, again whenever that changes, without taking the keyboard. The inbox is
    /// on show already.
    fn show(&mut self, height: f64, always: bool) -> anyhow::Result<()> {
        if self.surface() == Surface::Panel {
            let Some(window) = self.pane.window() else { return Ok(()) };
            self.place.turn(window, Stage::Panel(height))?;
            if std::mem::take(&mut self.keyboard) {
                panel::take_keyboard(window)?;
            }
        }
        self.patience = None;
        self.desk.laid_out(always, Instant::now());
        self.desk.set_visible(true, Instant::now());
        Ok(())
    }

    /// Shows a question that the person chose, with the keyboard. The inbox has it already.
    async fn front(&mut self, id: String) -> anyhow::Result<()> {
        self.put_off.remove(&id);
        self.chosen = Some(id);
        self.look().await?;
        if self.surface() == Surface::Inbox {
            return Ok(());
        }
        match self.pane.window() {
            Some(window) if matches!(self.place.stage(), Stage::Panel(_)) => panel::take_keyboard(window)?,
            _ => self.keyboard = true,
        }
        Ok(())
    }

    /// Gives the panel the keyboard, or gives it back to the app that the user was in. It answers nothing.
    fn turn_keyboard(&self) -> anyhow::Result<()> {
        let shown = matches!(self.place.stage(), Stage::Panel(_));
        let Some(window) = self.pane.window().filter(|_| shown) else { return Ok(()) };
        if window.is_focused()? {
            panel::give_keyboard_back(window)?;
        } else {
            panel::take_keyboard(window)?;
        }
        Ok(())
    }

    /// Shows what waits with the keyboard, or else the main window.
    async fn reopen(&mut self) -> anyhow::Result<()> {
        if let Some(id) = self.desk.question().map(|question| question.id.clone()) {
            self.front(id).await
        } else {
            settings::open(self.pane.app(), Page::default());
            Ok(())
        }
    }

    /// Counts on nothing that the page showed, until it is loaded again and has laid out the question.
    fn page_gone(&mut self) {
        self.page = None;
        let now = Instant::now();
        self.desk.set_visible(false, now);
        self.patience = self.desk.question().map(|_| now + PATIENCE);
    }

    /// Shows what became of the last answer, or nothing, if there is no question.
    fn stage(&mut self) -> anyhow::Result<()> {
        if self.desk.question().is_some() || self.surface() == Surface::Inbox {
            return Ok(());
        }
        let next = if self.outcome.is_some() { Stage::Pill } else { Stage::Hidden };
        match self.pane.window() {
            // A window that shows nothing does not open for a result.
            Some(window) if self.place.stage() != Stage::Hidden => self.place.turn(window, next)?,
            Some(_) | None => {}
        }
        if self.place.stage() == Stage::Hidden {
            self.outcome = None;
            self.pane.unused();
        }
        Ok(())
    }

    /// Gives up on a question that the page did not lay out: the host must not count on it.
    async fn give_up(&mut self) {
        self.patience = None;
        self.cannot_show().await;
        if let Err(error) = self.pane.window().map_or(Ok(()), WebviewWindow::reload) {
            tracing::warn!(%error, "cannot load the page again");
        }
    }

    /// Tells the host that what is on the desk is not shown.
    async fn cannot_show(&self) {
        for Presented { question_id, .. } in self.desk.reports() {
            let unpresented = Unpresented { question_id, why: "its page crashed".to_owned() };
            if let Err(error) = self.backend.ask::<CannotPresent>(&unpresented).await {
                tracing::warn!(%error, "cannot say that a question is not shown");
            }
        }
    }

    /// Lets the page go, as no question came for a while: the next one has a new page.
    fn release(&mut self) {
        self.page = None;
        self.place.gone();
        if let Err(error) = self.pane.release() {
            tracing::warn!(%error, "cannot let the approval window go");
        }
    }

    /// Tells the host what is seen, and hears whether *Allow* works.
    async fn report(&mut self) {
        self.again = None;
        let reports = self.desk.reports();
        let mut answers = Vec::new();
        for report in &reports {
            match self.backend.ask::<PresentQuestion>(report).await {
                Ok(arming) => answers.push(arming),
                // Nothing was armed, so nothing can be allowed; the question may just have ended.
                Err(error) => return tracing::debug!(%error, "the host did not take what is seen"),
            }
        }
        let waits = answers.iter().filter(|arming| !arming.armed).filter_map(|arming| arming.remaining_ms);
        self.again = waits.max().map(|left| Instant::now() + Duration::from_millis(left + 5));
        self.desk.armed(&reports, answers);
    }

    fn tell(&mut self) {
        let now = Instant::now();
        let showing = Showing {
            question: self.desk.question().cloned(),
            batch: self.batch(),
            later: self.alike.later,
            arming: self.desk.arming(),
            settled: self.desk.is_settled(now),
            hold: self.holds(),
            details: self.preferences.get().details,
            pill: self.outcome.as_ref().map(|outcome| outcome.pill),
        };
        let (panel, inbox) = match self.surface() {
            Surface::Panel => (showing, self.away()),
            Surface::Inbox => (self.away(), showing),
        };
        self.tell_pages(panel, inbox);
    }
}

/// Sleeps until the deadline; without one, never wakes.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}
