//! Writing a request down: its state before its effect, its event with its state.

use super::ledger;
use super::live::{LiveRequest, Writing};
use super::message::{GateMessage, GateTaskResult};
use super::task::Task;
use crate::publish::Keeping;
use postern_policy::{Millis, RuleId};
use postern_protocol::{ExecStarted, Notice, NoticeEvent, OutputStream, RunState, decode_hex};
use postern_request::{Charge, RecordEntry, RequestEnding, RequestState, Tells};
use postern_store::requests::{self, NewRequest, NewRequestOutcome, RecordedProcess, RequestChange};
use postern_store::rules::RuleUse;
use postern_store::scripts::AllowedScript;
use postern_store::{Connection, Error, outputs, questions, rules, scripts};
use std::sync::Arc;
use tokio::sync::oneshot;
use uuid::Uuid;

/// Work of a record's transaction.
///
/// It gets the number of the event that goes with it, if one does, and returns false if the request turns out
/// to have been here before.
type RecordWork = Box<dyn FnOnce(&Connection, Option<u64>) -> Result<bool, Error> + Send>;

struct StoredRequestPart {
    /// Charge on its agent's room, and whether its facts and its output are stored in full.
    charge: Charge,
    /// First record.
    new: Option<Arc<NewRequest>>,
    /// Replacement of what was recorded before.
    cut: Option<NewRequest>,
    saved: Vec<(OutputStream, outputs::OutputExcerpt)>,
}

impl Task {
    /// Handles a request that was here before, or for which the lookup of that failed.
    pub(super) fn handle_duplicate(&mut self, id: Uuid, opening: Result<NewRequestOutcome, Error>) {
        match opening {
            Ok(NewRequestOutcome::Same(row)) => self.send_earlier_outcome(id, *row),
            Ok(NewRequestOutcome::Conflict) => self.refuse_duplicate(id),
            // It is only told of what was here before.
            Ok(NewRequestOutcome::New) => self.forget_unwritten(id),
            Err(error) => {
                tracing::error!(%error, "a request could not be looked up");
                self.forget_unwritten(id);
            }
        }
    }

    /// Writes an entry down, together with the event that tells of it; the first time, with the request.
    pub(super) fn record(&mut self, id: Uuid, entry: &RecordEntry) {
        let at = crate::clock::now_millis();
        let pending = if entry.tells == Some(Tells::Pending) { self.pending(id) } else { None };
        let ended = if entry.tells == Some(Tells::Ended) { self.keep_ended_event(id) } else { None };
        let Some(kept) = self.part_to_store(id, entry) else { return };
        let Some(request) = self.requests.get_mut(&id) else { return };
        let (parts, change) = match change_to_store(request, entry, at, &kept) {
            Ok((parts, change)) => (parts, Ok(change)),
            Err(error) => (None, Err(error)),
        };
        let uses = Arc::new(std::mem::take(&mut request.uses));
        let allowed = std::mem::take(&mut request.scripts);
        let closes = request.closes.take();
        // A person waits for the record of what they said.
        let durable = entry.intends || request.answering.is_some();
        let (tells, charge) = (entry.tells, kept.charge);
        request.writing =
            Some(Writing { tells, uses: Arc::clone(&uses), closes: closes.clone(), charge, parts });
        let change = match change {
            Ok(change) => change,
            Err(error) => {
                self.recorded(id, Err(error));
                return;
            }
        };
        let (event, question) = event_of(request, tells, pending, ended);
        let (ends, intends) = (tells == Some(Tells::Ended), entry.intends && request.call.is_none());
        let (whole, StoredRequestPart { new, cut, saved, .. }) = (charge.keep, kept);
        let (known, was_known) = oneshot::channel();
        let work: RecordWork = Box::new(move |conn, number| {
            if let Some(change) = change {
                let change = change.with_end_event(number.filter(|_| ends));
                match new.map(|new| requests::open_as(conn, &new, &change)).transpose()? {
                    Some(NewRequestOutcome::New) => {}
                    Some(before) => {
                        // A gate that is gone has nobody to tell.
                        _ = known.send(before);
                        return Ok(false);
                    }
                    None => _ = requests::change(conn, id, &change)?,
                }
            }
            if let Some(cut) = &cut {
                requests::forget_body(conn, id, &cut.line, &cut.asked)?;
            }
            if intends {
                requests::intend(conn, id, at)?;
            }
            if let Some(row) = &question {
                questions::upsert_question(conn, row)?;
            }
            if let Some((question, closed)) = &closes {
                questions::close_question(conn, *question, closed)?;
            }
            for (stream, output) in &saved {
                outputs::save_output(conn, id, *stream, output)?;
            }
            keep_marks(conn, &uses, &allowed, at)?;
            Ok(true)
        });
        self.write_entry(id, at, EventToRecord { event, whole, durable }, work, was_known);
    }

    /// Returns the event of its end, which can be joined for a while where nobody listens.
    fn keep_ended_event(&mut self, id: Uuid) -> Option<NoticeEvent> {
        self.keep_left(id);
        self.ended_event(id)
    }

    /// Returns the part of a request to store: without its bodies if its agent wrote too much.
    fn part_to_store(&mut self, id: Uuid, entry: &RecordEntry) -> Option<StoredRequestPart> {
        let request = self.requests.get(&id)?;
        let ending = if let RequestState::Ended(ending) = &entry.state { Some(ending) } else { None };
        let denied = matches!(ending, Some(RequestEnding::Denied(_)));
        let saved = if ending.is_some() { outputs_of(request) } else { Vec::new() };
        let new = request.new.clone();
        // What was written down while it waited for a person goes as well.
        let written = (denied && new.is_none()).then(|| new_row(request));
        let asked = new.as_ref().or(written.as_ref()).map_or(0, |new| new.asked.len());
        let output = saved.iter().map(|(_, output)| output.head.len() + output.tail.len()).sum();
        let agent = request.agent.clone();
        let clock = self.gate_time();
        let mut charge = self.agent_state(&agent).ledger.charge_row(asked, output, !denied, clock);
        if charge.keep || ending.is_none() {
            charge.keep = true;
            return Some(StoredRequestPart { charge, new, cut: None, saved });
        }
        let saved = saved.into_iter().map(|(stream, output)| (stream, ledger::without_middle(output)));
        Some(StoredRequestPart {
            charge,
            new: new.map(|new| Arc::new(ledger::without_body(&new))),
            cut: written.map(|written| ledger::without_body(&written)),
            saved: saved.collect(),
        })
    }

    /// Hands an entry to the writer. What becomes of it comes back as a message.
    fn write_entry(
        &mut self,
        id: Uuid,
        at: Millis,
        told: EventToRecord,
        work: RecordWork,
        known: oneshot::Receiver<NewRequestOutcome>,
    ) {
        let Some(request) = self.requests.get(&id) else { return };
        let messages = self.messages.clone();
        let say = move |outcome: Result<Option<Notice>, Error>,
                        mut known: oneshot::Receiver<NewRequestOutcome>| {
            let done = match known.try_recv() {
                Ok(before) => GateTaskResult::Known { id, opening: Ok(before) },
                Err(_) => GateTaskResult::Recorded { id, outcome },
            };
            GateMessage::send(&messages, GateMessage::Told(Box::new(done)));
        };
        let EventToRecord { event, whole, durable } = told;
        if let Some(event) = event {
            let about = request.summary();
            let numbered = move |conn: &Connection, number| work(conn, Some(number));
            let said = move |outcome| say(outcome, known);
            let kept = if whole { None } else { Some(ledger::without_output(&event)) };
            let keeping = Keeping { event: kept.as_ref(), durable };
            self.parts.publisher.publish_keeping(&about, at, event, keeping, numbered, said);
        } else {
            // What is about to run must not be forgotten by a power cut; a person's yes is in the same record.
            let store = &self.parts.store;
            let work = move |conn: &Connection| work(conn, None);
            let receipt = if durable { store.write_durable(work) } else { store.write(work) };
            tokio::spawn(async move { say(receipt.await.map(|_| None), known) });
        }
    }

    /// Handles a durable entry; or a failed one, and then nothing that needs it happens.
    pub(super) fn recorded(&mut self, id: Uuid, outcome: Result<Option<Notice>, Error>) {
        let notice = match outcome {
            Ok(notice) => notice,
            Err(error) => {
                self.not_recorded(id, &error);
                return;
            }
        };
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.life.mark_done();
        request.new = None;
        if notice.is_some() {
            request.notice = notice;
        }
        let writing = request.writing.take();
        let parts = writing.as_ref().and_then(|writing| writing.parts);
        request.recorded_parts = parts.or(request.recorded_parts);
        let tells = writing.and_then(|writing| writing.tells);
        if matches!(tells, Some(Tells::Started { .. })) {
            // Only now: what the run writes is told behind it.
            request.began = None;
        }
        let (told, edited) = (tells != Some(Tells::Pending), request.edited.is_some());
        self.owed.forget(id);
        // That it is asked was told with the state.
        if told || edited {
            self.tell_request(id);
        }
        self.proceed(id);
    }
}

/// Data that goes with an entry to the writer.
struct EventToRecord {
    event: Option<NoticeEvent>,
    /// True if the event is kept as it is told.
    whole: bool,
    /// True if it outlives a power cut.
    durable: bool,
}

/// Keeps the uses of rules, and the scripts that a person allowed.
fn keep_marks(
    conn: &Connection,
    uses: &[(RuleId, RuleUse)],
    allowed: &[AllowedScript],
    at: Millis,
) -> Result<(), Error> {
    uses.iter().try_for_each(|(rule, used)| rules::record_use(conn, *rule, used))?;
    allowed.iter().try_for_each(|script| scripts::keep_script(conn, script, at))
}

/// Returns what to write of a request in a state, with the digest of its long parts. Those that are on record are left out.
fn change_to_store(
    request: &LiveRequest,
    entry: &RecordEntry,
    at: Millis,
    kept: &StoredRequestPart,
) -> Result<(Option<[u8; 32]>, Option<RequestChange>), Error> {
    // What it was asked is written down with its question: the state is on record already, unless it was edited.
    if entry.tells == Some(Tells::Pending) && request.edited.is_none() {
        return Ok((None, None));
    }
    let change = change_of(request, entry, at, kept.charge.keep)?;
    let Some(new) = &kept.new else {
        let parts = change.parts_digest();
        let change = if parts == request.recorded_parts { change.without_parts() } else { change };
        return Ok((parts, Some(change)));
    };
    // Nothing is compared with the parts of a request that ends at once.
    let ends = matches!(entry.state, RequestState::Ended(_));
    let parts = if ends { None } else { change.parts_digest() };
    // Packed here: the thread of the record is everybody's.
    Ok((parts, Some(change.packed_with(new)?)))
}

/// Returns the change to write for a request in a state.
fn change_of(
    request: &LiveRequest,
    entry: &RecordEntry,
    at: Millis,
    bodies: bool,
) -> Result<RequestChange, Error> {
    let state = &entry.state;
    let runs = matches!(state, RequestState::Running { .. } | RequestState::Stopping { .. });
    let mut change = match state {
        RequestState::Ended(ending) => RequestChange::from_ending(ending, at)?,
        other => RequestChange::to_phase(RunState::from(other), at),
    };
    if let (Some(judged), false) = (&request.judged, runs) {
        change = if bodies {
            let change = change.judged(&judged.verdict)?.planned(&judged.plan, &judged.digest)?;
            change.with_facts(judged.recorded_facts().to_json())
        } else {
            change.weighed(&judged.verdict.risk, &judged.plan, &judged.digest)?
        };
        if request.edited.is_some() {
            change = change.edited(request.line.clone());
        }
    }
    if let Some(by) = &request.by {
        change = change.with_allowed_by(by)?;
    }
    if let Some(face) = &request.answered_by {
        change = change.answered_by(face.clone());
    }
    if let (Some(running), true) = (&request.running, runs) {
        change = change.process(RecordedProcess {
            pid: running.pid(),
            start_time: running.start_time(),
            boot: postern_exec::run::boot_id(),
        });
    }
    Ok(change)
}

/// Returns the output of a run to store, once it has ended.
fn outputs_of(request: &LiveRequest) -> Vec<(OutputStream, outputs::OutputExcerpt)> {
    let Some(result) = &request.result else { return Vec::new() };
    [(OutputStream::Stdout, &result.stdout), (OutputStream::Stderr, &result.stderr)]
        .into_iter()
        .filter(|(_, captured)| captured.bytes > 0)
        .map(|(stream, captured)| {
            let (head, tail) = (captured.head.clone(), captured.tail.clone());
            (stream, outputs::OutputExcerpt { bytes: captured.bytes, head, tail })
        })
        .collect()
}

/// Returns the event that an entry tells of, and the question that is written down with it.
fn event_of(
    request: &LiveRequest,
    tells: Option<Tells>,
    pending: Option<(NoticeEvent, Option<questions::QuestionRow>)>,
    ended: Option<NoticeEvent>,
) -> (Option<NoticeEvent>, Option<questions::QuestionRow>) {
    match (tells, pending) {
        // The answer to a call itself says that a person is asked.
        (Some(Tells::Pending), Some((event, row))) => (Some(event).filter(|_| request.call.is_none()), row),
        (Some(Tells::Started { pid }), _) => (started_event(request, pid), None),
        (Some(Tells::Ended), _) => (ended, None),
        (Some(Tells::Pending) | None, _) => (None, None),
    }
}

fn started_event(request: &LiveRequest, pid: u32) -> Option<NoticeEvent> {
    let judged = request.judged.as_ref()?;
    let by = request.by?;
    let path = judged.plan.programs.first().map(|program| program.real_path.clone()).unwrap_or_default();
    let (argv, cwd) = (judged.started_argv(), judged.plan.cwd.path.clone());
    let edited = request.edited.clone();
    let profile = judged.plan.confinement.profile();
    Some(NoticeEvent::Started(ExecStarted { pid, path, argv, cwd, by, edited, profile }))
}

/// Returns a request as it is written down the first time.
pub(super) fn new_row(request: &LiveRequest) -> Arc<NewRequest> {
    Arc::new(NewRequest {
        id: request.id,
        agent: request.agent.clone(),
        request_id: request.run.request_id.to_string(),
        origin: request.origin,
        content: decode_hex(&request.fingerprint).unwrap_or_default(),
        session: request.run.session.clone(),
        line: request.line.clone(),
        asked: match &request.call {
            Some(call) => call.record_json(&request.run),
            // Texts and numbers only: it cannot fail to serialise.
            None => serde_json::to_string(&*request.run).unwrap_or_default(),
        },
        at: request.received_at,
    })
}
