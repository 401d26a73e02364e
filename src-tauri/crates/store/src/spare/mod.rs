//! A copy of what decides, beside the record: agents, rules, settings, skills and the audit, without the history. It is a
//! record of its own, so that a lost one can be replaced by it.

use crate::audit::{self, AuditEntry};
use crate::doubt::{self, DoubtCause, RecordDoubt};
use crate::error::{Error, OpenError};
use crate::file::{self, beside};
use crate::open::{self, PRECIOUS};
use crate::{migrate, settings};
use postern_policy::Millis;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const SUFFIX: &str = ".spare";
/// Suffix of the copy that another record left: a person may still want it.
const BEFORE: &str = ".spare-before";
/// The setting that says when it was made.
const MADE: &str = "record.spare";
/// An audit of more rows than this is not copied.
const MOST_ROWS: i64 = 200_000;
/// Most lost changes that are named.
const NAMED: u32 = 20;
/// Gap in the numbers of notifications after a copy was restored. Clients that have seen the last ones would
/// take lower ones for seen.
const GAP: i64 = 1_000_000;

/// A copy that can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spare {
    pub made: Millis,
    pub agents: Vec<String>,
    pub rules: u64,
    /// The newest row of its audit; `None` where it has none.
    pub newest: Option<(i64, Vec<u8>)>,
}

/// Difference between a copy and the lost record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Number of changes after the copy; `None` if that is not known.
    pub changes: Option<i64>,
    /// Those that could still be read, oldest first.
    pub named: Vec<AuditEntry>,
}

/// Writes the copy of the record at `path` again, unless it has everything already.
pub(crate) fn refresh_copy(conn: &Connection, path: &Path) -> Result<bool, Error> {
    let spare = beside(path, SUFFIX);
    // One state of all tables.
    let whole = conn.unchecked_transaction()?;
    let newest_row = newest(&whole)?;
    let before = read_only(&spare).ok().and_then(|old| Some((newest(&old).ok()?, old)));
    if before.as_ref().is_some_and(|(known, _)| newest_row.is_some() && *known == newest_row) {
        return Ok(false);
    }
    let new = beside(path, ".spare.new");
    let written = write_copy(&whole, &new).and_then(|()| {
        if before.is_some_and(|(known, _)| !contains_row(&whole, known.as_ref())) {
            std::fs::rename(&spare, beside(path, BEFORE)).map_err(unwritten)?;
        }
        std::fs::rename(&new, &spare).map_err(unwritten)
    });
    if written.is_err() {
        // It holds nothing that is not in the record.
        _ = std::fs::remove_file(&new);
    }
    written.map(|()| true)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives the error away")]
fn unwritten(error: io::Error) -> Error {
    Error::NotDurable(format!("the copy of the record: {error}"))
}

/// Returns true if the record has this row: it is the one that the copy was made of.
fn contains_row(conn: &Connection, row: Option<&(i64, Vec<u8>)>) -> bool {
    row.is_none_or(|(number, hash)| {
        audit::get_entry(conn, *number).is_ok_and(|found| found.is_some_and(|found| found.hash == *hash))
    })
}

fn newest(conn: &Connection) -> Result<Option<(i64, Vec<u8>)>, Error> {
    Ok(audit::newest(conn)?.map(|row| (row.number, row.hash)))
}

fn write_copy(from: &Connection, new: &Path) -> Result<(), Error> {
    match std::fs::remove_file(new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(error)),
        Ok(()) | Err(_) => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(new).map_err(unwritten)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut conn = Connection::open_with_flags(new, flags)?;
    // It counts only when it is whole and has its name.
    conn.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;")?;
    migrate::migrate(&mut conn)?;
    let all = conn.transaction()?;
    let rows: i64 = from.query_row("SELECT count(*) FROM audit", [], |row| row.get(0))?;
    let audit = (rows <= MOST_ROWS).then_some("audit");
    for table in PRECIOUS.into_iter().chain(audit) {
        copy_table(from, &all, table)?;
    }
    settings::set_value(&all, MADE, &jiff::Timestamp::now().as_millisecond())?;
    all.commit()?;
    conn.close().map_err(|(_, error)| error)?;
    file.sync_all().map_err(unwritten)
}

fn copy_table(from: &Connection, to: &Connection, table: &str) -> Result<(), Error> {
    let mut query = from.prepare(&format!("SELECT * FROM {table}"))?;
    let columns = query.column_count();
    let names: Vec<String> = query.column_names().iter().map(|name| format!("\"{name}\"")).collect();
    let marks = vec!["?"; columns].join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", ")))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let values: Vec<Value> = (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}

fn read_only(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW)
}

/// Returns when the copy of the record at `path` was written, without opening it.
pub fn copied(path: &Path) -> Option<Millis> {
    let written = beside(path, SUFFIX).symlink_metadata().ok()?.modified().ok()?;
    jiff::Timestamp::try_from(written).ok().map(jiff::Timestamp::as_millisecond)
}

/// Looks at the copy of the record at `path`, and verifies it. `None` where there is none.
///
/// # Errors
/// Where it is damaged, of a newer Postern, or was changed by another program.
pub fn verify_spare(path: &Path) -> Result<Option<Spare>, Error> {
    let spare = beside(path, SUFFIX);
    if spare.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let conn = read_only(&spare)?;
    let refused = |what: String| Error::Refused(format!("{}: {what}", spare.display()));
    let application: i64 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if application != migrate::APPLICATION || migrate::format_of(&conn)? > migrate::newest() {
        return Err(refused("it was not written by this version of Postern".to_owned()));
    }
    if let Some(wrong) = open::check_all(&conn)?.into_iter().next() {
        return Err(refused(wrong));
    }
    let newest = newest(&conn)?;
    if newest.is_some() {
        let verified = audit::verify(&conn, &spare)?;
        let broken = verified.broken.filter(|broken| *broken != audit::ChainFault::NoHead);
        let strayed = verified.strayed.iter().find(|(_, key)| key != MADE);
        if broken.is_some() || strayed.is_some() {
            return Err(refused(
                "it does not agree with its own audit: another program changed it".to_owned(),
            ));
        }
    }
    let mut agents = conn.prepare("SELECT id FROM agents ORDER BY id")?;
    let agents = agents.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let rules = conn.query_row("SELECT count(*) FROM rules", [], |row| row.get::<_, i64>(0))?;
    let made = settings::get_value(&conn, MADE)?.unwrap_or_default();
    Ok(Some(Spare { made, agents, rules: rules.unsigned_abs(), newest }))
}

/// Finds what a copy lacks of the record that was at `path`, or lies aside now.
pub fn find_lost(path: &Path, doubt: Option<&RecordDoubt>, spare: &Spare) -> Lost {
    let Some((number, hash)) = &spare.newest else { return Lost::default() };
    let place = match doubt.map(|doubt| &doubt.cause) {
        None | Some(DoubtCause::Damaged { aside: None, .. }) => path,
        Some(DoubtCause::Damaged { aside: Some(aside), .. }) => aside,
        // What lies at the path, and its head, are of the record that was begun after it.
        Some(DoubtCause::Gone | DoubtCause::Older | DoubtCause::Displaced | DoubtCause::Restored { .. }) => {
            return Lost::default();
        }
    };
    let kept = audit::rows_at_head(place).filter(|rows| rows >= number);
    let named = || {
        let conn = read_only(place).ok()?;
        let same = audit::get_entry(&conn, *number).ok()??.hash == *hash;
        same.then(|| audit::entries_after(&conn, *number, i64::MIN, NAMED).ok()).flatten()
    };
    Lost { changes: kept.map(|rows| rows - number), named: named().unwrap_or_default() }
}

/// Returns true if the record at `path` can be read whole. For when no host has it open.
pub fn is_whole(path: &Path) -> bool {
    read_only(path).and_then(|conn| open::check_all(&conn)).is_ok_and(|wrong| wrong.is_empty())
}

/// Replaces the record at `path` by the copy, sets the record aside, and returns its new path.
///
/// The record is in doubt from before the first step on, until a person resumes. No process may have it open.
///
/// # Errors
/// Where a file cannot be copied or moved. The record is in doubt then, too.
pub fn restore(path: &Path, spare: &Spare, lost: &Lost) -> Result<Option<PathBuf>, OpenError> {
    let failed = |source| OpenError::File { path: path.to_owned(), source };
    let set_aside = doubt::read_doubt(path).and_then(|doubt| doubt.aside_path().map(Path::to_owned));
    let restored = |aside| DoubtCause::Restored { made: spare.made, changes: lost.changes, aside };
    doubt::replace_doubt(path, restored(set_aside.clone()));
    let new = beside(path, ".restoring");
    std::fs::copy(beside(path, SUFFIX), &new).and_then(|_| File::open(&new)?.sync_all()).map_err(failed)?;
    let aside = if path.symlink_metadata().is_ok() { Some(file::set_aside(path)?) } else { None };
    std::fs::rename(&new, path).map_err(failed)?;
    // A record that a host made in the meantime is not the one that was lost.
    let told = set_aside.or_else(|| aside.clone());
    doubt::replace_doubt(path, restored(told.clone()));
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    let conn = Connection::open(path).map_err(sqlite)?;
    conn.execute_batch(&format!(
        "DELETE FROM settings WHERE key = '{MADE}'; UPDATE agents SET next_sequence = next_sequence + {GAP};"
    ))
    .map_err(sqlite)?;
    audit::write_head(&conn, path).map_err(failed)?;
    drop(conn);
    let found = json!({ "restored": spare.made, "lost": lost.changes, "setAside": told });
    open::adopt_record(path, &found)?;
    Ok(told)
}

#[cfg(test)]
mod tests;
