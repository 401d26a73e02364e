//! Requests that have ended, as their agents ask about them: from the record, on a thread that may block.

use super::calls::note_for_agent;
use super::end;
use super::judge::judge_run;
use super::task::Task;
use crate::clock::lasting;
use crate::lanes::Lane;
use crate::socket::Reply;
use parking_lot::Mutex;
use postern_contract::render;
use postern_exec::identity::Allowance;
use postern_exec::run::{Captured, FinishedRun};
use postern_policy::AgentId;
use postern_protocol::{
    Accepted, Encoding, ErrorCode, ErrorObject, KillResult, Notice, OutputParams, OutputResult, OutputStream,
    RunParams, RunResult, RunState, StatusResult, What, WhichParams, WhichProgram, WhichResult, limits,
};
use postern_request::{BUSY_MS, Outcome, RequestEnding};
use postern_store::requests::{self, StoredRequest};
use postern_store::{Store, outputs};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

impl Task {
    /// Sends the outcome of the same request, which ended before, again.
    pub(super) fn send_earlier_outcome(&mut self, id: Uuid, row: StoredRequest) {
        let Some(request) = self.take_unwritten(id) else { return };
        let (store, lanes) = (self.parts.store.clone(), self.parts.lanes.clone());
        let (agent, accepted, finished) = (request.agent.clone(), request.accepted, request.finished);
        let tell = move |_, _| {
            let notice = notice_of(&store, &row);
            for reply in accepted.into_iter().chain(finished) {
                match &notice {
                    Some(notice) => reply.send_result(&RunResult::Ended(Box::new(notice.clone()))),
                    None => reply.send_result(&RunResult::Accepted(Accepted {
                        request_id: request.run.request_id,
                        state: row.summary.phase,
                        verdict: note_for_agent(row.ending.as_ref(), row.verdict.as_ref()),
                        timeout_ms: None,
                        pending: None,
                    })),
                }
            }
        };
        // Where there is no room for it, the caller learns that it was not answered, and asks again.
        self.spawn_detached(async move { _ = lanes.run(&agent, Lane::Records, tell).await });
    }

    pub(super) fn status_of_ended(&self, agent: &AgentId, request_id: Uuid, reply: Reply) {
        self.look_back(agent, request_id, reply, move |store, row, reply| {
            let bytes = |stream| {
                let kept =
                    store.read(|conn| outputs::get_output(conn, row.summary.id, stream)).ok().flatten();
                kept.map_or(0, |output| output.bytes)
            };
            let notice = notice_of(store, &row);
            let ending =
                notice.and_then(|notice| serde_json::to_value(RunResult::Ended(Box::new(notice))).ok());
            reply.send_result(&StatusResult {
                request_id,
                state: row.summary.phase,
                verdict: note_for_agent(row.ending.as_ref(), row.verdict.as_ref()),
                pid: None,
                stdout_bytes: bytes(OutputStream::Stdout),
                stderr_bytes: bytes(OutputStream::Stderr),
                ending,
            });
        });
    }

    pub(super) fn kill_of_ended(&self, agent: &AgentId, request_id: Uuid, reply: Reply) {
        self.look_back(agent, request_id, reply, move |_, row, reply| {
            reply.send_result(&KillResult { request_id, state: row.summary.phase });
        });
    }

    /// Refuses a call for a request that has ended, or never was.
    pub(super) fn refuse_ended(&self, agent: &AgentId, request_id: Uuid, reply: Reply) {
        self.look_back(agent, request_id, reply, |_, _, reply| {
            reply.refuse(ErrorCode::NotRunning, "this request has ended");
        });
    }

    pub(super) fn output(&self, agent: &AgentId, params: OutputParams, reply: Reply) {
        if let Some(request) = self.theirs(agent, params.request_id) {
            let (running, state) = (request.running.clone(), request.run_state());
            self.look_into(agent, reply, move |reply| {
                let so_far = |stream| running.as_ref().map(|running| running.output(stream));
                let stdout = so_far(OutputStream::Stdout).unwrap_or_default();
                let stderr = so_far(OutputStream::Stderr).unwrap_or_default();
                reply.send_result(&slice_output(&params, state, &stdout, &stderr));
            });
            return;
        }
        let request_id = params.request_id;
        self.look_back(agent, request_id, reply, move |store, row, reply| {
            let stdout = stored_output(store, row.summary.id, OutputStream::Stdout);
            let stderr = stored_output(store, row.summary.id, OutputStream::Stderr);
            reply.send_result(&slice_output(&params, row.summary.phase, &stdout, &stderr));
        });
    }

    /// Sends the decision for a bare run of each name.
    pub(super) fn answer_which(&self, agent: &AgentId, params: WhichParams, reply: Reply) {
        let Some(policy) = self.parts.book.policy(agent) else { return };
        let (world, version) = (Arc::clone(&self.parts.world), self.parts.book.version());
        self.on_lane(agent, Lane::LookUps, reply, move |allowance, reply| {
            let programs = params
                .names
                .into_iter()
                .map(|name| {
                    let world = world.within(allowance.another());
                    let run = RunParams::new(Uuid::nil(), What::Command(vec![name.clone()]));
                    match judge_run(&world, &policy, version, &run, lasting()) {
                        super::judge::RequestJudgment::Judged(judged) => WhichProgram {
                            name,
                            path: judged.plan.programs.first().map(|program| program.path.clone()),
                            decision: judged.verdict.decision,
                            message: render::cause_text(&judged.verdict.cause),
                        },
                        super::judge::RequestJudgment::Refused(denial) => WhichProgram {
                            name,
                            path: None,
                            decision: postern_protocol::Decision::Deny,
                            message: render::refusal_text(&denial.cause),
                        },
                    }
                })
                .collect();
            reply.send_result(&WhichResult { programs });
        });
    }

    /// Reads what is kept of an agent's requests, on its own thread for that.
    pub(super) fn look_into(&self, agent: &AgentId, reply: Reply, work: impl FnOnce(Reply) + Send + 'static) {
        self.on_lane(agent, Lane::Records, reply, move |_, reply| work(reply));
    }

    /// Answers a call on one of the agent's own threads; where there is no room, or no end, it says so at once.
    fn on_lane(
        &self,
        agent: &AgentId,
        lane: Lane,
        reply: Reply,
        work: impl FnOnce(Allowance, Reply) + Send + 'static,
    ) {
        let (lanes, agent) = (self.parts.lanes.clone(), agent.clone());
        let waits = Arc::new(Mutex::new(Some(reply)));
        self.spawn_detached(async move {
            let taken = Arc::clone(&waits);
            let answered = lanes.run(&agent, lane, move |allowance, _| {
                let reply = taken.lock().take();
                if let Some(reply) = reply {
                    work(allowance, reply);
                }
            });
            let answered = answered.await;
            let reply = waits.lock().take();
            if let (Err(why), Some(reply)) = (answered, reply) {
                let message = render::refusal_text(&why.into());
                reply.send_error(&ErrorObject::new(ErrorCode::RateLimited, message).retry_after(BUSY_MS));
            }
        });
    }

    /// Finds an old request of this agent; another agent's is none.
    fn look_back(
        &self,
        agent: &AgentId,
        request_id: Uuid,
        reply: Reply,
        then: impl FnOnce(&Store, StoredRequest, Reply) + Send + 'static,
    ) {
        let (store, whose) = (self.parts.store.clone(), agent.clone());
        self.look_into(agent, reply, move |reply| {
            let name = request_id.to_string();
            match store.read(|conn| requests::get_by_key(conn, &whose, &name)) {
                // What the agent does itself has no number of its own, and no run.
                Ok(Some(row)) if row.summary.origin.is_host() => then(&store, row, reply),
                Ok(_) => reply.refuse(ErrorCode::UnknownRequest, "this agent has no such request"),
                Err(_) => reply.refuse(ErrorCode::Internal, "the record cannot be read at the moment"),
            }
        });
    }
}

/// Returns the last event of a request, as it was told; built again from the record where the event is not
/// kept any more. `None` if it has not ended.
fn notice_of(store: &Store, row: &StoredRequest) -> Option<Notice> {
    let ending = row.ending.as_ref()?;
    let summary = &row.summary;
    let told = row.told.and_then(|sequence| {
        store.read(|conn| postern_store::events::get_event(conn, &summary.agent, sequence)).ok().flatten()
    });
    // An agent that was removed and enrolled again counts from one again: another event may have that number.
    let told = told.filter(|event| event.event.request == Some(summary.id));
    if let Some(notice) = told.as_ref().and_then(crate::publish::notice_again) {
        return Some(notice);
    }
    let ran = FinishedRun {
        end: match ending {
            RequestEnding::Finished { end } => *end,
            RequestEnding::Denied(_) | RequestEnding::Failed { .. } | RequestEnding::Allowed => {
                Outcome::Failed.into()
            }
        },
        duration: duration(summary),
        stdout: stored_output(store, summary.id, OutputStream::Stdout),
        stderr: stored_output(store, summary.id, OutputStream::Stderr),
        leaked_pipes: false,
        escaped: 0,
        set_aside: Vec::new(),
        drift: None,
        unpinned: None,
    };
    let edited = row.asked_line.as_ref().and(row.plan.as_ref());
    let edited = edited.map(|plan| super::edit::text_of(&plan.launch));
    Some(Notice {
        // It was told before, under a number that is not known any more: this answer is no event.
        sequence: 0,
        at: crate::publish::format_time(summary.ended_at.unwrap_or(summary.received_at)),
        request_id: Uuid::parse_str(&summary.request_id).ok()?,
        session: summary.session.clone(),
        event: end::event_of_kept(ending, &ran, edited),
    })
}

fn duration(summary: &requests::Summary) -> Duration {
    let ran = summary.started_at.zip(summary.ended_at).map_or(0, |(from, to)| to.saturating_sub(from));
    Duration::from_millis(u64::try_from(ran).unwrap_or(0))
}

fn stored_output(store: &Store, id: Uuid, stream: OutputStream) -> Captured {
    let kept = store.read(|conn| outputs::get_output(conn, id, stream)).ok().flatten().unwrap_or_default();
    Captured { head: kept.head, tail: kept.tail, bytes: kept.bytes }
}

/// Returns the range that was asked for of what is kept.
fn slice_output(
    params: &OutputParams,
    state: RunState,
    stdout: &Captured,
    stderr: &Captured,
) -> OutputResult {
    let both = params.stream.is_none();
    let most = if both { limits::OUTPUT / 2 } else { limits::OUTPUT };
    let most = params.length.map_or(most, |length| most.min(usize::try_from(length).unwrap_or(most)));
    let take = |stream: OutputStream, captured: &Captured| {
        let wanted = both || params.stream == Some(stream);
        if wanted { read_range(captured, params.offset, most) } else { (params.offset, Vec::new()) }
    };
    let (out_offset, out) = take(OutputStream::Stdout, stdout);
    let (err_offset, err) = take(OutputStream::Stderr, stderr);
    let (stdout_text, stdout_encoding) = Encoding::encode(out);
    let (stderr_text, stderr_encoding) = Encoding::encode(err);
    OutputResult {
        request_id: params.request_id,
        state,
        offset: if params.stream == Some(OutputStream::Stderr) { err_offset } else { out_offset },
        stdout: stdout_text,
        stdout_encoding,
        stderr: stderr_text,
        stderr_encoding,
        stdout_bytes: stdout.bytes,
        stderr_bytes: stderr.bytes,
        truncated: stdout.truncated() || stderr.truncated(),
    }
}

/// Returns the bytes from `offset`, or from the first kept byte after it; never over the gap between head and
/// tail.
fn read_range(captured: &Captured, offset: u64, most: usize) -> (u64, Vec<u8>) {
    let part = |bytes: &[u8], start: u64| {
        let from = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
        let to = from.saturating_add(most).min(bytes.len());
        (start + u64::try_from(from).unwrap_or(0), bytes[from..to].to_vec())
    };
    let head = u64::try_from(captured.head.len()).unwrap_or(u64::MAX);
    if offset < head {
        return part(&captured.head, 0);
    }
    let tail = u64::try_from(captured.tail.len()).unwrap_or(u64::MAX);
    part(&captured.tail, captured.bytes.saturating_sub(tail))
}
