//! The history, page by page: by key, never by offset.

use super::requests::{Filter, LINE, SUMMARY, StoredRequest, Summary, get_request, summary};
use super::search;
use super::wanted::SearchWord;
use crate::column::UuidColumn;
use crate::error::Error;
use postern_policy::Millis;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, ParamsFromIter, params_from_iter};
use uuid::Uuid;

/// A page of the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryPage {
    /// The requests, newest first.
    pub requests: Vec<Summary>,
    /// Start of the next page ([`Filter::before`]); `None` on the last one.
    ///
    /// A page may be short and have a next one: then as much was looked through as one reading may take.
    pub next: Option<Uuid>,
}

/// Most requests without an index entry that one page looks through.
const LOOKED_THROUGH: usize = 2000;

/// Returns the newest that fit, at most `limit`. Gives nothing for a `before` that is not there.
pub fn list_newest(conn: &Connection, filter: &Filter, limit: u32) -> Result<Vec<Summary>, Error> {
    Ok(read_page(conn, filter, limit)?.requests)
}

/// Returns a page, newest first, at most `limit`. Gives nothing for a `before` that is not there.
pub fn read_page(conn: &Connection, filter: &Filter, limit: u32) -> Result<HistoryPage, Error> {
    // Of one state of the record: between two statements the writer may index what the first one saw without an entry.
    let _one_state = conn.is_autocommit().then(|| conn.unchecked_transaction()).transpose()?;
    let Some(range) = number_range(conn, filter)? else { return Ok(HistoryPage::default()) };
    // One more than is given says whether there is a next page.
    let more = limit.saturating_add(1);
    let by_key = Select::by_key(filter).map(|select| select.within(range));
    let (found, stopped) = match by_key {
        Some(select) => (select.fetch_summaries(conn, more)?, None),
        None => indexed_or_not(conn, filter, range, more)?,
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let next =
        if found.len() > limit { found.get(limit.saturating_sub(1)).map(|last| last.id) } else { stopped };
    let requests = found.into_iter().take(limit).collect();
    Ok(HistoryPage { requests, next })
}

/// Finds requests of which some are not indexed. Also returns where looking through stopped, if it did.
///
/// The newest may not be indexed yet, and live ones are not: they are looked through, then the index gives
/// the rest of the page.
fn indexed_or_not(
    conn: &Connection,
    filter: &Filter,
    range: Range,
    limit: u32,
) -> Result<(Vec<Summary>, Option<Uuid>), Error> {
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let words: Vec<String> = search::split_words(filter.search.as_deref().unwrap_or_default())
        .iter()
        .map(|word| word.to_lowercase())
        .collect();
    let indexed = search::indexed(conn)?;
    let mut found = Vec::new();
    let mut looked = 0;
    let fresh = Select::all_requests().and_where("number > ?", indexed).within(range);
    let mut query = conn.prepare_cached(&fresh.summary_sql())?;
    let mut rows = query.query(fresh.bind_values(u32::MAX))?;
    while let Some(row) = rows.next()? {
        let summary = summary(row)?;
        looked += 1;
        let last = summary.id;
        if filter.matches(&summary, &words) {
            found.push(summary);
        }
        if found.len() >= wanted {
            return Ok((found, None));
        }
        if looked >= LOOKED_THROUGH {
            return Ok((found, Some(last)));
        }
    }
    let rest = u32::try_from(wanted.saturating_sub(found.len())).unwrap_or(u32::MAX);
    let mut older = Select::late_requests().within(range).fetch_summaries(conn, u32::MAX)?;
    older.retain(|summary| filter.matches(summary, &words));
    older.extend(found_by_index(conn, filter, range, rest, LOOKED_THROUGH)?);
    older.sort_by_key(|summary| std::cmp::Reverse(summary.number));
    older.truncate(usize::try_from(rest).unwrap_or(usize::MAX));
    found.extend(older);
    Ok((found, None))
}

/// Returns matches of the index, newest first, at most `limit`.
///
/// `most` are looked at by the beginnings of long words before the rare ones among these are looked up whole.
fn found_by_index(
    conn: &Connection,
    filter: &Filter,
    range: Range,
    limit: u32,
    most: usize,
) -> Result<Vec<Summary>, Error> {
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let (since, mut before) = range;
    let (mut words, mut found) = (search::wanted(filter), Vec::new());
    while let Some(query) = search::index_query(filter, &words) {
        let cut = words.iter().any(SearchWord::is_cut);
        let select = Select::indexed(query).within((since, before));
        let (mut looked, held_before) = (0, found.len());
        let mut query = conn.prepare_cached(&select.summary_sql())?;
        let mut rows = query.query(select.bind_values(u32::MAX))?;
        while let Some(row) = rows.next()?
            && found.len() < wanted
        {
            let line = row.get_ref(LINE)?.as_str().map_err(rusqlite::Error::from)?;
            looked += 1;
            // Each is asked, so that each knows how often it was missed.
            if words.iter_mut().map(|word| usize::from(!word.is_in(line))).sum::<usize>() == 0 {
                found.push(summary(row)?);
            }
            if cut && looked >= most {
                before = Some(row.get(0)?);
                break;
            }
        }
        if !cut || looked < most || found.len() >= wanted {
            break;
        }
        for word in &mut words {
            word.gather_if_rare(looked);
        }
        if found.len() == held_before {
            words.iter_mut().for_each(SearchWord::gather);
        }
    }
    Ok(found)
}

/// Returns whole requests that fit, newest first.
pub fn list_whole(conn: &Connection, filter: &Filter, limit: u32) -> Result<Vec<StoredRequest>, Error> {
    let _one_state = conn.is_autocommit().then(|| conn.unchecked_transaction()).transpose()?;
    let (mut filter, mut left, mut found) = (filter.clone(), limit, Vec::new());
    loop {
        let HistoryPage { requests, next } = read_page(conn, &filter, left)?;
        left = left.saturating_sub(u32::try_from(requests.len()).unwrap_or(u32::MAX));
        for summary in requests {
            found.extend(get_request(conn, summary.id)?);
        }
        filter.before = next;
        if left == 0 || filter.before.is_none() {
            return Ok(found);
        }
    }
}

/// The numbers from which and up to which a filter looks; `None` if nothing can be in between.
type Range = (Option<i64>, Option<i64>);

fn number_range(conn: &Connection, filter: &Filter) -> Result<Option<Range>, Error> {
    let since = filter.since.map(|since| first_since(conn, since)).transpose()?;
    let until = filter.until.map(|until| first_since(conn, until)).transpose()?.flatten();
    let before = filter.before.map(|before| number_of(conn, before)).transpose()?;
    match (since, before) {
        (Some(None), _) | (_, Some(None)) => Ok(None),
        (since, before) => {
            let ends = [until, before.flatten()].into_iter().flatten();
            Ok(Some((since.flatten(), ends.min())))
        }
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
    fn all_requests() -> Self {
        Self { from: "requests", key: "number", wheres: Vec::new(), values: Vec::new() }
    }

    /// Returns the table's own index that gives just the matches: all, or live ones in one phase. `None` means that the
    /// search index is used.
    fn by_key(filter: &Filter) -> Option<Self> {
        let Filter { agent, phase, since: _, until: _, decided, rule, effect, folder, search, before: _ } =
            filter;
        let searches = search.as_deref().is_some_and(|text| !search::split_words(text).is_empty());
        if searches || decided.is_some() || rule.is_some() || effect.is_some() || folder.is_some() {
            return None;
        }
        match (agent, phase) {
            (None, None) => Some(Self::all_requests()),
            // Few live.
            (agent, Some(phase)) if !phase.has_ended() => {
                let live =
                    Self::all_requests().and_where("ended_at IS NULL AND phase = ?", phase.name().to_owned());
                Some(match agent {
                    Some(agent) => live.and_where("agent = ?", agent.as_str().to_owned()),
                    None => live,
                })
            }
            _ => None,
        }
    }

    /// Returns those that the index went past while they lived.
    fn late_requests() -> Self {
        Self { from: "late CROSS JOIN requests USING (number)", ..Self::all_requests() }
    }

    /// Returns those that the index gives for this query, in order: only as many are looked at as fill the
    /// page.
    fn indexed(query: String) -> Self {
        let from = "search CROSS JOIN requests ON requests.number = search.rowid";
        Self { from, key: "search.rowid", ..Self::all_requests() }.and_where("search MATCH ?", query)
    }

    fn and_where(mut self, text: impl Into<String>, value: impl Into<Value>) -> Self {
        self.wheres.push(text.into());
        self.values.push(value.into());
        self
    }

    fn within(self, (since, before): Range) -> Self {
        let key = self.key;
        let mut select = self;
        if let Some(since) = since {
            select = select.and_where(format!("{key} >= ?"), since);
        }
        if let Some(before) = before {
            select = select.and_where(format!("{key} < ?"), before);
        }
        select
    }

    fn summary_sql(&self) -> String {
        let Self { from, key, wheres, .. } = self;
        let wheres = if wheres.is_empty() { "TRUE".to_owned() } else { wheres.join(" AND ") };
        format!("SELECT {SUMMARY} FROM {from} WHERE {wheres} ORDER BY {key} DESC LIMIT ?")
    }

    /// Returns the values for the question marks.
    fn bind_values(&self, limit: u32) -> ParamsFromIter<Vec<Value>> {
        params_from_iter(self.values.iter().cloned().chain([limit.into()]).collect())
    }

    fn fetch_summaries(self, conn: &Connection, limit: u32) -> Result<Vec<Summary>, Error> {
        let mut query = conn.prepare_cached(&self.summary_sql())?;
        Ok(query.query_map(self.bind_values(limit), summary)?.collect::<Result<_, _>>()?)
    }
}

fn number_of(conn: &Connection, id: Uuid) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id = ?1")?;
    Ok(query.query_row([UuidColumn(id)], |row| row.get(0)).optional()?)
}

/// Returns the first request since then. Found by its id, which begins with the time it was made.
fn first_since(conn: &Connection, since: Millis) -> Result<Option<i64>, Error> {
    let mut query = conn.prepare_cached("SELECT number FROM requests WHERE id >= ?1 ORDER BY id LIMIT 1")?;
    Ok(query.query_row([UuidColumn::first_at(since)], |row| row.get(0)).optional()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::requests::{self, NewRequest, RequestChange};
    use crate::testing::{agent_id, new_request, open_temp_store};
    use postern_protocol::{Decided, RunState};
    use postern_request::{Exit, RequestEnding};

    /// Returns SQLite's plan for a query, one line per step.
    fn plan(conn: &Connection, select: &Select) -> Result<Vec<String>, Error> {
        let mut query = conn.prepare(&format!("EXPLAIN QUERY PLAN {}", select.summary_sql()))?;
        let values = select.values.iter().cloned().chain([Value::Integer(50)]);
        Ok(query.query_map(params_from_iter(values), |row| row.get(3))?.collect::<Result<_, _>>()?)
    }

    /// Words as people look for them, in lines that nearly fit.
    #[test]
    fn however_few_are_looked_at_before_words_are_gathered_the_same_is_found() {
        let (_folder, store) = open_temp_store();
        let lines = [
            "git log --oneline", "git log --one-line", "git stash", "git status -s", "ls stationery",
            "café one",
        ];
        let all = lines.into_iter().cycle().take(60);
        store.write_now(move |conn| {
            for (nth, line) in (1..).zip(all) {
                let new = NewRequest { line: line.into(), ..new_request("main", &format!("r{nth}"), nth) };
                requests::record_request(conn, &new)?;
                let denied = RequestEnding::Finished { end: Exit::Code(0).into() };
                requests::change(conn, new.id, &RequestChange::from_ending(&denied, nth)?)?;
            }
            search::index_all(conn)
        });
        for (words, expected) in [
            ("oneline", 10),
            ("git log one-l", 10),
            ("stat", 20),
            ("status", 10),
            ("stationary", 0),
            ("cafe one", 10),
        ] {
            let filter = Filter { search: Some(words.into()), ..Filter::default() };
            let found = |most| {
                let found =
                    store.read(|conn| found_by_index(conn, &filter, (None, None), 100, most)).unwrap();
                found.into_iter().map(|row| row.number).collect::<Vec<_>>()
            };
            let whole = found(usize::MAX);
            assert_eq!(whole.len(), expected, "{words}");
            assert!(whole.is_sorted_by(|a, b| a > b), "newest first: {words}");
            for most in [1, 2, 7, 30] {
                assert_eq!(found(most), whole, "{words}, after {most}");
            }
        }
    }

    #[test]
    fn a_page_has_each_request_once_while_requests_are_indexed() {
        let (_folder, store) = open_temp_store();
        let filter = Filter { search: Some("git".into()), ..Filter::default() };
        for nth in 1..=300 {
            store.write_now(move |conn| {
                let new = new_request("main", &format!("r{nth}"), nth);
                let new = NewRequest { line: "git status".into(), ..new };
                requests::record_request(conn, &new)?;
                let finished = RequestEnding::Finished { end: Exit::Code(0).into() };
                requests::change(conn, new.id, &RequestChange::from_ending(&finished, nth)?)
            });
            let indexing = store.write(search::index_all);
            let page = store.read(|conn| list_newest(conn, &filter, 1_000)).unwrap();
            let found: Vec<i64> = page.iter().map(|row| row.number).collect();
            assert_eq!(found, (1..=nth).rev().collect::<Vec<_>>());
            indexing.wait().unwrap();
        }
    }

    #[test]
    fn every_page_is_found_by_key_and_nothing_is_sorted() {
        let (_folder, store) = open_temp_store();
        let all = Filter::default();
        let main = Some(agent_id("main"));
        let by_key = [
            (all.clone(), "SCAN requests"),
            (Filter { phase: Some(RunState::Running), ..all.clone() }, "INDEX requests_live (number"),
        ];
        for (filter, expected) in by_key {
            let range = if filter == all { (None, None) } else { (Some(3), Some(90)) };
            let select = Select::by_key(&filter).unwrap().within(range);
            let steps = store.read(|conn| plan(conn, &select)).unwrap();
            assert!(steps.len() == 1 && steps[0].contains(expected), "{filter:?}: {steps:?}");
        }
        let by_index = [
            Filter { search: Some("git push".into()), ..all.clone() },
            Filter { agent: main.clone(), ..all.clone() },
            Filter { phase: Some(RunState::Denied), ..all.clone() },
            Filter { agent: main.clone(), phase: Some(RunState::Denied), ..all.clone() },
            Filter { agent: main, decided: Some(Decided::YouDenied), rule: Some(7), ..all },
        ];
        for filter in by_index {
            assert!(Select::by_key(&filter).is_none(), "{filter:?}: no index of the table fits");
            let found = Select::indexed(search::index_query(&filter, &search::wanted(&filter)).unwrap())
                .within((Some(3), Some(90)));
            let steps = store.read(|conn| plan(conn, &found)).unwrap();
            let [first, second] = &steps[..] else { panic!("{filter:?}: {steps:?}") };
            assert!(first.starts_with("SCAN search VIRTUAL TABLE"), "{filter:?}: {steps:?}");
            assert!(second.contains("INTEGER PRIMARY KEY (rowid=?)"), "{filter:?}: {steps:?}");
        }
    }
}
