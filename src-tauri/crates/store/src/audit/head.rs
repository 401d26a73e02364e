//! The head of the chain, kept a second time in a small file beside the database to detect a shortened chain.

use super::{ITSELF, chain, newest, note};
use crate::doubt::{self, Cause};
use crate::error::Error;
use crate::file::AUDIT_HEAD;
use rusqlite::{Connection, OptionalExtension as _};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Length of the chain and hash of its newest row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) count: i64,
    pub(super) hash: String,
}

fn place(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(AUDIT_HEAD);
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) fn read(path: &Path) -> Option<Head> {
    serde_json::from_slice(&std::fs::read(place(path, "")).ok()?).ok()
}

/// Returns how many rows the chain of the record at `path` had, as its head says.
pub(crate) fn rows(path: &Path) -> Option<i64> {
    read(path).map(|head| head.count)
}

/// Writes the current head. It may lag behind the chain, but is never ahead of it.
pub(crate) fn keep(conn: &Connection, path: &Path) -> io::Result<()> {
    let newest = newest(conn).map_err(io::Error::other)?;
    let head = newest
        .map_or_else(Head::default, |newest| Head { count: newest.number, hash: chain::hex(&newest.hash) });
    let beside = place(path, ".new");
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(&serde_json::to_vec(&head)?)?;
    std::fs::rename(&beside, place(path, ""))
}

/// Records at a start that the chain does not match the kept head, because new rows would hide that. The record is in
/// doubt then.
pub(super) fn compare(conn: &Connection, path: &Path) -> Result<(), Error> {
    let found = newest(conn)?;
    let count = found.as_ref().map_or(0, |found| found.number);
    let Some(head) = read(path) else {
        if count == 0 {
            return Ok(());
        }
        let what = json!({ "rows": count, "why": "the file with the head is missing" });
        doubt::note(path, Cause::Older);
        return note(conn, ITSELF, "broken", (None, Some(&what)), true);
    };
    let mut query = conn.prepare("SELECT hash FROM audit WHERE number = ?1")?;
    let there: Option<Vec<u8>> = query.query_row([head.count], |row| row.get(0)).optional()?;
    if head.count == 0 || there.map(|hash| chain::hex(&hash)).as_ref() == Some(&head.hash) {
        return Ok(());
    }
    doubt::note(path, if count == 0 { Cause::Gone } else { Cause::Older });
    let before = json!({ "rows": head.count, "hash": head.hash });
    let after =
        json!({ "rows": count, "why": "rows were removed or replaced while Postern was not running" });
    note(conn, ITSELF, "broken", (Some(&before), Some(&after)), true)
}
