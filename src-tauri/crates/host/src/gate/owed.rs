//! Entries that could not be recorded: they are kept as owed, tried again, and reported.

use super::live::{Answering, Late, Stopping};
use super::message::{GateTaskResult, PauseProblem};
use super::task::{Task, answer};
use crate::book::PolicyStoreError;
use postern_contract::{Answered, NotApplied};
use postern_policy::{AgentId, Millis};
use postern_request::{FailedWrite, Refusal, RequestEffect, Tells, pause_after};
use postern_store::{Error, audit, settings};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

#[derive(Debug, Default)]
pub(crate) struct OwedEntries {
    /// Requests with an entry that could not be written.
    requests: HashSet<Uuid>,
    /// The pause, or its end, where that could not be written.
    pause: Option<Again>,
    /// Number of the last write of the pause: the result of an older one is ignored.
    pauses: u64,
    paused_by: Option<Arc<audit::ChangeAuthor>>,
    /// Agents that the person stopped, where that could not be written.
    stops: HashMap<AgentId, Again>,
    /// Error of the last write.
    why: String,
    /// Time at which the first of the owed entries could not be written.
    since: Millis,
}

/// Time and delay of the next try.
#[derive(Debug, Clone, Copy)]
struct Again {
    failures: u32,
    at: Instant,
}

impl Again {
    /// Returns the next try after one more failure than `before`.
    fn after_failure(before: Option<Self>) -> Self {
        let failures = before.map_or(1, |before| before.failures.saturating_add(1));
        Self { failures, at: Instant::now() + pause_after(failures) }
    }
}

/// Owed entries, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritten {
    pub endings: u32,
    /// Other entries: questions, starts, stops, a pause.
    pub others: u32,
    /// Error of the last write.
    pub why: String,
    /// Time at which the first of them could not be written.
    pub since: Millis,
}

impl OwedEntries {
    /// Notes why a write failed, before what it would have written is owed.
    fn failed(&mut self, why: String) {
        if self.requests.is_empty() && self.stops.is_empty() && self.pause.is_none() {
            self.since = crate::clock::now_millis();
        }
        self.why = why;
    }

    pub(super) fn forget(&mut self, id: Uuid) {
        self.requests.remove(&id);
    }

    /// Begins a write of the pause, and returns its number.
    fn next_pause(&mut self) -> u64 {
        self.pauses = self.pauses.wrapping_add(1);
        self.pauses
    }
}

impl Task {
    /// Returns the time since the gate began, sleep included: requests count by it.
    pub(super) fn gate_time(&self) -> Duration {
        self.began.elapsed() + self.parts.session.time_asleep()
    }

    /// Returns the instant at which that clock will be at `due`, if the machine stays awake.
    pub(super) fn due_instant(&self, due: Duration) -> Instant {
        self.began + due.saturating_sub(self.parts.session.time_asleep())
    }

    /// Handles a failed write of an entry: what was to begin with it does not; what has happened is owed.
    pub(super) fn not_recorded(&mut self, id: Uuid, error: &Error) {
        let clock = self.gate_time();
        let Some(request) = self.requests.get_mut(&id) else { return };
        tracing::error!(request = %id, %error, "a state could not be written down");
        let agent = request.agent.clone();
        let writing = request.writing.take();
        if let Some(writing) = &writing {
            if request.uses.is_empty() {
                request.uses.clone_from(&writing.uses);
            }
            request.closes = request.closes.take().or_else(|| writing.closes.clone());
            if matches!(writing.tells, Some(Tells::Started { .. }))
                && let Some(began) = request.began.take()
            {
                // The run may be gone.
                _ = began.send(Late);
            }
        }
        let before = Before::from_request(request);
        let refused = request.life.refused(clock, Refusal::NotRecorded.into());
        let answering = request.answering.take();
        if let Some(writing) = writing {
            self.agent_state(&agent).ledger.refund(writing.charge);
        }
        self.owed.failed(error.to_string());
        match refused {
            FailedWrite::Forgotten => self.forget_unwritten(id),
            FailedWrite::NotBegun(at_once) => {
                self.owed.requests.insert(id);
                let why = NotApplied::Unwritten(error.to_string());
                fail_answering(answering, Answered::refused(&why));
                self.apply_transition(id, &before, at_once);
            }
            FailedWrite::Owed => {
                fail_answering(
                    answering,
                    Answered::applied_partly(&NotApplied::DeniedUnwritten(error.to_string())),
                );
                self.schedule_retry(id, can_never_be(error));
            }
        }
        self.parts.stirred.status.notify_one();
    }

    /// Schedules another try of an entry, unless it can never be written.
    fn schedule_retry(&mut self, id: Uuid, never: bool) {
        if let Some(request) = self.requests.get_mut(&id).filter(|_| never) {
            request.life.give_up();
        } else {
            self.owed.requests.insert(id);
        }
        self.tell_request(id);
        self.proceed(id);
    }

    /// Carries out what a change of state asks for at once, and tells of it.
    pub(super) fn apply_transition(&mut self, id: Uuid, before: &Before, at_once: Vec<RequestEffect>) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        // From its first record on: who let it through must be known even if this host does not live to start it.
        if let postern_request::RequestState::Starting { by, .. } = request.life.current_state() {
            request.by = Some(*by);
        }
        let after = Before::from_request(request);
        if !request.is_asking() {
            request.question = None;
        }
        // Who is told of a change may read the record at once: what is written down is told of once it is written.
        let unwritten = request.life.is_unwritten();
        for effect in at_once {
            match effect {
                RequestEffect::Stop(stop) => {
                    if let Some(running) = self.requests.get(&id).and_then(|one| one.running.as_ref()) {
                        running.stop(stop);
                    }
                }
                RequestEffect::CloseQuestion => self.close_question(id),
                // The rest is carried out in its order.
                _ => {}
            }
        }
        if before.runs != after.runs {
            self.parts.stirred.status.notify_one();
        }
        if before.state != after.state && !unwritten {
            self.tell_request(id);
        }
        self.proceed(id);
    }

    /// Tries again what is due.
    pub(super) fn try_again(&mut self) {
        let (clock, now) = (self.gate_time(), Instant::now());
        let due = |id: &Uuid| {
            let life = self.requests.get(id).map(|request| &request.life);
            life.is_some_and(|life| life.retry_due().is_some_and(|due| due <= clock))
        };
        let requests: Vec<Uuid> = self.owed.requests.iter().filter(|id| due(id)).copied().collect();
        for id in requests {
            self.proceed(id);
        }
        if self.owed.pause.is_some_and(|again| again.at <= now) {
            run_as_author(self.owed.paused_by.clone(), || self.write_pause(None));
        }
        let stops = self.owed.stops.iter().filter(|(_, again)| again.at <= now);
        for agent in stops.map(|(agent, _)| agent.clone()).collect::<Vec<_>>() {
            // Until this one fails too.
            if let Some(again) = self.owed.stops.get_mut(&agent) {
                again.at = now + pause_after(u32::MAX);
            }
            self.keep_stop(&agent, None);
        }
    }

    pub(super) fn next_try(&self) -> Option<Instant> {
        let requests = self.owed.requests.iter().filter_map(|id| self.requests.get(id)?.life.retry_due());
        let requests = requests.map(|due| self.due_instant(due));
        let others = self.owed.stops.values().chain(&self.owed.pause).map(|again| again.at);
        requests.chain(others).min()
    }

    /// Returns what is owed at the moment; `None` if nothing is.
    pub(super) fn unwritten(&self) -> Option<Unwritten> {
        let requests = || self.owed.requests.iter().filter_map(|id| self.requests.get(id));
        let endings = requests().filter(|request| request.ending().is_some()).count();
        let others = requests().count() - endings + self.owed.stops.len();
        let others = others + usize::from(self.owed.pause.is_some());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (why, since) = (self.owed.why.clone(), self.owed.since);
        let unwritten = Unwritten { endings: count(endings), others: count(others), why, since };
        (endings + others > 0).then_some(unwritten)
    }

    /// Writes down whether everything is denied: a pause outlives a restart. `reply` hears whether it is written.
    pub(super) fn keep_pause(&mut self, reply: Option<oneshot::Sender<Result<(), PauseProblem>>>) {
        self.owed.paused_by = audit::current();
        self.write_pause(reply);
    }

    fn write_pause(&mut self, reply: Option<oneshot::Sender<Result<(), PauseProblem>>>) {
        let (pause, number) = (self.parts.halt.paused(), self.owed.next_pause());
        if let Some(again) = &mut self.owed.pause {
            // Until this one fails too.
            again.at = Instant::now() + pause_after(u32::MAX);
        }
        let kept = self.parts.store.write_durable(move |conn| match &pause {
            Some(pause) => settings::set_value(conn, settings::PAUSE, pause),
            None => settings::remove(conn, settings::PAUSE),
        });
        self.spawn_task(async move {
            let problem = kept.await.err().map(|error| error.to_string());
            if let Some(reply) = reply {
                answer(reply, problem.clone().map_or(Ok(()), |error| Err(PauseProblem::NotWritten(error))));
            }
            GateTaskResult::PauseKept { number, problem }
        });
    }

    /// Notes that the pause is recorded, or is owed.
    pub(super) fn pause_kept(&mut self, number: u64, problem: Option<String>) {
        if number != self.owed.pauses {
            return;
        }
        let again = problem.is_some().then(|| Again::after_failure(self.owed.pause));
        if let Some(why) = problem {
            tracing::error!(error = why, "a pause could not be written down");
            self.owed.failed(why);
        }
        self.owed.pause = again;
        self.parts.stirred.status.notify_one();
    }

    /// Writes down that the person stopped an agent, which holds already. `reply` hears whether it is written.
    pub(super) fn keep_stop(&mut self, agent: &AgentId, reply: Option<oneshot::Sender<Answered>>) {
        let Some(Stopping { until, who }) = self.agent_state(agent).stopping.clone() else { return };
        let who = who.unwrap_or_default();
        let (book, agent) = (self.parts.book.clone(), agent.clone());
        self.spawn_task(async move {
            let saved = audit::with_author(who, book.deny_agent_until(&agent, Some(until))).await;
            if let Some(reply) = reply {
                let kept = saved.as_ref().map(|()| Default::default()).map_err(super::answer::failed);
                answer(reply, super::answer::denied(kept));
            }
            GateTaskResult::Stopped { agent, until, saved }
        });
    }

    /// Notes that the stop of an agent is recorded; or that it is owed, and holds all the same.
    pub(super) fn stopped(&mut self, agent: &AgentId, until: Millis, saved: Result<(), PolicyStoreError>) {
        match saved {
            Err(error) if until > crate::clock::lasting() && self.parts.book.policy(agent).is_some() => {
                let again = Again::after_failure(self.owed.stops.get(agent).copied());
                self.owed.failed(error.to_string());
                self.owed.stops.insert(agent.clone(), again);
            }
            Ok(()) | Err(_) => {
                self.owed.stops.remove(agent);
                let state = self.agent_state(agent);
                state.stopping = state.stopping.take().filter(|stopping| stopping.until != until);
            }
        }
        self.parts.stirred.status.notify_one();
    }
}

/// State of a request before an event.
#[derive(Debug)]
pub(super) struct Before {
    state: std::mem::Discriminant<postern_request::RequestState>,
    runs: bool,
}

impl Before {
    pub(super) fn from_request(request: &super::live::LiveRequest) -> Self {
        Self { state: std::mem::discriminant(request.state()), runs: request.pid().is_some() }
    }
}

/// Returns true if a write can never succeed: what it is about is gone, or the record is closed.
fn can_never_be(error: &Error) -> bool {
    match error {
        Error::Missing(_) | Error::Refused(_) | Error::Closed | Error::Displaced => true,
        Error::Sqlite(_) | Error::NotDurable(_) | Error::Busy => false,
    }
}

/// Does it in the name of the one who asked for it.
fn run_as_author(who: Option<Arc<audit::ChangeAuthor>>, work: impl FnOnce()) {
    match who {
        Some(who) => audit::now_by(who, work),
        None => work(),
    }
}

fn fail_answering(answering: Option<Answering>, answered: Answered) {
    if let Some(answering) = answering {
        answering.fail_with(answered);
    }
}
