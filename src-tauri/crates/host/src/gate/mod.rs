//! The gate: one task that owns every live request and drives `postern_request::step`. Everybody else has this handle.

mod afar;
mod answer;
mod apart;
mod call;
mod call_facts;
mod calls;
mod changed_offer;
mod context;
mod edit;
mod effects;
mod elsewhere;
mod end;
mod ended;
mod expire;
mod fresh;
mod judge;
mod judged;
mod ledger;
mod left;
mod link_ends;
mod live;
mod look_up;
mod message;
mod owed;
mod past;
mod people;
mod presence;
mod record;
mod recover;
mod refresh;
mod rejudge;
mod rows;
mod saving;
mod session;
mod show;
mod start;
mod task;
mod turns;

pub use afar::{AnswerElsewhere, DecidedElsewhere, RightsElsewhere};
pub(crate) use call::{AgentToolCall, required};
pub(crate) use call_facts::judge_call;
pub(crate) use context::read_script;
pub(crate) use judge::{JudgedRequest, RequestJudgment, TriedProfiles, World, judge_run};
pub(crate) use live::ConnectionId;
pub(crate) use message::GateMessage;
pub use message::{GateCounts, Killed, PauseProblem};
pub use owed::Unwritten;
pub(crate) use recover::recover;
pub(crate) use show::{body_lines, escape_step, kept_subject, shown_path, to_pieces};
pub(crate) use task::GateDeps;

use crate::ask::{ApproverId, ConnectedApproverKind, FleetPeople};
use crate::book::PolicyStoreError;
use crate::socket::Outbox;
use afar::NewsElsewhere;
use message::{AnswerPreview, ToolAnswer};
use postern_contract::methods::{Arming, Presented, ScriptRef, ToolApprove, ToolDeny, ToolQuestion};
use postern_contract::{Answer, AnswerParams, Answered, ClosedBy, EditParams, Edited, NotApplied, Question};
use postern_exec::run::Running;
use postern_policy::{AgentId, Settings};
use postern_protocol::Signal;
use postern_request::ActivePause;
use postern_store::audit;
use postern_store::scripts::AllowedScript;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

/// Messages that may wait for the gate before senders wait too.
const BACKLOG: usize = 1024;

/// A handle on the gate. Clones speak to the same one.
#[derive(Debug, Clone)]
pub struct GateHandle {
    messages: mpsc::Sender<GateMessage>,
    /// Queue for a person's messages, which are taken before everything else.
    first: mpsc::Sender<GateMessage>,
}

/// The other end of a gate's channels.
pub(crate) struct Received {
    first: mpsc::Receiver<GateMessage>,
    rest: mpsc::Receiver<GateMessage>,
}

/// The gate is gone: the host is shutting down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Postern is shutting down")]
pub struct GateClosed;

/// Returns a gate and the other end of its channel, for [`run`].
pub(crate) fn create_gate() -> (GateHandle, Received) {
    let (messages, rest) = mpsc::channel(BACKLOG);
    let (urgent, first) = mpsc::channel(BACKLOG);
    (GateHandle { messages, first: urgent }, Received { first, rest })
}

/// Returns the gate's task, for a thread that nothing else keeps busy.
pub(crate) fn task(
    parts: GateDeps,
    gate: &GateHandle,
    received: Received,
) -> impl Future<Output = ()> + Send + 'static {
    task::Task::new(parts, gate.messages.downgrade()).run(received)
}

impl GateHandle {
    /// Returns everything that waits for a person, oldest first. A face that reads it has been shown them; a
    /// window has to say that it shows them ([`Self::presented`]).
    pub async fn questions(&self, face: ApproverId) -> Result<Vec<Question>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Questions { face, reply }).await
    }

    /// Returns a waiting question by its id or its four hex digits.
    pub async fn question(&self, face: ApproverId, id: String) -> Result<Option<Box<Question>>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Question { face, id, reply }).await
    }

    /// Sends a person's answer. It counts when it names the digest on show and, from a window, was armed.
    ///
    /// The result comes when the answer, and a rule that it saves, are durable.
    pub async fn answer(&self, params: AnswerParams, face: ApproverId) -> Result<Answered, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Answer { params: Box::new(params), face, reply }).await
    }

    /// Returns what an answer of *always* would save, and what that adds to its offer. Nothing is decided.
    pub(crate) async fn preview_answer(
        &self,
        params: AnswerParams,
    ) -> Result<Result<AnswerPreview, NotApplied>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Preview { params: Box::new(params), reply }).await
    }

    /// Shows a question that waits on another Mac, which its headline and [`Question::host`] name. What is decided here comes by
    /// `door`.
    pub async fn show_elsewhere(
        &self,
        question: Question,
        door: mpsc::Sender<DecidedElsewhere>,
    ) -> Result<(), GateClosed> {
        let news = NewsElsewhere::Waits { question: Box::new(question), door };
        self.first.send(GateMessage::Elsewhere(news)).await.map_err(|_| GateClosed)
    }

    /// Takes back a question of another Mac: how it ended, and who answered it where.
    pub async fn close_elsewhere(
        &self,
        id: String,
        how: ClosedBy,
        by: Option<String>,
    ) -> Result<(), GateClosed> {
        let news = NewsElsewhere::Closed { id, how, by };
        self.first.send(GateMessage::Elsewhere(news)).await.map_err(|_| GateClosed)
    }

    /// Takes back every question of another Mac.
    pub async fn clear_elsewhere(&self) -> Result<(), GateClosed> {
        self.first.send(GateMessage::Elsewhere(NewsElsewhere::Cleared)).await.map_err(|_| GateClosed)
    }

    /// Returns whether somebody is at this Mac who could be shown a question.
    pub async fn is_attended(&self) -> Result<bool, GateClosed> {
        self.ask_urgent(GateMessage::IsAttended).await
    }

    /// Forgets the approvals of everybody but these people, each up to their risk: the fleet's roster changed, or its door closed.
    pub async fn keep_people(&self, people: FleetPeople) -> Result<(), GateClosed> {
        self.first.send(GateMessage::KeepPeople(people)).await.map_err(|_| GateClosed)
    }

    /// Changes the command of a question: the new one is judged, and shown under a digest of its own.
    pub async fn edit_question(&self, params: EditParams) -> Result<Edited, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Edit { params: Box::new(params), reply }).await
    }

    /// Reports the part of a question that an approver shows: drives arming. Called again on every change
    /// (moved, resized, focus, content).
    pub async fn presented(&self, face: ApproverId, seen: Presented) -> Result<Arming, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Presented { face, seen, reply }).await
    }

    /// Reports that an approver could not show a question (its page crashed, the screen is locked): if nobody
    /// answers, nothing runs.
    pub async fn cannot_present(
        &self,
        face: ApproverId,
        question: String,
        why: String,
    ) -> Result<(), GateClosed> {
        self.first.send(GateMessage::CannotPresent { face, question, why }).await.map_err(|_| GateClosed)
    }

    /// Keeps a question for later. Returns true if it waits.
    pub async fn put_off(&self, question: String) -> Result<bool, GateClosed> {
        self.ask_urgent(|reply| GateMessage::PutOff { question, reply }).await
    }

    /// Returns a script that a question shows; `None` if it shows none of that name, or waits no more.
    pub(crate) async fn find_script(&self, asked: ScriptRef) -> Result<Option<AllowedScript>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Script { asked, reply }).await
    }

    /// Signals a run, or denies a request that waits, for the person. `request` is the host's own id.
    pub async fn kill_request(&self, request: String, signal: Signal) -> Result<Killed, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Kill { request, signal, reply }).await
    }

    /// Closes an agent's session for the person: what waits in it is denied. Gives how many requests that were.
    pub(crate) async fn close_session(
        &self,
        agent: AgentId,
        session: String,
    ) -> Result<Result<u64, PolicyStoreError>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::CloseSession { agent, session, reply }).await
    }

    /// Returns the run of a request while it runs: its output so far. `request` is the host's own id.
    pub(crate) async fn running(&self, request: Uuid) -> Result<Option<Running>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Running { request, reply }).await
    }

    /// Denies everything until `until`, or until resumed, from now on. What waits is denied; what runs goes
    /// on.
    ///
    /// The inner result says whether that is recorded: if not, it is tried again.
    pub async fn pause_all(
        &self,
        pause: ActivePause,
        by: ConnectedApproverKind,
    ) -> Result<Result<(), PauseProblem>, GateClosed> {
        self.ask_urgent(|reply| GateMessage::Pause { pause, by, reply }).await
    }

    /// Ends a pause, as [`Self::pause_all`] begins one, and settles a doubt about the record.
    pub async fn resume(&self) -> Result<Result<(), PauseProblem>, GateClosed> {
        self.ask_urgent(GateMessage::Resume).await
    }

    /// Reports that the policy of `agent` (of every agent: `None`) changed: what waits is judged again.
    pub async fn rejudge(&self, agent: Option<AgentId>) -> Result<(), GateClosed> {
        self.first.send(GateMessage::Rejudge { agent }).await.map_err(|_| GateClosed)
    }

    /// Returns the tool calls that wait, oldest first.
    pub(crate) async fn waiting_tools(&self) -> Result<Vec<ToolQuestion>, GateClosed> {
        self.ask_urgent(GateMessage::Tools).await
    }

    /// Approves a tool call. False where it does not wait any more.
    pub(crate) async fn approve_tool(
        &self,
        params: ToolApprove,
        face: ApproverId,
    ) -> Result<bool, GateClosed> {
        let answer = if params.always { Answer::Always } else { Answer::Once };
        let (session, id) = (params.session_id, params.approval_id);
        let check = ToolAnswer { session, id, answer, feedback: None };
        self.ask_urgent(|reply| GateMessage::AnswerTool { check, face, reply }).await
    }

    /// Denies a tool call. False where it does not wait any more.
    pub(crate) async fn deny_tool(&self, params: ToolDeny, face: ApproverId) -> Result<bool, GateClosed> {
        let (session, id) = (params.session_id, params.approval_id);
        let check = ToolAnswer { session, id, answer: Answer::Deny, feedback: params.feedback };
        self.ask_urgent(|reply| GateMessage::AnswerTool { check, face, reply }).await
    }

    /// Returns the numbers of waiting and running requests, and whether everything is paused.
    pub async fn counts(&self) -> Result<GateCounts, GateClosed> {
        self.ask_urgent(GateMessage::Counts).await
    }

    /// Ends what waits, before the machine goes to sleep.
    pub(crate) async fn fall_asleep(&self) -> Result<(), GateClosed> {
        self.ask_urgent(GateMessage::FallAsleep).await
    }

    /// Ends what expired while the machine slept.
    pub(crate) async fn wake_up(&self) -> Result<(), GateClosed> {
        self.ask_urgent(GateMessage::WakeUp).await
    }

    /// Denies what waits, ends what runs, and comes back when nothing is left.
    pub(crate) async fn shut_down(&self) -> Result<(), GateClosed> {
        self.ask_urgent(GateMessage::Shutdown).await
    }

    pub(crate) async fn settings(&self, agent: AgentId) -> Result<Option<Settings>, GateClosed> {
        self.ask_in_turn(|reply| GateMessage::Settings { agent, reply }).await
    }

    pub(crate) async fn opened(&self, agent: AgentId, outbox: Outbox) -> Result<ConnectionId, GateClosed> {
        self.ask_in_turn(|reply| GateMessage::Opened { agent, outbox, reply }).await
    }

    /// Reports the end of a connection. Never waits.
    pub(crate) fn closed(&self, connection: ConnectionId) {
        let messages = self.messages.clone();
        tokio::spawn(async move {
            // A gate that is gone has no connections.
            _ = messages.send(GateMessage::Closed(connection)).await;
        });
    }

    /// Returns whether something of `agent` runs or waits.
    pub(crate) async fn is_busy(&self, agent: AgentId) -> Result<bool, GateClosed> {
        self.ask_in_turn(|reply| GateMessage::IsBusy { agent, reply }).await
    }

    pub(crate) async fn send(&self, message: GateMessage) -> Result<(), GateClosed> {
        self.messages.send(message).await.map_err(|_| GateClosed)
    }

    /// Sends a message of a person.
    async fn ask_urgent<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> GateMessage,
    ) -> Result<T, GateClosed> {
        let (reply, answer) = oneshot::channel();
        let message = message(reply);
        let message = match audit::current() {
            Some(who) => GateMessage::By(who, Box::new(message)),
            None => message,
        };
        self.first.send(message).await.map_err(|_| GateClosed)?;
        answer.await.map_err(|_| GateClosed)
    }

    /// Sends a message of an agent's connection: after its earlier ones.
    async fn ask_in_turn<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> GateMessage,
    ) -> Result<T, GateClosed> {
        let (reply, answer) = oneshot::channel();
        self.send(message(reply)).await?;
        answer.await.map_err(|_| GateClosed)
    }
}
