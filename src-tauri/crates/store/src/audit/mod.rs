//! The audit: a tamper-evident chain of every change to what may run.
//!
//! Triggers note each change of the deciding tables (`capture`), and the writer adds them to the chain in the
//! same transaction. [`note_change`] and [`note_state`] record changes outside of those tables (a file, a key); [`with_author`]
//! names the author.

mod capture;
mod chain;
mod hash;
mod head;
#[cfg(test)]
mod tests;
mod widens;

pub(crate) use chain::seal_changes;
pub use chain::{ChainFault, Verified, verify};
pub use hash::{content_of, read_content};
pub(crate) use head::{rows_at_head, write_head};
pub use widens::PAUSE;

use crate::error::Error;
use postern_policy::Millis;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(crate) const SCHEMA: &str = include_str!("../tables/schema/audit.sql");

/// Subject of rows about the audit itself.
pub const ITSELF: &str = "audit";

/// Author of a change, and the approver that it came through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeAuthor {
    /// `terminal`, `window`, `remote` (a chat, a paired device), `file` (changed on disk), or `postern` itself.
    pub face: String,
    /// The approver's own name (`telegram, Anna (123)`), or the path of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// User id of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// Process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Path of the process's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

impl ChangeAuthor {
    /// Returns Postern itself, as the author of a start or an expired time limit.
    pub fn postern() -> Self {
        Self { face: "postern".to_owned(), ..Self::default() }
    }

    /// Returns the unknown author of a file that was changed on disk.
    pub fn from_file(path: impl Into<String>) -> Self {
        Self { face: "file".to_owned(), name: Some(path.into()), ..Self::default() }
    }
}

tokio::task_local! {
    static BY: Arc<ChangeAuthor>;
}

/// Runs `work` and records its changes as made by `who`.
pub fn with_author<F: Future>(who: Arc<ChangeAuthor>, work: F) -> impl Future<Output = F::Output> {
    BY.scope(who, work)
}

/// Runs the synchronous `work` and records the changes that it sends to the writer as made by `who`.
pub fn now_by<T>(who: Arc<ChangeAuthor>, work: impl FnOnce() -> T) -> T {
    BY.sync_scope(who, work)
}

/// Carries the current author into `work`, which runs in a task of its own.
pub fn carry_author<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let who = current();
    async move {
        match who {
            Some(who) => BY.scope(who, work).await,
            None => work.await,
        }
    }
}

/// Returns the author of this task's changes, or `None` if nobody was named.
pub fn current() -> Option<Arc<ChangeAuthor>> {
    BY.try_with(Arc::clone).ok()
}

/// A recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Position in the chain, from 1 without gaps.
    pub number: i64,
    /// Time of the change.
    pub at: Millis,
    /// Author, as JSON text of a [`ChangeAuthor`].
    pub who: String,
    /// Kind of the changed thing: `agents`, `rules`, `settings`, `skill_clis`, `permissions`, etc.
    pub subject: String,
    /// Name of the changed thing.
    pub key: String,
    /// Value before, as JSON text; `None` if there was none.
    pub before: Option<String>,
    /// Value after, as JSON text; `None` if it was removed.
    pub after: Option<String>,
    /// True if more may run because of it, or if that cannot be ruled out.
    pub widens: bool,
    /// sha256 over the previous row's hash and this row's content.
    pub hash: Vec<u8>,
}

const COLUMNS: &str = "number, at, who, subject, key, before, after, widens, hash";

fn entry_from_row(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
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

/// Prepares the writer's connection: creates the triggers, seals rows left from the last start and checks for a
/// shortened chain. `found` describes how the file was opened, if the audit should record that.
pub(crate) fn prepare(conn: &Connection, path: &Path, found: Option<&Value>) -> Result<(), Error> {
    conn.execute_batch(
        "CREATE TEMP TABLE unsealed (
            number INTEGER PRIMARY KEY, subject TEXT NOT NULL, key TEXT NOT NULL, before TEXT, after TEXT, widens INTEGER
        ) STRICT;",
    )?;
    let begun = newest(conn)?.is_some();
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let noted = (|| {
        if let Some(found) = found {
            note_change(conn, ITSELF, "replaced", (None, Some(found)), true)?;
        }
        head::compare(conn, path)?;
        capture::watch(conn, begun)?;
        chain::seal_changes(conn, &ChangeAuthor::postern())
    })();
    match noted {
        Ok(_) => conn.execute_batch("COMMIT")?,
        Err(error) => {
            conn.execute_batch("ROLLBACK")?;
            return Err(error);
        }
    }
    if let Err(error) = head::write_head(conn, path) {
        tracing::warn!(%error, "the head of the audit cannot be kept beside the record");
    }
    Ok(())
}

/// Returns at most `limit` rows after `number` that were written at `since` or later, oldest first.
pub fn entries_after(
    conn: &Connection,
    number: i64,
    since: Millis,
    limit: u32,
) -> Result<Vec<AuditEntry>, Error> {
    let mut query = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM audit WHERE number > ?1 AND at >= ?2 ORDER BY number LIMIT ?3"
    ))?;
    Ok(query.query_map(params![number, since, limit], entry_from_row)?.collect::<Result<_, _>>()?)
}

/// Returns one row.
pub fn get_entry(conn: &Connection, number: i64) -> Result<Option<AuditEntry>, Error> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM audit WHERE number = ?1"))?;
    Ok(query.query_row([number], entry_from_row).optional()?)
}

/// Returns the newest row, or `None` before the first change.
pub fn newest(conn: &Connection) -> Result<Option<AuditEntry>, Error> {
    let mut query =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM audit ORDER BY number DESC LIMIT 1"))?;
    Ok(query.query_row([], entry_from_row).optional()?)
}

/// Notes a change outside of the tables. The writer adds it to the chain with the transaction.
pub fn note_change(
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

/// Makes the changes noted in this transaction a part of an earlier entry.
///
/// That entry alone says that more may run.
pub(crate) fn mark_as_part(conn: &Connection, subject: &str, key: &str) -> Result<(), Error> {
    let mut update = conn.prepare_cached("UPDATE unsealed SET widens = 0 WHERE subject = ?1 AND key = ?2")?;
    update.execute([subject, key])?;
    Ok(())
}

/// Notes the current state of something outside of the tables if it differs from the audit: null if it is not there. Returns
/// true if it did.
pub fn note_state(
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
    if known.as_ref().unwrap_or(&Value::Null) == now {
        return Ok(false);
    }
    note_change(conn, subject, key, (known.as_ref(), Some(now)), widens(known.as_ref()))?;
    Ok(true)
}
