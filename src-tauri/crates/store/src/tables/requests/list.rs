//! The history, page by page: by key, never by offset.

use super::row::{Phase, SUMMARY, Summary, summary};
use crate::column::Id;
use crate::error::Error;
use crate::tables::search::{self, Words};
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
    let Some(range) = range(conn, filter)? else { return Ok(Vec::new()) };
    let Some(words) = filter.search.as_deref().and_then(search::words) else {
        return Select::all().narrow(filter, range).page(conn, limit);
    };
    // The newest may not be indexed yet: they are looked through, then the index gives the rest of the page.
    let indexed = search::indexed(conn)?;
    let mut page = Select::unindexed(indexed, &words).narrow(filter, range).page(conn, limit)?;
    let rest = limit.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
    if rest > 0 {
        page.extend(Select::indexed(&words).narrow(filter, range).page(conn, rest)?);
    }
    Ok(page)
}

/// The numbers from which and up to which a filter looks; none where nothing can be in between.
type Range = (Option<i64>, Option<i64>);

fn range(conn: &Connection, filter: &Filter) -> Result<Option<Range>, Error> {
    let since = filter.since.map(|since| first_since(conn, since)).transpose()?;
    let before = filter.before.map(|before| number_of(conn, before)).transpose()?;
    match (since, before) {
        (Some(None), _) | (_, Some(None)) => Ok(None),
        (since, before) => Ok(Some((since.flatten(), before.flatten()))),
    }
}

/// A query over requests, newest first.
struct Select {
    from: &'static str,
    /// The column that orders, where the query begins.
    key: &'static str,
    wheres: Vec<String>,
    values: Vec<Value>,
}

impl Select {
    fn all() -> Self {
        Self { from: "requests", key: "number", wheres: Vec::new(), values: Vec::new() }
    }

    /// Those whose lines hold the words, among those that are not indexed.
    fn unindexed(indexed: i64, words: &Words) -> Self {
        Self::all().and("number > ?", indexed).and(
            "NOT EXISTS (SELECT 1 FROM json_each(?) AS word WHERE instr(lower(line), lower(word.value)) = 0)",
            words.json.clone(),
        )
    }

    /// Those whose lines hold the words, among those that are indexed. The index gives them in order, so only as many
    /// are looked at as fill the page.
    fn indexed(words: &Words) -> Self {
        let from = "search CROSS JOIN requests ON requests.number = search.rowid";
        Self { from, key: "search.rowid", ..Self::all() }.and("search MATCH ?", words.query.clone())
    }

    fn and(mut self, text: impl Into<String>, value: impl Into<Value>) -> Self {
        self.wheres.push(text.into());
        self.values.push(value.into());
        self
    }

    fn narrow(self, filter: &Filter, (since, before): Range) -> Self {
        let key = self.key;
        let mut select = self;
        if let Some(since) = since {
            select = select.and(format!("{key} >= ?"), since);
        }
        if let Some(before) = before {
            select = select.and(format!("{key} < ?"), before);
        }
        if let Some(agent) = &filter.agent {
            select = select.and("agent = ?", agent.as_str().to_owned());
        }
        if let Some(phase) = filter.phase {
            // Said so that the index of those that have ended, or of those that live, can be used.
            let which = if phase.has_ended() { "ended_at IS NOT NULL" } else { "ended_at IS NULL" };
            select = select.and(format!("{which} AND phase = ?"), phase.as_str().to_owned());
        }
        select
    }

    fn sql(&self) -> String {
        let Self { from, key, wheres, .. } = self;
        let wheres = if wheres.is_empty() { "TRUE".to_owned() } else { wheres.join(" AND ") };
        format!("SELECT {SUMMARY} FROM {from} WHERE {wheres} ORDER BY {key} DESC LIMIT ?")
    }

    fn page(self, conn: &Connection, limit: u32) -> Result<Vec<Summary>, Error> {
        let mut query = conn.prepare_cached(&self.sql())?;
        let values = self.values.into_iter().chain([limit.into()]);
        Ok(query.query_map(params_from_iter(values), summary)?.collect::<Result<_, _>>()?)
    }
}

fn number_of(conn: &Connection, id: Uuid) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id = ?1")?;
    Ok(query.query_row([Id(id)], |row| row.get(0)).optional()?)
}

/// The first request since then. Found by its id, which begins with the time it was made.
fn first_since(conn: &Connection, since: Millis) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id >= ?1 ORDER BY id LIMIT 1")?;
    Ok(query.query_row([Id::first_at(since)], |row| row.get(0)).optional()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{id, open};

    /// How SQLite goes about a query, a line a step.
    fn plan(conn: &Connection, select: &Select) -> Result<Vec<String>, Error> {
        let mut query = conn.prepare(&format!("EXPLAIN QUERY PLAN {}", select.sql()))?;
        let values = select.values.iter().cloned().chain([Value::Integer(50)]);
        Ok(query.query_map(params_from_iter(values), |row| row.get(3))?.collect::<Result<_, _>>()?)
    }

    #[test]
    fn every_page_is_found_by_key_and_nothing_is_sorted() {
        let (_folder, store) = open();
        let all = Filter::default();
        let main = Some(id("main"));
        let filters = [
            (all.clone(), "SCAN requests"),
            (Filter { agent: main.clone(), ..all.clone() }, "INDEX requests_by_agent (agent=? AND"),
            (Filter { phase: Some(Phase::Denied), ..all.clone() }, "INDEX requests_ended (phase=? AND"),
            (Filter { phase: Some(Phase::Running), ..all.clone() }, "INDEX requests_live (number"),
        ];
        let words = search::words("git push").unwrap();
        for (filter, expected) in filters {
            let range = if filter == all { (None, None) } else { (Some(3), Some(90)) };
            let steps = store.read(|conn| plan(conn, &Select::all().narrow(&filter, range))).unwrap();
            assert!(steps.len() == 1 && steps[0].contains(expected), "{filter:?}: {steps:?}");
            let found = Select::indexed(&words).narrow(&filter, (Some(3), Some(90)));
            let steps = store.read(|conn| plan(conn, &found)).unwrap();
            let [first, second] = &steps[..] else { panic!("{filter:?}: {steps:?}") };
            assert!(first.starts_with("SCAN search VIRTUAL TABLE"), "{filter:?}: {steps:?}");
            assert!(second.contains("INTEGER PRIMARY KEY (rowid=?)"), "{filter:?}: {steps:?}");
        }
    }
}
