//! Events of each agent, numbered without gaps, so that one that reconnects gets what it missed.

use crate::column::UuidColumn;
use crate::error::Error;
use crate::packed_text::PackedForm;
use postern_policy::{AgentId, Millis};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::ops::RangeInclusive;
use uuid::Uuid;

pub(crate) const SCHEMA: &str = include_str!("schema/events.sql");

/// Column for the fields of an event that are packed, whose own column is empty then.
pub(crate) const PACKED: &str = "ALTER TABLE events ADD COLUMN packed BLOB;";

const FORM: PackedForm = PackedForm { number: 1, dictionary: include_bytes!("events-1.txt") };
/// Bytes of fields that are packed: fewer gain little, and more keep the thread that packs them.
const PACKED_BYTES: RangeInclusive<usize> = 64..=4096;

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
    /// Fields as they are stored; `None` where that is the text.
    pub packed: Option<Vec<u8>>,
}

impl NewEvent {
    /// Packs its fields, where they are shorter so. Takes some microseconds: not for the thread of the record.
    #[must_use]
    pub fn pack_fields(self) -> Self {
        let wanted = PACKED_BYTES.contains(&self.params.len());
        let packed = wanted.then(|| FORM.pack_text(&self.params).ok()).flatten();
        Self { packed: packed.filter(|packed| packed.len() < self.params.len()), ..self }
    }
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
    let sequence = next_sequence(conn, &event.agent)?;
    append_as(conn, sequence, event)?;
    Ok(sequence)
}

/// Writes an event down under a number that the caller gave it already. Refused unless it is the next one.
pub fn append_as(conn: &Connection, sequence: u64, event: &NewEvent) -> Result<(), Error> {
    let NewEvent { agent, at, request, method, params: fields, packed } = event;
    let mut count = conn.prepare_cached(
        "UPDATE agents SET next_sequence = next_sequence + 1 WHERE id = ?1 AND next_sequence = ?2",
    )?;
    if count.execute(params![agent.as_str(), sequence])? == 0 {
        let next = next_sequence(conn, agent)?;
        return Err(Error::Refused(format!(
            "event {sequence} of {agent} would leave a gap: the next is {next}"
        )));
    }
    let mut insert = conn.prepare_cached(
        "INSERT INTO events (agent, sequence, at, request, method, params, packed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let fields = if packed.is_some() { "" } else { fields.as_str() };
    insert.execute(params![agent.as_str(), sequence, at, request.map(UuidColumn), method, fields, packed])?;
    Ok(())
}

/// Returns the events of an agent behind `sequence`, oldest first, at most `limit`. One that is damaged is passed over.
pub fn events_after(
    conn: &Connection,
    agent: &AgentId,
    sequence: u64,
    limit: u32,
) -> Result<Vec<EventRow>, Error> {
    let mut query = conn.prepare_cached(
        "SELECT sequence, at, request, method, params, packed FROM events
         WHERE agent = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
    )?;
    let event = |row: &Row<'_>| event_from_row(row, agent);
    // SQLite's integers are signed: what lies behind every number there is, has nothing behind it.
    let sequence = i64::try_from(sequence).unwrap_or(i64::MAX);
    let found = query.query_map(params![agent.as_str(), sequence, limit], event)?;
    Ok(found.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

fn event_from_row(row: &Row<'_>, agent: &AgentId) -> rusqlite::Result<Option<EventRow>> {
    let sequence: u64 = row.get(0)?;
    let params: String = match row.get_ref(5)?.as_blob_or_null()? {
        None => row.get(4)?,
        Some(packed) => match FORM.unpack_text(packed) {
            Ok(params) => params,
            Err(error) => {
                tracing::warn!(%agent, sequence, %error, "an event cannot be told again");
                return Ok(None);
            }
        },
    };
    let (at, method) = (row.get(1)?, row.get(3)?);
    let request = row.get::<_, Option<UuidColumn>>(2)?.map(|id| id.0);
    let event = NewEvent { agent: agent.clone(), at, request, method, params, packed: None };
    Ok(Some(EventRow { sequence, event }))
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
                packed: None,
            }
        }
    }

    #[test]
    fn long_fields_are_packed_and_told_as_they_were_and_damaged_ones_are_passed_over() {
        let (_folder, store) = open_temp_store();
        let denied =
            "{\"requestId\":\"\",\"reason\":\"denylist\",\"message\":\"Denied by the rule `rm *`.\"}";
        let long = NewEvent { params: denied.into(), ..NewEvent::test("main") };
        let short = NewEvent::test("main").pack_fields();
        assert_eq!(short.packed, None, "there is nothing to gain");
        let packed = long.clone().pack_fields();
        let bytes = packed.packed.as_ref().map_or(usize::MAX, Vec::len);
        assert!(bytes < denied.len() / 2, "{bytes} bytes of {}", denied.len());
        let done = store.write(move |conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            [&packed, &short, &packed].into_iter().try_for_each(|event| append(conn, event).map(drop))?;
            let damage = "UPDATE events SET packed = x'0109000000ff' WHERE sequence = 3";
            assert_eq!(conn.execute(damage, [])?, 1);
            append(conn, &packed)
        });
        assert_eq!(done.wait().unwrap(), 4);
        let told = store.read(|conn| events_after(conn, &agent_id("main"), 0, 9)).unwrap();
        let told: Vec<_> = told.into_iter().map(|row| (row.sequence, row.event)).collect();
        assert_eq!(told, [(1, long.clone()), (2, NewEvent::test("main")), (4, long)]);
        assert_eq!(store.read(|conn| get_event(conn, &agent_id("main"), 3)).unwrap(), None);
    }

    #[test]
    fn events_are_numbered_for_each_agent_and_replayed_in_order() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            agents::insert_agent(conn, &sample_agent("other"))?;
            let given =
                ["main", "main", "other", "main"].map(|name| append(conn, &NewEvent::test(name)).unwrap());
            assert_eq!(given, [1, 2, 1, 3]);
            Ok(())
        });
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
        store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
        store.write_now(|conn| append_as(conn, 1, &NewEvent::test("main")));
        for wrong in [1, 3] {
            let done = store.write(move |conn| append_as(conn, wrong, &NewEvent::test("main"))).wait();
            assert!(matches!(done, Err(Error::Refused(_))), "{wrong}: {done:?}");
        }
        store.write_now(|conn| append_as(conn, 2, &NewEvent::test("main")));
    }

    #[test]
    fn numbers_have_no_gaps_when_many_write_and_some_fail() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
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
