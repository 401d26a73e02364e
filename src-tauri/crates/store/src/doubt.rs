//! Doubt about the record: kept in a file beside it, which outlives the record, until a person has seen it.

use crate::file::{beside, same_file, write_private};
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

const SUFFIX: &str = ".doubt";

/// A record that cannot be trusted: while there is one, the host denies everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordDoubt {
    /// Time of the finding.
    pub since: Millis,
    pub cause: DoubtCause,
}

/// Reason why a record cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DoubtCause {
    /// SQLite found the file damaged.
    Damaged {
        /// Message of SQLite.
        what: String,
        /// New path of the damaged file; `None` until a start sets it aside.
        aside: Option<PathBuf>,
    },
    /// There was no record, or an empty one, beside what agents left in the data folder.
    Gone,
    /// The record lacks entries of the audit that it once had: it is an older copy, or its log was removed.
    Older,
    /// The file at its path, or its log, is not the one that was opened.
    Displaced,
    /// A person put the copy in its place.
    Restored {
        made: Millis,
        /// Number of changes after it; `None` if that is not known.
        changes: Option<i64>,
        /// New path of the lost record, if there was one.
        aside: Option<PathBuf>,
    },
}

impl RecordDoubt {
    /// Returns the path of the record that cannot be trusted, if it was set aside.
    pub fn aside_path(&self) -> Option<&Path> {
        match &self.cause {
            DoubtCause::Damaged { aside, .. } | DoubtCause::Restored { aside, .. } => aside.as_deref(),
            DoubtCause::Gone | DoubtCause::Older | DoubtCause::Displaced => None,
        }
    }
}

/// The doubt about one record, shared by everybody who may find one.
#[derive(Debug)]
pub(crate) struct Doubts {
    path: PathBuf,
    now: watch::Sender<Option<RecordDoubt>>,
}

impl Doubts {
    /// Reads what an earlier start or this one left.
    pub(crate) fn load_for(path: &Path) -> Self {
        Self { path: path.to_owned(), now: watch::Sender::new(read_doubt(path)) }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Option<RecordDoubt>> {
        self.now.subscribe()
    }

    /// Notes a doubt and tells of it. An earlier one stays.
    pub(crate) fn raise_doubt(&self, cause: DoubtCause) {
        self.now.send_if_modified(|now| {
            if now.is_some() {
                return false;
            }
            tracing::error!(?cause, "the record cannot be trusted; everything is denied");
            *now = Some(note_doubt(&self.path, cause));
            true
        });
    }

    /// Ends the doubt, as a person has seen it.
    pub(crate) fn settle(&self) -> io::Result<()> {
        match std::fs::remove_file(beside(&self.path, SUFFIX)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        self.now.send_if_modified(|now| now.take().is_some());
        Ok(())
    }
}

/// Returns the doubt that was noted about the record at `path`. A mark that cannot be read is a doubt as well.
pub fn read_doubt(path: &Path) -> Option<RecordDoubt> {
    let unreadable =
        |what: String| RecordDoubt { since: now_millis(), cause: DoubtCause::Damaged { what, aside: None } };
    match std::fs::read(beside(path, SUFFIX)) {
        Ok(text) => Some(
            serde_json::from_slice(&text).unwrap_or_else(|error| unreadable(format!("its mark: {error}"))),
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(unreadable(format!("its mark: {error}"))),
    }
}

/// Notes a doubt beside the record at `path`, where there is none yet, and returns the one that holds.
pub(crate) fn note_doubt(path: &Path, cause: DoubtCause) -> RecordDoubt {
    match read_doubt(path) {
        Some(earlier) => earlier,
        None => replace_doubt(path, cause),
    }
}

/// Notes a doubt in the place of an earlier one.
pub(crate) fn replace_doubt(path: &Path, cause: DoubtCause) -> RecordDoubt {
    let doubt = RecordDoubt { since: now_millis(), cause };
    let beside = beside(path, SUFFIX);
    let text = serde_json::to_vec(&doubt).map_err(io::Error::other);
    let written = text.and_then(|text| write_private(&beside, &text)?.sync_all());
    if let Err(error) = written {
        tracing::error!(%error, path = %beside.display(), "the doubt about the record cannot be noted");
    }
    doubt
}

fn now_millis() -> Millis {
    jiff::Timestamp::now().as_millisecond()
}

/// The files of a record as they were opened.
#[derive(Debug)]
pub(crate) struct OpenedFiles {
    files: Vec<(PathBuf, (u64, u64))>,
}

impl OpenedFiles {
    /// Remembers the record at `path` and its log.
    pub(crate) fn from_path(path: &Path) -> io::Result<Self> {
        let files = ["", "-wal"].into_iter().map(|suffix| {
            let path = beside(path, suffix);
            same_file(&path).map(|same| (path, same))
        });
        Ok(Self { files: files.collect::<Result<_, _>>()? })
    }

    /// Returns true while these files are the ones at their paths.
    pub(crate) fn are_in_place(&self) -> bool {
        self.files.iter().all(|(path, opened)| same_file(path).is_ok_and(|found| found == *opened))
    }
}
