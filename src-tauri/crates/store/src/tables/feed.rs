//! The feed: every step of every request's life, and every stranger at a door, in one gapless order of arrival. It is
//! what is told outwards, and where each listener left off is one number.
//!
//! The database writes the steps itself, in the transaction that changes the request: a step that is kept is in the feed,
//! and one that is not, is not. An entry names its request and holds nothing of it: erasing the one empties the other.

use crate::audit;
use crate::column::{AgentIdColumn, UuidColumn};
use crate::error::Error;
use crate::tables::requests::{self, StoredRequest};
use postern_policy::{AgentId, Millis};
use rusqlite::{Connection, OptionalExtension, params};

/// Least number of entries that are kept. Each is some thirty bytes.
pub const KEPT: i64 = 65_536;

/// Numbers are never used twice, also not after everything was erased: a listener's number stays good.
pub(crate) const SCHEMA: &str = include_str!("schema/feed.sql");

/// Entries that name their request by its number (`about`), which says whose it is: both were in each entry.
pub(crate) const BY_NUMBER: &str = include_str!("schema/feed_by_number.sql");

/// The kind of an entry that is no request's: somebody at a door who may not come in.
pub const STRANGER: &str = "stranger";

/// Kind of an entry about a change that lets more run; its data is the number of the audit row.
pub const WIDENED: &str = "widened";

/// Entry of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEntry {
    /// Position in the feed.
    pub number: i64,
    pub at: Millis,
    /// The phase that the request came to (`received`, `asking`, `starting`, `running`, `denied`, `finished`, `failed`, `allowed`), or
    /// [`STRANGER`].
    pub kind: String,
    pub request: Option<StoredRequest>,
    /// Report of a stranger, as JSON text.
    pub data: Option<String>,
    /// The change, of kind [`WIDENED`].
    pub change: Option<audit::AuditEntry>,
}

/// Returns the number of the newest entry; 0 where there is none yet.
pub fn newest(conn: &Connection) -> Result<i64, Error> {
    let mut query = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'feed'")?;
    Ok(query.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Returns the number after which everything lies that happened at `at` or later.
pub fn before(conn: &Connection, at: Millis) -> Result<i64, Error> {
    let mut query = conn.prepare_cached("SELECT min(number) FROM feed WHERE at >= ?1")?;
    let first: Option<i64> = query.query_row([at], |row| row.get(0))?;
    first.map_or_else(|| newest(conn), |first| Ok(first - 1))
}

/// Returns the number after which the newest `count` entries lie.
pub fn tail_position(conn: &Connection, count: u32) -> Result<i64, Error> {
    Ok((newest(conn)? - i64::from(count)).max(0))
}

/// Returns at most `limit` entries after `number`, oldest first, and the number up to which was read.
///
/// Those of one agent if one is named. Entries of requests that were erased are skipped.
pub fn entries_after(
    conn: &Connection,
    number: i64,
    agent: Option<&AgentId>,
    limit: u32,
) -> Result<(Vec<FeedEntry>, i64), Error> {
    let mut query = conn.prepare_cached(
        "SELECT feed.number, feed.at, feed.kind, feed.data, feed.about, requests.id, requests.agent
         FROM feed LEFT JOIN requests ON requests.number = feed.about
         WHERE feed.number > ?1 ORDER BY feed.number LIMIT ?2",
    )?;
    let mut rows = query.query(params![number, limit])?;
    let (mut entries, mut looked) = (Vec::new(), number);
    while let Some(row) = rows.next()? {
        looked = row.get(0)?;
        let whose: Option<AgentIdColumn> = row.get(6)?;
        if agent.is_some() && whose.map(|name| name.0).as_ref() != agent {
            continue;
        }
        let id = row.get::<_, Option<UuidColumn>>(5)?.map(|id| id.0);
        let request = id.map(|id| requests::get_request(conn, id)).transpose()?.flatten();
        if row.get::<_, Option<i64>>(4)?.is_some() && request.is_none() {
            continue;
        }
        let (kind, data): (String, Option<String>) = (row.get(2)?, row.get(3)?);
        let change = match data.as_deref().map(str::parse) {
            Some(Ok(row)) if kind == WIDENED => audit::get_entry(conn, row)?,
            _ => None,
        };
        entries.push(FeedEntry { number: looked, at: row.get(1)?, kind, request, data, change });
    }
    Ok((entries, looked))
}

/// Notes somebody at a door who may not come in. `data` is JSON text.
pub fn stranger(conn: &Connection, at: Millis, data: &str) -> Result<(), Error> {
    let mut insert = conn.prepare_cached("INSERT INTO feed (at, kind, data) VALUES (?1, 'stranger', ?2)")?;
    insert.execute(params![at, data])?;
    Ok(())
}

/// Takes the requests with numbers after this one out of their entries: those numbers will be of others.
pub(crate) fn go_back(conn: &Connection, number: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE feed SET about = 0 WHERE about > ?1")?.execute([number]).map(drop)
}

/// Forgets every entry.
pub(crate) fn clear_feed(conn: &Connection) -> Result<(), Error> {
    conn.execute("DELETE FROM feed", [])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{before, entries_after, newest, stranger, tail_position};
    use crate::tables::agents;
    use crate::tables::requests::{self, RequestChange};
    use crate::testing::{agent_id, new_request, open_temp_store, sample_agent};
    use postern_protocol::RunState;
    use postern_request::{Exit, RequestEnding};

    #[test]
    fn every_step_of_a_request_is_there_once_and_in_order() {
        let (_folder, store) = open_temp_store();
        let first = new_request("main", "r1", 10);
        let number = first.id;
        store.write_now(move |conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            requests::record_request(conn, &first)?;
            requests::record_request(conn, &new_request("main", "r1", 10))?;
            for (phase, at) in [
                (RunState::Resolving, 11),
                (RunState::Asking, 12),
                (RunState::Asking, 13),
                (RunState::Starting, 14),
            ] {
                requests::change(conn, number, &RequestChange::to_phase(phase, at))?;
            }
            requests::change(conn, number, &RequestChange::to_phase(RunState::Running, 15))?;
            stranger(conn, 16, "{}")?;
            let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
            requests::change(conn, number, &RequestChange::from_ending(&ending, 17)?)?;
            requests::change(conn, number, &RequestChange::to_phase(RunState::Asking, 18))
        });
        let (entries, looked) = store.read(|conn| entries_after(conn, 0, None, 100)).unwrap();
        let steps: Vec<_> =
            entries.iter().map(|entry| (entry.number, entry.kind.as_str(), entry.at)).collect();
        let expected = [
            (1, "received", 10),
            (2, "asking", 12),
            (3, "starting", 14),
            (4, "running", 15),
            (5, "stranger", 16),
            (6, "finished", 17),
        ];
        assert_eq!(
            steps[..6],
            expected,
            "a repeated request, a repeated phase and a late change are no steps"
        );
        let change = entries[6].change.as_ref().map(|change| change.subject.as_str());
        assert_eq!((entries[6].kind.as_str(), change), (super::WIDENED, Some("agents")), "it was enrolled");
        assert_eq!((looked, store.read(newest).unwrap(), entries.len()), (7, 7, 7));
        let (mine, looked) = store.read(|conn| entries_after(conn, 3, Some(&agent_id("main")), 2)).unwrap();
        assert_eq!((mine.len(), looked), (1, 5), "the stranger is nobody's, and is not looked at again");
        assert_eq!(store.read(|conn| before(conn, 15)).unwrap(), 3);
        assert_eq!(store.read(|conn| before(conn, 99)).unwrap(), 6, "no request had a step since then");
        assert_eq!(store.read(|conn| tail_position(conn, 2)).unwrap(), 5);
        assert_eq!(store.read(|conn| tail_position(conn, 99)).unwrap(), 0);
    }

    #[test]
    fn what_was_erased_is_passed_over_and_numbers_go_on() {
        let (_folder, store) = open_temp_store();
        let done = store.write(|conn| {
            let request = new_request("main", "r1", 10);
            requests::record_request(conn, &request)?;
            let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
            requests::change(conn, request.id, &RequestChange::from_ending(&ending, 11)?)?;
            crate::sweep_history(conn, crate::Keep { since: 12, bytes: u64::MAX }, 9)?;
            assert_eq!(entries_after(conn, 0, None, 9)?, (Vec::new(), 2), "its request is gone");
            crate::erased(conn)?;
            requests::open_as(
                conn,
                &new_request("main", "r2", 20),
                &RequestChange::to_phase(RunState::Asking, 21),
            )?;
            entries_after(conn, 0, None, 9)
        });
        let (entries, _) = done.wait().unwrap();
        let steps: Vec<_> =
            entries.iter().map(|entry| (entry.number, entry.kind.as_str(), entry.at)).collect();
        let expected = [(3, "received", 20), (4, "asking", 21)];
        assert_eq!(steps, expected, "no number twice, and what it had come to already is a step of its own");
    }
}
