//! Writing a request down: its state before its effect, its event with its state.

use super::live::Request;
use super::message::Told as Done;
use super::task::Task;
use postern_protocol::{Event as Told, Started};
use postern_request::{Effect, Event, State};
use postern_store::requests::{self, Change, Opening, Phase, Process};
use postern_store::{Connection, Error, outputs};
use uuid::Uuid;

type Work = Box<dyn FnOnce(&Connection) -> Result<(), Error> + Send>;

impl Task {
    /// Writes a new request down. What becomes of it comes back as a message.
    pub(super) fn write_down(&self, request: &Request, asked: String) {
        let id = request.id;
        let new = requests::NewRequest {
            id,
            agent: request.agent.clone(),
            request_id: request.run.request_id.to_string(),
            content: unhex(&request.fingerprint),
            session: request.run.session.clone(),
            line: request.line.clone(),
            asked,
            at: request.received_at,
        };
        let receipt = self.parts.store.write(move |conn| requests::open(conn, &new));
        self.spawn(async move { Done::Written { id, opening: receipt.await } });
    }

    /// It is written, or was here before.
    pub(super) fn written(&mut self, id: Uuid, opening: Result<Opening, Error>) {
        match opening {
            Ok(Opening::New) => self.happen(id, Event::Recorded),
            Ok(Opening::Same(row)) => self.told_before(id, *row),
            Ok(Opening::Conflict) => self.refuse_duplicate(id),
            Err(error) => {
                tracing::error!(%error, "a request could not be written down");
                self.forget_unwritten(id);
            }
        }
    }

    /// Writes the state down as it is now, together with the event that tells of it.
    pub(super) fn record(&mut self, id: Uuid) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        let at = crate::book::now();
        let change = match change_of(request, at) {
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
        let saved = outputs_of(request);
        let work: Work = Box::new(move |conn| {
            requests::change(conn, id, &change)?;
            if intend {
                requests::intend(conn, id, at)?;
            }
            for (stream, output) in &saved {
                outputs::save(conn, id, *stream, output)?;
            }
            Ok(())
        });
        let event = match request.effects.iter().find(|effect| tells(effect)) {
            Some(Effect::TellStarted { pid }) => started_event(request, *pid),
            Some(_) => Some(super::end::ended_event(request)),
            None => None,
        };
        if let Some(event) = event {
            let about = request.about();
            let told = self.parts.publisher.publish(&about, at, event, work);
            request.began = None;
            self.spawn(async move {
                let outcome = told.await.unwrap_or(Err(Error::Closed)).map(Some);
                Done::Recorded { id, outcome }
            });
        } else {
            // What is about to run must not be forgotten by a power cut; a person's yes is in the same record.
            let store = &self.parts.store;
            let receipt = if intend { store.write_durable(work) } else { store.write(work) };
            self.spawn(async move { Done::Recorded { id, outcome: receipt.await.map(|()| None) } });
        }
    }

    /// A record is durable; or it is not, and then nothing that needs it happens.
    pub(super) fn recorded(&mut self, id: Uuid, outcome: Result<Option<postern_protocol::Notice>, Error>) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        request.waits = false;
        match outcome {
            Ok(notice) => {
                if notice.is_some() {
                    request.notice = notice;
                }
            }
            Err(error) => {
                tracing::error!(request = %id, %error, "a state could not be written down");
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
        self.proceed(id);
    }
}

fn tells(effect: &Effect) -> bool {
    matches!(effect, Effect::TellStarted { .. } | Effect::TellEnded)
}

/// What is to be written of a request as it is now.
fn change_of(request: &Request, at: postern_policy::Millis) -> Result<Change, Error> {
    let mut change = match request.ending() {
        Some(ending) => Change::ended(ending, at)?,
        None => Change::to(Phase::from(&request.state), at),
    };
    if let (Some(judged), true) = (&request.judged, request.pid().is_none()) {
        change = change.judged(&judged.verdict)?.planned(&judged.plan)?.found(judged.found().text());
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

/// The bytes of a fingerprint; a text that is none has a content of its own.
fn unhex(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    bytes
}
