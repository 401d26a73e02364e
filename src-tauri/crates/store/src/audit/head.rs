//! The head of the chain, kept a second time in a small file beside the database to detect a shortened chain.

use super::{ITSELF, newest, note_change};
use crate::doubt::{self, DoubtCause};
use crate::error::Error;
use crate::file::{AUDIT_HEAD, beside, write_private};
use postern_protocol::encode_hex;
use rusqlite::{Connection, OptionalExtension as _};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io;
use std::path::Path;

/// Length of the chain and hash of its newest row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AuditHead {
    pub(super) count: i64,
    pub(super) hash: String,
}

pub(super) fn read_head(path: &Path) -> Option<AuditHead> {
    serde_json::from_slice(&std::fs::read(beside(path, AUDIT_HEAD)).ok()?).ok()
}

/// Returns how many rows the chain of the record at `path` had, as its head says.
pub(crate) fn rows_at_head(path: &Path) -> Option<i64> {
    read_head(path).map(|head| head.count)
}

/// Writes the current head. It may lag behind the chain, but is never ahead of it.
pub(crate) fn write_head(conn: &Connection, path: &Path) -> io::Result<()> {
    let newest = newest(conn).map_err(io::Error::other)?;
    let head = newest.map_or_else(AuditHead::default, |newest| AuditHead {
        count: newest.number,
        hash: encode_hex(&newest.hash),
    });
    let kept = beside(path, AUDIT_HEAD);
    let new = beside(&kept, ".new");
    write_private(&new, &serde_json::to_vec(&head)?)?;
    std::fs::rename(new, kept)
}

/// Records at a start that the chain does not match the kept head, because new rows would hide that. The record is in
/// doubt then.
pub(super) fn compare(conn: &Connection, path: &Path) -> Result<(), Error> {
    let found = newest(conn)?;
    let count = found.as_ref().map_or(0, |found| found.number);
    let Some(head) = read_head(path) else {
        if count == 0 {
            return Ok(());
        }
        let what = json!({ "rows": count, "why": "the file with the head is missing" });
        doubt::note_doubt(path, DoubtCause::Older);
        return note_change(conn, ITSELF, "broken", (None, Some(&what)), true);
    };
    let mut query = conn.prepare("SELECT hash FROM audit WHERE number = ?1")?;
    let there: Option<Vec<u8>> = query.query_row([head.count], |row| row.get(0)).optional()?;
    if head.count == 0 || there.map(|hash| encode_hex(&hash)).as_ref() == Some(&head.hash) {
        return Ok(());
    }
    doubt::note_doubt(path, if count == 0 { DoubtCause::Gone } else { DoubtCause::Older });
    let before = json!({ "rows": head.count, "hash": head.hash });
    let after =
        json!({ "rows": count, "why": "rows were removed or replaced while Postern was not running" });
    note_change(conn, ITSELF, "broken", (Some(&before), Some(&after)), true)
}
