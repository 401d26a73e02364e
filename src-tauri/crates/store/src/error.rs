//! Errors of the record. Each of them means that nothing was allowed by it.

use std::path::PathBuf;

/// A read or write that did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the record cannot be used: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The group that the work was part of could not be made durable: nothing of it was written.
    #[error("nothing was written: {0}")]
    NotDurable(String),
    /// The file at the record's path, or its log, is not the one that was opened: what is written there is lost.
    #[error("nothing was written: the record is no longer where it was opened")]
    Displaced,
    /// Too much waits to be written.
    #[error("too much waits to be written")]
    Busy,
    /// The writer has ended, or the work panicked.
    #[error("the record is closed")]
    Closed,
    /// Missing row.
    #[error("there is no {0}")]
    Missing(String),
    /// A value that the record cannot hold, or that contradicts what it holds.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// Returns true if the file itself is in doubt: the host denies everything from here on.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Sqlite(error) => is_damage(error),
            Self::NotDurable(_)
            | Self::Displaced
            | Self::Busy
            | Self::Closed
            | Self::Missing(_)
            | Self::Refused(_) => false,
        }
    }
}

/// A record that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Written by a newer Postern.
    #[error("{path} was written by a newer Postern (format {found}, this one knows {known}): update Postern")]
    Newer {
        path: PathBuf,
        /// Format of the file.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// A database of another program.
    #[error("{path} is a database of another program")]
    Foreign { path: PathBuf },
    /// The file or its folder cannot be made, opened or moved.
    #[error("{path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        source: std::io::Error,
    },
    /// SQLite refused, for another reason than damage.
    #[error("{path}: {source}")]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

/// Returns true if SQLite says that the file is not what it wrote, or that it ends before its time.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    let ends_early = error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ);
    ends_early
        || matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
        )
}
