//! Changes of a request while it lives. Once it has ended, nothing changes it.

use super::new::NewRequest;
use super::packed::{LongParts, pack_parts};
use super::row::{Actor, RecordedProcess};
use crate::column::{UuidColumn, to_json_text};
use crate::error::Error;
use postern_policy::{Millis, Risk, RuleId, Verdict};
use postern_protocol::{AllowedBy, RunState};
use postern_request::{Digest, Plan, RequestEnding};
use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Change of a request: columns that are not named stay as they are.
///
/// Values are turned into text when they are named, on the thread that names them, not on the writer's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct RequestChange {
    phase: RunState,
    at: Millis,
    verdict: Option<String>,
    risk: Option<String>,
    plan: Option<String>,
    facts: Option<String>,
    digest: Option<String>,
    folder: Option<String>,
    by: Option<String>,
    answered_by: Option<String>,
    feedback: Option<String>,
    process: Option<RecordedProcess>,
    line: Option<String>,
    ending: Option<RecordedEnd>,
    told: Option<u64>,
    packed: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordedEnd {
    /// Whole form; `None` if it is packed.
    whole: Option<String>,
    name: &'static str,
    exit_code: Option<i32>,
    denied_by: Option<RuleId>,
}

impl RequestChange {
    /// Makes a change to this phase, at this time.
    pub fn to_phase(phase: RunState, at: Millis) -> Self {
        Self { phase, at, ..Self::default() }
    }

    /// Makes a change to this end, at this time.
    pub fn from_ending(ending: &RequestEnding, at: Millis) -> Result<Self, Error> {
        let mut change = Self::to_phase(RunState::from(ending), at);
        let exit_code = match ending {
            RequestEnding::Finished { end } => end.exit_code(),
            RequestEnding::Denied(_) | RequestEnding::Failed { .. } | RequestEnding::Allowed => None,
        };
        let mut denied_by = None;
        if let RequestEnding::Denied(denial) = ending {
            change.feedback.clone_from(&denial.feedback);
            denied_by = denial.rule;
        }
        let whole = Some(to_json_text(ending)?);
        change.ending = Some(RecordedEnd { whole, name: ending.name(), exit_code, denied_by });
        Ok(change)
    }

    /// Adds the verdict.
    pub fn judged(mut self, verdict: &Verdict) -> Result<Self, Error> {
        self.risk = Some(to_json_text(&verdict.risk)?);
        self.verdict = Some(to_json_text(verdict)?);
        Ok(self)
    }

    /// This is what would run, and its digest.
    pub fn planned(mut self, plan: &Plan, digest: &Digest) -> Result<Self, Error> {
        self.digest = Some(digest.0.clone());
        self.folder = Some(plan.cwd.path.clone());
        self.plan = Some(to_json_text(plan)?);
        Ok(self)
    }

    /// This was looked up for it, as JSON text.
    pub fn with_facts(mut self, facts: String) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Adds the actor that let it through.
    pub fn with_allowed_by(mut self, by: &AllowedBy) -> Result<Self, Error> {
        self.by = Some(to_json_text(&Actor(*by))?);
        Ok(self)
    }

    /// Adds that a person answered at this approver.
    pub fn answered_by(mut self, face: impl Into<String>) -> Self {
        self.answered_by = Some(face.into());
        self
    }

    /// Adds that a person changed the command: this is its line now, as escaped text. The agent's own is kept
    /// beside it.
    pub fn edited(mut self, line: impl Into<String>) -> Self {
        self.line = Some(line.into());
        self
    }

    /// Adds the number of the event that reports its end.
    pub fn with_end_event(mut self, sequence: Option<u64>) -> Self {
        self.told = sequence;
        self
    }

    /// Sets its risk, and the digest and the folder of its plan.
    pub fn weighed(mut self, risk: &Risk, plan: &Plan, digest: &Digest) -> Result<Self, Error> {
        self.risk = Some(to_json_text(risk)?);
        self.digest = Some(digest.0.clone());
        self.folder = Some(plan.cwd.path.clone());
        Ok(self)
    }

    /// Returns the digest of its verdict, plan and facts; `None` if it has none of them.
    pub fn parts_digest(&self) -> Option<[u8; 32]> {
        let parts = [&self.verdict, &self.plan, &self.facts];
        let mut digest = Sha256::new();
        for part in parts {
            let part = part.as_deref().unwrap_or_default();
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        parts.iter().any(|part| part.is_some()).then(|| digest.finalize().into())
    }

    /// Leaves out its verdict, plan and facts, which are on record already.
    pub fn without_parts(self) -> Self {
        let risk = self.risk.filter(|_| self.verdict.is_none());
        Self { verdict: None, risk, plan: None, facts: None, ..self }
    }

    /// Packs what is long of it and of the request that it is the first change of. Then it says nothing without that request.
    ///
    /// The risk is part of the verdict, and is kept there alone.
    pub fn packed_with(mut self, new: &NewRequest) -> Result<Self, Error> {
        self.risk = self.risk.filter(|_| self.verdict.is_none());
        let ended = self.ending.as_mut().and_then(|ending| ending.whole.take());
        let long = [self.facts.take(), self.plan.take(), self.verdict.take(), ended];
        let [facts, plan, verdict, ended] = long.each_ref().map(|part| part.as_deref().unwrap_or_default());
        self.packed = Some(pack_parts([&new.asked, facts, plan, verdict, ended])?);
        Ok(self)
    }

    /// Adds the process that it runs as.
    pub fn process(mut self, process: RecordedProcess) -> Self {
        self.process = Some(process);
        self
    }
}

/// Writes a change down. False where the request has ended already or is not there: a late change changes nothing.
pub fn change(conn: &Connection, id: Uuid, change: &RequestChange) -> Result<bool, Error> {
    let since = |phase| (change.phase == phase).then_some(change.at);
    let ended_at = change.phase.has_ended().then_some(change.at);
    let process = change.process.as_ref();
    let ending = change.ending.as_ref();
    let mut update = conn.prepare_cached(
        "UPDATE requests SET phase = ?2, verdict = coalesce(?3, verdict), risk = coalesce(?4, risk),
            plan = coalesce(?5, plan), plan_digest = coalesce(unhex(?6), plan_digest), actor = coalesce(?7, actor),
            answered_by = coalesce(?8, answered_by), feedback = coalesce(?9, feedback), pid = coalesce(?10, pid),
            start_time = coalesce(?11, start_time), boot = coalesce(?12, boot), ended = coalesce(?13, ended),
            ending = coalesce(?14, ending), exit_code = coalesce(?15, exit_code),
            asked_at = coalesce(asked_at, ?16), decided_at = coalesce(decided_at, ?17),
            started_at = coalesce(started_at, ?18), ended_at = ?19,
            asked_line = CASE WHEN ?20 IS NULL THEN asked_line ELSE coalesce(asked_line, line) END,
            line = coalesce(?20, line), facts = coalesce(?21, facts), told = coalesce(?22, told),
            folder = coalesce(?23, folder)
         WHERE id = ?1 AND ended_at IS NULL",
    )?;
    let changed = update.execute(params![
        UuidColumn(id),
        change.phase.name(),
        change.verdict,
        change.risk,
        change.plan,
        change.digest,
        change.by,
        change.answered_by,
        change.feedback,
        process.map(|process| process.pid),
        process.map(|process| process.start_time),
        process.map(|process| &process.boot),
        ending.and_then(|ending| ending.whole.as_ref()),
        ending.map(|ending| &ending.name),
        ending.and_then(|ending| ending.exit_code),
        since(RunState::Asking),
        since(RunState::Starting),
        since(RunState::Running),
        ended_at,
        change.line,
        change.facts,
        change.told,
        change.folder,
    ])?;
    Ok(changed == 1)
}

/// Writes a request down together with what has become of it already; it was not there before. Gives how many rows that
/// were: `None` if the agent's number for it was used before.
pub(super) fn insert(conn: &Connection, new: &NewRequest, change: &RequestChange) -> Result<usize, Error> {
    let since = |phase| (change.phase == phase).then_some(change.at);
    let ending = change.ending.as_ref();
    let mut insert = conn.prepare_cached(
        "INSERT INTO requests (id, agent, request_id, content, session, phase, line, asked, received_at, verdict, risk,
            plan, plan_digest, actor, feedback, ended, ending, asked_at, decided_at, ended_at, facts, told, origin,
            folder, packed, denied_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, unhex(?13), ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
            ?22, ?23, ?24, ?25, ?26)
         ON CONFLICT (agent, request_id) DO NOTHING",
    )?;
    Ok(insert.execute(params![
        UuidColumn(new.id),
        new.agent.as_str(),
        new.request_id,
        &new.content[..],
        new.session,
        change.phase.name(),
        new.line,
        if change.packed.is_some() { "" } else { new.asked.as_str() },
        new.at,
        change.verdict,
        change.risk,
        change.plan,
        change.digest,
        change.by,
        change.feedback,
        ending.and_then(|ending| ending.whole.as_ref()),
        ending.map(|ending| &ending.name),
        since(RunState::Asking),
        since(RunState::Starting).or_else(|| since(RunState::Allowed)),
        change.phase.has_ended().then_some(change.at),
        change.facts,
        change.told,
        to_json_text(&new.origin)?,
        change.folder,
        change.packed,
        ending.and_then(|ending| ending.denied_by),
    ])?)
}

/// Removes the full request and everything found for it; keeps `line` and `asked` instead, its risk, and how it ended.
pub fn forget_body(conn: &Connection, id: Uuid, line: &str, asked: &str) -> Result<(), Error> {
    let Some(parts) = LongParts::of_request(conn, id)? else { return Ok(()) };
    let mut update = conn.prepare_cached(
        "UPDATE requests SET line = ?2, asked = ?3, ended = ?4, risk = coalesce(risk, ?5), plan = NULL, verdict = NULL,
            facts = NULL, packed = NULL
         WHERE id = ?1",
    )?;
    update.execute(params![UuidColumn(id), line, asked, parts.ended, parts.risk_text()?])?;
    Ok(())
}

/// Notes by which event the end of a request was told.
pub fn note_end_event(conn: &Connection, id: Uuid, sequence: u64) -> Result<(), Error> {
    conn.prepare_cached("UPDATE requests SET told = ?2 WHERE id = ?1")?
        .execute(params![UuidColumn(id), sequence])?;
    Ok(())
}

/// Writes down, right before a start, that it is intended: from here on a crash leaves it `unknown`. False where it is
/// not starting, or was intended before: then it is not started.
pub fn intend(conn: &Connection, id: Uuid, at: Millis) -> Result<bool, Error> {
    let mut update = conn.prepare_cached(
        "UPDATE requests SET intended_at = ?2 WHERE id = ?1 AND phase = 'starting' AND intended_at IS NULL",
    )?;
    Ok(update.execute(params![UuidColumn(id), at])? == 1)
}
