//! Messages to the gate.

use super::afar::NewsElsewhere;
use super::edit::Judgements;
use super::judge::RequestJudgment;
use super::live::ConnectionId;
use super::owed::Unwritten;
use crate::ask::{ApproverId, ConnectedApproverKind, FleetPeople};
use crate::book::{PolicyStoreError, RuleSaveRequest, SavedRules};
use crate::lanes::Unanswered;
use crate::socket::{Outbox, Reply};
use postern_contract::methods::{Arming, Presented, ScriptRef, ToolQuestion};
use postern_contract::{Answer, AnswerParams, Answered, EditParams, Edited, NotApplied, Proposal, Question};
use postern_exec::run::{FinishedRun, Running};
use postern_policy::{AgentId, Millis, RatedEffect, Settings, Widening};
use postern_protocol::{AgentCall, Notice, Signal};
use postern_request::{ActivePause, AllowedBy, Denial, RequestEvent};
use postern_store::Error;
use postern_store::audit::ChangeAuthor;
use postern_store::requests::NewRequestOutcome;
use postern_store::scripts::AllowedScript;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

/// Reason why a pause, or its end, does not hold as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PauseProblem {
    /// In force, but not recorded yet.
    NotWritten(String),
    /// The record is still in doubt, so that everything is denied.
    InDoubt(String),
}

/// Everything that can happen to the gate, in the order in which it happens.
#[derive(Debug)]
pub(crate) enum GateMessage {
    /// An agent said something. Before an `AgentToolCall` that is judged by it, its `permissions.jsonc` is looked at; then it is
    /// `Fresh`.
    Fresh { connection: ConnectionId, agent: AgentId, call: AgentCall, reply: Reply },
    /// An agent said something.
    Call { connection: ConnectionId, agent: AgentId, call: AgentCall, reply: Reply },
    /// A connection was authenticated.
    Opened { agent: AgentId, outbox: Outbox, reply: oneshot::Sender<ConnectionId> },
    /// A connection ended.
    Closed(ConnectionId),
    /// A connection wants to know the settings of its agent.
    Settings { agent: AgentId, reply: oneshot::Sender<Option<Settings>> },
    /// True if something of an agent runs or waits.
    IsBusy { agent: AgentId, reply: oneshot::Sender<bool> },
    /// A face lists what waits.
    Questions { face: ApproverId, reply: oneshot::Sender<Vec<Question>> },
    /// A face looks at one question.
    Question { face: ApproverId, id: String, reply: oneshot::Sender<Option<Box<Question>>> },
    /// A person answered.
    Answer { params: Box<AnswerParams>, face: ApproverId, reply: oneshot::Sender<Answered> },
    /// A person wants to know what an answer would save.
    Preview { params: Box<AnswerParams>, reply: oneshot::Sender<Result<AnswerPreview, NotApplied>> },
    /// A question of another Mac came, changed or went.
    Elsewhere(NewsElsewhere),
    /// The people whose approvals still count.
    KeepPeople(FleetPeople),
    /// Asks whether somebody is at this Mac who could be shown a question.
    IsAttended(oneshot::Sender<bool>),
    /// A person changed the command.
    Edit { params: Box<EditParams>, reply: oneshot::Sender<Edited> },
    /// A face says what it shows.
    Presented { face: ApproverId, seen: Presented, reply: oneshot::Sender<Arming> },
    /// A face could not show a question.
    CannotPresent { face: ApproverId, question: String, why: String },
    /// A person keeps a question for later.
    PutOff { question: String, reply: oneshot::Sender<bool> },
    /// A face shows a script in full.
    Script { asked: ScriptRef, reply: oneshot::Sender<Option<AllowedScript>> },
    /// The person ends a run.
    Kill { request: String, signal: Signal, reply: oneshot::Sender<Killed> },
    /// The person closes a session: how many of its requests were denied with it.
    CloseSession { agent: AgentId, session: String, reply: oneshot::Sender<Result<u64, PolicyStoreError>> },
    /// The run of a request, where it runs.
    Running { request: Uuid, reply: oneshot::Sender<Option<Running>> },
    /// A request is about to start: everything before that took a while.
    MayStart { id: Uuid, by: AllowedBy, reply: oneshot::Sender<Result<(), Denial>> },
    /// Deny everything.
    Pause { pause: ActivePause, by: ConnectedApproverKind, reply: oneshot::Sender<Result<(), PauseProblem>> },
    /// Back to work.
    Resume(oneshot::Sender<Result<(), PauseProblem>>),
    /// The policy changed.
    Rejudge { agent: Option<AgentId> },
    /// A face lists the tools that wait.
    Tools(oneshot::Sender<Vec<ToolQuestion>>),
    /// A person answered about a tool, by its check's id.
    AnswerTool { check: ToolAnswer, face: ApproverId, reply: oneshot::Sender<bool> },
    /// Asks for the numbers of waiting and running requests.
    Counts(oneshot::Sender<GateCounts>),
    /// The machine goes to sleep: what waits ends, unless it waits for an approver elsewhere.
    FallAsleep(oneshot::Sender<()>),
    /// The machine has slept: what ended meanwhile is over.
    WakeUp(oneshot::Sender<()>),
    /// Postern quits: deny what waits, end what runs, and say when that is done.
    Shutdown(oneshot::Sender<()>),
    /// An adapter has something to say.
    Told(Box<GateTaskResult>),
    /// Message of somebody who is named in the audit.
    By(Arc<ChangeAuthor>, Box<Self>),
}

impl GateMessage {
    /// Sends one without waiting; where the queue is full, from a task of its own.
    pub(crate) fn send(messages: &mpsc::WeakSender<Self>, message: Self) {
        // A gate that is gone does not wait for it.
        let Some(messages) = messages.upgrade() else { return };
        if let Err(mpsc::error::TrySendError::Full(message)) = messages.try_send(message) {
            tokio::spawn(async move { _ = messages.send(message).await });
        }
    }
}

/// Judgment of a request, and the same request in the record, where it was there before.
pub(crate) type LookedUp = (RequestJudgment, Result<Option<NewRequestOutcome>, Error>);

/// Result of the gate's own tasks.
#[derive(Debug)]
pub(crate) enum GateTaskResult {
    /// A request was there before, or it could not be looked up whether it was.
    Known { id: Uuid, opening: Result<NewRequestOutcome, Error> },
    /// A request's record is durable, with the event that was told.
    Recorded { id: Uuid, outcome: Result<Option<Notice>, Error> },
    /// A request was judged, and looked for among earlier ones.
    LookedUp { id: Uuid, looked_up: Result<LookedUp, Unanswered> },
    /// Judgment of a changed command.
    Edited(Box<Judgements>),
    /// Record of a stop of an agent, or its failure.
    Stopped { agent: AgentId, until: Millis, saved: Result<(), PolicyStoreError> },
    /// The pause is written down, or could not be: why.
    PauseKept { number: u64, problem: Option<String> },
    /// Nothing: all who waited were answered.
    Nothing,
    /// Counts of the requests that a question's offers would have let through.
    Counted { question: String, proposals: Vec<Proposal> },
    /// Effects of what a question is about were measured.
    Measured { id: Uuid, effects: Vec<RatedEffect> },
    /// Result of saving a person's choice: saved, but for a part; or not saved.
    Remembered { id: Uuid, outcome: Result<(SavedRules, Option<NotApplied>), NotApplied> },
    /// A confined run was looked for where an agent would run git itself.
    FoundRun { id: Uuid, by: AllowedBy, found: Result<bool, Unanswered> },
    /// Start of a run.
    Started { id: Uuid, running: Running },
    /// Something happened to a request.
    Happened { id: Uuid, event: RequestEvent },
    /// A session is open or closed now, or is as it was before (it is not done).
    SessionChanged { agent: AgentId, session: String, open: bool, done: bool },
    /// A run ended, and so did its output.
    Exited { id: Uuid, finished: Box<FinishedRun> },
}

/// Rules that an answer of *always* would save, and the additions to its offer.
pub(crate) type AnswerPreview = (RuleSaveRequest, Vec<Widening>);

/// An answer about a tool, as source 4 has it.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) answer: Answer,
    pub(crate) feedback: Option<String>,
}

/// Result of a person's wish to end a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// Running: it is being stopped.
    Stopping,
    /// Waiting: it is denied.
    Denied,
    /// Ended already, or unknown.
    Unknown,
}

/// Numbers of waiting and running requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateCounts {
    /// Questions that wait.
    pub waiting: u32,
    /// Commands that run.
    pub running: u32,
    /// True if everything is denied for now.
    pub paused: bool,
    pub paused_until: Option<Millis>,
    /// Entries that could not be recorded yet.
    pub unwritten: Option<Unwritten>,
    /// Last time at which a window could not show a question, if none has answered one since.
    pub unshown: Option<Millis>,
}
