//! The hash chain: each row's hash covers the previous row's hash and the whole row.

use super::hash::row_hash;
use super::widens::widens;
use super::{AuditEntry, ChangeAuthor, ITSELF, capture, head};
use crate::error::Error;
use postern_protocol::encode_hex;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::path::Path;

/// Hash input of the first row, in place of a previous hash.
const BEGINNING: &[u8] = b"postern audit 1";

/// Appends the changes noted in this transaction to the chain. Returns the number of the last new row, if there
/// is one.
pub(crate) fn seal_changes(conn: &Connection, who: &ChangeAuthor) -> Result<Option<i64>, Error> {
    struct NotedChange {
        subject: String,
        key: String,
        before: Option<String>,
        after: Option<String>,
        widens: Option<bool>,
    }
    let mut query =
        conn.prepare_cached("SELECT subject, key, before, after, widens FROM unsealed ORDER BY number")?;
    let noted = query.query_map([], |row| {
        Ok(NotedChange {
            subject: row.get(0)?,
            key: row.get(1)?,
            before: row.get(2)?,
            after: row.get(3)?,
            widens: row.get(4)?,
        })
    })?;
    let noted: Vec<NotedChange> = noted.collect::<Result<_, _>>()?;
    if noted.is_empty() {
        return Ok(None);
    }
    conn.prepare_cached("DELETE FROM unsealed")?.execute([])?;
    let who = crate::column::to_json_text(who)?;
    let at = jiff::Timestamp::now().as_millisecond();
    let last = super::newest(conn)?;
    let (mut number, mut before) = last.map_or((0, BEGINNING.to_vec()), |last| (last.number, last.hash));
    let first = number;
    for NotedChange { subject, key, before: old, after: new, widens: told } in noted {
        let read = |text: Option<String>| text.map(|text| capture::recorded_row(&subject, &key, &text));
        let (old, new) = (read(old), read(new));
        if old == new {
            continue;
        }
        number += 1;
        let text = |value: Option<&Value>| value.map(Value::to_string);
        let mut entry = AuditEntry {
            number,
            at,
            who: who.clone(),
            before: text(old.as_ref()),
            after: text(new.as_ref()),
            widens: told.unwrap_or_else(|| widens(&subject, &key, old.as_ref(), new.as_ref())),
            subject,
            key,
            hash: Vec::new(),
        };
        entry.hash = row_hash(&before, &entry);
        append(conn, &entry)?;
        before = entry.hash;
    }
    Ok((number > first).then_some(number))
}

fn append(conn: &Connection, entry: &AuditEntry) -> Result<(), Error> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO audit (number, at, who, subject, key, before, after, widens, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let AuditEntry { number, at, who, subject, key, before, after, widens, hash } = entry;
    insert.execute(params![number, at, who, subject, key, before, after, widens, hash])?;
    if *widens {
        // For outgoing events.
        let mut insert =
            conn.prepare_cached("INSERT INTO feed (at, kind, data) VALUES (?1, 'widened', ?2)")?;
        insert.execute(params![at, number.to_string()])?;
    }
    Ok(())
}

/// Result of verifying the whole chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub rows: i64,
    /// Hash of the newest row in hex; empty if there is none.
    pub head: String,
    pub broken: Option<ChainFault>,
    /// Rows that differ from the audit, by subject and key: another program changed them.
    pub strayed: Vec<(String, String)>,
}

/// A fault of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainFault {
    /// This row was changed after it was written.
    Changed(i64),
    /// This row is missing.
    Missing(i64),
    /// Rows were removed from the end: the chain had `kept` of them and has `found`.
    Shortened {
        /// Number of rows that the head names.
        kept: i64,
        /// Number of rows that exist.
        found: i64,
    },
    /// This row differs from the one that the head names.
    Replaced(i64),
    /// The file that keeps the head is missing or unreadable.
    NoHead,
    /// This row records one of these faults, which a start found.
    Recorded(i64),
}

/// Verifies every row of the chain, its head beside the database at `path`, and the current state against the
/// rows.
pub fn verify(conn: &Connection, path: &Path) -> Result<Verified, Error> {
    let head = head::read_head(path);
    let mut query = conn.prepare(
        "SELECT number, at, who, subject, key, before, after, widens, hash FROM audit ORDER BY number",
    )?;
    let mut rows = query.query([])?;
    let (mut expected, mut before, mut broken) = (1, BEGINNING.to_vec(), None);
    let (mut recorded, mut at_head) = (None, None);
    while let Some(row) = rows.next()? {
        // An unreadable row counts as changed.
        let entry = super::entry_from_row(row).ok();
        let wrong = match &entry {
            None => Some(ChainFault::Changed(expected)),
            Some(entry) if entry.number != expected => Some(ChainFault::Missing(expected)),
            Some(entry) if entry.hash != row_hash(&before, entry) => Some(ChainFault::Changed(expected)),
            Some(_) => None,
        };
        broken = broken.or(wrong);
        if broken.is_some() {
            break;
        }
        let Some(entry) = entry else { break };
        if entry.subject == ITSELF && entry.key == "broken" {
            recorded = recorded.or(Some(ChainFault::Recorded(entry.number)));
        }
        if head.as_ref().is_some_and(|head| head.count == entry.number) {
            at_head = Some(encode_hex(&entry.hash));
        }
        before = entry.hash;
        expected = entry.number + 1;
    }
    let rows: i64 = conn.query_row("SELECT count(*) FROM audit", [], |row| row.get(0))?;
    let end = match head {
        None if rows > 0 => Some(ChainFault::NoHead),
        Some(head) if head.count > rows => Some(ChainFault::Shortened { kept: head.count, found: rows }),
        Some(head) if head.count > 0 && at_head.as_deref() != Some(head.hash.as_str()) => {
            Some(ChainFault::Replaced(head.count))
        }
        Some(_) | None => None,
    };
    Ok(Verified {
        rows,
        head: if rows == 0 { String::new() } else { encode_hex(&before) },
        broken: broken.or(end).or(recorded),
        strayed: capture::strayed(conn)?,
    })
}
