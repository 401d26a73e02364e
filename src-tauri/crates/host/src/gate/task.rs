//! The one task that owns every live request.

use super::Received;
use super::afar::Elsewhere;
use super::judge::World;
use super::live::{AgentState, ConnectionId, LiveRequest};
use super::message::{GateCounts, GateMessage, GateTaskResult, PauseProblem};
use super::owed::{Before, OwedEntries};
use crate::ask::questions::OpenQuestions;
use crate::ask::{Approvers, ConnectedApproverKind};
use crate::book::PolicyStore;
use crate::clock::lasting;
use crate::lanes::Lanes;
use crate::publish::{ApproverNotifier, Publisher, Stirred};
use crate::session::ScreenSession;
use crate::socket::Outbox;
use postern_contract::{ApproverNotification, Question};
use postern_exec::identity::Allowance;
use postern_policy::{AgentId, Millis};
use postern_request::{ActivePause, Approved, Denial, Halt, Refusal, RequestEvent, Withdrawal};
use postern_store::{Store, audit};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use uuid::Uuid;

#[derive(Debug)]
pub(crate) struct GateDeps {
    pub(crate) book: PolicyStore,
    pub(crate) store: Store,
    pub(crate) publisher: Publisher,
    pub(crate) told: ApproverNotifier,
    /// Coalesced updates: status and agents.
    pub(crate) stirred: Stirred,
    pub(crate) world: Arc<World>,
    /// The agents' own threads, for what they make Postern read.
    pub(crate) lanes: Lanes,
    /// Runtime of runs and their reports: the gate's own threads are for the gate.
    pub(crate) runtime: Handle,
    pub(crate) faces: Approvers,
    pub(crate) session: Arc<dyn ScreenSession>,
    /// Reasons to deny everything.
    pub(crate) halt: Halt,
}

pub(crate) struct Task {
    pub(super) parts: GateDeps,
    pub(super) messages: mpsc::WeakSender<GateMessage>,
    pub(super) requests: HashMap<Uuid, LiveRequest>,
    /// Live requests by their agent's own id.
    pub(super) keys: HashMap<(AgentId, Uuid), Uuid>,
    pub(super) agents: HashMap<AgentId, AgentState>,
    pub(super) connections: HashMap<ConnectionId, AgentId>,
    /// The writing ends of connections, for what must not outrun its reader.
    pub(super) outboxes: HashMap<ConnectionId, Outbox>,
    next_connection: u64,
    /// Look-ups that requests wait for, with the time at which they are late. Answered ones stay until they are the first.
    pub(super) look_ups: VecDeque<(Instant, Uuid, Allowance)>,
    pub(super) questions: OpenQuestions,
    /// Questions of other Macs.
    pub(super) elsewhere: Elsewhere,
    /// Starts that wait for the end of another run, in their order.
    pub(super) apart: Vec<(Uuid, Approved)>,
    /// Entries that could not be recorded yet.
    pub(super) owed: OwedEntries,
    pub(super) began: Instant,
    /// For how long the machine had slept at the last look.
    pub(super) slept: Duration,
    /// Last time at which a window could not show a question; `None` again once a window answers one.
    pub(super) unshown: Option<Millis>,
    /// Next time to check that the screen is still the person's.
    pub(super) look_at: Option<Instant>,
    /// Somebody waits for everything to end.
    pub(super) quitting: Vec<oneshot::Sender<()>>,
}

impl Task {
    pub(super) fn new(parts: GateDeps, messages: mpsc::WeakSender<GateMessage>) -> Self {
        Self {
            slept: parts.session.time_asleep(),
            parts,
            messages,
            requests: HashMap::new(),
            keys: HashMap::new(),
            agents: HashMap::new(),
            connections: HashMap::new(),
            outboxes: HashMap::new(),
            next_connection: 0,
            look_ups: VecDeque::new(),
            questions: OpenQuestions::default(),
            elsewhere: Elsewhere::default(),
            apart: Vec::new(),
            owed: OwedEntries::default(),
            began: Instant::now(),
            unshown: None,
            look_at: None,
            quitting: Vec::new(),
        }
    }

    /// Runs until the last handle is gone.
    pub(super) async fn run(mut self, received: Received) {
        let Received { mut first, mut rest } = received;
        let mut doubt = self.parts.store.watch_doubt();
        // What was found since the start was prepared counts, too.
        doubt.mark_changed();
        loop {
            let deadline = self.next_deadline();
            let timer = async {
                match deadline {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let waiting = self.questions.len();
            tokio::select! {
                // What a person wants is not behind what agents want, however much that is.
                biased;
                // Nothing that comes behind a doubt is let through by it. The record outlives the gate.
                Ok(()) = doubt.changed() => self.doubted(doubt.borrow_and_update().is_some()),
                Some(message) = first.recv() => self.handle_message(message),
                () = timer => self.expire(),
                message = rest.recv() => match message {
                    Some(message) => self.handle_message(message),
                    None => return,
                },
            }
            self.next_turns();
            if self.questions.len() != waiting {
                self.parts.stirred.status.notify_one();
            }
            if !self.quitting.is_empty() && self.requests.is_empty() {
                // The caller may have gone meanwhile.
                self.quitting.drain(..).for_each(|waiting| _ = waiting.send(()));
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each message")]
    fn handle_message(&mut self, message: GateMessage) {
        match message {
            GateMessage::Call { connection, agent, call, reply } => {
                self.receive_call(connection, agent, call, reply);
            }
            GateMessage::Fresh { connection, agent, call, reply } => {
                self.handle_call(connection, &agent, call, reply);
            }
            GateMessage::Opened { agent, outbox, reply } => {
                let id = self.opened(agent, outbox);
                if reply.send(id).is_err() {
                    self.closed(id);
                }
            }
            GateMessage::Closed(connection) => self.closed(connection),
            GateMessage::Settings { agent, reply } => {
                answer(reply, self.parts.book.policy(&agent).map(|policy| policy.settings.clone()));
            }
            GateMessage::IsBusy { agent, reply } => {
                answer(reply, self.requests.values().any(|request| request.agent == agent));
            }
            GateMessage::Questions { face, reply } => {
                self.questions.listed(face.kind);
                answer(reply, self.shown_questions(face));
            }
            GateMessage::Question { face, id, reply } => answer(reply, self.question(face, &id)),
            GateMessage::Answer { params, face, reply } => self.answer(*params, face, reply),
            GateMessage::Preview { params, reply } => answer(reply, self.preview_answer(&params)),
            GateMessage::Elsewhere(news) => self.hear_elsewhere(news),
            GateMessage::KeepPeople(people) => self.keep_people(people),
            GateMessage::IsAttended(reply) => answer(reply, self.is_attended()),
            GateMessage::Edit { params, reply } => self.edit_question(*params, reply),
            GateMessage::Presented { face, seen, reply } => answer(reply, self.presented(face, &seen)),
            GateMessage::CannotPresent { face, question, why } => self.cannot_present(face, &question, why),
            GateMessage::PutOff { question, reply } => answer(reply, self.put_off(&question)),
            GateMessage::Script { asked, reply } => answer(reply, self.find_script(&asked)),
            GateMessage::Kill { request, signal, reply } => {
                answer(reply, self.kill_for_person(&request, signal));
            }
            GateMessage::CloseSession { agent, session, reply } => {
                self.close_session(&agent, session, |outcome| answer(reply, outcome));
            }
            GateMessage::Running { request, reply } => {
                answer(reply, self.requests.get(&request).and_then(|request| request.running.clone()));
            }
            GateMessage::MayStart { id, by, reply } => answer(reply, self.still_allowed(id, by)),
            GateMessage::Pause { pause, by, reply } => self.pause_all(pause, by, reply),
            GateMessage::Resume(reply) => {
                self.resume(reply);
            }
            GateMessage::Rejudge { agent } => drop(self.rejudge(agent.as_ref())),
            GateMessage::Tools(reply) => answer(reply, self.waiting_tools()),
            GateMessage::AnswerTool { check, face, reply } => self.answer_tool(check, face, reply),
            GateMessage::Counts(reply) => answer(reply, self.counts()),
            GateMessage::FallAsleep(reply) => {
                self.fall_asleep();
                answer(reply, ());
            }
            GateMessage::WakeUp(reply) => {
                self.expire();
                answer(reply, ());
            }
            GateMessage::Shutdown(reply) => {
                self.parts.halt.begin_closing();
                self.quitting.push(reply);
                self.shut_down();
            }
            GateMessage::Told(done) => self.handle_task_result(*done),
            GateMessage::By(who, message) => audit::now_by(who, || self.handle_message(*message)),
        }
    }

    /// Returns a question, which counts as shown to the approver that asks.
    fn question(&mut self, face: crate::ask::ApproverId, id: &str) -> Option<Box<Question>> {
        if let Some(waiting) = self.questions.find_question(id) {
            waiting.shown.listed(face.kind);
            return Some(Box::new(waiting.shown.question.clone()));
        }
        let there = self
            .elsewhere
            .questions
            .find_question(id)
            .filter(|_| face.kind != crate::ask::ConnectedApproverKind::Remote)?;
        Some(Box::new(there.shown.question.clone()))
    }

    fn handle_task_result(&mut self, done: GateTaskResult) {
        match done {
            GateTaskResult::Known { id, opening } => self.handle_duplicate(id, opening),
            GateTaskResult::Recorded { id, outcome } => self.recorded(id, outcome),
            GateTaskResult::LookedUp { id, looked_up } => self.looked_up(id, looked_up),
            GateTaskResult::Edited(judgements) => self.edited(*judgements),
            GateTaskResult::Stopped { agent, until, saved } => self.stopped(&agent, until, saved),
            GateTaskResult::PauseKept { number, problem } => self.pause_kept(number, problem),
            GateTaskResult::Nothing => {}
            GateTaskResult::Counted { question, proposals } => self.counted(&question, &proposals),
            GateTaskResult::Measured { id, effects } => self.measured(id, effects),
            GateTaskResult::Remembered { id, outcome } => self.remembered(id, outcome),
            GateTaskResult::FoundRun { id, by, found } => self.found_run(id, by, found),
            GateTaskResult::Started { id, running } => self.started(id, running),
            GateTaskResult::Happened { id, event } => self.happen(id, event),
            GateTaskResult::SessionChanged { agent, session, open, done } => {
                self.agent_state(&agent).sessions.changed(&session, open, done);
            }
            GateTaskResult::Exited { id, finished } => self.exited(id, finished),
        }
    }

    /// Applies an event to a request: the only place where a request changes state.
    pub(super) fn happen(&mut self, id: Uuid, event: RequestEvent) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let before = Before::from_request(request);
        let at_once = request.life.apply_event(event);
        self.apply_transition(id, &before, at_once);
    }

    /// Gives `work` to a task of its own, whose result comes back as a message.
    pub(super) fn spawn_task(&self, work: impl Future<Output = GateTaskResult> + Send + 'static) {
        let messages = self.messages.clone();
        self.spawn_detached(async move {
            let done = work.await;
            if let Some(messages) = messages.upgrade() {
                // A gate that is gone does not wait for it.
                _ = messages.send(GateMessage::Told(Box::new(done))).await;
            }
        });
    }

    /// Does `work` away from the gate's own threads.
    pub(super) fn spawn_detached(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.parts.runtime.spawn(work));
    }

    pub(super) fn agent_state(&mut self, agent: &AgentId) -> &mut AgentState {
        let book = &self.parts.book;
        let clock = self.gate_time();
        let new = || AgentState::new(clock, book.open_sessions(agent));
        self.agents.entry(agent.clone()).or_insert_with(new)
    }

    fn opened(&mut self, agent: AgentId, outbox: Outbox) -> ConnectionId {
        self.next_connection += 1;
        let id = ConnectionId(self.next_connection);
        let state = self.agent_state(&agent);
        state.connections += 1;
        state.gone_at = None;
        self.connections.insert(id, agent);
        self.outboxes.insert(id, outbox);
        self.parts.stirred.agents.notify_one();
        id
    }

    /// Handles the end of a connection: what was to end with it is withdrawn, or killed if it runs.
    fn closed(&mut self, connection: ConnectionId) {
        let Some(agent) = self.connections.remove(&connection) else { return };
        self.outboxes.remove(&connection);
        let state = self.agent_state(&agent);
        state.connections = state.connections.saturating_sub(1);
        if state.connections == 0 {
            state.gone_at = Some(Instant::now());
        }
        let theirs: Vec<Uuid> = self
            .requests
            .values()
            .filter(|request| request.connection == connection && request.run.cancel_on_disconnect)
            .map(|request| request.id)
            .collect();
        for id in theirs {
            self.withdraw(id, Withdrawal::Disconnected);
            self.happen(id, RequestEvent::Killed);
        }
        self.parts.stirred.agents.notify_one();
    }

    fn counts(&self) -> GateCounts {
        let running = self.requests.values().filter(|request| request.pid().is_some()).count();
        GateCounts {
            waiting: u32::try_from(self.all_waiting()).unwrap_or(u32::MAX),
            running: u32::try_from(running).unwrap_or(u32::MAX),
            paused: self.parts.halt.paused().is_some(),
            paused_until: self.parts.halt.paused().and_then(|pause| pause.until),
            unwritten: self.unwritten(),
            unshown: self.unshown,
        }
    }

    fn shown_questions(&self, face: crate::ask::ApproverId) -> Vec<Question> {
        let here = self.questions.iter().map(|waiting| self.among_others(waiting.shown.question.clone()));
        let mut all: Vec<Question> = here.chain(self.shown_elsewhere(face)).collect();
        all.sort_by_key(|question| question.asked_at);
        all
    }

    /// Returns the reason why every request of an agent is denied at the moment, by any rules.
    pub(super) fn halted(&self, agent: &AgentId) -> Option<Denial> {
        let stopping = self.agents.get(agent).and_then(|state| state.stopping.as_ref());
        let stopping = stopping.map(|stopping| stopping.until);
        let stopped = stopping.or_else(|| self.parts.book.find_agent(agent)?.agent.denied_until);
        Some(self.parts.halt.of_agent(stopped, lasting())?.into())
    }

    /// Denies everything for a time. From afar a pause only becomes longer: shortening it is resuming.
    fn pause_all(
        &mut self,
        pause: ActivePause,
        by: ConnectedApproverKind,
        reply: oneshot::Sender<Result<(), PauseProblem>>,
    ) {
        match by {
            ConnectedApproverKind::Window | ConnectedApproverKind::Terminal => {
                self.parts.halt.set_pause(pause);
            }
            ConnectedApproverKind::Remote => self.parts.halt.lengthen_pause(pause),
        }
        self.keep_pause(Some(reply));
        self.deny_waiting(|_| true, &Refusal::Paused.into(), super::judged::ClosingCause::Paused);
    }

    /// Denies everything from now on, as the record is in doubt; or stops that, as a person has settled it.
    fn doubted(&mut self, doubt: bool) {
        if self.parts.halt.set_doubt(doubt) && doubt {
            self.parts.stirred.status.notify_one();
            self.deny_waiting(|_| true, &Refusal::Paused.into(), super::judged::ClosingCause::Paused);
        }
    }

    /// Ends a pause whose time is over.
    pub(super) fn end_pause(&mut self) {
        if !self.parts.halt.end_if_over(lasting()) {
            return;
        }
        self.parts.stirred.status.notify_one();
        self.keep_pause(None);
    }

    /// Resumes after a pause. A doubt that cannot be settled stays:
    /// [`Store::settle_doubt`](postern_store::Store::settle_doubt) says why.
    fn resume(&mut self, reply: oneshot::Sender<Result<(), PauseProblem>>) {
        if self.parts.halt.is_in_doubt()
            && let Err(error) = self.parts.store.settle_doubt()
        {
            return answer(reply, Err(PauseProblem::InDoubt(error.to_string())));
        }
        self.parts.halt.resume();
        self.parts.stirred.status.notify_one();
        self.keep_pause(Some(reply));
    }

    fn shut_down(&mut self) {
        for id in self.requests.keys().copied().collect::<Vec<_>>() {
            self.happen(id, RequestEvent::Shutdown);
        }
    }

    /// Returns the time at which the task has to check the clock again.
    fn next_deadline(&mut self) -> Option<Instant> {
        let turn = self.next_turn_at();
        let pause = self.parts.halt.ends_in(lasting()).map(|left| Instant::now() + left);
        let due = self.questions.next_due().map(|due| self.due_instant(due));
        [due, pause, self.look_at, self.next_gone(), self.next_try(), turn, self.next_late()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Tells every face.
    pub(super) fn notify_approvers(&self, told: ApproverNotification) {
        self.parts.told.send(told);
    }
}

/// Answers somebody who may have gone meanwhile.
pub(super) fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    drop(reply.send(value));
}
