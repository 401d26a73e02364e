//! A request as it is kept.

use super::packed::{self, LongParts};
use crate::column::{AgentIdColumn, JsonColumn, UuidColumn};
use crate::error::Error;
use postern_policy::{AgentId, Millis, Origin, Risk, RuleId, Verdict};
use postern_protocol::{AllowedBy, EndReason, RunState};
use postern_request::{Digest, Plan, RequestEnding};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A state, as the column `phase` has it.
struct Phase(RunState);

impl FromSql for Phase {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        RunState::from_name(value.as_str()?).map(Self).ok_or(FromSqlError::InvalidType)
    }
}

/// An end, as the column `ending` has it: `allowed` of what its agent does itself, which has none.
struct EndReasonColumn(Option<EndReason>);

impl FromSql for EndReasonColumn {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        if name == RunState::Allowed.name() {
            return Ok(Self(None));
        }
        EndReason::from_name(name).map(|end| Self(Some(end))).ok_or(FromSqlError::InvalidType)
    }
}

/// Actor that let a request through, as the column `actor` has it.
#[derive(Serialize, Deserialize)]
pub(super) struct Actor(#[serde(with = "StoredAllowedBy")] pub(super) AllowedBy);

/// The form that rows have had from the first format on: the member that the wire calls `by` is `kind` here.
#[derive(Serialize, Deserialize)]
#[serde(remote = "AllowedBy", rename_all = "kebab-case", tag = "kind", content = "rule")]
enum StoredAllowedBy {
    Rule(RuleId),
    Policy,
    Person,
    Skill(RuleId),
    Fallback,
    Default,
}

/// A process, told apart from a later one with the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedProcess {
    /// Process id.
    pub pid: u32,
    /// Start time of the process, in the system's own units.
    pub start_time: u64,
    /// The boot it started in.
    pub boot: String,
}

/// A request as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Orders by arrival.
    pub number: i64,
    /// The host's own number.
    pub id: Uuid,
    pub agent: AgentId,
    /// The agent's own number; the host's again, where the agent has none.
    pub request_id: String,
    /// Actor that carries it out.
    pub origin: Origin,
    pub session: Option<String>,
    /// The folder that it would run in, where that is known.
    pub folder: Option<String>,
    pub phase: RunState,
    /// The command as one line of escaped text.
    pub line: String,
    pub risk: Option<Risk>,
    /// The reason of a denial, or the outcome of a run.
    pub ending: Option<EndReason>,
    pub exit_code: Option<i32>,
    /// Actor that let it through.
    pub by: Option<AllowedBy>,
    /// The approver that answered: "window", "terminal".
    pub answered_by: Option<String>,
    pub denied_by: Option<RuleId>,
    pub received_at: Millis,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
}

impl Summary {
    /// Returns the kinds of its effects, without those that a part which was not understood may have.
    pub(crate) fn effects(&self) -> impl Iterator<Item = &'static str> {
        let rated = self.risk.iter().flat_map(|risk| &risk.effects);
        rated.filter(|rated| !rated.guessed).map(|rated| rated.effect.kind())
    }
}

/// Index of the command line in [`SUMMARY`].
pub(crate) const LINE: usize = 6;
/// Index of the packed parts in [`SUMMARY`], where the risk is one of them.
const PACKED: usize = 18;

pub(crate) const SUMMARY: &str =
    "number, id, agent, request_id, session, phase, line, risk, ending, exit_code, actor,
    received_at, started_at, ended_at, coalesce(denied_by, json_extract(ended, '$.rule')), origin, answered_by,
    nullif(coalesce(folder, json_extract(plan, '$.cwd.path')), ''), CASE WHEN risk IS NULL THEN packed END";

pub(crate) fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    Ok(Summary {
        number: row.get(0)?,
        id: row.get::<_, UuidColumn>(1)?.0,
        agent: row.get::<_, AgentIdColumn>(2)?.0,
        request_id: row.get(3)?,
        session: row.get(4)?,
        phase: row.get::<_, Phase>(5)?.0,
        line: row.get(6)?,
        risk: match row.get::<_, Option<JsonColumn<_>>>(7)? {
            Some(risk) => Some(risk.0),
            None => row.get_ref(PACKED)?.as_blob_or_null()?.and_then(packed::packed_risk),
        },
        ending: row.get::<_, Option<EndReasonColumn>>(8)?.and_then(|end| end.0),
        exit_code: row.get(9)?,
        by: row.get::<_, Option<JsonColumn<Actor>>>(10)?.map(|json| json.0.0),
        received_at: row.get(11)?,
        started_at: row.get(12)?,
        ended_at: row.get(13)?,
        denied_by: row.get(14)?,
        origin: row.get::<_, JsonColumn<_>>(15)?.0,
        answered_by: row.get(16)?,
        folder: row.get(17)?,
    })
}

/// A request, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequest {
    /// As in a list.
    pub summary: Summary,
    /// sha256 over everything it asked for.
    pub content: [u8; 32],
    /// Time at which its question opened.
    pub asked_at: Option<Millis>,
    /// Time at which it was let through.
    pub decided_at: Option<Millis>,
    /// Time at which its start was intended: from here on it may have run.
    pub intended_at: Option<Millis>,
    pub process: Option<RecordedProcess>,
    pub digest: Option<Digest>,
    /// The person's words.
    pub feedback: Option<String>,
    pub ending: Option<RequestEnding>,
    /// Request as it was sent, as JSON text.
    pub asked: String,
    pub plan: Option<Plan>,
    pub verdict: Option<Verdict>,
    /// The line as the agent asked it, where a person changed it, as escaped text.
    pub asked_line: Option<String>,
    /// Facts that were looked up for it, as JSON text.
    pub facts: Option<String>,
    /// The number of the event that told its end.
    pub told: Option<u64>,
}

const REST: &str = "content, asked_at, decided_at, intended_at, pid, start_time, boot,
    coalesce(nullif(lower(hex(plan_digest)), ''), digest), feedback, asked_line, told";

/// Index of the first of the long parts, behind [`SUMMARY`] and [`REST`].
const LONG_PARTS: usize = 30;

fn whole_columns() -> String {
    format!("{SUMMARY}, {REST}, {}", packed::COLUMNS)
}

fn request_from_row(row: &Row<'_>) -> rusqlite::Result<StoredRequest> {
    let process = match (row.get(23)?, row.get(24)?, row.get(25)?) {
        (Some(pid), Some(start_time), Some(boot)) => Some(RecordedProcess { pid, start_time, boot }),
        _ => None,
    };
    let LongParts { asked, plan, verdict, facts, ended } = LongParts::from_row(row, LONG_PARTS)?;
    Ok(StoredRequest {
        summary: summary(row)?,
        content: row.get(19)?,
        asked_at: row.get(20)?,
        decided_at: row.get(21)?,
        intended_at: row.get(22)?,
        process,
        digest: row.get::<_, Option<String>>(26)?.map(Digest),
        feedback: row.get(27)?,
        ending: from_json(ended)?,
        asked_line: row.get(28)?,
        told: row.get(29)?,
        asked,
        plan: from_json(plan)?,
        verdict: from_json(verdict)?,
        facts,
    })
}

fn from_json<T: DeserializeOwned>(text: Option<String>) -> rusqlite::Result<Option<T>> {
    let value = text.map(|text| serde_json::from_str(&text)).transpose();
    value.map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(LONG_PARTS, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// Returns the numbers of requests between these two, the newest first.
pub fn between(conn: &Connection, first: Uuid, last: Uuid, limit: u32) -> Result<Vec<Uuid>, Error> {
    let mut query =
        conn.prepare_cached("SELECT id FROM requests WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3")?;
    let found = query.query_map(params![UuidColumn(first), UuidColumn(last), limit], |row| {
        Ok(row.get::<_, UuidColumn>(0)?.0)
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns a request by the host's own number.
pub fn get_request(conn: &Connection, id: Uuid) -> Result<Option<StoredRequest>, Error> {
    let mut query =
        conn.prepare_cached(&format!("SELECT {} FROM requests WHERE id = ?1", whole_columns()))?;
    Ok(query.query_row([UuidColumn(id)], request_from_row).optional()?)
}

/// Returns a request by its agent's own number.
pub fn get_by_key(
    conn: &Connection,
    agent: &AgentId,
    request_id: &str,
) -> Result<Option<StoredRequest>, Error> {
    let sql = format!("SELECT {} FROM requests WHERE agent = ?1 AND request_id = ?2", whole_columns());
    let mut query = conn.prepare_cached(&sql)?;
    Ok(query.query_row(params![agent.as_str(), request_id], request_from_row).optional()?)
}

/// Returns the time of the oldest request.
pub fn oldest(conn: &Connection) -> Result<Option<Millis>, Error> {
    let mut query = conn.prepare_cached("SELECT received_at FROM requests ORDER BY number LIMIT 1")?;
    Ok(query.query_row([], |row| row.get(0)).optional()?)
}

/// Returns every request that has not ended, oldest first.
pub fn list_live(conn: &Connection) -> Result<Vec<StoredRequest>, Error> {
    let sql = format!("SELECT {} FROM requests WHERE ended_at IS NULL ORDER BY number", whole_columns());
    let mut query = conn.prepare_cached(&sql)?;
    Ok(query.query_map([], request_from_row)?.collect::<Result<_, _>>()?)
}
