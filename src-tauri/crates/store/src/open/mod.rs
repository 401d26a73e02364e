//! Opening the record: settings of each connection, checks, what happens to a damaged file.

use crate::doubt::{self, DoubtCause};
use crate::error::{Error, OpenError, is_damage};
use crate::{audit, file, migrate};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Tables that decide what may run. They are small and are checked at every start; the history is checked by
/// [`crate::Store::check_file`], which takes as long as reading the file does.
pub(crate) const PRECIOUS: [&str; 7] =
    ["agents", "rules", "sessions", "skill_folders", "skills", "skill_clis", "settings"];

/// State in which the record was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenOutcome {
    /// As it was left.
    Existing,
    /// There was none: it is empty.
    Created,
    /// Damaged, moved to `aside` and replaced by an empty one: the host denies everything until the person
    /// acts.
    Damaged {
        /// New path of the damaged file.
        aside: PathBuf,
    },
}

/// Reason why an existing file cannot be used.
enum UnusableFile {
    /// Untrusted content.
    Damage(String),
    /// File of another program or version.
    Refused(OpenError),
}

pub(crate) fn open_record(path: &Path) -> Result<(Connection, OpenOutcome), OpenError> {
    match attempt(path, None) {
        Ok(done) => Ok(done),
        Err(UnusableFile::Refused(error)) => Err(error),
        Err(UnusableFile::Damage(what)) => {
            // Before it is moved: whatever ends this start, the next one knows.
            doubt::note_doubt(path, DoubtCause::Damaged { what: what.clone(), aside: None });
            let aside = file::set_aside(path)?;
            doubt::replace_doubt(
                path,
                DoubtCause::Damaged { what: what.clone(), aside: Some(aside.clone()) },
            );
            tracing::error!(aside = %aside.display(), what, "the record was damaged and was set aside");
            file::prepare(path)?;
            let found = json!({ "setAside": aside.display().to_string(), "why": what });
            Ok((adopt_record(path, &found)?, OpenOutcome::Damaged { aside }))
        }
    }
}

/// Opens a record that was put in place, to record in its audit where it comes from.
pub(crate) fn adopt_record(path: &Path, found: &Value) -> Result<Connection, OpenError> {
    match attempt(path, Some(found)) {
        Ok((conn, _)) => Ok(conn),
        Err(UnusableFile::Refused(error)) => Err(error),
        Err(UnusableFile::Damage(what)) => {
            Err(OpenError::File { path: path.to_owned(), source: io::Error::other(what) })
        }
    }
}

/// Tries to open the record. `found` is recorded in the audit.
fn attempt(path: &Path, found: Option<&Value>) -> Result<(Connection, OpenOutcome), UnusableFile> {
    let trouble = |source: rusqlite::Error| {
        if is_damage(&source) {
            UnusableFile::Damage(source.to_string())
        } else {
            UnusableFile::Refused(OpenError::Sqlite { path: path.to_owned(), source })
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut conn = connect(path, flags).map_err(trouble)?;
    refuse_others(&conn, path, &trouble)?;
    configure_writer(&conn).map_err(trouble)?;
    let before = migrate::migrate(&mut conn).map_err(trouble)?;
    let wrong = if doubt::read_doubt(path).is_some() { check_all(&conn) } else { check_precious(&conn) };
    if let Some(wrong) = wrong.map_err(trouble)?.into_iter().next() {
        return Err(UnusableFile::Damage(wrong));
    }
    audit::prepare(&conn, path, found).map_err(|error| match error {
        Error::Sqlite(source) => trouble(source),
        other => {
            UnusableFile::Refused(OpenError::File { path: path.to_owned(), source: io::Error::other(other) })
        }
    })?;
    Ok((conn, if before == 0 { OpenOutcome::Created } else { OpenOutcome::Existing }))
}

fn refuse_others(
    conn: &Connection,
    path: &Path,
    trouble: &impl Fn(rusqlite::Error) -> UnusableFile,
) -> Result<(), UnusableFile> {
    let application: i64 = conn.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(trouble)?;
    let found = migrate::format_of(conn).map_err(trouble)?;
    let tables: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(trouble)?;
    let path = path.to_owned();
    if application != migrate::APPLICATION && (application != 0 || found != 0 || tables != 0) {
        return Err(UnusableFile::Refused(OpenError::Foreign { path }));
    }
    let known = migrate::newest();
    if found > known {
        return Err(UnusableFile::Refused(OpenError::Newer { path, found, known }));
    }
    Ok(())
}

pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -1024;")?;
    Ok(conn)
}

/// Opens a connection that copies the log into the file, and writes nothing else.
pub(crate) fn open_checkpointer(path: &Path) -> rusqlite::Result<Connection> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.execute_batch(
        "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 0;
         PRAGMA cache_size = -64;",
    )?;
    Ok(conn)
}

fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_prepared_statement_cache_capacity(64);
    conn.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA busy_timeout = 5000;
         PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(conn)
}

/// Configures the writer: a commit outlives the process; the writer asks for more where a job does (see
/// [`crate::writer`]). A flush returns when the drive itself has it, also on macOS, where `fsync` alone does
/// not promise that.
///
/// The writer's commits do not copy the log into the file: that is done beside it.
fn configure_writer(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON; PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 0;
         PRAGMA cache_size = -4096;",
    )
}

fn check_precious(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut wrong = Vec::new();
    for table in PRECIOUS {
        wrong.extend(quick_check(conn, &format!("PRAGMA quick_check({table})"))?);
    }
    Ok(wrong)
}

/// Looks at the whole file. Gives what is wrong; nothing where all is well.
pub(crate) fn check_all(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    quick_check(conn, "PRAGMA quick_check(20)")
}

fn quick_check(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let found: Vec<String> = conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

#[cfg(test)]
mod tests;
