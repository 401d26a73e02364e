//! Drives the approval window: takes what happens one by one, reports to the host what is really seen, tells the page.

mod answers;
mod batch;
mod event;
mod inbox;
mod later;
mod pulse;

pub(crate) use event::PresenterEvent;
pub(crate) use inbox::InboxEvent;

use super::outcome::AnswerOutcome;
use super::pane::Pane;
use super::panel;
use super::place::{WindowContent, WindowPlacement};
use super::surface::{PageListener, Surface};
use crate::SettingsPage;
use crate::backend::Backend;
use crate::desk::{Desk, HOLD};
use crate::preferences::StoredPreferences;
use crate::window::settings;
use batch::BatchState;
use inbox::Inbox;
use later::LaterQuestions;
use postern_contract::methods::{
    CannotPresent, GetScript, ListQuestions, Nothing, PresentQuestion, Presented, PreviewAnswer, RulePreview,
    ScriptRef, ScriptText, Unpresented,
};
use postern_contract::{AnswerParams, Preferences, Question, Showing};
use pulse::Pulse;
use std::sync::Arc;
use std::time::Duration;
use tauri::WebviewWindow;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// A page that has not laid out a question by then is taken for crashed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Owns the window, the desk and the page's channel.
pub(crate) struct Presenter {
    pane: Pane,
    backend: Arc<Backend>,
    preferences: Arc<StoredPreferences>,
    desk: Desk,
    /// The panel's page.
    page: Option<PageListener>,
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
    alike: BatchState,
    /// Questions that wait in the inbox.
    later: LaterQuestions,
    /// Result of the last answer.
    outcome: Option<AnswerOutcome>,
    place: WindowPlacement,
    /// Liveness check of the page on show.
    pulse: Pulse,
}

impl Presenter {
    pub(crate) fn new(pane: Pane, backend: Arc<Backend>, preferences: Arc<StoredPreferences>) -> Self {
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
            alike: BatchState::default(),
            later: LaterQuestions::default(),
            outcome: None,
            place: WindowPlacement::default(),
            pulse: Pulse::default(),
        }
    }

    /// Runs until the app ends.
    pub(crate) async fn run(mut self, mut events: mpsc::UnboundedReceiver<PresenterEvent>) {
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = sleep_until_deadline(self.again) => Some(PresenterEvent::Again),
                () = sleep_until_deadline(self.patience) => Some(PresenterEvent::GiveUp),
                () = sleep_until_deadline(self.pane.release_due()) => Some(PresenterEvent::Release),
                () = sleep_until_deadline(self.next_deadline()) => Some(PresenterEvent::Due),
                () = sleep_until_deadline(self.pulse.next_beat()) => Some(PresenterEvent::Beat),
            };
            let event = match event {
                None => return,
                Some(PresenterEvent::On(surface, event)) if surface == self.surface() => *event,
                // Who waits for its reply hears that it did not count.
                Some(PresenterEvent::On(..)) => continue,
                Some(event) => event,
            };
            if let Err(error) = self.handle_event(event).await {
                tracing::warn!(%error, "the approval window");
            }
            // Whatever starts arming over ends a hold.
            if !self.desk.is_held() {
                self.held = None;
            }
            self.pulse.set_watching(self.desk.is_on_show(), Instant::now());
            // A resize comes as many events: the host is told once, when they are all in.
            if events.is_empty() {
                self.report().await;
                self.update_pages();
            }
        }
    }

    /// Returns the time at which something of its own is due.
    fn next_deadline(&self) -> Option<Instant> {
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
            self.show_outcome()?;
        }
        if self.denial.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.hand_over().await;
            // If the denial did not count, its question waits on.
            self.refresh_question().await?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each notification")]
    async fn handle_event(&mut self, event: PresenterEvent) -> anyhow::Result<()> {
        match event {
            PresenterEvent::Look => self.refresh_question().await?,
            PresenterEvent::Front(id) => self.bring_to_front(id).await?,
            PresenterEvent::Deny(question) => self.deny_by_notification(&question).await?,
            PresenterEvent::Shortcut => self.turn_keyboard()?,
            PresenterEvent::Reopened => self.reopen().await?,
            PresenterEvent::PageGone => self.page_gone(),
            PresenterEvent::Page(page) => self.page = Some(PageListener::new(page)),
            PresenterEvent::Inbox(event) => self.take_inbox(event).await?,
            PresenterEvent::Changed(row) => {
                if let Some(outcome) = &mut self.outcome {
                    outcome.changed(&row, Instant::now());
                }
            }
            PresenterEvent::LaidOut { id, digest, height, always } if self.desk.is_showing(&id, &digest) => {
                self.show_question(height, always)?;
            }
            PresenterEvent::EndSeen { id, digest } if self.desk.is_showing(&id, &digest) => {
                self.desk.end_seen();
            }
            // About a question that is not on show any more, or taken apart before.
            PresenterEvent::Later { id, digest } if self.desk.is_showing(&id, &digest) => {
                let done = self.put_off().await;
                self.refresh_question().await?;
                done?;
            }
            PresenterEvent::AllLater => {
                let done = self.put_off_all().await;
                self.refresh_question().await?;
                done?;
            }
            PresenterEvent::LaidOut { .. }
            | PresenterEvent::EndSeen { .. }
            | PresenterEvent::Later { .. }
            | PresenterEvent::On(..) => {}
            PresenterEvent::Shaken => self.desk.changed(),
            PresenterEvent::Answer { params, others, reply } => {
                // The page may be gone by then; the answer counts all the same.
                reply.send(self.answer(*params, &others).await).ok();
                self.refresh_question().await?;
            }
            PresenterEvent::Gather(together) => {
                self.gather(together);
                self.refresh_question().await?;
            }
            PresenterEvent::Edit { params, reply } => {
                reply.send(self.edit_command(params).await).ok();
                self.refresh_question().await?;
            }
            PresenterEvent::Preview { params, reply } => self.preview(*params, reply),
            PresenterEvent::Script { script, reply } => self.read_script(script, reply),
            PresenterEvent::Closed => {
                if let Some((params, others)) = self.refusal() {
                    self.answer(params, &others).await.map_err(anyhow::Error::msg)?;
                }
                self.refresh_question().await?;
            }
            PresenterEvent::Gone => {
                self.pane.mark_gone();
                self.place.reset_content();
                self.refresh_question().await?;
            }
            PresenterEvent::Again => self.again = None,
            PresenterEvent::GiveUp if self.surface() == Surface::Inbox => self.leave_inbox().await?,
            PresenterEvent::GiveUp => self.give_up().await,
            PresenterEvent::Release => self.release(),
            PresenterEvent::Due => self.is_due().await?,
            PresenterEvent::Beat => self.send_beat().await?,
            PresenterEvent::Hold { .. }
            | PresenterEvent::LetGo
            | PresenterEvent::Press { .. }
            | PresenterEvent::Details(_)
            | PresenterEvent::Act(_)
            | PresenterEvent::Drag
            | PresenterEvent::Finish(_) => self.take_act(event).await?,
        }
        Ok(())
    }

    /// Asks what an answer would save. It is about the question on show.
    fn preview(&self, params: AnswerParams, reply: oneshot::Sender<Result<RulePreview, String>>) {
        let shown = self.desk.is_showing(&params.question_id, &params.digest);
        let backend = Arc::clone(&self.backend);
        tokio::spawn(async move {
            let preview = if shown {
                backend.invoke::<PreviewAnswer>(&params).await.map_err(|error| error.message)
            } else {
                Err("another question is on show by now".to_owned())
            };
            reply.send(preview).ok();
        });
    }

    /// Reads the whole text of a script.
    fn read_script(&self, script: ScriptRef, reply: oneshot::Sender<Result<ScriptText, String>>) {
        let backend = Arc::clone(&self.backend);
        tokio::spawn(async move {
            reply.send(backend.invoke::<GetScript>(&script).await.map_err(|error| error.message)).ok();
        });
    }

    /// Applies an action of the person besides answering.
    async fn take_act(&mut self, event: PresenterEvent) -> anyhow::Result<()> {
        match event {
            PresenterEvent::Hold { id, digest, reply } => {
                let now = Instant::now();
                if self.desk.is_showing(&id, &digest) && self.desk.begin_hold(now) {
                    self.held = Some((now + HOLD, reply));
                } else {
                    reply.send(false).ok();
                }
            }
            PresenterEvent::LetGo => self.desk.let_go(),
            PresenterEvent::Press { id, digest, reply } => {
                reply.send(self.desk.is_showing(&id, &digest) && self.desk.record_press(Instant::now())).ok();
            }
            PresenterEvent::Details(details) => {
                let kept = self.preferences.get();
                self.preferences.update(Preferences { details, ..kept })?;
            }
            PresenterEvent::Act(act) => self.apply_pill_action(act).await?,
            PresenterEvent::Drag => {
                if let Some(window) = self.pane.window() {
                    self.place.begin_drag(window)?;
                }
            }
            PresenterEvent::Finish(reply) => {
                self.hand_over().await;
                reply.send(()).ok();
            }
            _ => {}
        }
        Ok(())
    }

    /// Puts a question on the desk: the one that the person chose, or the oldest.
    async fn refresh_question(&mut self) -> anyhow::Result<()> {
        let waiting = self.backend.invoke::<ListQuestions>(&Nothing {}).await;
        // Without a host no question waits: what it asked last must not stay on show.
        let mut questions = waiting.as_ref().map_or_else(|_| Vec::new(), |waiting| waiting.questions.clone());
        let all = questions.len();
        questions.retain(|question| !self.is_denied(question));
        self.keep_for_inbox(&questions).await;
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
            self.show_outcome()?;
        }
        waiting?;
        Ok(())
    }

    /// Shows the panel at the question's own height, again whenever that changes, without taking the keyboard. The inbox is
    /// on show already.
    fn show_question(&mut self, height: f64, always: bool) -> anyhow::Result<()> {
        if self.surface() == Surface::Panel {
            let Some(window) = self.pane.window() else { return Ok(()) };
            self.place.show_content(window, WindowContent::Panel(height))?;
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
    async fn bring_to_front(&mut self, id: String) -> anyhow::Result<()> {
        self.later.put_off.remove(&id);
        self.chosen = Some(id);
        self.refresh_question().await?;
        if self.surface() == Surface::Inbox {
            return Ok(());
        }
        match self.pane.window() {
            Some(window) if matches!(self.place.current_content(), WindowContent::Panel(_)) => {
                panel::take_keyboard(window)?;
            }
            _ => self.keyboard = true,
        }
        Ok(())
    }

    /// Gives the panel the keyboard, or gives it back to the app that the user was in. It answers nothing.
    fn turn_keyboard(&self) -> anyhow::Result<()> {
        let shown = matches!(self.place.current_content(), WindowContent::Panel(_));
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
            self.bring_to_front(id).await
        } else {
            settings::open_page(self.pane.app_handle(), SettingsPage::default());
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
    fn show_outcome(&mut self) -> anyhow::Result<()> {
        if self.desk.question().is_some() || self.surface() == Surface::Inbox {
            return Ok(());
        }
        let next = if self.outcome.is_some() { WindowContent::Pill } else { WindowContent::Hidden };
        match self.pane.window() {
            // A window that shows nothing does not open for a result.
            Some(window) if self.place.current_content() != WindowContent::Hidden => {
                self.place.show_content(window, next)?;
            }
            Some(_) | None => {}
        }
        if self.place.current_content() == WindowContent::Hidden {
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
            if let Err(error) = self.backend.invoke::<CannotPresent>(&unpresented).await {
                tracing::warn!(%error, "cannot say that a question is not shown");
            }
        }
    }

    /// Lets the page go, as no question came for a while: the next one has a new page.
    fn release(&mut self) {
        self.page = None;
        self.place.reset_content();
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
            match self.backend.invoke::<PresentQuestion>(report).await {
                Ok(arming) => answers.push(arming),
                // Nothing was armed, so nothing can be allowed; the question may just have ended.
                Err(error) => return tracing::debug!(%error, "the host did not take what is seen"),
            }
        }
        let waits = answers.iter().filter(|arming| !arming.armed).filter_map(|arming| arming.remaining_ms);
        self.again = waits.max().map(|left| Instant::now() + Duration::from_millis(left + 5));
        self.desk.update_arming(&reports, answers);
    }

    fn update_pages(&mut self) {
        let now = Instant::now();
        let showing = Showing {
            question: self.desk.question().cloned(),
            batch: self.current_batch(),
            later: self.alike.later,
            arming: self.desk.arming(),
            settled: self.desk.is_settled(now),
            hold: self.requires_hold(),
            details: self.preferences.get().details,
            pill: self.outcome.as_ref().map(|outcome| outcome.pill),
        };
        let (panel, inbox) = match self.surface() {
            Surface::Panel => (showing, self.idle_showing()),
            Surface::Inbox => (self.idle_showing(), showing),
        };
        self.tell_pages(panel, inbox);
    }
}

/// Sleeps until the deadline; without one, never wakes.
async fn sleep_until_deadline(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}
