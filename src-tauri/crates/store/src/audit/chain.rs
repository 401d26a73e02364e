//! The chain: each row's hash covers the hash of the row before and everything that the row says.

use super::widens::widens;
use super::{By, Entry, ITSELF, capture, head};
use crate::error::Error;
use postern_policy::Millis;
use rusqlite::{Connection, params};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::Path;

/// What the first row's hash begins with, in place of a row before.
const BEGINNING: &[u8] = b"postern audit 1";

/// The hash of a row that follows one with the hash `before`.
pub(super) fn hash(before: &[u8], entry: &Entry) -> Vec<u8> {
    // A JSON text has one reading: no two rows have the same.
    let content = serde_json::json!([
        entry.number,
        entry.at,
        entry.who,
        entry.subject,
        entry.key,
        entry.before,
        entry.after,
        entry.widens
    ]);
    let mut sha = Sha256::new();
    sha.update(before);
    sha.update(content.to_string().as_bytes());
    sha.finalize().to_vec()
}

pub(super) fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _always = write!(text, "{byte:02x}");
        text
    })
}

/// Puts what was noted in this transaction into the chain. Returns the number of its last row, where there is one.
pub(crate) fn seal(conn: &Connection, who: &By) -> Result<Option<i64>, Error> {
    struct Noted {
        subject: String,
        key: String,
        before: Option<String>,
        after: Option<String>,
        widens: Option<bool>,
    }
    let mut query =
        conn.prepare_cached("SELECT subject, key, before, after, widens FROM unsealed ORDER BY number")?;
    let noted = query.query_map([], |row| {
        Ok(Noted {
            subject: row.get(0)?,
            key: row.get(1)?,
            before: row.get(2)?,
            after: row.get(3)?,
            widens: row.get(4)?,
        })
    })?;
    let noted: Vec<Noted> = noted.collect::<Result<_, _>>()?;
    if noted.is_empty() {
        return Ok(None);
    }
    conn.prepare_cached("DELETE FROM unsealed")?.execute([])?;
    let who = crate::column::text(who)?;
    let at = jiff::Timestamp::now().as_millisecond();
    let last = super::newest(conn)?;
    let (mut number, mut before) = last.map_or((0, BEGINNING.to_vec()), |last| (last.number, last.hash));
    let first = number;
    for Noted { subject, key, before: old, after: new, widens: told } in noted {
        let read = |text: Option<String>| text.map(|text| capture::plain(&subject, &key, &text));
        let (old, new) = (read(old), read(new));
        if old == new {
            continue;
        }
        number += 1;
        let text = |value: Option<&Value>| value.map(Value::to_string);
        let mut entry = Entry {
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
        entry.hash = hash(&before, &entry);
        append(conn, &entry)?;
        before = entry.hash;
    }
    Ok((number > first).then_some(number))
}

fn append(conn: &Connection, entry: &Entry) -> Result<(), Error> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO audit (number, at, who, subject, key, before, after, widens, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let Entry { number, at, who, subject, key, before, after, widens, hash } = entry;
    insert.execute(params![number, at, who, subject, key, before, after, widens, hash])?;
    if *widens {
        told(conn, *at, *number)?;
    }
    Ok(())
}

/// What may run is told outwards like everything that happened.
fn told(conn: &Connection, at: Millis, number: i64) -> Result<(), Error> {
    let mut insert = conn.prepare_cached("INSERT INTO feed (at, kind, data) VALUES (?1, 'widened', ?2)")?;
    insert.execute(params![at, number.to_string()])?;
    Ok(())
}

/// What a look at the whole chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many rows there are.
    pub rows: i64,
    /// The newest row's hash in hex; empty where there is none.
    pub head: String,
    /// The first thing that is wrong with the chain.
    pub broken: Option<Broken>,
    /// What is not as the audit says, by subject and key: it was changed past Postern.
    pub strayed: Vec<(String, String)>,
}

/// What is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// This row does not say what it said when it was written.
    Changed(i64),
    /// This row is missing.
    Missing(i64),
    /// Rows were taken from the end: the chain had `kept` of them and has `found`.
    Shortened {
        /// How many there were.
        kept: i64,
        /// How many there are.
        found: i64,
    },
    /// This row is not the one that stood there when the head was kept.
    Replaced(i64),
    /// The file that keeps the head is missing, or cannot be read.
    NoHead,
    /// This row tells of one of these, which a start found.
    Recorded(i64),
}

/// Looks at every row of the chain, at its head beside the record `path`, and at whether everything is as it says.
pub fn verify(conn: &Connection, path: &Path) -> Result<Verified, Error> {
    let head = head::read(path);
    let mut query = conn.prepare(
        "SELECT number, at, who, subject, key, before, after, widens, hash FROM audit ORDER BY number",
    )?;
    let mut rows = query.query([])?;
    let (mut expected, mut before, mut broken) = (1, BEGINNING.to_vec(), None);
    let (mut recorded, mut at_head) = (None, None);
    while let Some(row) = rows.next()? {
        // A row that cannot be read is one that was changed.
        let entry = super::entry(row).ok();
        let wrong = match &entry {
            None => Some(Broken::Changed(expected)),
            Some(entry) if entry.number != expected => Some(Broken::Missing(expected)),
            Some(entry) if entry.hash != hash(&before, entry) => Some(Broken::Changed(expected)),
            Some(_) => None,
        };
        broken = broken.or(wrong);
        if broken.is_some() {
            break;
        }
        let Some(entry) = entry else { break };
        if entry.subject == ITSELF && entry.key == "broken" {
            recorded = recorded.or(Some(Broken::Recorded(entry.number)));
        }
        if head.as_ref().is_some_and(|head| head.count == entry.number) {
            at_head = Some(hex(&entry.hash));
        }
        before = entry.hash;
        expected = entry.number + 1;
    }
    let rows: i64 = conn.query_row("SELECT count(*) FROM audit", [], |row| row.get(0))?;
    let end = match head {
        None if rows > 0 => Some(Broken::NoHead),
        Some(head) if head.count > rows => Some(Broken::Shortened { kept: head.count, found: rows }),
        Some(head) if head.count > 0 && at_head.as_deref() != Some(head.hash.as_str()) => {
            Some(Broken::Replaced(head.count))
        }
        Some(_) | None => None,
    };
    Ok(Verified {
        rows,
        head: if rows == 0 { String::new() } else { hex(&before) },
        broken: broken.or(end).or(recorded),
        strayed: capture::strayed(conn)?,
    })
}
