//! What the gate holds of every request that has not ended, and of every agent that asks.

use super::judge::{Judged, Judgement};
use super::ledger::Ledger;
use super::left::Left;
use super::past::Lately;
use super::tool_command::{ToolCall, ToolFacts};
use super::turns::Turns;
use crate::ask::flood::Flood;
use crate::publish::About;
use crate::run::{Finished, Running};
use crate::socket::Reply;
use postern_contract::{AnswerParams, Answered, Question};
use postern_policy::{AgentId, Millis, RuleId};
use postern_protocol::{Defaults, Notice, RunParams, RunState};
use postern_request::{Approved, By, Effect, Ending, State};
use postern_store::requests::{NewRequest, Phase};
use postern_store::rules::Use;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use uuid::Uuid;

/// One connection, counted from the host's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConnectionId(pub(crate) u64);

/// A request that has not ended.
#[derive(Debug)]
pub(crate) struct Request {
    /// The host's own id.
    pub(crate) id: Uuid,
    pub(crate) agent: AgentId,
    pub(crate) run: Arc<RunParams>,
    /// sha256 over what it asks for, hex.
    pub(crate) fingerprint: String,
    /// The command as one line of escaped text.
    pub(crate) line: String,
    /// What a person made of the command, as a line of shell text: only a person's yes starts it then.
    pub(crate) edited: Option<String>,
    /// The same as it would be asked for.
    pub(crate) run_edited: Option<Arc<RunParams>>,
    pub(crate) state: State,
    /// What is still to be done, in order.
    pub(crate) effects: VecDeque<Effect>,
    /// A record is on its way to the disk: what follows waits.
    pub(crate) waits: bool,
    /// The connection that asked.
    pub(crate) connection: ConnectionId,
    pub(crate) received_at: Millis,
    /// What is written down of it first; none once it is.
    pub(crate) new: Option<Arc<NewRequest>>,
    /// What came of judging it, until that counts.
    pub(crate) early: Option<Box<Judgement>>,
    pub(crate) judged: Option<Box<Judged>>,
    /// The question it would be asked with.
    pub(crate) question: Option<Box<Question>>,
    /// Who let it through.
    pub(crate) by: Option<By>,
    /// Which face answered.
    pub(crate) answered_by: Option<String>,
    /// What the person chose to be remembered, and who wants to know that it was.
    pub(crate) choice: Option<Choice>,
    /// A person who wants to know that the answer was written down.
    pub(crate) answering: Option<oneshot::Sender<Answered>>,
    /// The rules that decided, to be noted as used with the next record.
    pub(crate) uses: Vec<(RuleId, Use)>,
    /// Calls that are answered when it was judged.
    pub(crate) accepted: Vec<Reply>,
    /// Calls that are answered when it ended.
    pub(crate) finished: Vec<Reply>,
    pub(crate) input: Option<InputQueue>,
    pub(crate) running: Option<Running>,
    /// Dropped when `exec.started` is on its way: what the run writes is told behind it.
    pub(crate) began: Option<oneshot::Sender<()>>,
    /// Whether the start was written down as intended.
    pub(crate) intended: bool,
    /// Whether it holds one of its agent's places.
    pub(crate) placed: bool,
    /// How much of its output is kept per stream, in bytes.
    pub(crate) output_cap: u64,
    pub(crate) started_at: Option<Millis>,
    /// What the run left behind.
    pub(crate) result: Option<Box<Finished>>,
    /// The event that was told last.
    pub(crate) notice: Option<Notice>,
    pub(crate) span: tracing::Span,
}

/// What a person chose.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) params: Box<AnswerParams>,
    /// What is saved of it, in words: known once it is.
    pub(crate) saved: Vec<String>,
    pub(crate) reply: oneshot::Sender<Answered>,
    /// Who chose, for the audit.
    pub(crate) who: Option<Arc<postern_store::audit::By>>,
}

/// Standard input that is sent while it runs: kept in order until somebody reads it.
#[derive(Debug)]
pub(crate) struct InputQueue {
    pub(crate) sender: mpsc::Sender<InputPiece>,
    /// Taken by the run.
    pub(crate) receiver: Option<mpsc::Receiver<InputPiece>>,
}

/// A piece of standard input.
#[derive(Debug)]
pub(crate) struct InputPiece {
    pub(crate) data: Vec<u8>,
    pub(crate) eof: bool,
    pub(crate) request_id: Uuid,
    pub(crate) reply: Reply,
}

impl Request {
    /// What is told of it.
    pub(crate) fn about(&self) -> About {
        About {
            agent: self.agent.clone(),
            id: Some(self.id),
            request_id: self.run.request_id,
            session: self.run.session.clone(),
        }
    }

    /// Where it is, as its agent is told.
    pub(crate) fn run_state(&self) -> RunState {
        state_of(Phase::from(&self.state))
    }

    /// Whether it asks a person.
    pub(crate) fn is_asking(&self) -> bool {
        matches!(self.state, State::Asking { .. })
    }

    /// How it ended, once it did.
    pub(crate) fn ending(&self) -> Option<&Ending> {
        match &self.state {
            State::Ended(ending) => Some(ending),
            State::Received
            | State::Resolving
            | State::Asking { .. }
            | State::Starting { .. }
            | State::Running { .. }
            | State::Stopping { .. } => None,
        }
    }

    /// Its process id, while it has one.
    pub(crate) fn pid(&self) -> Option<u32> {
        match self.state {
            State::Running { pid } | State::Stopping { pid, .. } => Some(pid),
            State::Received
            | State::Resolving
            | State::Asking { .. }
            | State::Starting { .. }
            | State::Ended(_) => None,
        }
    }
}

/// A phase as an agent is told.
pub(crate) fn state_of(phase: Phase) -> RunState {
    match phase {
        Phase::Received => RunState::Received,
        Phase::Resolving => RunState::Resolving,
        Phase::Asking => RunState::Asking,
        Phase::Starting => RunState::Starting,
        Phase::Running => RunState::Running,
        Phase::Stopping => RunState::Stopping,
        Phase::Denied => RunState::Denied,
        Phase::Finished => RunState::Finished,
        Phase::Failed => RunState::Failed,
    }
}

/// How far a session is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Openness {
    /// It is being opened or closed: nothing is judged in it.
    Changing,
    /// It is open.
    Open,
    /// It was open when the last host ended, and is again. Its agent may not know that, and open it once more.
    Kept,
}

/// What one agent does at the moment.
#[derive(Debug)]
pub(crate) struct AgentState {
    pub(crate) flood: Flood,
    /// Runs that have a place.
    pub(crate) running: u32,
    /// Runs that wait for one.
    pub(crate) waiting: VecDeque<(Uuid, Approved)>,
    /// Its connections.
    pub(crate) connections: u32,
    /// When it was last noted that it asked for something.
    pub(crate) seen_at: Option<Instant>,
    /// Its sessions, and how far each is opened.
    pub(crate) sessions: HashMap<String, Openness>,
    /// Since when it has no connection any more.
    pub(crate) gone_at: Option<Instant>,
    /// What it asked for lately.
    pub(crate) lately: Lately,
    /// The person stopped it, which is being written down.
    pub(crate) stopping: bool,
    /// What it may still write to the record.
    pub(crate) ledger: Ledger,
    /// What waits to be asked about, behind the questions that are open.
    pub(crate) turns: Turns,
    /// What ended while nobody listened.
    pub(crate) left: Left,
}

impl AgentState {
    /// An agent with the sessions that it had open when the last host ended.
    pub(crate) fn new(now: Instant, open: Vec<String>) -> Self {
        Self {
            flood: Flood::new(now),
            running: 0,
            waiting: VecDeque::new(),
            connections: 0,
            seen_at: None,
            sessions: open.into_iter().map(|session| (session, Openness::Kept)).collect(),
            gone_at: None,
            lately: Lately::default(),
            stopping: false,
            ledger: Ledger::new(now),
            turns: Turns::default(),
            left: Left::default(),
        }
    }
}

/// A tool check that waits for a person.
#[derive(Debug)]
pub(crate) struct ToolCheck {
    pub(crate) agent: AgentId,
    pub(crate) session: Option<String>,
    pub(crate) tool: String,
    pub(crate) arguments: serde_json::Value,
    /// The folder that relative paths among them start in.
    pub(crate) cwd: Option<String>,
    /// What becomes of it where only a default speaks.
    pub(crate) defaults: Option<Defaults>,
    /// What was found out about it.
    pub(crate) found: Box<ToolFacts>,
}

impl ToolCheck {
    /// What is judged of it.
    pub(crate) fn call(&self) -> ToolCall<'_> {
        ToolCall { tool: &self.tool, arguments: &self.arguments, cwd: self.cwd.as_deref() }
    }
}
