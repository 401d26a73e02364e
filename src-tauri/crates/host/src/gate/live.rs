//! Live requests, which have not ended, and agents that ask.

use super::call::AgentToolCall;
use super::judge::JudgedRequest;
use super::past::Lately;
use crate::publish::About;
use crate::socket::Reply;
use parking_lot::Mutex;
use postern_contract::{AnswerParams, Answered, Question, Saved};
use postern_exec::identity::Allowance;
use postern_exec::run::{FinishedRun, Running};
use postern_policy::{AgentId, Millis, Origin, RuleId};
use postern_protocol::{Notice, RunParams, RunState};
use postern_request::{
    AbandonedRuns, AgentRateLimits, AgentSessions, AllowedBy, Approved, Charge, Ledger, Life, QuestionTurns,
    RequestEnding, RequestState, RunSlots, Tells,
};
use postern_store::requests::NewRequest;
use postern_store::rules::RuleUse;
use postern_store::scripts::AllowedScript;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use uuid::Uuid;

/// Id of a connection, counted from the host's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConnectionId(pub(crate) u64);

/// A request that has not ended.
#[derive(Debug)]
pub(crate) struct LiveRequest {
    /// The host's own id.
    pub(crate) id: Uuid,
    pub(crate) agent: AgentId,
    /// Actor that carries it out.
    pub(crate) origin: Origin,
    pub(crate) call: Option<Arc<AgentToolCall>>,
    pub(crate) run: Arc<RunParams>,
    /// sha256 over what it asks for, hex.
    pub(crate) fingerprint: String,
    /// The command as one line of escaped text.
    pub(crate) line: String,
    /// Command as a person changed it, as a line of shell text: only a person's approval starts it then.
    pub(crate) edited: Option<String>,
    /// The changed command as a request.
    pub(crate) run_edited: Option<Arc<RunParams>>,
    /// State, and what is still to be done for it.
    pub(crate) life: Life,
    pub(crate) connection: ConnectionId,
    pub(crate) received_at: Millis,
    /// First record; `None` once it is written.
    pub(crate) new: Option<Arc<NewRequest>>,
    pub(crate) judged: Option<Box<JudgedRequest>>,
    /// Look-up that it waits for.
    pub(crate) looking: Option<Allowance>,
    /// The question it would be asked with.
    pub(crate) question: Option<Box<Question>>,
    /// Actor that let it through.
    pub(crate) by: Option<AllowedBy>,
    pub(crate) answered_by: Option<String>,
    /// A person who answered, and wants to know what became of that.
    pub(crate) answering: Option<Answering>,
    /// Question that its next entry of the record closes.
    pub(crate) closes: Option<QuestionClosed>,
    /// Entry that is being written.
    pub(crate) writing: Option<Writing>,
    /// Digest of the long parts that are on record.
    pub(crate) recorded_parts: Option<[u8; 32]>,
    /// The rules that decided, to be noted as used with the next record.
    pub(crate) uses: Vec<(RuleId, RuleUse)>,
    /// The scripts that a person allowed with it, to be kept with the next record.
    pub(crate) scripts: Vec<AllowedScript>,
    /// Calls that are answered when it was judged.
    pub(crate) accepted: Vec<Reply>,
    /// Calls that are answered when it ended.
    pub(crate) finished: Vec<Reply>,
    pub(crate) input: Option<InputQueue>,
    pub(crate) running: Option<Running>,
    /// Dropped when `exec.started` is told: what the run writes is told behind it.
    pub(crate) began: Option<oneshot::Sender<Late>>,
    /// True if it holds one of its agent's places.
    pub(crate) placed: bool,
    /// Bytes of its output that are kept per stream.
    pub(crate) output_cap: u64,
    pub(crate) started_at: Option<Millis>,
    pub(crate) result: Option<Box<FinishedRun>>,
    /// The event that was told last.
    pub(crate) notice: Option<Notice>,
    pub(crate) span: tracing::Span,
}

/// Receiver of the result of saving a person's answer.
#[derive(Debug)]
pub(crate) enum Answering {
    /// With the record of the answer.
    Pledged(Pledge),
    /// With the rule that was chosen.
    Saves(PendingSave),
}

impl Answering {
    /// Tells the person that it is not as they wanted.
    pub(crate) fn fail_with(self, answered: Answered) {
        match self {
            Self::Pledged(pledge) => pledge.broken(answered),
            // The caller may have gone meanwhile.
            Self::Saves(choice) => drop(choice.reply.send(answered)),
        }
    }
}

/// A reply that is due when the answer is on record for every request that it was for. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Pledge(Arc<Mutex<Pledged>>);

#[derive(Debug)]
struct Pledged {
    left: usize,
    reply: Option<oneshot::Sender<Answered>>,
}

impl Pledge {
    /// Returns a reply for so many requests.
    pub(crate) fn new(reply: oneshot::Sender<Answered>, left: usize) -> Self {
        Self(Arc::new(Mutex::new(Pledged { left, reply: Some(reply) })))
    }

    /// Notes that the answer is on record for one more of them.
    pub(crate) fn fulfill(self) {
        let mut pledged = self.0.lock();
        pledged.left = pledged.left.saturating_sub(1);
        if pledged.left == 0
            && let Some(reply) = pledged.reply.take()
        {
            // The caller may have gone meanwhile.
            drop(reply.send(Answered::applied()));
        }
    }

    fn broken(self, answered: Answered) {
        let reply = self.0.lock().reply.take();
        if let Some(reply) = reply {
            drop(reply.send(answered));
        }
    }
}

pub(crate) type QuestionClosed = (Uuid, postern_store::questions::QuestionEnd);

/// Actions that go with an entry of the record, once that is durable.
#[derive(Debug)]
pub(crate) struct Writing {
    pub(crate) tells: Option<Tells>,
    pub(crate) uses: Arc<Vec<(RuleId, RuleUse)>>,
    pub(crate) closes: Option<QuestionClosed>,
    /// Charge on its agent's room in the record.
    pub(crate) charge: Charge,
    /// Digest of the long parts that it writes.
    pub(crate) parts: Option<[u8; 32]>,
}

/// Says that `exec.started` could not be told yet: what the run writes is told with its end.
#[derive(Debug)]
pub(crate) struct Late;

/// Choice of a person.
#[derive(Debug)]
pub(crate) struct PendingSave {
    pub(crate) params: Box<AnswerParams>,
    pub(crate) saved: Vec<Saved>,
    pub(crate) reply: oneshot::Sender<Answered>,
    pub(crate) who: Option<Arc<postern_store::audit::ChangeAuthor>>,
}

/// Standard input that is sent while it runs: kept in order until somebody reads it.
#[derive(Debug)]
pub(crate) struct InputQueue {
    pub(crate) sender: mpsc::Sender<InputPiece>,
    /// Taken by the run.
    pub(crate) receiver: Option<mpsc::Receiver<InputPiece>>,
}

#[derive(Debug)]
pub(crate) struct InputPiece {
    pub(crate) data: Vec<u8>,
    pub(crate) eof: bool,
    pub(crate) request_id: Uuid,
    pub(crate) reply: Reply,
}

impl LiveRequest {
    pub(crate) fn state(&self) -> &RequestState {
        self.life.current_state()
    }

    pub(crate) fn summary(&self) -> About {
        About {
            agent: self.agent.clone(),
            id: Some(self.id),
            request_id: self.run.request_id,
            session: self.run.session.clone(),
        }
    }

    /// Returns the state, as its agent is told.
    pub(crate) fn run_state(&self) -> RunState {
        RunState::from(self.state())
    }

    pub(crate) fn is_asking(&self) -> bool {
        matches!(self.state(), RequestState::Asking { .. })
    }

    pub(crate) fn ending(&self) -> Option<&RequestEnding> {
        match self.state() {
            RequestState::Ended(ending) => Some(ending),
            RequestState::Received
            | RequestState::Queued
            | RequestState::Asking { .. }
            | RequestState::Starting { .. }
            | RequestState::Running { .. }
            | RequestState::Stopping { .. } => None,
        }
    }

    /// Returns the process id, while it has one.
    pub(crate) fn pid(&self) -> Option<u32> {
        match *self.state() {
            RequestState::Running { pid } | RequestState::Stopping { pid, .. } => Some(pid),
            RequestState::Received
            | RequestState::Queued
            | RequestState::Asking { .. }
            | RequestState::Starting { .. }
            | RequestState::Ended(_) => None,
        }
    }
}

/// A stop of an agent that is not written down yet.
#[derive(Debug, Clone)]
pub(crate) struct Stopping {
    pub(crate) until: Millis,
    pub(crate) who: Option<Arc<postern_store::audit::ChangeAuthor>>,
}

#[derive(Debug)]
pub(crate) struct AgentState {
    /// Limits on how often it may ask.
    pub(crate) limits: AgentRateLimits,
    /// Runs that have a place, and those that wait for one.
    pub(crate) places: RunSlots<(Uuid, Approved)>,
    pub(crate) connections: u32,
    /// Time at which a request of it was last noted.
    pub(crate) seen_at: Option<Instant>,
    pub(crate) sessions: AgentSessions,
    /// Since when it has no connection any more.
    pub(crate) gone_at: Option<Instant>,
    /// Recent requests.
    pub(crate) lately: Lately,
    /// The person stopped it until then, which is not written down yet.
    pub(crate) stopping: Option<Stopping>,
    /// Times at which people denied a request of it, oldest first.
    pub(crate) refusals: VecDeque<Instant>,
    /// Room for its entries in the record.
    pub(crate) ledger: Ledger,
    /// Requests that wait for its open questions.
    pub(crate) turns: QuestionTurns<Uuid>,
    /// Requests that ended without a listener.
    pub(crate) left: AbandonedRuns,
}

impl AgentState {
    /// Returns an agent with the sessions that it had open when the last host ended.
    pub(crate) fn new(clock: Duration, open: Vec<String>) -> Self {
        Self {
            limits: AgentRateLimits::default(),
            places: RunSlots::default(),
            connections: 0,
            seen_at: None,
            sessions: AgentSessions::restore(open),
            gone_at: None,
            lately: Lately::default(),
            stopping: None,
            refusals: VecDeque::new(),
            ledger: Ledger::new(clock),
            turns: QuestionTurns::default(),
            left: AbandonedRuns::default(),
        }
    }
}
