//! An agent's `permissions.jsonc` as it was read: seeded when the agent is enrolled; what is broken or gone denies.

use super::agent_folder::{AgentFolder, write_if_missing};
use super::{PolicyStoreError, now_millis};
use postern_contract::methods::Place;
use postern_exec::small_file;
use postern_policy::permissions::{DEFAULT_FILE, FileError, FileLayer};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 256 * 1024;

/// A `permissions.jsonc` as it was read.
#[derive(Debug, Clone)]
pub(crate) struct PermissionsFile {
    /// Text; empty if it could not be read.
    pub(crate) text: String,
    /// Parsed content, or its fault.
    pub(crate) read: Result<FileLayer, FileError>,
    /// The file as it was when it was read; `None` if there was none to look at.
    pub(super) stamp: Option<Stamp>,
}

/// By what a file is known to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// Seconds and nanoseconds.
    changed: (i64, i64),
}

/// Age at which the time of a change tells it from the next one, in milliseconds: clocks of file systems are
/// coarse.
const SETTLED: i64 = 2000;

impl Stamp {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn is_settled(&self) -> bool {
        let last = self.changed.0.max(self.modified.0).saturating_mul(1000);
        now_millis().saturating_sub(last) > SETTLED
    }
}

impl PermissionsFile {
    /// Writes the default file of an agent that is enrolled, unless it has one.
    pub(super) fn write_default(folder: &AgentFolder) -> Result<(), PolicyStoreError> {
        let path = folder.permissions();
        write_if_missing(&path, DEFAULT_FILE.as_bytes())
            .map_err(|source| PolicyStoreError::File { path, source })
    }

    /// Reads a file. One that is gone is no permission: it denies like one that cannot be read.
    pub(super) fn read(folder: &AgentFolder, home: &str) -> Self {
        match read_with_stamp(&folder.permissions()) {
            Ok((text, stamp)) => Self { read: FileLayer::parse(&text, home), text, stamp: Some(stamp) },
            Err(error) => Self { text: String::new(), read: Err(unreadable(&error)), stamp: None },
        }
    }

    /// Returns true if the file is what was read of it.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        let Some(stamp) = &self.stamp else { return false };
        let same = std::fs::metadata(path).is_ok_and(|metadata| Stamp::from_metadata(&metadata) == *stamp);
        same && (stamp.is_settled() || read_with_stamp(path).is_ok_and(|(text, _)| text == self.text))
    }

    /// Returns its fault, with line and column.
    pub(crate) fn problem(&self) -> Option<Place> {
        let error = self.read.as_ref().err()?;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Some(Place {
            line: number(error.line),
            column: number(error.column),
            message: error.message.clone(),
            text: error.text.clone(),
        })
    }
}

fn read_with_stamp(path: &Path) -> io::Result<(String, Stamp)> {
    let file = small_file::open_regular(path)?;
    let stamp = Stamp::from_metadata(&file.metadata()?);
    Ok((small_file::read_text(&file, LONGEST)?, stamp))
}

fn unreadable(error: &io::Error) -> FileError {
    let message = match error.kind() {
        io::ErrorKind::NotFound => {
            "the file is gone: put it back, or write {} into it to go on without rules of its own".to_owned()
        }
        _ => format!("the file cannot be read: {error}"),
    };
    FileError { line: 1, column: 1, message, text: String::new() }
}
