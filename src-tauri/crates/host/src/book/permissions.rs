//! An agent's `permissions.jsonc`: seeded when the agent is enrolled, read again when it changes; what is broken or gone
//! denies.

use super::agent_folder::{AgentFolder, write_if_missing, write_whole};
use super::{PolicyStore, PolicyStoreError, now_millis};
use postern_contract::methods::Place;
use postern_exec::small_file;
use postern_policy::AgentId;
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
    stamp: Option<Stamp>,
}

/// By what a file is known to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
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
    fn is_current(&self, path: &Path) -> bool {
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

impl PolicyStore {
    /// Writes an agent's `permissions.jsonc`. A text that cannot be read is refused, and nothing is written.
    pub(crate) async fn set_permissions(
        &self,
        agent: &AgentId,
        text: String,
    ) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(agent)?;
        FileLayer::parse(&text, &self.places().home)?;
        self.write_permissions(&entry.folder, text).await?;
        self.reload(Some(agent)).await
    }

    pub(super) async fn write_permissions(
        &self,
        folder: &AgentFolder,
        text: String,
    ) -> Result<(), PolicyStoreError> {
        let path = folder.permissions();
        self.blocking(move |_| {
            write_whole(&path, text.as_bytes()).map_err(|source| PolicyStoreError::File { path, source })
        })
        .await
    }

    /// Reads every `permissions.jsonc` again. Gives the agents whose file changed.
    pub(crate) async fn reread_permissions(&self) -> Result<Vec<AgentId>, PolicyStoreError> {
        let changed = self.blocking(|book| Ok(book.changed_permissions())).await?;
        for agent in &changed {
            let _one = self.change().await;
            self.reload(Some(agent)).await?;
        }
        Ok(changed)
    }

    /// Returns true if an agent's file is what it is judged by.
    pub(crate) fn is_current(&self, agent: &AgentId) -> bool {
        self.find_agent(agent).is_none_or(|entry| entry.permissions.is_current(&entry.folder.permissions()))
    }

    /// Reads one agent's `permissions.jsonc` again. Gives whether it changed.
    pub(crate) async fn reread_permissions_of(&self, agent: &AgentId) -> Result<bool, PolicyStoreError> {
        let _one = self.change().await;
        let entry = self.require_agent(agent)?;
        let before = entry.permissions.clone();
        let home = self.places().home.clone();
        let now = self.blocking(move |_| Ok(PermissionsFile::read(&entry.folder, &home))).await?;
        if now.text == before.text && now.read.is_err() == before.read.is_err() && now.stamp == before.stamp {
            return Ok(false);
        }
        self.reload(Some(agent)).await?;
        Ok(now.text != before.text || now.read.is_err() != before.read.is_err())
    }

    fn changed_permissions(&self) -> Vec<AgentId> {
        let home = &self.places().home;
        let differs = |entry: &super::AgentEntry| {
            let now = PermissionsFile::read(&entry.folder, home);
            now.text != entry.permissions.text || now.read.is_err() != entry.permissions.read.is_err()
        };
        let entries = self.agents();
        entries.iter().filter(|entry| differs(entry)).map(|entry| entry.agent.id.clone()).collect()
    }
}
