//! Limits of the history. The oldest goes first, in small steps, so that no request waits long for it.

use crate::column::UuidColumn;
use crate::error::Error;
use crate::tables::{agents, feed, scripts, search, tally};
use postern_policy::Millis;
use rusqlite::{Connection, params};

/// Limits of what is kept. Live requests are always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Requests that ended since then, in milliseconds since 1970.
    pub since: Millis,
    /// At most this many bytes of history.
    pub bytes: u64,
}

/// Returns the bytes of the file that are in use.
pub fn history_bytes(conn: &Connection) -> Result<u64, Error> {
    let number = |sql| conn.query_row(sql, [], |row| row.get::<_, u64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    Ok(pages.saturating_mul(number("PRAGMA page_size")?))
}

/// Returns whether what is deleted from now on is overwritten with zeros in the file. It costs a write for
/// each page: for when a person erases, not for what ages away.
pub fn overwrite_deleted(conn: &Connection, on: bool) -> Result<(), Error> {
    Ok(conn.pragma_update(None, "secure_delete", on)?)
}

/// Clears the index and the counts after everything that has ended was swept. What is left is indexed again.
pub fn erased(conn: &Connection) -> Result<(), Error> {
    // The segments of the index would keep words of what was deleted.
    conn.execute_batch(search::AGAIN)?;
    feed::clear_feed(conn)?;
    scripts::clear_scripts(conn)?;
    Ok(tally::forget(conn, Millis::MAX)?)
}

/// Most live ones among the oldest requests before the ones after them are skipped.
const ALIVE: u32 = 256;

/// Deletes at most `step` of the oldest requests that are not to be kept, with their output, questions and
/// events.
///
/// As many questions, and events of each agent, go too. Returns the number of deleted requests: call it again
/// until that is 0. A deleted request's number may be used again.
///
/// Each step looks at the oldest rows only, so one that finds nothing costs nothing.
pub fn sweep_history(conn: &Connection, keep: Keep, step: u32) -> Result<u32, Error> {
    let gone = sweep_requests(conn, keep, step)?;
    tally::forget(conn, keep.since)?;
    conn.prepare_cached(
        "DELETE FROM questions WHERE id IN
            (SELECT id FROM questions WHERE id < ?1 AND closed_at IS NOT NULL ORDER BY id LIMIT ?2)",
    )?
    .execute(params![UuidColumn::first_at(keep.since), step])?;
    let mut events = conn.prepare_cached(
        "DELETE FROM events WHERE agent = ?1 AND at < ?2 AND sequence IN
            (SELECT sequence FROM events WHERE agent = ?1 ORDER BY sequence LIMIT ?3)",
    )?;
    for agent in agents::list_agents(conn)? {
        events.execute(params![agent.id.as_str(), keep.since, step])?;
    }
    Ok(gone)
}

fn sweep_requests(conn: &Connection, keep: Keep, step: u32) -> Result<u32, Error> {
    let since = if history_bytes(conn)? > keep.bytes { Millis::MAX } else { keep.since };
    let mut oldest = conn.prepare_cached(
        "SELECT number FROM (SELECT number, ended_at FROM requests ORDER BY number LIMIT ?1)
         WHERE ended_at < ?2 ORDER BY number LIMIT ?3",
    )?;
    let oldest = oldest.query_map(params![step.saturating_add(ALIVE), since, step], |row| row.get(0))?;
    let oldest: Vec<i64> = oldest.collect::<Result<_, _>>()?;
    let mut delete = conn.prepare_cached("DELETE FROM requests WHERE number = ?1")?;
    for number in &oldest {
        search::forget(conn, *number)?;
        delete.execute([number])?;
    }
    let newest: i64 =
        conn.query_row("SELECT coalesce(max(number), 0) FROM requests", [], |row| row.get(0))?;
    if oldest.last().is_some_and(|last| *last > newest) {
        // The next request gets one of these numbers again.
        search::go_back(conn, newest)?;
        feed::go_back(conn, newest)?;
    }
    Ok(u32::try_from(oldest.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::events;
    use crate::tables::history;
    use crate::tables::questions::{self, QuestionEnd, QuestionRow};
    use crate::tables::requests::{self, Filter, RequestChange};
    use crate::testing::{agent_id, new_request, open_temp_store, sample_agent};
    use postern_request::{Exit, RequestEnding};

    fn fill(conn: &Connection) -> Result<(), Error> {
        agents::insert_agent(conn, &sample_agent("main"))?;
        let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
        for at in 1..=10 {
            let request = new_request("main", &format!("r{at}"), at);
            requests::record_request(conn, &request)?;
            events::append(conn, &events::NewEvent { at, ..events::NewEvent::test("main") })?;
            if at != 2 {
                requests::change(conn, request.id, &RequestChange::from_ending(&ending, at)?)?;
            }
        }
        search::index_all(conn)
    }

    #[test]
    fn the_oldest_go_in_steps_and_what_lives_stays() {
        let (_folder, store) = open_temp_store();
        store.write_now(fill);
        let keep = Keep { since: 6, bytes: u64::MAX };
        let steps: Vec<u32> =
            (0..4).map(|_| store.write_now(move |conn| sweep_history(conn, keep, 2))).collect();
        assert_eq!(steps, [2, 2, 0, 0]);
        let left = |search: Option<&str>| {
            let filter = Filter { search: search.map(Into::into), ..Filter::default() };
            let rows = store.read(|conn| history::list_newest(conn, &filter, 20)).unwrap();
            rows.into_iter().map(|row| row.received_at).collect::<Vec<_>>()
        };
        assert_eq!(left(None), [10, 9, 8, 7, 6, 2]);
        assert_eq!(left(Some("git")), [10, 9, 8, 7, 6, 2], "the index forgot the deleted ones");
        let events = store.read(|conn| events::events_after(conn, &agent_id("main"), 0, 20)).unwrap();
        assert_eq!(events.first().map(|row| row.sequence), Some(6));
        assert_eq!(
            store.read(|conn| events::next_sequence(conn, &agent_id("main"))).unwrap(),
            11,
            "numbers go on"
        );
    }

    #[test]
    fn what_comes_after_everything_is_gone_is_indexed_too() {
        let (_folder, store) = open_temp_store();
        let ended = |name: &'static str, at| {
            store.write(move |conn| {
                let request = new_request("main", name, at);
                requests::record_request(conn, &request)?;
                let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
                requests::change(conn, request.id, &RequestChange::from_ending(&ending, at)?)?;
                search::index_all(conn)
            })
        };
        ended("r1", 1).wait().unwrap();
        ended("r2", 2).wait().unwrap();
        let keep = Keep { since: 10, bytes: u64::MAX };
        assert_eq!(store.write_now(move |conn| sweep_history(conn, keep, 9)), 2);
        ended("r3", 20).wait().unwrap();
        let filter = Filter { agent: Some(agent_id("main")), ..Filter::default() };
        let found = store.read(|conn| history::list_newest(conn, &filter, 9)).unwrap();
        assert_eq!(found.iter().map(|row| row.request_id.as_str()).collect::<Vec<_>>(), ["r3"]);
        let (steps, _) = store.read(|conn| feed::entries_after(conn, 0, None, 9)).unwrap();
        let steps: Vec<_> = steps.iter().map(|step| (step.number, step.kind.as_str())).collect();
        assert_eq!(steps, [(5, "received"), (6, "finished")], "steps of what is gone are not its own");
        assert_eq!(
            store.read(|conn| Ok(search::indexed(conn)?)).unwrap(),
            1,
            "it has the first number again"
        );
    }

    #[test]
    fn what_is_erased_leaves_no_word_behind() {
        let (folder, store) = open_temp_store();
        store.write_now(|conn| overwrite_deleted(conn, true));
        let secret =
            requests::NewRequest { line: "curl hunter2secret".into(), ..new_request("main", "r1", 1) };
        let id = secret.id;
        let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
        store.write_now(move |conn| requests::record_request(conn, &secret));
        store.write_now(move |conn| {
            requests::change(conn, id, &requests::RequestChange::from_ending(&ending, 2)?)
        });
        store.write_now(crate::search::index_all);
        let keep = Keep { since: 10, bytes: u64::MAX };
        assert_eq!(store.write_now(move |conn| sweep_history(conn, keep, 10)), 1);
        store.write_now(erased);
        store.close();
        drop(store);
        let files = std::fs::read_dir(folder.path().join("data")).into_iter().flatten();
        let files = files.chain(std::fs::read_dir(folder.path()).unwrap()).map(|file| file.unwrap().path());
        let files: Vec<_> = files.filter(|path| path.is_file()).collect();
        assert!(!files.is_empty(), "there is a record to look into");
        for file in files {
            let bytes = std::fs::read(file).unwrap();
            assert!(!bytes.windows(13).any(|window| window == b"hunter2secret"), "the word is still there");
        }
    }

    #[test]
    fn questions_that_were_closed_go_and_those_that_wait_stay() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            for number in [1, 2] {
                questions::upsert_question(conn, &QuestionRow::test(number))?;
            }
            let closed = QuestionEnd { at: 5, answer: "deny".into(), face: None, feedback: None };
            questions::close_question(conn, QuestionRow::test(1).id, &closed)?;
            sweep_history(conn, Keep { since: 6, bytes: u64::MAX }, 9)
        });
        let there = |number| {
            store.read(|conn| questions::get_question(conn, QuestionRow::test(number).id)).unwrap().is_some()
        };
        assert_eq!((there(1), there(2)), (false, true));
    }

    #[test]
    fn too_many_bytes_take_the_oldest_whenever_they_ended() {
        let (_folder, store) = open_temp_store();
        store.write_now(fill);
        let keep = Keep { since: 0, bytes: 1 };
        assert_eq!(store.write_now(move |conn| sweep_history(conn, keep, 3)), 3);
        assert!(store.read(history_bytes).unwrap() > 1);
    }
}
