//! The history, page by page: by key, never by offset.

use super::row::{Phase, SUMMARY, Summary, summary};
use crate::column::Id;
use crate::error::Error;
use crate::tables::search;
use postern_policy::{AgentId, Millis};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use uuid::Uuid;

/// Which requests. The default is: the newest of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only those in this phase.
    pub phase: Option<Phase>,
    /// Only those that came in then or later.
    pub since: Option<Millis>,
    /// Only those whose command line holds these words, each from its beginning.
    pub search: Option<String>,
    /// Only those that came in before this one: the last of the page before.
    pub before: Option<Uuid>,
}

/// A page, newest first. Gives nothing for a `before` that is not there.
pub fn list(conn: &Connection, filter: &Filter, limit: u32) -> Result<Vec<Summary>, Error> {
    let mut wheres = vec!["TRUE"];
    let mut values: Vec<Value> = Vec::new();
    let mut take = |text, value: Value| {
        wheres.push(text);
        values.push(value);
    };
    if let Some(before) = filter.before {
        let Some(number) = number_of(conn, before)? else { return Ok(Vec::new()) };
        take("number < ?", number.into());
    }
    if let Some(since) = filter.since {
        let Some(number) = first_since(conn, since)? else { return Ok(Vec::new()) };
        take("number >= ?", number.into());
    }
    if let Some(agent) = &filter.agent {
        take("agent = ?", agent.as_str().to_owned().into());
    }
    if let Some(phase) = filter.phase {
        let indexed = if phase.has_ended() {
            "ended_at IS NOT NULL AND phase = ?"
        } else {
            "ended_at IS NULL AND phase = ?"
        };
        take(indexed, phase.as_str().to_owned().into());
    }
    if let Some(words) = &filter.search {
        let found = search::clause(conn, words)?;
        wheres.push(found.sql);
        values.extend(found.values);
    }
    values.push(limit.into());
    let wheres = wheres.join(" AND ");
    let sql = format!("SELECT {SUMMARY} FROM requests WHERE {wheres} ORDER BY number DESC LIMIT ?");
    let mut query = conn.prepare_cached(&sql)?;
    Ok(query.query_map(params_from_iter(values), summary)?.collect::<Result<_, _>>()?)
}

fn number_of(conn: &Connection, id: Uuid) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id = ?1")?;
    Ok(query.query_row([Id(id)], |row| row.get(0)).optional()?)
}

/// The first request since then. Found by its id, which begins with the time it was made.
fn first_since(conn: &Connection, since: Millis) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id >= ?1 ORDER BY id LIMIT 1")?;
    let millis = u64::try_from(since).unwrap_or(0) & 0xffff_ffff_ffff;
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    Ok(query.query_row([Id(Uuid::from_bytes(bytes))], |row| row.get(0)).optional()?)
}
