//! `events.next`: the feed, as it is told outwards.

use super::{Handle, HostControl, MethodResult, rows};
use crate::ask::ApproverId;
use postern_command::escape;
use postern_contract::methods::{
    ControlError, FeedAsk, FeedEvent, FeedKind, FeedPage, FeedTimes, NextEvents,
};
use postern_contract::{RequestRow, render};
use postern_policy::{Confinement, Millis};
use postern_protocol::RunState;
use postern_request::RequestEnding;
use postern_store::Connection;
use postern_store::feed::{self, FeedEntry};
use postern_store::requests::StoredRequest;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

const PAGE: u32 = 200;
/// Longest time that a call waits.
const LONGEST_WAIT: u64 = 25_000;

/// Stored report of a stranger at a door.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stranger {
    pub(crate) door: String,
    /// As they called themselves: shown through the escape alone.
    pub(crate) who: String,
    pub(crate) what: String,
}

impl Handle<NextEvents> for HostControl {
    async fn handle(&self, _: ApproverId, params: FeedAsk) -> MethodResult<NextEvents> {
        let wait = params.wait_ms.unwrap_or(0);
        if wait > LONGEST_WAIT {
            return Err(ControlError::invalid(format!("waitMs is at most {LONGEST_WAIT}")));
        }
        let deadline = Instant::now() + Duration::from_millis(wait);
        let mut committed = self.parts.book.store().committed();
        let asked = params.clone();
        let mut after = self.read_record(move |conn| start_position(conn, &asked)).await?;
        loop {
            // Marked as seen before it is looked: what is committed meanwhile wakes this again.
            committed.borrow_and_update();
            let (from, agent) = (after, params.agent.clone());
            let (entries, looked) =
                self.read_record(move |conn| feed::entries_after(conn, from, agent.as_ref(), PAGE)).await?;
            let more = looked > after;
            after = looked;
            if !entries.is_empty() {
                let mut events: Vec<FeedEvent> = entries.into_iter().map(feed_event).collect();
                if !params.secrets {
                    events.iter_mut().for_each(FeedEvent::hide_secrets);
                }
                return Ok(FeedPage { events, after });
            }
            // Nothing on this page is for them: the next one may have something.
            if !more && !matches!(timeout_at(deadline, committed.changed()).await, Ok(Ok(()))) {
                return Ok(FeedPage { events: Vec::new(), after });
            }
        }
    }
}

fn start_position(conn: &Connection, params: &FeedAsk) -> Result<i64, postern_store::Error> {
    match (params.after, params.since, params.newest) {
        (Some(after), _, _) => Ok(after),
        (None, Some(since), _) => feed::before(conn, since),
        (None, None, Some(newest)) => feed::tail_position(conn, newest),
        (None, None, None) => feed::newest(conn),
    }
}

fn feed_event(entry: FeedEntry) -> FeedEvent {
    let FeedEntry { number, at, kind, request, data, change } = entry;
    let mut event = FeedEvent {
        sequence: number,
        event: kind_of(&kind),
        event_at: at,
        request: None,
        times: None,
        program: None,
        profile: None,
        face: None,
        door: None,
        who: None,
        message: None,
    };
    if let Some(row) = request {
        let step = RequestProgress::from_kind(&kind);
        event.times = Some(feed_times(&row, step));
        event.program = program(&row);
        let confinement =
            row.plan.as_ref().map(|plan| &plan.confinement).filter(|_| step >= RequestProgress::Started);
        event.profile = confinement.and_then(Confinement::profile);
        event.face = row.summary.answered_by.clone().filter(|_| step >= RequestProgress::Decided);
        event.message = message(row.ending.as_ref()).filter(|_| step == RequestProgress::Ended);
        event.request = Some(as_of(rows::request(&row.summary), &kind, step));
    }
    if let Some(change) = change {
        let row = super::audit::audit_row(change);
        event.who = Some(row.by.author());
        event.face = Some(row.by.face);
        event.message = Some(row.summary);
    }
    if let Some(stranger) = data.and_then(|data| serde_json::from_str::<Stranger>(&data).ok()) {
        event.door = Some(stranger.door);
        event.who = Some(escape::visible_text(&stranger.who));
        event.message = Some(escape::visible_text(&stranger.what));
    }
    event
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RequestProgress {
    Received,
    Asked,
    Decided,
    Started,
    Ended,
}

impl RequestProgress {
    fn from_kind(kind: &str) -> Self {
        match RunState::from_name(kind) {
            Some(RunState::Received | RunState::Resolving) | None => Self::Received,
            Some(RunState::Asking) => Self::Asked,
            Some(RunState::Starting) => Self::Decided,
            Some(RunState::Running | RunState::Stopping) => Self::Started,
            Some(RunState::Denied | RunState::Finished | RunState::Failed | RunState::Allowed) => Self::Ended,
        }
    }
}

/// Returns the kind of an entry as it is told.
fn kind_of(kind: &str) -> FeedKind {
    match kind {
        feed::STRANGER => FeedKind::Stranger,
        feed::WIDENED => FeedKind::Widened,
        phase => match RunState::from_name(phase) {
            Some(RunState::Received | RunState::Resolving) | None => FeedKind::Received,
            Some(RunState::Asking) => FeedKind::Asked,
            Some(RunState::Starting | RunState::Allowed) => FeedKind::Allowed,
            Some(RunState::Running | RunState::Stopping) => FeedKind::Started,
            Some(RunState::Denied) => FeedKind::Denied,
            Some(RunState::Finished) => FeedKind::Finished,
            Some(RunState::Failed) => FeedKind::Failed,
        },
    }
}

/// Returns the row as it stood after a step: what came later is not told before its own step is.
fn as_of(row: RequestRow, kind: &str, step: RequestProgress) -> RequestRow {
    let ended = step == RequestProgress::Ended;
    let decided = step >= RequestProgress::Decided;
    RequestRow {
        state: RunState::from_name(kind).unwrap_or(row.state),
        ending: row.ending.filter(|_| ended),
        exit_code: row.exit_code.filter(|_| ended),
        duration_ms: row.duration_ms.filter(|_| ended),
        approver: row.approver.filter(|_| decided),
        decided: row.decided.filter(|_| decided),
        rule: row.rule.filter(|_| decided),
        risk: row.risk.filter(|_| step >= RequestProgress::Asked),
        ..row
    }
}

fn feed_times(row: &StoredRequest, step: RequestProgress) -> FeedTimes {
    let until = |needed: RequestProgress, at: Option<Millis>| at.filter(|_| step >= needed);
    FeedTimes {
        received: row.summary.received_at,
        asked: until(RequestProgress::Asked, row.asked_at),
        allowed: until(RequestProgress::Decided, row.decided_at),
        started: until(RequestProgress::Started, row.summary.started_at),
        ended: until(RequestProgress::Ended, row.summary.ended_at),
    }
}

/// Names the program that a command begins with, if it was found: an agent can write anything in its place.
fn program(row: &StoredRequest) -> Option<String> {
    let asked: serde_json::Value = serde_json::from_str(&row.asked).ok()?;
    let name = asked.get("command")?.get(0)?.as_str()?.rsplit('/').next()?;
    let mut found = row.plan.iter().flat_map(|plan| &plan.programs);
    found.any(|one| one.path.rsplit('/').next() == Some(name)).then(|| escape::visible_text(name))
}

fn message(ending: Option<&RequestEnding>) -> Option<String> {
    match ending? {
        RequestEnding::Denied(denial) => {
            let said =
                denial.feedback.as_ref().map(|words| format!(" They said: {}", escape::visible_text(words)));
            Some(render::refusal_text(&denial.cause) + &said.unwrap_or_default())
        }
        RequestEnding::Failed { message } => Some(escape::visible_text(message)),
        RequestEnding::Finished { .. } | RequestEnding::Allowed => None,
    }
}
