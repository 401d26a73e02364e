//! Events of each agent, numbered without gaps, so that one that reconnects gets what it missed.

use crate::column::UuidColumn;
use crate::error::Error;
use postern_policy::{AgentId, Millis};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

pub(crate) const SCHEMA: &str = "
CREATE TABLE events (
    agent    TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    request  BLOB,
    method   TEXT NOT NULL,
    params   TEXT NOT NULL,
    PRIMARY KEY (agent, sequence)
) STRICT, WITHOUT ROWID;
";

/// Something to tell an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub agent: AgentId,
    pub at: Millis,
    /// The request it is about: the host's own number.
    pub request: Option<Uuid>,
    /// `exec.started` and similar ones.
    pub method: String,
    /// JSON text of its fields, without `sequence` and `at`.
    pub params: String,
}

/// Something that an agent was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Number: 1, 2, 3, … for each agent.
    pub sequence: u64,
    /// The rest.
    pub event: NewEvent,
}

/// Returns the number that the next event of an agent gets.
pub fn next_sequence(conn: &Connection, agent: &AgentId) -> Result<u64, Error> {
    let mut query = conn.prepare_cached("SELECT next_sequence FROM agents WHERE id = ?1")?;
    let next = query.query_row([agent.as_str()], |row| row.get(0)).optional()?;
    next.ok_or_else(|| Error::Missing(format!("agent {agent}")))
}

/// Writes an event down and gives its number.
pub fn append(conn: &Connection, event: &NewEvent) -> Result<u64, Error> {
    let mut count = conn.prepare_cached(
        "UPDATE agents SET next_sequence = next_sequence + 1 WHERE id = ?1 RETURNING next_sequence - 1",
    )?;
    let sequence = count.query_row([event.agent.as_str()], |row| row.get(0)).optional()?;
    let sequence = sequence.ok_or_else(|| Error::Missing(format!("agent {}", event.agent)))?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO events (agent, sequence, at, request, method, params) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let request = event.request.map(UuidColumn);
    insert.execute(params![event.agent.as_str(), sequence, event.at, request, event.method, event.params])?;
    Ok(sequence)
}

/// Writes an event down under a number that the caller gave it already. Refused unless it is the next one.
pub fn append_as(conn: &Connection, sequence: u64, event: &NewEvent) -> Result<(), Error> {
    let given = append(conn, event)?;
    if given == sequence {
        return Ok(());
    }
    Err(Error::Refused(format!("event {sequence} of {} would leave a gap: the next is {given}", event.agent)))
}

/// Returns the events of an agent behind `sequence`, oldest first, at most `limit`.
pub fn events_after(
    conn: &Connection,
    agent: &AgentId,
    sequence: u64,
    limit: u32,
) -> Result<Vec<EventRow>, Error> {
    let mut query = conn.prepare_cached(
        "SELECT sequence, at, request, method, params FROM events
         WHERE agent = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
    )?;
    let row = |row: &Row<'_>| {
        Ok(EventRow {
            sequence: row.get(0)?,
            event: NewEvent {
                agent: agent.clone(),
                at: row.get(1)?,
                request: row.get::<_, Option<UuidColumn>>(2)?.map(|id| id.0),
                method: row.get(3)?,
                params: row.get(4)?,
            },
        })
    };
    // SQLite's integers are signed: what lies behind every number there is, has nothing behind it.
    let sequence = i64::try_from(sequence).unwrap_or(i64::MAX);
    Ok(query.query_map(params![agent.as_str(), sequence, limit], row)?.collect::<Result<_, _>>()?)
}

/// Returns an event of an agent by its number, if it is still kept.
pub fn get_event(conn: &Connection, agent: &AgentId, sequence: u64) -> Result<Option<EventRow>, Error> {
    let before = sequence.checked_sub(1).map(|before| events_after(conn, agent, before, 1)).transpose()?;
    Ok(before.into_iter().flatten().find(|row| row.sequence == sequence))
}

/// Returns the oldest event that is still kept; `None` if there is none.
pub fn oldest(conn: &Connection, agent: &AgentId) -> Result<Option<u64>, Error> {
    let mut query = conn.prepare_cached("SELECT min(sequence) FROM events WHERE agent = ?1")?;
    Ok(query.query_row([agent.as_str()], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::agents;
    use crate::testing::{agent_id, open_temp_store, sample_agent};

    impl NewEvent {
        pub(crate) fn test(agent: &str) -> Self {
            Self {
                agent: agent_id(agent),
                at: 1,
                request: Some(Uuid::from_u128(7)),
                method: "exec.started".into(),
                params: "{}".into(),
            }
        }
    }

    #[test]
    fn events_are_numbered_for_each_agent_and_replayed_in_order() {
        let (_folder, store) = open_temp_store();
        let done = store.write(|conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            agents::insert_agent(conn, &sample_agent("other"))?;
            let given =
                ["main", "main", "other", "main"].map(|name| append(conn, &NewEvent::test(name)).unwrap());
            assert_eq!(given, [1, 2, 1, 3]);
            Ok(())
        });
        done.wait().unwrap();
        let numbers = |after_: u64, limit| {
            let events = store.read(|conn| events_after(conn, &agent_id("main"), after_, limit)).unwrap();
            assert!(events.iter().all(|row| row.event == NewEvent::test("main")), "kept whole");
            events.into_iter().map(|row| row.sequence).collect::<Vec<_>>()
        };
        assert_eq!(numbers(0, 10), [1, 2, 3]);
        assert_eq!(numbers(1, 1), [2]);
        assert_eq!(numbers(u64::MAX, 10), [] as [u64; 0]);
        assert_eq!(store.read(|conn| next_sequence(conn, &agent_id("main"))).unwrap(), 4);
        assert_eq!(store.read(|conn| oldest(conn, &agent_id("main"))).unwrap(), Some(1));
    }

    #[test]
    fn a_given_number_must_be_the_next() {
        let (_folder, store) = open_temp_store();
        store.write(|conn| agents::insert_agent(conn, &sample_agent("main"))).wait().unwrap();
        store.write(|conn| append_as(conn, 1, &NewEvent::test("main"))).wait().unwrap();
        for wrong in [1, 3] {
            let done = store.write(move |conn| append_as(conn, wrong, &NewEvent::test("main"))).wait();
            assert!(matches!(done, Err(Error::Refused(_))), "{wrong}: {done:?}");
        }
        store.write(|conn| append_as(conn, 2, &NewEvent::test("main"))).wait().unwrap();
    }

    #[test]
    fn numbers_have_no_gaps_when_many_write_and_some_fail() {
        let (_folder, store) = open_temp_store();
        store.write(|conn| agents::insert_agent(conn, &sample_agent("main"))).wait().unwrap();
        let (threads, each) = (8, 50);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for nth in 0..each {
                        let done = store.write(move |conn| {
                            append(conn, &NewEvent::test("main"))?;
                            if nth % 5 == 0 { Err(Error::Refused("taken back".into())) } else { Ok(()) }
                        });
                        assert_eq!(done.wait().is_ok(), nth % 5 != 0);
                    }
                });
            }
        });
        let events = store.read(|conn| events_after(conn, &agent_id("main"), 0, 10_000)).unwrap();
        let numbers: Vec<u64> = events.into_iter().map(|row| row.sequence).collect();
        assert_eq!(numbers, (1..=threads * (each - each / 5)).collect::<Vec<u64>>());
    }
}
