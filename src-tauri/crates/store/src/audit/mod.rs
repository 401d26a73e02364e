//! The audit: every change of what may run, as a chain of rows that nobody changes without being noticed.
//!
//! The rows are written in the transaction of the change itself: triggers note each change of the tables that decide
//! (`capture`), and the writer puts them into the chain before it commits. What lies outside of those tables (a file, a
//! key) is noted with [`note`] and [`state`]. Who changes something is said once, around the work: [`by`].

mod capture;
mod chain;
mod head;
#[cfg(test)]
mod tests;
mod widens;

pub(crate) use capture::prepare;
pub(crate) use chain::seal;
pub use chain::{Broken, Verified, verify};
pub(crate) use head::{COMPANION, keep as keep_head};

use crate::error::Error;
use postern_policy::Millis;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const SCHEMA: &str = "
CREATE TABLE audit (
    number  INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    who     TEXT NOT NULL,
    subject TEXT NOT NULL,
    key     TEXT NOT NULL,
    before  TEXT,
    after   TEXT,
    widens  INTEGER NOT NULL,
    hash    BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject, key, number);
";

/// The subject of rows about the audit itself.
pub const ITSELF: &str = "audit";

/// Who changes something, and through which approver.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct By {
    /// `terminal`, `window`, `remote` (a chat, a paired device), `file` (changed on disk), or `postern` itself.
    pub face: String,
    /// The approver's own name: `telegram, Anna (123)`; for a file its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The user that the process ran as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The program of that process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

impl By {
    /// Postern itself: a time that was over, a start.
    pub fn postern() -> Self {
        Self { face: "postern".to_owned(), ..Self::default() }
    }

    /// A file that was changed on disk.
    pub fn file(path: impl Into<String>) -> Self {
        Self { face: "file".to_owned(), name: Some(path.into()), ..Self::default() }
    }
}

tokio::task_local! {
    static BY: Arc<By>;
}

/// Runs `work` so that whatever it writes is recorded as done by `who`.
pub fn by<F: Future>(who: Arc<By>, work: F) -> impl Future<Output = F::Output> {
    BY.scope(who, work)
}

/// Runs `work`, which does not wait, so that whatever it hands to the writer is recorded as done by `who`.
pub fn now_by<T>(who: Arc<By>, work: impl FnOnce() -> T) -> T {
    BY.sync_scope(who, work)
}

/// Makes `work`, which is to run in a task of its own, the work of whoever is named here.
pub fn carry<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let who = current();
    async move {
        match who {
            Some(who) => BY.scope(who, work).await,
            None => work.await,
        }
    }
}

/// Who is at work in this task; `None` where nobody was named.
pub fn current() -> Option<Arc<By>> {
    BY.try_with(Arc::clone).ok()
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the chain, from 1 on without gaps.
    pub number: i64,
    /// When.
    pub at: Millis,
    /// Who, as JSON text of a [`By`].
    pub who: String,
    /// What kind of thing changed: `agents`, `rules`, `settings`, `skill_clis`, `permissions`, …
    pub subject: String,
    /// Which of them.
    pub key: String,
    /// How it was, as JSON text; `None` where it was not there.
    pub before: Option<String>,
    /// How it is, as JSON text; `None` where it is gone.
    pub after: Option<String>,
    /// Whether more may run because of it, or that cannot be ruled out.
    pub widens: bool,
    /// sha256 over the hash of the row before and this row's content.
    pub hash: Vec<u8>,
}

const COLUMNS: &str = "number, at, who, subject, key, before, after, widens, hash";

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        number: row.get(0)?,
        at: row.get(1)?,
        who: row.get(2)?,
        subject: row.get(3)?,
        key: row.get(4)?,
        before: row.get(5)?,
        after: row.get(6)?,
        widens: row.get(7)?,
        hash: row.get(8)?,
    })
}

/// At most `limit` rows behind `number` that were written at `since` or later, oldest first.
pub fn after(conn: &Connection, number: i64, since: Millis, limit: u32) -> Result<Vec<Entry>, Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM audit WHERE number > ?1 AND at >= ?2 ORDER BY number LIMIT ?3"
    ))?;
    Ok(query.query_map(params![number, since, limit], entry)?.collect::<Result<_, _>>()?)
}

/// One row.
pub fn get(conn: &Connection, number: i64) -> Result<Option<Entry>, Error> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM audit WHERE number = ?1"))?;
    Ok(query.query_row([number], entry).optional()?)
}

/// The newest row; `None` before the first change.
pub fn newest(conn: &Connection) -> Result<Option<Entry>, Error> {
    let mut query =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM audit ORDER BY number DESC LIMIT 1"))?;
    Ok(query.query_row([], entry).optional()?)
}

/// Notes a change of something that is in no table. It is put into the chain with the transaction.
pub fn note(
    conn: &Connection,
    subject: &str,
    key: &str,
    (before, after): (Option<&Value>, Option<&Value>),
    widens: bool,
) -> Result<(), Error> {
    let text = |value: Option<&Value>| value.map(Value::to_string);
    let mut insert = conn.prepare_cached(
        "INSERT INTO unsealed (subject, key, before, after, widens) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    insert.execute(params![subject, key, text(before), text(after), widens])?;
    Ok(())
}

/// Notes how something is that is in no table, where it is not what the audit says of it. Returns whether it was noted.
pub fn state(
    conn: &Connection,
    subject: &str,
    key: &str,
    now: &Value,
    widens: impl FnOnce(Option<&Value>) -> bool,
) -> Result<bool, Error> {
    let mut query = conn.prepare_cached(
        "SELECT after FROM audit WHERE subject = ?1 AND key = ?2 ORDER BY number DESC LIMIT 1",
    )?;
    let known: Option<Option<String>> = query.query_row([subject, key], |row| row.get(0)).optional()?;
    let known: Option<Value> = known.flatten().and_then(|text| serde_json::from_str(&text).ok());
    if known.as_ref() == Some(now) {
        return Ok(false);
    }
    note(conn, subject, key, (known.as_ref(), Some(now)), widens(known.as_ref()))?;
    Ok(true)
}
