//! Lower bound for the cost of the record: a short row with the index of at-most-once, committed as the record commits.

use postern_store::Connection;
use std::path::Path;
use uuid::Uuid;

/// Size of such a row.
const BYTES: usize = 700;

/// A database of such rows.
#[derive(Debug)]
pub(crate) struct Slim(Connection);

impl Slim {
    pub(crate) fn create(folder: &Path, name: &str) -> anyhow::Result<Self> {
        let conn = Connection::open(folder.join(name))?;
        conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE slim (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;",
        )?;
        Ok(Self(conn))
    }

    /// Adds a row and commits it; what it has copied into the file by then is left to others.
    pub(crate) fn commit(&mut self) -> anyhow::Result<()> {
        let body = "x".repeat(BYTES);
        let mut insert = self.0.prepare_cached("INSERT INTO slim (id, body) VALUES (?1, ?2)")?;
        insert.execute((Uuid::new_v4().as_bytes().as_slice(), body))?;
        Ok(())
    }
}
