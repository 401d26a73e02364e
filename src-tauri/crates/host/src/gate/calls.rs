//! Calls of an agent on its channel.

use super::judge::JudgedRequest;
use super::live::{ConnectionId, InputPiece, InputQueue, LiveRequest};
use super::task::Task;
use crate::clock::now_millis;
use crate::lanes::Lane;
use postern_command::escape;
use postern_contract::render;
use postern_policy::{AgentId, AgentPolicy, Decision, Origin, Verdict};
use postern_protocol::{
    Accepted, AgentCall, ErrorCode, ErrorObject, InputParams, KillParams, KillResult, OutputStream,
    RunParams, RunResult, RunState, RunStdin, Signal, StatusParams, StatusResult, VerdictNote, Wait, What,
};
use postern_request::{BUSY_MS, Life, RequestEnding, RequestEvent, RequestState, TryAfter, Withdrawal};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use uuid::Uuid;

use crate::socket::Reply;

/// Pieces of standard input that may wait for one request.
const INPUT_PIECES: usize = 16;

impl Task {
    pub(super) fn handle_call(
        &mut self,
        connection: ConnectionId,
        agent: &AgentId,
        call: AgentCall,
        reply: Reply,
    ) {
        if self.parts.halt.is_closing() {
            return;
        }
        if let Err(after) = self.may_call(agent, &call) {
            let error = ErrorObject::new(ErrorCode::RateLimited, "this agent sends too many messages");
            reply.send_error(&error.retry_after(after.millis()));
            return;
        }
        match call {
            AgentCall::Run(run) => self.run_called(connection, agent, *run, reply),
            AgentCall::Status(params) => self.status(agent, &params, reply),
            AgentCall::Output(params) => self.output(agent, params, reply),
            AgentCall::Input(params) => self.queue_input(agent, params, reply),
            AgentCall::Kill(params) => self.kill_request(agent, &params, reply),
            AgentCall::Which(params) => self.answer_which(agent, params, reply),
            AgentCall::SessionOpen(params) => self.session_open(agent, params, reply),
            AgentCall::SessionClose(params) => self.session_close(agent, params, reply),
            AgentCall::ToolCheck(params) => self.tool_check(connection, agent, params, reply),
            AgentCall::EventsAfter(params) => {
                let Some(outbox) = reply.outbox().cloned() else { return };
                self.parts.publisher.replay(agent, outbox, params.sequence, move |outcome| match outcome {
                    Ok((sequence, replaying)) => {
                        reply.send_result(&postern_protocol::EventsAfterResult { sequence, replaying });
                    }
                    Err(error) => reply.send_error(&error),
                });
            }
        }
    }

    /// Requests and tool checks have a limit of their own; input waits until it was written.
    fn may_call(&mut self, agent: &AgentId, call: &AgentCall) -> Result<(), TryAfter> {
        let clock = self.gate_time();
        match call {
            AgentCall::Run(_) | AgentCall::ToolCheck(_) | AgentCall::Input(_) => Ok(()),
            AgentCall::Status(_)
            | AgentCall::Output(_)
            | AgentCall::Kill(_)
            | AgentCall::Which(_)
            | AgentCall::SessionOpen(_)
            | AgentCall::SessionClose(_)
            | AgentCall::EventsAfter(_) => self.agent_state(agent).limits.take_call(clock),
        }
    }

    fn run_called(&mut self, connection: ConnectionId, agent: &AgentId, run: RunParams, reply: Reply) {
        let run = self.joined(connection, agent, run);
        if let Some(id) = self.keys.get(&(agent.clone(), run.request_id)).copied() {
            self.join_live_request(id, &run.fingerprint(), run.wait, reply);
            return;
        }
        let policy = match self.admit_request(agent, run.session.as_deref()) {
            Ok(policy) => policy,
            Err(error) => {
                reply.send_error(&error);
                return;
            }
        };
        let fingerprint = run.fingerprint();
        let cap = policy.settings.output_cap_bytes;
        let mut request = new_request(Uuid::now_v7(), connection, agent, run, fingerprint, cap);
        match request.run.wait {
            Wait::None => request.accepted.push(reply),
            Wait::Finished => request.finished.push(reply),
        }
        self.keys.insert((agent.clone(), request.run.request_id), request.id);
        self.take_in(request);
    }

    /// Returns whether another request of an agent may come in, whatever it is about: its limits, and its
    /// session.
    pub(super) fn admit_request(
        &mut self,
        agent: &AgentId,
        session: Option<&str>,
    ) -> Result<Arc<AgentPolicy>, ErrorObject> {
        let limited =
            |message: &str, after: u64| ErrorObject::new(ErrorCode::RateLimited, message).retry_after(after);
        let policy = self.parts.book.policy(agent).ok_or_else(|| {
            ErrorObject::new(ErrorCode::Unauthenticated, "this agent is not enrolled any more")
        })?;
        let clock = self.gate_time();
        let asked = self.agent_state(agent).limits.request(&policy.settings, clock);
        asked.map_err(|after| limited("this agent sends too many requests", after.millis()))?;
        if self.is_opening(agent, session) {
            return Err(ErrorObject::new(ErrorCode::UnknownSession, super::session::OPENING));
        }
        let written = self.agent_state(agent).ledger.has_room(clock);
        written.map_err(|after| {
            let message = "this agent has written as much to Postern's record as it may for now";
            limited(message, TryAfter(after).millis())
        })?;
        if !self.parts.lanes.has_room(agent, Lane::LookUps) {
            let message = "too many requests of this agent wait to be looked up";
            return Err(limited(message, BUSY_MS));
        }
        Ok(policy)
    }

    /// Takes in a request, and looks it up.
    pub(super) fn take_in(&mut self, mut request: LiveRequest) {
        self.note_seen(&request.agent);
        request.new = Some(super::record::new_row(&request));
        tracing::info!(parent: &request.span, "received");
        let id = request.id;
        self.requests.insert(id, request);
        self.look_up(id);
    }

    /// Notes, by the minute, when an agent was last seen.
    fn note_seen(&mut self, agent: &AgentId) {
        let state = self.agent_state(agent);
        if state.seen_at.is_none_or(|at| at.elapsed() >= Duration::from_mins(1)) {
            state.seen_at = Some(Instant::now());
            self.parts.book.note_agent_seen(agent);
        }
    }

    /// Joins the same request to the live one, so that it never runs twice.
    fn join_live_request(&mut self, id: Uuid, fingerprint: &str, wait: Wait, reply: Reply) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        if request.fingerprint != fingerprint {
            reply.send_error(&duplicate());
            return;
        }
        match wait {
            Wait::Finished => request.finished.push(reply),
            // The event of its end may have been told before this connection heard any: it is the answer.
            Wait::None if request.ending().is_some() => request.finished.push(reply),
            // What is not on record is not taken yet.
            Wait::None if request.new.is_some() => request.accepted.push(reply),
            Wait::None => {
                let result = accepted(&request.run, request.state(), request.judged.as_deref());
                let waiting = self.questions.question_of(id);
                let open = waiting.map(|waiting| waiting.shown.question.clone());
                let pending = open.map(|open| self.pending_for_agent(&open));
                reply.send_result(&RunResult::Accepted(Accepted { pending, ..result }));
            }
        }
    }

    /// Refuses an id that was used before, for something else.
    pub(super) fn refuse_duplicate(&mut self, id: Uuid) {
        let Some(request) = self.take_unwritten(id) else { return };
        for reply in request.finished.into_iter().chain(request.accepted) {
            reply.send_error(&duplicate());
        }
    }

    /// Forgets a request that could not be recorded, so it did not happen.
    pub(super) fn forget_unwritten(&mut self, id: Uuid) {
        let Some(request) = self.take_unwritten(id) else { return };
        for reply in request.finished.into_iter().chain(request.accepted) {
            let message = "the request could not be written down; nothing was run";
            reply.refuse(ErrorCode::Internal, message);
        }
    }

    pub(super) fn take_unwritten(&mut self, id: Uuid) -> Option<LiveRequest> {
        let request = self.requests.remove(&id)?;
        self.keys.remove(&(request.agent.clone(), request.run.request_id));
        Some(request)
    }

    fn status(&mut self, agent: &AgentId, params: &StatusParams, reply: Reply) {
        let Some(request) = self.theirs(agent, params.request_id) else {
            self.status_of_ended(agent, params.request_id, reply);
            return;
        };
        let running = request.running.clone();
        let mut status = StatusResult {
            request_id: params.request_id,
            state: request.run_state(),
            verdict: note_for_agent(
                request.ending(),
                request.judged.as_deref().map(|judged| &judged.verdict),
            ),
            pid: request.pid(),
            stdout_bytes: 0,
            stderr_bytes: 0,
            ending: None,
        };
        // Output is looked at off the gate's own task.
        self.look_into(agent, reply, move |reply| {
            if let Some(running) = running {
                status.stdout_bytes = running.output(OutputStream::Stdout).bytes;
                status.stderr_bytes = running.output(OutputStream::Stderr).bytes;
            }
            reply.send_result(&status);
        });
    }

    fn queue_input(&mut self, agent: &AgentId, params: InputParams, reply: Reply) {
        let request_id = params.request_id;
        let Some(request) = self.theirs(agent, request_id) else {
            self.refuse_ended(agent, request_id, reply);
            return;
        };
        let Some(queue) = &request.input else {
            reply.refuse(
                ErrorCode::NotRunning,
                "this request did not ask to be fed (stdin: {\"stream\": true})",
            );
            return;
        };
        let eof = params.eof;
        let data = match params.into_bytes() {
            Ok(data) => data,
            Err(mistake) => {
                reply.send_error(&mistake.into());
                return;
            }
        };
        match queue.sender.try_send(InputPiece { data, eof, request_id, reply }) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(piece)) => {
                let message = "wait for the answers to what was sent before";
                piece.reply.refuse(ErrorCode::RateLimited, message);
            }
            Err(mpsc::error::TrySendError::Closed(piece)) => {
                piece.reply.refuse(ErrorCode::NotRunning, "its standard input has ended");
            }
        }
    }

    fn kill_request(&mut self, agent: &AgentId, params: &KillParams, reply: Reply) {
        let Some(request) = self.theirs(agent, params.request_id) else {
            self.kill_of_ended(agent, params.request_id, reply);
            return;
        };
        let id = request.id;
        if request.is_asking() {
            self.withdraw(id, Withdrawal::TakenBack);
        } else {
            self.signal(id, params.signal);
        }
        let state = self.requests.get(&id).map_or(RunState::Finished, LiveRequest::run_state);
        reply.send_result(&KillResult { request_id: params.request_id, state });
    }

    /// Sends a signal to what runs; TERM and KILL end the request, and anything ends what does not run yet.
    pub(super) fn signal(&mut self, id: Uuid, signal: Signal) {
        let Some(request) = self.requests.get(&id) else { return };
        let runs = matches!(request.state(), RequestState::Running { .. } | RequestState::Stopping { .. });
        match (&request.running, signal.name()) {
            (Some(running), "SIGKILL") if runs => {
                running.signal(signal.number());
                self.happen(id, RequestEvent::Killed);
            }
            (Some(running), name) if runs && name != "SIGTERM" => running.signal(signal.number()),
            _ => self.happen(id, RequestEvent::Killed),
        }
    }

    /// Returns a live request of this agent; another agent's is none.
    pub(super) fn theirs(&self, agent: &AgentId, request_id: Uuid) -> Option<&LiveRequest> {
        let id = self.keys.get(&(agent.clone(), request_id))?;
        self.requests.get(id)
    }
}

/// Makes the error for the same id with other content.
fn duplicate() -> ErrorObject {
    let message = "this requestId was used before, for something else: a new request needs a new one";
    ErrorObject::new(ErrorCode::DuplicateRequest, message)
}

/// Returns the answer to a request that is on its way.
pub(super) fn accepted(run: &RunParams, state: &RequestState, judged: Option<&JudgedRequest>) -> Accepted {
    Accepted {
        request_id: run.request_id,
        state: RunState::from(state),
        verdict: note_for_agent(ending_of(state), judged.map(|judged| &judged.verdict)),
        timeout_ms: judged.and_then(|judged| super::end::shortened_timeout(run, judged)),
        pending: None,
    }
}

fn ending_of(state: &RequestState) -> Option<&RequestEnding> {
    if let RequestState::Ended(ending) = state { Some(ending) } else { None }
}

/// Returns the verdict for the agent. A denial is reported as what it is, whether a verdict, a limit or a
/// person made it.
pub(super) fn note_for_agent(
    ending: Option<&RequestEnding>,
    verdict: Option<&Verdict>,
) -> Option<VerdictNote> {
    match ending {
        Some(RequestEnding::Denied(denial)) => Some(VerdictNote {
            decision: Decision::Deny,
            reason: denial.reason.name().to_owned(),
            message: render::refusal_text(&denial.cause),
            advice: render::denial_advice(denial),
            rule: denial.rule,
        }),
        Some(RequestEnding::Finished { .. } | RequestEnding::Failed { .. } | RequestEnding::Allowed)
        | None => verdict.map(verdict_note),
    }
}

/// Returns a verdict as far as an agent is told.
fn verdict_note(verdict: &Verdict) -> VerdictNote {
    VerdictNote {
        decision: verdict.decision,
        reason: verdict.reason.name().to_owned(),
        message: render::cause_text(&verdict.cause),
        advice: render::verdict_advice(verdict),
        rule: verdict.rule.as_ref().map(|rule| rule.id),
    }
}

pub(super) fn new_request(
    id: Uuid,
    connection: ConnectionId,
    agent: &AgentId,
    run: RunParams,
    fingerprint: String,
    output_cap: u64,
) -> LiveRequest {
    let line = match &run.what {
        What::Command(argv) => escape::visible_text(&postern_command::quote_argv(argv)),
        What::Shell(text) => escape::visible_text(text),
    };
    let input = matches!(run.stdin, RunStdin::Stream).then(|| {
        let (sender, receiver) = mpsc::channel(INPUT_PIECES);
        InputQueue { sender, receiver: Some(receiver) }
    });
    let span = tracing::info_span!("request", %id, %agent, request_id = %run.request_id);
    LiveRequest {
        id,
        agent: agent.clone(),
        origin: Origin::Host,
        call: None,
        run: Arc::new(run),
        fingerprint,
        line,
        edited: None,
        run_edited: None,
        life: Life::default(),
        connection,
        received_at: now_millis(),
        new: None,
        judged: None,
        looking: None,
        question: None,
        by: None,
        answered_by: None,
        answering: None,
        closes: None,
        writing: None,
        recorded_parts: None,
        uses: Vec::new(),
        scripts: Vec::new(),
        accepted: Vec::new(),
        finished: Vec::new(),
        input,
        running: None,
        began: None,
        placed: false,
        output_cap,
        started_at: None,
        result: None,
        notice: None,
        span,
    }
}
