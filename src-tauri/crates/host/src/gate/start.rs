//! The last check, and the start: policy, files, script and folder are still what was let through.

use super::judge::World;
use super::live::{InputPiece, Late, LiveRequest};
use super::look_up::open_again;
use super::message::GateTaskResult;
use super::task::Task;
use crate::clock::{lasting, now_millis};
use crate::lanes::{Lane, Lanes};
use crate::publish::{About, Publisher};
use postern_exec::resolve::{Cwd, Held};
use postern_exec::run::{
    self, FinishedRun, GRACE, MayStart, Prepared, ProcessInput, RunEvent, Running, SpawnError, UserPlaces,
};
use postern_policy::{AgentId, AgentPolicy, Decision, StepFacts};
use postern_protocol::{ErrorCode, ExecOutput, InputResult, OutputStream, RunParams, RunStdin};
use postern_request::{
    AllowedBy, Approved, Denial, Drift, Outcome, Plan, Refusal, RequestEvent, RequestState, RunSlotResult,
    Withdrawal,
};
use postern_store::{Store, requests};
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc, oneshot};
use uuid::Uuid;

/// Pieces of output between a run and its reader.
const PIECES: usize = 4;

impl Task {
    /// Starts a request that was let through, once that is recorded.
    pub(super) fn start_request(&mut self, id: Uuid, approved: Approved) {
        if self.requests.get(&id).is_some_and(|request| request.call.is_some()) {
            self.leave_to_agent(id, approved.allowed_by());
            return;
        }
        let Some(request) = self.requests.get(&id) else { return };
        let agent = request.agent.clone();
        let most = self.most_of(&agent);
        match self.agent_state(&agent).places.acquire((id, approved), most) {
            RunSlotResult::Given((id, approved)) => self.launch_apart(id, approved),
            RunSlotResult::Waits => self.close_files(id),
            RunSlotResult::Full => self.happen(id, RequestEvent::Drifted(Refusal::TooManyRuns.into())),
        }
    }

    /// Gives the place of a run that has ended, or never began, to the next one.
    pub(super) fn give_place_back(&mut self, request: &LiveRequest) {
        if !request.placed {
            return;
        }
        let agent = request.agent.clone();
        let most = self.most_of(&agent);
        if let Some((id, approved)) = self.agent_state(&agent).places.give_back(most) {
            self.launch_apart(id, approved);
        }
    }

    fn most_of(&self, agent: &AgentId) -> u32 {
        self.parts.book.policy(agent).map_or(1, |policy| policy.settings.max_running.max(1))
    }

    /// Checks everything once more and starts it.
    pub(super) fn launch(&mut self, id: Uuid, approved: Approved) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.placed = true;
        if let Err(denial) = self.still_allowed(id, approved.allowed_by()) {
            self.happen(id, RequestEvent::Drifted(denial));
            return;
        }
        let Some(policy) = self.requests.get(&id).and_then(|request| self.parts.book.policy(&request.agent))
        else {
            return;
        };
        let (world, lanes) = (Arc::clone(&self.parts.world), self.parts.lanes.clone());
        let Some(request) = self.requests.get_mut(&id) else { return };
        let agent = request.agent.clone();
        let Some(prepare) = prepare(request, &self.parts.world) else {
            self.happen(id, RequestEvent::Drifted(Drift::Gone.into()));
            return;
        };
        let about = request.summary();
        let (began, begun) = oneshot::channel();
        request.began = Some(began);
        let output = RunEventForwarder {
            publisher: self.parts.publisher.clone(),
            about,
            outbox: self.outbox_of(id),
            stream: prepare.stream,
        };
        let messages = self.messages.clone();
        let last = LastSteps {
            id,
            by: approved.allowed_by(),
            intended: approved.is_intended(),
            store: self.parts.store.clone(),
            messages: messages.clone(),
        };
        self.spawn_task(async move {
            let denied = |denial| GateTaskResult::Happened { id, event: RequestEvent::Drifted(denial) };
            let opened = prepare.open_files(&lanes, &agent, world, policy).await;
            let (prepared, may_start) = match last.take(opened).await {
                Ok(ready) => ready,
                Err(denial) => return denied(denial),
            };
            let (sink, events) = mpsc::channel(PIECES);
            match run::spawn_approved(approved, prepared, may_start, sink).await {
                Ok(running) => {
                    // Told before anything else of it: a process that is gone at once must not end before it began.
                    if let Some(messages) = messages.upgrade() {
                        _ = messages
                            .send(super::GateMessage::Told(Box::new(GateTaskResult::Started { id, running })))
                            .await;
                    }
                    output.follow(id, events, begun, messages).await
                }
                Err(SpawnError::Drifted(drift)) => denied(drift.into()),
                Err(SpawnError::Refused(denial)) => denied(*denial),
                Err(SpawnError::Failed(message)) => {
                    GateTaskResult::Happened { id, event: RequestEvent::SpawnFailed { message } }
                }
            }
        });
    }

    /// Returns whether the policy, as it is now, still lets through what was let through.
    pub(super) fn still_allowed(&self, id: Uuid, by: AllowedBy) -> Result<(), Denial> {
        let Some(request) = self.requests.get(&id) else { return Err(Refusal::NotRecorded.into()) };
        if let RequestState::Starting { stop: Some(_), .. } = request.state() {
            return Err(Refusal::Withdrawn(Withdrawal::Ended).into());
        }
        if let Some(halted) = self.halted(&request.agent) {
            return Err(halted);
        }
        let changed = || Drift::Policy.into();
        let (Some(judged), Some(policy)) = (&request.judged, self.parts.book.policy(&request.agent)) else {
            return Err(changed());
        };
        if judged.plan.policy == self.parts.book.version() {
            return Ok(());
        }
        let again = judged.rejudge(&self.parts.world, &policy, lasting());
        if !matches!(by, AllowedBy::Person) && !judged.plan.confinement.is_within(&again.confinement) {
            return Err(changed());
        }
        let holds = match (by, again.decision) {
            (_, Decision::Allow) | (AllowedBy::Person, Decision::Ask) => true,
            (AllowedBy::Fallback, Decision::Ask) => {
                match self.fallback_for(&policy.settings, again.risk.level) {
                    postern_policy::Fallback::Full => true,
                    postern_policy::Fallback::Deny => false,
                    postern_policy::Fallback::Allowlist => {
                        judged.unanswered(&self.parts.world, &policy, lasting()).decision == Decision::Allow
                    }
                }
            }
            (
                AllowedBy::Rule(_) | AllowedBy::Policy | AllowedBy::Skill(_) | AllowedBy::Default,
                Decision::Ask,
            )
            | (_, Decision::Deny) => false,
        };
        if holds { Ok(()) } else { Err(changed()) }
    }

    /// Returns the connection that waits for this request, which its output must not outrun.
    fn outbox_of(&self, id: Uuid) -> Option<crate::socket::Outbox> {
        let request = self.requests.get(&id)?;
        self.outboxes.get(&request.connection).cloned()
    }

    /// Notes that it runs.
    pub(super) fn started(&mut self, id: Uuid, running: Running) {
        let pid = running.pid();
        if let Some(request) = self.requests.get_mut(&id) {
            request.started_at = Some(now_millis());
            let input = request.input.as_mut().and_then(|queue| queue.receiver.take());
            if let Some(input) = input {
                tokio::spawn(feed_input(running.clone(), input));
            }
            request.running = Some(running);
        }
        self.happen(id, RequestEvent::Started { pid });
    }

    /// Notes that it ended, and so did its output.
    pub(super) fn exited(&mut self, id: Uuid, finished: Box<FinishedRun>) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let end = finished.end;
        request.result = Some(finished);
        self.happen(id, RequestEvent::Exited(end));
    }
}

/// Steps between the files of a start and its process.
struct LastSteps {
    id: Uuid,
    by: AllowedBy,
    /// True if the start is recorded already.
    intended: bool,
    store: Store,
    messages: mpsc::WeakSender<super::GateMessage>,
}

impl LastSteps {
    /// Records the start, and returns the question that the gate is asked right before the process is let go.
    ///
    /// Opening, recording, looking through folders and reading files again may take seconds, in which a pause has to hold.
    async fn take(self, opened: Result<Prepared, Denial>) -> Result<(Prepared, MayStart), Denial> {
        let Self { id, by, intended, store, messages } = self;
        let prepared = opened?;
        let gone = || Denial::from(Refusal::NotRecorded);
        if !intended {
            let written = store.write_durable(move |conn| requests::intend(conn, id, now_millis())).await;
            if !matches!(written, Ok(true)) {
                return Err(gone());
            }
        }
        let may_start = Box::new(move || {
            let (reply, allowed) = oneshot::channel();
            let messages = messages.upgrade().ok_or_else(gone)?;
            let asked = messages.blocking_send(super::GateMessage::MayStart { id, by, reply });
            asked.map_err(|_| gone())?;
            drop(messages);
            allowed.blocking_recv().map_err(|_| gone())?
        });
        Ok((prepared, may_start))
    }
}

/// Inputs of a start beside its files, and these if they are still open.
struct Prepare {
    open: Option<(Held, Cwd)>,
    run: Arc<RunParams>,
    plan: Plan,
    /// Facts that it was judged by.
    steps: Vec<StepFacts>,
    user: UserPlaces,
    input: ProcessInput,
    output_cap: u64,
    stream: bool,
}

impl Prepare {
    /// Opens the files of a start as they were judged, or fails.
    async fn open_files(
        self,
        lanes: &Lanes,
        agent: &AgentId,
        world: Arc<World>,
        policy: Arc<AgentPolicy>,
    ) -> Result<Prepared, Denial> {
        let Self { open, run, plan, steps, user, input, output_cap, stream } = self;
        let (held, cwd, plan) = if let Some((held, cwd)) = open {
            (held, cwd, plan)
        } else {
            let again = move |allowance, _| {
                let opened = open_again(&world.within(allowance), &policy, &run, (&plan, &steps));
                opened.map(|(held, cwd)| (held, cwd, plan))
            };
            let opened = lanes.run(agent, Lane::LookUps, again).await;
            opened.unwrap_or_else(|why| Err(Refusal::from(why).into()))?
        };
        Ok(Prepared { plan, held, cwd, user, input, output_cap, stream, grace: GRACE })
    }
}

/// Returns the inputs of a start; `None` if it was not judged.
fn prepare(request: &mut LiveRequest, world: &World) -> Option<Prepare> {
    let judged = request.judged.as_mut()?;
    let open = judged.open.take();
    judged.close();
    let input = match &request.run.stdin {
        RunStdin::Nothing => ProcessInput::Nothing,
        RunStdin::Text(text) => ProcessInput::Inline(text.clone().into_bytes()),
        RunStdin::Stream => ProcessInput::Stream,
    };
    Some(Prepare {
        open,
        run: Arc::clone(request.run_edited.as_ref().unwrap_or(&request.run)),
        plan: judged.plan.clone(),
        steps: judged.steps.clone(),
        user: world.places(),
        input,
        output_cap: request.output_cap,
        stream: request.run.stream,
    })
}

/// Writes what the agent sends, piece by piece; each is answered when the process had room for it.
async fn feed_input(running: Running, mut pieces: mpsc::Receiver<InputPiece>) {
    while let Some(InputPiece { data, eof, request_id, reply }) = pieces.recv().await {
        let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
        match running.write_input(data, eof).await {
            Ok(()) => reply.send_result(&InputResult { request_id, written: length }),
            Err(error) => reply.refuse(ErrorCode::NotRunning, error.to_string()),
        }
    }
}

/// Carries what a run tells to those who listen.
struct RunEventForwarder {
    publisher: Publisher,
    about: About,
    outbox: Option<crate::socket::Outbox>,
    stream: bool,
}

impl RunEventForwarder {
    /// Follows a run until it has ended. The process waits for a reader that is slow, up to its time.
    async fn follow(
        mut self,
        id: Uuid,
        mut events: mpsc::Receiver<RunEvent>,
        begun: oneshot::Receiver<Late>,
        messages: mpsc::WeakSender<super::GateMessage>,
    ) -> GateTaskResult {
        let places = Arc::new(Semaphore::new(PIECES));
        if self.stream {
            // Where its start could not be told yet, its output is told with its end.
            self.stream = begun.await.is_err();
        }
        while let Some(event) = events.recv().await {
            match event {
                RunEvent::Output { stream, offset, bytes } => {
                    self.output(stream, offset, bytes, &places).await;
                }
                RunEvent::TimedOut => {
                    let Some(messages) = messages.upgrade() else { continue };
                    let done = GateTaskResult::Happened { id, event: RequestEvent::TimedOut };
                    // A gate that is gone has no use for it.
                    _ = messages.send(super::GateMessage::Told(Box::new(done))).await;
                }
                RunEvent::Exited(finished) => return GateTaskResult::Exited { id, finished },
            }
        }
        // A run always tells its end: without one it is not known how it ended.
        GateTaskResult::Happened { id, event: RequestEvent::Exited(Outcome::Unknown.into()) }
    }

    async fn output(&self, stream: OutputStream, offset: u64, bytes: Vec<u8>, places: &Arc<Semaphore>) {
        if !self.stream {
            return;
        }
        if let Some(outbox) = &self.outbox {
            outbox.wait_for_room().await;
        }
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let length = bytes.len();
        let output = ExecOutput::new(stream, offset, bytes);
        self.publisher.output(&self.about, now_millis(), output, (length, place));
    }
}
