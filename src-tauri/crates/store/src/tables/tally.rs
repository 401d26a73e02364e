//! Half-hourly counts of decisions, for charts. Counted when a request is indexed, kept no longer than the
//! requests themselves.

use super::requests::Summary;
use crate::column::AgentIdColumn;
use crate::error::Error;
use postern_policy::{AgentId, Millis, RuleId};
use postern_protocol::Decided;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Length of a counting period, in milliseconds.
///
/// Days are the reader's own, and time zones are whole or half hours apart (or quarters, in three places,
/// where a day begins a quarter off).
const HALF_HOUR: Millis = 30 * 60 * 1000;

/// `rule` is 0 where none decided.
pub(crate) const SCHEMA: &str = include_str!("schema/tally.sql");

/// Counts of each effect. Everything is counted again, so that what was indexed before has them too.
pub(crate) const BY_EFFECT: &str = include_str!("schema/tally_by_effect.sql");

/// Counts of each folder. Everything is counted again, so that what was indexed before has them too.
pub(crate) const BY_FOLDER: &str = include_str!("schema/tally_by_folder.sql");

/// Statements that forget every count: everything is counted again when it is indexed.
pub(crate) const AGAIN: &str = "DELETE FROM tally; DELETE FROM tally_by_effect; DELETE FROM tally_by_folder;";

/// Requests that are counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    pub agent: Option<&'a AgentId>,
    /// Only those with an effect of this kind.
    pub effect: Option<&'static str>,
    /// Received since then.
    pub since: Millis,
}

/// So many requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<K> {
    /// Key that they share: the start of their half hour, the agent, the folder, or the rule that decided.
    pub key: K,
    pub decided: Decided,
    /// Number of requests.
    pub count: u64,
}

/// Decision on requests, as the column `decided` has it.
struct Column(Decided);

impl FromSql for Column {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Decided::from_name(value.as_str()?).map(Self).ok_or(FromSqlError::InvalidType)
    }
}

pub(crate) fn count_request(conn: &Connection, summary: &Summary) -> rusqlite::Result<()> {
    let Some(decided) = summary.decided() else { return Ok(()) };
    let at = summary.received_at - summary.received_at.rem_euclid(HALF_HOUR);
    let mut add = conn.prepare_cached(
        "INSERT INTO tally (at, agent, decided, rule, count) VALUES (?1, ?2, ?3, ?4, 1)
         ON CONFLICT (at, agent, decided, rule) DO UPDATE SET count = count + 1",
    )?;
    let (agent, decided, rule) = (summary.agent.as_str(), decided.name(), summary.rule_id().unwrap_or(0));
    add.execute(params![at, agent, decided, rule])?;
    if let Some(folder) = &summary.folder {
        let mut add = conn.prepare_cached(
            "INSERT INTO tally_by_folder (at, agent, folder, decided, count) VALUES (?1, ?2, ?3, ?4, 1)
             ON CONFLICT (at, agent, folder, decided) DO UPDATE SET count = count + 1",
        )?;
        add.execute(params![at, agent, folder, decided])?;
    }
    let mut add = conn.prepare_cached(
        "INSERT INTO tally_by_effect (at, agent, effect, decided, rule, count) VALUES (?1, ?2, ?3, ?4, ?5, 1)
         ON CONFLICT (at, agent, effect, decided, rule) DO UPDATE SET count = count + 1",
    )?;
    let effects: BTreeSet<&str> = summary.effects().collect();
    effects
        .into_iter()
        .try_for_each(|effect| add.execute(params![at, agent, effect, decided, rule]).map(drop))
}

/// Counts by half hour, agent, decision and rule: of all requests, or of those with an effect.
const COUNTED: &str = "(SELECT at, agent, decided, rule, count FROM tally WHERE ?3 IS NULL
    UNION ALL SELECT at, agent, decided, rule, count FROM tally_by_effect WHERE effect = ?3)";

/// Returns the counts by decision for each half hour, oldest first.
pub fn by_time(conn: &Connection, wanted: Wanted<'_>) -> Result<Vec<Count<Millis>>, Error> {
    let sql = format!(
        "SELECT at, decided, sum(count) FROM {COUNTED} WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2)
         GROUP BY at, decided ORDER BY at, decided"
    );
    counts(conn, &sql, wanted)
}

/// Returns the counts by decision for each agent; the wanted agent does not count.
pub fn by_agent(conn: &Connection, wanted: Wanted<'_>) -> Result<Vec<Count<AgentId>>, Error> {
    let sql = format!(
        "SELECT agent, decided, sum(count) FROM {COUNTED} WHERE at >= ?1
         GROUP BY agent, decided ORDER BY agent, decided"
    );
    let found = counts::<AgentIdColumn>(conn, &sql, wanted)?.into_iter();
    Ok(found.map(|Count { key, decided, count }| Count { key: key.0, decided, count }).collect())
}

/// Returns the counts by decision for each folder; none for an effect, which folders are not counted by.
pub fn by_folder(conn: &Connection, wanted: Wanted<'_>) -> Result<Vec<Count<String>>, Error> {
    let sql = "SELECT folder, decided, sum(count) FROM tally_by_folder
         WHERE ?3 IS NULL AND at >= ?1 AND (?2 IS NULL OR agent = ?2)
         GROUP BY folder, decided ORDER BY folder, decided";
    counts(conn, sql, wanted)
}

/// Returns the counts for each rule, the highest first.
pub fn by_rule(conn: &Connection, wanted: Wanted<'_>) -> Result<Vec<Count<RuleId>>, Error> {
    let sql = format!(
        "SELECT rule, decided, sum(count) FROM {COUNTED}
         WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2) AND rule <> 0
         GROUP BY rule, decided ORDER BY sum(count) DESC, rule"
    );
    counts(conn, &sql, wanted)
}

fn counts<K: FromSql>(conn: &Connection, sql: &str, wanted: Wanted<'_>) -> Result<Vec<Count<K>>, Error> {
    let mut query = conn.prepare_cached(sql)?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Count { key: row.get(0)?, decided: row.get::<_, Column>(1)?.0, count: row.get(2)? })
    };
    let Wanted { agent, effect, since } = wanted;
    let found = query.query_map(params![since, agent.map(AgentId::as_str), effect], row)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns the number of requests with each kind of effect, the most frequent first; the wanted effect does not count.
pub fn by_effect(conn: &Connection, wanted: Wanted<'_>) -> Result<Vec<(String, u64)>, Error> {
    let mut query = conn.prepare_cached(
        "SELECT effect, sum(count) FROM tally_by_effect WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2)
         GROUP BY effect ORDER BY sum(count) DESC, effect",
    )?;
    let Wanted { agent, since, .. } = wanted;
    let found =
        query.query_map(params![since, agent.map(AgentId::as_str)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(crate) fn forget(conn: &Connection, before: Millis) -> rusqlite::Result<()> {
    for table in ["tally", "tally_by_effect", "tally_by_folder"] {
        let sql = format!("DELETE FROM {table} WHERE at + ?2 <= ?1");
        conn.prepare_cached(&sql)?.execute([before, HALF_HOUR])?;
    }
    Ok(())
}
