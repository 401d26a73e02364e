//! The flow, as one task: hears the host and the network, and says one thing after the other.
//!
//! Nothing of the network is waited for while something else could be heard: a call that hangs is given up after
//! [`PATIENCE`], and one that may be made later is made later.

use super::approval::{ChatApproval, ShownMessage, Withheld};
use super::messenger::{ChatSendError, IncomingChatEvent, Messenger, OutgoingChatMessage, Posted};
use super::register::Register;
use super::settings::ChatSettings;
use super::text;
use parking_lot::Mutex;
use postern_contract::methods::{GetQuestion, QuestionRef};
use postern_contract::{ApproverNotification, ChatStatus, Part, Question, Saved};
use postern_host::{ApproverGuard, ConnectedApproverKind, Host};
use std::collections::{HashMap, HashSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// Time that a call to the network may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Pause before a message is sent again after the network did not answer, and the number of tries.
const AGAIN: Duration = Duration::from_secs(2);
const TRIES: u32 = 5;

/// True if the network is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChatConnection {
    /// Nothing is known yet.
    Connecting,
    /// Connected, under this name.
    Online(String),
    /// Not connected.
    Offline { why: String, hopeless: bool },
}

impl ChatConnection {
    /// Returns the name under which it is connected.
    pub(super) fn own_name(&self) -> Option<String> {
        match self {
            Self::Online(name) => Some(name.clone()),
            Self::Connecting | Self::Offline { .. } => None,
        }
    }
}

/// Something to say.
#[derive(Debug)]
pub(super) enum ChatJob {
    /// A question, in a place.
    Show { question: Box<Question>, withheld: Option<Withheld>, place: String },
    /// Change of a message that was shown: the result of its question.
    Change { place: String, id: String, message: OutgoingChatMessage },
    /// Report of changes that let more run.
    Widened { place: String, changes: text::Changes },
    /// Words to somebody.
    Say { place: String, message: OutgoingChatMessage },
    /// Words to somebody who pressed a button.
    Acknowledge { press: String, text: String },
}

/// Decision of an answer given here.
#[derive(Debug, Clone)]
pub(super) struct ChatDecision {
    /// Outcome in our own words.
    pub(super) words: String,
    pub(super) saved: Vec<Saved>,
}

pub(super) struct FinishedChatJob {
    job: ChatJob,
    tries: u32,
    outcome: Result<Option<Posted>, ChatSendError>,
}

type Calling = Pin<Box<dyn Future<Output = FinishedChatJob> + Send>>;

/// The flow between a host and a network.
pub(super) struct Hub<M> {
    pub(super) host: Host,
    pub(super) messenger: Arc<M>,
    /// The door's name, which is also the name that its register is kept under.
    pub(super) name: &'static str,
    pub(super) settings: ChatSettings,
    pub(super) register: Arc<Mutex<Register>>,
    pub(super) line: watch::Sender<ChatConnection>,
    /// Owners connected: while the network is there.
    pub(super) faces: HashMap<String, ApproverGuard>,
    /// Decisions of our answers, until the host reports them.
    pub(super) ours: HashMap<String, ChatDecision>,
    /// Recent messages by sender.
    pub(super) lately: HashMap<String, (Instant, u32)>,
    pub(super) jobs: VecDeque<(ChatJob, u32)>,
    /// Messages that are being posted: digest, question and place.
    pub(super) posting: HashSet<(String, String, String)>,
    pub(super) not_before: Option<Instant>,
    /// The place and the four digits of the question that is being posted: an answer can be here before its id is.
    pub(super) showing: Option<(String, String)>,
    /// Answers to it, until it is known.
    pub(super) early: VecDeque<IncomingChatEvent>,
    /// Told when owners came or went.
    pub(super) stir: Arc<Notify>,
}

impl<M: Messenger> Hub<M> {
    /// Runs until the host ends, or the door closes: then what was begun with is still done and written down.
    pub(super) async fn run(mut self, closed: CancellationToken) {
        // Before the list is read, so that nothing is missed between.
        let mut told = self.host.subscribe_without_requests();
        self.sync_approvers();
        self.tell_ends();
        self.catch_up().await;
        self.save_state().await;
        let mut heard = next_event(&self.messenger);
        let stir = Arc::clone(&self.stir);
        let mut calling: Option<Calling> = None;
        loop {
            if calling.is_none() {
                calling = self.next_call();
            }
            let later = self.not_before.filter(|_| calling.is_none());
            tokio::select! {
                () = closed.cancelled() => return,
                news = told.recv() => if !self.on_notification(news, &mut told).await { return },
                something = &mut heard => {
                    heard = next_event(&self.messenger);
                    if self.is_early(&something) {
                        self.early.push_back(something);
                    } else {
                        self.handle_event(something).await;
                    }
                }
                done = await_call(&mut calling) => {
                    calling = None;
                    self.showing = None;
                    self.finish_job(done).await;
                    for something in std::mem::take(&mut self.early) {
                        self.handle_event(something).await;
                    }
                }
                () = wait_until(later) => self.not_before = None,
                () = stir.notified() => {
                    self.sync_approvers();
                    self.catch_up().await;
                }
            }
            self.save_state().await;
        }
    }

    /// Handles a notification of the host; returns false if the host ended.
    async fn on_notification(
        &mut self,
        news: Result<ApproverNotification, RecvError>,
        told: &mut Receiver<ApproverNotification>,
    ) -> bool {
        match news {
            Ok(
                ApproverNotification::QuestionOpened(question)
                | ApproverNotification::QuestionChanged(question),
            ) => {
                // What waits on another Mac is that Mac's to send to chats.
                if question.host.is_none() {
                    self.show_question(&question);
                }
            }
            Ok(ApproverNotification::QuestionClosed(closed)) => self.closed(&closed).await,
            Ok(ApproverNotification::PolicyWidened(change)) => self.widened(&change),
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                *told = told.resubscribe();
                self.catch_up().await;
            }
            Err(RecvError::Closed) => return false,
        }
        true
    }

    pub(super) fn online(&self) -> bool {
        matches!(*self.line.borrow(), ChatConnection::Online(_))
    }

    /// Returns the name that it has in the chat, once it is known.
    pub(super) fn own_name(&self) -> Option<String> {
        self.line.borrow().own_name()
    }

    pub(super) fn enqueue(&mut self, job: ChatJob) {
        self.jobs.push_back((job, 0));
    }

    /// Begins to say the next thing, if something may be said now.
    fn next_call(&mut self) -> Option<Calling> {
        if !self.online() || self.not_before.is_some_and(|at| Instant::now() < at) {
            return None;
        }
        self.not_before = None;
        loop {
            let (job, tries) = self.jobs.pop_front()?;
            if self.is_due(&job) {
                let messenger = Arc::clone(&self.messenger);
                if let ChatJob::Show { question, place, .. } = &job {
                    self.showing = Some((place.clone(), question.code.clone()));
                }
                return Some(Box::pin(async move {
                    let slow = || Err(ChatSendError::Lost("it did not answer in time".to_owned()));
                    let outcome =
                        timeout(PATIENCE, carry_out(&*messenger, &job)).await.unwrap_or_else(|_| slow());
                    FinishedChatJob { job, tries, outcome }
                }));
            }
            self.posted(&job);
        }
    }

    /// Returns false for a question that no longer waits, or shows something else by now.
    fn is_due(&self, job: &ChatJob) -> bool {
        let ChatJob::Show { question, .. } = job else { return true };
        let register = self.register.lock();
        let approval = register.approvals.find_by_question(&question.id);
        approval.is_some_and(|one| one.status == ChatStatus::Pending && one.digest == question.digest)
    }

    async fn finish_job(&mut self, done: FinishedChatJob) {
        let FinishedChatJob { job, tries, outcome } = done;
        let why = match outcome {
            Ok(posted) => {
                if let (ChatJob::Show { question, place, .. }, Some(posted)) = (&job, posted) {
                    self.record_shown(question, place, posted).await;
                }
                self.posted(&job);
                return;
            }
            Err(ChatSendError::Later(wait)) => {
                self.not_before = Some(Instant::now() + wait);
                self.jobs.push_front((job, tries));
                return;
            }
            // A question is tried for as long as it waits.
            Err(ChatSendError::Lost(_)) if tries < TRIES || matches!(job, ChatJob::Show { .. }) => {
                self.not_before = Some(Instant::now() + AGAIN);
                self.jobs.push_front((job, tries + 1));
                return;
            }
            // Sent again after the next start.
            Err(ChatSendError::Lost(why)) => why,
            Err(ChatSendError::Refused(why)) => {
                self.posted(&job);
                why
            }
        };
        tracing::warn!(door = self.name, why, "a message could not be sent");
    }

    /// Marks a job as done: it is not tried again.
    fn posted(&mut self, job: &ChatJob) {
        match job {
            ChatJob::Show { question, place, .. } => {
                self.posting.remove(&(question.digest.clone(), question.id.clone(), place.clone()));
            }
            ChatJob::Change { place, id, .. } => self.register.lock().approvals.mark_outcome_shown(place, id),
            ChatJob::Widened { .. } | ChatJob::Say { .. } | ChatJob::Acknowledge { .. } => {}
        }
    }

    /// Notes that a question was shown: from now on it can be answered there.
    async fn record_shown(&mut self, question: &Question, place: &str, posted: Posted) {
        // The person there has been informed.
        let face = {
            let register = self.register.lock();
            let there = register.owners().find(|owner| owner.place == place).or(register.owners().next());
            there.and_then(|owner| self.faces.get(&owner.id)).map(ApproverGuard::id)
        };
        if let Some(face) = face {
            let shown = QuestionRef { question_id: question.id.clone() };
            // It may wait no more.
            drop(self.host.call_method::<GetQuestion>(face, &shown).await);
        }
        let digest = question.digest.clone();
        let late = {
            let mut register = self.register.lock();
            let Some(approval) = register.approvals.change(&question.id) else { return };
            approval.shown.push(ShownMessage {
                place: place.to_owned(),
                external_message_id: posted.id.clone(),
                alias: posted.alias,
                digest: digest.clone(),
                at: posted.at,
                told: false,
            });
            stale_correction(approval, &digest)
        };
        if let Some(message) = late {
            self.enqueue(ChatJob::Change { place: place.to_owned(), id: posted.id, message });
        }
    }

    /// Owners are connected while the network is there.
    pub(super) fn sync_approvers(&mut self) {
        let owners: Vec<(String, String)> = if self.online() {
            self.register.lock().owners().map(|owner| (owner.id.clone(), owner.name.clone())).collect()
        } else {
            Vec::new()
        };
        self.faces.retain(|id, _| owners.iter().any(|(owner, _)| owner == id));
        for (id, name) in owners {
            if !self.faces.contains_key(&id) {
                let face = self.approver_of(&name);
                self.host.identify(&face, &id);
                self.faces.insert(id, face);
            }
        }
    }

    /// Returns an owner as a face, which is told as the one who answered.
    pub(super) fn approver_of(&self, owner: &str) -> ApproverGuard {
        let face = self.host.named_face(ConnectedApproverKind::Remote, &format!("{}, {owner}", self.name));
        // What does not fit into a message is withheld before it comes to an answer.
        face.declare(Part::ALL);
        face
    }

    /// Writes down what changed, and with it how far the network was heard.
    async fn save_state(&self) {
        // What waits for its question to be posted is heard again, should it come to that.
        if let Some(position) = self.messenger.position().filter(|_| self.early.is_empty()) {
            self.register.lock().kept.position = Some(position);
        }
        if let Err(error) = save_register(&self.host, self.name, &self.register).await {
            tracing::error!(door = self.name, error, "what a chat knows cannot be kept");
        }
    }
}

/// Writes down what changed since it was last written down.
pub(super) async fn save_register(
    host: &Host,
    name: &'static str,
    register: &Mutex<Register>,
) -> Result<(), String> {
    let (value, rows, changed) = {
        let mut register = register.lock();
        let changed = register.approvals.take_changed();
        if !std::mem::take(&mut register.changed) && changed.is_empty() {
            return Ok(());
        }
        let value = serde_json::to_value(&register.kept).map_err(|error| error.to_string())?;
        (value, register.approvals.message_rows(name, &changed), changed)
    };
    let kept = host.keep_chat(name, value, rows).await;
    if kept.is_err() {
        let mut register = register.lock();
        register.changed = true;
        register.approvals.not_kept(changed);
    }
    kept.map_err(|error| error.to_string())
}

/// Returns the change for a message that was posted while its question changed or ended; `None` if the
/// message is right.
fn stale_correction(approval: &ChatApproval, digest: &str) -> Option<OutgoingChatMessage> {
    if approval.status != ChatStatus::Pending {
        Some(text::decided(approval, &[]))
    } else if approval.digest != digest {
        Some(text::outdated(approval))
    } else {
        None
    }
}

async fn carry_out<M: Messenger>(messenger: &M, job: &ChatJob) -> Result<Option<Posted>, ChatSendError> {
    match job {
        ChatJob::Show { question, withheld, place } => {
            let message = text::notification(question, *withheld, crate::now_millis());
            messenger.post_message(place, &message).await.map(Some)
        }
        ChatJob::Change { place, id, message } => messenger.change(place, id, message).await.map(|()| None),
        ChatJob::Say { place, message } => messenger.post_message(place, message).await.map(|_| None),
        ChatJob::Widened { place, changes } => {
            messenger.post_message(place, &changes.message()).await.map(|_| None)
        }
        ChatJob::Acknowledge { press, text } => messenger.acknowledge(press, text).await.map(|()| None),
    }
}

fn next_event<M: Messenger>(messenger: &Arc<M>) -> Pin<Box<dyn Future<Output = IncomingChatEvent> + Send>> {
    let messenger = Arc::clone(messenger);
    Box::pin(async move { messenger.next_event().await })
}

async fn await_call(calling: &mut Option<Calling>) -> FinishedChatJob {
    match calling {
        Some(calling) => calling.await,
        None => std::future::pending().await,
    }
}

async fn wait_until(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}
