//! How much history is kept. The oldest goes first, in small steps, so that no request waits long behind it.

use crate::error::Error;
use crate::tables::search;
use postern_policy::Millis;
use rusqlite::{Connection, params};

/// What is kept. What lives is always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Requests that ended since then, in milliseconds since 1970.
    pub since: Millis,
    /// At most this many bytes of history.
    pub bytes: u64,
}

/// How many bytes of the file are in use.
pub fn history_bytes(conn: &Connection) -> Result<u64, Error> {
    let number = |sql| conn.query_row(sql, [], |row| row.get::<_, u64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    Ok(pages.saturating_mul(number("PRAGMA page_size")?))
}

/// Deletes at most `step` of the oldest requests that are not to be kept, with their output, and as many events and
/// questions. Gives how many requests went: call it again until that is none. A deleted request's number may be used
/// again.
pub fn sweep(conn: &Connection, keep: Keep, step: u32) -> Result<u32, Error> {
    let since = if history_bytes(conn)? > keep.bytes { Millis::MAX } else { keep.since };
    let mut query =
        conn.prepare_cached("SELECT number FROM requests WHERE ended_at < ?1 ORDER BY number LIMIT ?2")?;
    let old: Vec<i64> = query.query_map(params![since, step], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut delete = conn.prepare_cached("DELETE FROM requests WHERE number = ?1")?;
    for number in &old {
        search::forget(conn, *number)?;
        delete.execute([number])?;
    }
    for sql in [
        "DELETE FROM events WHERE (agent, sequence) IN
            (SELECT agent, sequence FROM events WHERE at < ?1 ORDER BY agent, sequence LIMIT ?2)",
        "DELETE FROM questions WHERE id IN (SELECT id FROM questions WHERE closed_at < ?1 ORDER BY id LIMIT ?2)",
    ] {
        conn.prepare_cached(sql)?.execute(params![keep.since, step])?;
    }
    Ok(u32::try_from(old.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::requests::{self, Change, Filter};
    use crate::tables::{agents, events};
    use crate::testing::{agent, asked, id, open};
    use postern_request::{Ending, Outcome};

    fn fill(conn: &Connection) -> Result<(), Error> {
        agents::add(conn, &agent("main"))?;
        let ending = Ending::Finished { outcome: Outcome::Exited { code: 0 } };
        for at in 1..=10 {
            let request = asked("main", &format!("r{at}"), at);
            requests::open(conn, &request)?;
            events::append(conn, &events::NewEvent { at, ..events::NewEvent::test("main") })?;
            if at != 2 {
                requests::change(conn, request.id, &Change::ended(&ending, at)?)?;
            }
        }
        search::index_all(conn)
    }

    #[test]
    fn the_oldest_go_in_steps_and_what_lives_stays() {
        let (_folder, store) = open();
        store.write(fill).wait().unwrap();
        let keep = Keep { since: 6, bytes: u64::MAX };
        let steps: Vec<u32> =
            (0..4).map(|_| store.write(move |conn| sweep(conn, keep, 2)).wait().unwrap()).collect();
        assert_eq!(steps, [2, 2, 0, 0]);
        let left = |search: Option<&str>| {
            let filter = Filter { search: search.map(Into::into), ..Filter::default() };
            let rows = store.read(|conn| requests::list(conn, &filter, 20)).unwrap();
            rows.into_iter().map(|row| row.received_at).collect::<Vec<_>>()
        };
        assert_eq!(left(None), [10, 9, 8, 7, 6, 2]);
        assert_eq!(left(Some("git")), [10, 9, 8, 7, 6, 2], "the index forgot the deleted ones");
        let events = store.read(|conn| events::after(conn, &id("main"), 0, 20)).unwrap();
        assert_eq!(events.first().map(|row| row.sequence), Some(6));
        assert_eq!(store.read(|conn| events::next(conn, &id("main"))).unwrap(), 11, "numbers go on");
    }

    #[test]
    fn too_many_bytes_take_the_oldest_whenever_they_ended() {
        let (_folder, store) = open();
        store.write(fill).wait().unwrap();
        let keep = Keep { since: 0, bytes: 1 };
        assert_eq!(store.write(move |conn| sweep(conn, keep, 3)).wait().unwrap(), 3);
        assert!(store.read(history_bytes).unwrap() > 1);
    }
}
