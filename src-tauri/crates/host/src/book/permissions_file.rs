//! An agent's `permissions.jsonc` as it was read: seeded when the agent is enrolled; what is broken or gone denies.

use super::PolicyStoreError;
use super::agent_folder::{AgentFolder, write_if_missing};
use postern_contract::methods::Place;
use postern_exec::identity::FileState;
use postern_exec::small_file;
use postern_policy::permissions::{DEFAULT_FILE, FileError, FileLayer};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

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
    pub(super) stamp: Option<FileState>,
}

/// Age at which the time of a change tells it from the next one: clocks of file systems are coarse.
const SETTLED: Duration = Duration::from_secs(2);

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
        let same =
            std::fs::metadata(path).is_ok_and(|metadata| FileState::from_metadata(&metadata) == *stamp);
        same && (stamp.settled(SystemTime::now(), SETTLED)
            || read_with_stamp(path).is_ok_and(|(text, _)| text == self.text))
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

fn read_with_stamp(path: &Path) -> io::Result<(String, FileState)> {
    let file = small_file::open_regular(path)?;
    let stamp = FileState::from_file(&file)?;
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
