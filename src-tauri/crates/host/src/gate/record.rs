//! Writing a request down: its state before its effect, its event with its state.

use super::ledger;
use super::live::Request;
use super::message::{Message, Told as Done};
use super::task::Task;
use postern_policy::Millis;
use postern_protocol::{Event as Told, Notice, Started};
use postern_request::{Effect, Ending, Event, State};
use postern_store::requests::{self, Change, NewRequest, Opening, Phase, Process};
use postern_store::{Connection, Error, outputs, rules};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;
use uuid::Uuid;

/// What a record's transaction does: it gets the number of the event that goes with it, where one does, and gives false
/// where the request turns out to have been here before.
type Work = Box<dyn FnOnce(&Connection, Option<u64>) -> Result<bool, Error> + Send>;

/// What is kept of a request.
#[derive(Default)]
struct Kept {
    /// Whether what was found for it, and its output, is kept in full.
    bodies: bool,
    /// What is written down first.
    new: Option<Arc<NewRequest>>,
    /// What stands in place of what was written down before.
    cut: Option<NewRequest>,
    saved: Vec<(outputs::Stream, outputs::Output)>,
}

impl Task {
    /// It was here before, or it could not be looked up whether it was.
    pub(super) fn known(&mut self, id: Uuid, opening: Result<Opening, Error>) {
        match opening {
            Ok(Opening::Same(row)) => self.told_before(id, *row),
            Ok(Opening::Conflict) => self.refuse_duplicate(id),
            // It is only told of what was here before.
            Ok(Opening::New) => self.forget_unwritten(id),
            Err(error) => {
                tracing::error!(%error, "a request could not be looked up");
                self.forget_unwritten(id);
            }
        }
    }

    /// Writes the state down as it is now, together with the event that tells of it; the first time, with the request.
    pub(super) fn record(&mut self, id: Uuid) {
        let at = crate::book::now();
        let kept = self.kept(id);
        let Some(request) = self.requests.get_mut(&id) else { return };
        let change = match change_of(request, at, kept.bodies) {
            Ok(change) => change,
            Err(error) => {
                self.recorded(id, Err(error));
                return;
            }
        };
        request.waits = true;
        // Its question closes in between, which writes nothing that a start depends on.
        let next = request.effects.iter().find(|effect| !matches!(effect, Effect::CloseQuestion));
        let intend = matches!(next, Some(Effect::Start(_))) && !request.intended;
        request.intended |= intend;
        let ends = request.ending().is_some();
        let uses = std::mem::take(&mut request.uses);
        let Kept { bodies: keep, new, cut, saved } = kept;
        let (known, was_known) = oneshot::channel();
        let work: Work = Box::new(move |conn, number| {
            let change = change.told(number.filter(|_| ends));
            match new.map(|new| requests::open_as(conn, &new, &change)).transpose()? {
                Some(Opening::New) => {}
                Some(before) => {
                    // A gate that is gone has nobody to tell.
                    _ = known.send(before);
                    return Ok(false);
                }
                None => _ = requests::change(conn, id, &change)?,
            }
            if let Some(cut) = &cut {
                requests::forget_body(conn, id, &cut.line, &cut.asked)?;
            }
            if intend {
                requests::intend(conn, id, at)?;
            }
            for (stream, output) in &saved {
                outputs::save(conn, id, *stream, output)?;
            }
            for (rule, used) in &uses {
                rules::used(conn, *rule, used)?;
            }
            Ok(true)
        });
        self.write(id, at, intend, keep, work, was_known);
    }

    /// What is written down of a request as it is now: without its bodies where its agent wrote too much.
    fn kept(&mut self, id: Uuid) -> Kept {
        let Some(request) = self.requests.get(&id) else { return Kept::default() };
        let (new, saved) = (request.new.clone(), outputs_of(request));
        let (ends, denied) =
            (request.ending().is_some(), matches!(request.ending(), Some(Ending::Denied(_))));
        // What was written down while it waited for a person goes as well.
        let written = (denied && new.is_none()).then(|| new_row(request));
        let asked = new.as_ref().or(written.as_ref()).map_or(0, |new| new.asked.len());
        let output = saved.iter().map(|(_, output)| output.head.len() + output.tail.len()).sum();
        let agent = request.agent.clone();
        let ledger = &mut self.agent(&agent).ledger;
        if ledger.write(asked, output, !denied, Instant::now()) || !ends {
            return Kept { bodies: true, new, cut: None, saved };
        }
        let saved = saved.into_iter().map(|(stream, output)| (stream, ledger::without_middle(output)));
        Kept {
            bodies: false,
            new: new.map(|new| Arc::new(ledger::without_body(&new))),
            cut: written.map(|written| ledger::without_body(&written)),
            saved: saved.collect(),
        }
    }

    /// Hands a record to the writer. What becomes of it comes back as a message.
    #[expect(clippy::too_many_arguments, reason = "what a record is made of, each used once")]
    fn write(
        &mut self,
        id: Uuid,
        at: Millis,
        intend: bool,
        keep: bool,
        work: Work,
        known: oneshot::Receiver<Opening>,
    ) {
        let ended = self.ended_event(id);
        if ended.is_some() {
            self.keep_left(id);
        }
        let Some(request) = self.requests.get_mut(&id) else { return };
        let event = match request.effects.iter().find(|effect| tells(effect)) {
            Some(Effect::TellStarted { pid }) => started_event(request, *pid),
            Some(_) => ended,
            None => None,
        };
        let messages = self.messages.clone();
        let say = move |outcome: Result<Option<Notice>, Error>, mut known: oneshot::Receiver<Opening>| {
            let done = match known.try_recv() {
                Ok(before) => Done::Known { id, opening: Ok(before) },
                Err(_) => Done::Recorded { id, outcome },
            };
            Message::send(&messages, Message::Told(Box::new(done)));
        };
        if let Some(event) = event {
            let about = request.about();
            let began = request.began.take();
            let numbered = move |conn: &Connection, number| work(conn, Some(number));
            let said = move |outcome| say(outcome, known);
            let kept = if keep { None } else { Some(ledger::without_output(&event)) };
            self.parts.publisher.publish_keeping(&about, at, event, kept.as_ref(), numbered, said);
            // Only now: what the run writes is told on another thread, and takes its number there.
            drop(began);
        } else {
            // What is about to run must not be forgotten by a power cut; a person's yes is in the same record.
            let store = &self.parts.store;
            let work = move |conn: &Connection| work(conn, None);
            let receipt = if intend { store.write_durable(work) } else { store.write(work) };
            tokio::spawn(async move { say(receipt.await.map(|_| None), known) });
        }
    }

    /// A record is durable; or it is not, and then nothing that needs it happens.
    pub(super) fn recorded(&mut self, id: Uuid, outcome: Result<Option<postern_protocol::Notice>, Error>) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.waits = false;
        match outcome {
            Ok(notice) => {
                request.new = None;
                if notice.is_some() {
                    request.notice = notice;
                }
            }
            Err(error) => {
                tracing::error!(request = %id, %error, "a state could not be written down");
                if request.new.is_some() {
                    self.forget_unwritten(id);
                    return;
                }
                request.began = None;
                let needs = |effect: &Effect| matches!(effect, Effect::Start(_) | Effect::Ask { .. });
                if request.effects.iter().any(needs) {
                    request.effects.clear();
                    let denial = super::denial::no_record();
                    let event = if request.is_asking() { Event::AnsweredDeny } else { Event::Drifted };
                    self.happen(id, event(denial));
                    return;
                }
            }
        }
        self.tell_request(id);
        self.proceed(id);
    }
}

fn tells(effect: &Effect) -> bool {
    matches!(effect, Effect::TellStarted { .. } | Effect::TellEnded)
}

/// What is to be written of a request as it is now.
fn change_of(request: &Request, at: postern_policy::Millis, bodies: bool) -> Result<Change, Error> {
    let mut change = match request.ending() {
        Some(ending) => Change::ended(ending, at)?,
        None => Change::to(Phase::from(&request.state), at),
    };
    if let (Some(judged), true) = (&request.judged, request.pid().is_none()) {
        change = change.weighed(&judged.verdict.risk, &judged.digest)?;
        if bodies {
            change = change.judged(&judged.verdict)?.planned(&judged.plan, &judged.digest)?;
            change = change.found(judged.found().text());
        }
        if request.edited.is_some() {
            change = change.edited(request.line.clone());
        }
    }
    if let Some(by) = &request.by {
        change = change.by(by)?;
    }
    if let Some(face) = &request.answered_by {
        change = change.answered_by(face.clone());
    }
    if let (Some(running), State::Running { .. } | State::Stopping { .. }) =
        (&request.running, &request.state)
    {
        change = change.process(Process {
            pid: running.pid(),
            start_time: running.start_time(),
            boot: crate::run::boot_id(),
        });
    }
    Ok(change)
}

/// What is kept of a run's output, once it ended.
fn outputs_of(request: &Request) -> Vec<(outputs::Stream, outputs::Output)> {
    let Some(result) = &request.result else { return Vec::new() };
    [(outputs::Stream::Stdout, &result.stdout), (outputs::Stream::Stderr, &result.stderr)]
        .into_iter()
        .filter(|(_, captured)| captured.bytes > 0)
        .map(|(stream, captured)| {
            let (head, tail) = (captured.head.clone(), captured.tail.clone());
            (stream, outputs::Output { bytes: captured.bytes, head, tail })
        })
        .collect()
}

fn started_event(request: &Request, pid: u32) -> Option<Told> {
    let judged = request.judged.as_ref()?;
    let by = request.by.as_ref()?;
    let (by, rule) = super::end::by_word(by);
    let path = judged.plan.programs.first().map(|program| program.real_path.clone()).unwrap_or_default();
    let (argv, cwd) = (judged.argv(), judged.plan.cwd.path.clone());
    let edited = request.edited.clone();
    Some(Told::Started(Started { pid, path, argv, cwd, by, rule, edited }))
}

/// A request as it is written down the first time.
pub(super) fn new_row(request: &Request) -> Arc<NewRequest> {
    Arc::new(NewRequest {
        id: request.id,
        agent: request.agent.clone(),
        request_id: request.run.request_id.to_string(),
        content: unhex(&request.fingerprint),
        session: request.run.session.clone(),
        line: request.line.clone(),
        // Texts and numbers only: it cannot fail to serialise.
        asked: serde_json::to_string(&*request.run).unwrap_or_default(),
        at: request.received_at,
    })
}

/// The bytes of a fingerprint; a text that is none has a content of its own.
fn unhex(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    bytes
}
