//! Half-hourly counts of decisions, for charts. Counted when a request is indexed, kept no longer than the
//! requests themselves.

use super::requests::Summary;
use crate::error::Error;
use postern_policy::{AgentId, Millis, RuleId};
use postern_protocol::Decided;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, params};

/// Length of a counting period, in milliseconds.
///
/// Days are the reader's own, and time zones are whole or half hours apart (or quarters, in three places,
/// where a day begins a quarter off).
const HALF_HOUR: Millis = 30 * 60 * 1000;

/// `rule` is 0 where none decided.
pub(crate) const SCHEMA: &str = "
CREATE TABLE tally (
    at      INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    decided TEXT NOT NULL,
    rule    INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (at, agent, decided, rule)
) STRICT, WITHOUT ROWID;
";

/// So many requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<K> {
    /// Key that they share: the start of their half hour, or the rule that decided.
    pub key: K,
    pub decided: Decided,
    /// Number of requests.
    pub count: u64,
}

/// Decision on requests, as the column `decided` has it.
struct Column(Decided);

impl FromSql for Column {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Decided::named(value.as_str()?).map(Self).ok_or(FromSqlError::InvalidType)
    }
}

/// Counts a request that has ended.
pub(crate) fn count(conn: &Connection, summary: &Summary) -> rusqlite::Result<()> {
    let Some(decided) = summary.decided() else { return Ok(()) };
    let at = summary.received_at - summary.received_at.rem_euclid(HALF_HOUR);
    let mut add = conn.prepare_cached(
        "INSERT INTO tally (at, agent, decided, rule, count) VALUES (?1, ?2, ?3, ?4, 1)
         ON CONFLICT (at, agent, decided, rule) DO UPDATE SET count = count + 1",
    )?;
    let rule = summary.rule().unwrap_or(0);
    add.execute(params![at, summary.agent.as_str(), decided.name(), rule]).map(drop)
}

/// Returns the counts by decision for each half hour since then, of one agent or of all, oldest first.
pub fn by_time(
    conn: &Connection,
    agent: Option<&AgentId>,
    since: Millis,
) -> Result<Vec<Count<Millis>>, Error> {
    counts(
        conn,
        "SELECT at, decided, sum(count) FROM tally WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2)
         GROUP BY at, decided ORDER BY at, decided",
        agent,
        since,
    )
}

/// Returns the counts for each rule since then, of one agent or of all, the highest first.
pub fn by_rule(
    conn: &Connection,
    agent: Option<&AgentId>,
    since: Millis,
) -> Result<Vec<Count<RuleId>>, Error> {
    counts(
        conn,
        "SELECT rule, decided, sum(count) FROM tally
         WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2) AND rule <> 0
         GROUP BY rule, decided ORDER BY sum(count) DESC, rule",
        agent,
        since,
    )
}

fn counts(
    conn: &Connection,
    sql: &str,
    agent: Option<&AgentId>,
    since: Millis,
) -> Result<Vec<Count<i64>>, Error> {
    let mut query = conn.prepare_cached(sql)?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Count { key: row.get(0)?, decided: row.get::<_, Column>(1)?.0, count: row.get(2)? })
    };
    let found = query.query_map(params![since, agent.map(AgentId::as_str)], row)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Forgets what was counted before then.
pub(crate) fn forget(conn: &Connection, before: Millis) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM tally WHERE at + ?2 <= ?1")?.execute([before, HALF_HOUR]).map(drop)
}
