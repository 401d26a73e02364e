//! An agent's `permissions.jsonc`: seeded on first use, read again when it changes, and what is broken denies.

use super::agent_folder::{AgentFolder, write_whole};
use super::{Book, BookError};
use postern_contract::methods::Place;
use postern_policy::AgentId;
use postern_policy::permissions::{DEFAULT_FILE, FileError, FileLayer};
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 256 * 1024;

/// A `permissions.jsonc` as it was read.
#[derive(Debug, Clone)]
pub(crate) struct PermissionsFile {
    /// Its text; empty where it could not be read.
    pub(crate) text: String,
    /// What it says, or what is wrong with it.
    pub(crate) read: Result<FileLayer, FileError>,
}

impl PermissionsFile {
    /// Reads a file, or writes the default one where there is none.
    pub(super) fn read_or_seed(folder: &AgentFolder, home: &str) -> Self {
        let path = folder.permissions();
        let text = match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_whole(&path, DEFAULT_FILE.as_bytes()).map(|()| DEFAULT_FILE.to_owned())
            }
            read => read,
        };
        match text {
            Ok(text) => Self { read: FileLayer::parse(&text, home), text },
            Err(error) => Self { text: String::new(), read: Err(unreadable(&error)) },
        }
    }

    /// What is wrong with it, with line and column.
    pub(crate) fn problem(&self) -> Option<Place> {
        let error = self.read.as_ref().err()?;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Some(Place { line: number(error.line), column: number(error.column), message: error.message.clone() })
    }
}

fn read(path: &Path) -> io::Result<String> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is not a file"));
    }
    let mut text = String::new();
    let read = file.take(LONGEST + 1).read_to_string(&mut text)?;
    if read as u64 > LONGEST { Err(io::Error::other("is longer than 256 KiB")) } else { Ok(text) }
}

fn unreadable(error: &io::Error) -> FileError {
    FileError { line: 1, column: 1, message: format!("the file cannot be read: {error}") }
}

impl Book {
    /// Writes an agent's `permissions.jsonc`. A text that cannot be read is refused, and nothing is written.
    pub(crate) async fn set_permissions(&self, agent: &AgentId, text: String) -> Result<(), BookError> {
        let _one = self.change().await;
        let entry = self.entry(agent)?;
        FileLayer::parse(&text, &self.places().home)?;
        self.write_permissions(&entry.folder, text).await?;
        self.reload(Some(agent)).await
    }

    pub(super) async fn write_permissions(
        &self,
        folder: &AgentFolder,
        text: String,
    ) -> Result<(), BookError> {
        let path = folder.permissions();
        self.blocking(move |_| {
            write_whole(&path, text.as_bytes()).map_err(|source| BookError::File { path, source })
        })
        .await
    }

    /// Reads every `permissions.jsonc` again. Gives the agents whose file changed.
    pub(crate) async fn reread_permissions(&self) -> Result<Vec<AgentId>, BookError> {
        let changed = self.blocking(|book| Ok(book.changed_permissions())).await?;
        for agent in &changed {
            let _one = self.change().await;
            self.reload(Some(agent)).await?;
        }
        Ok(changed)
    }

    fn changed_permissions(&self) -> Vec<AgentId> {
        let home = &self.places().home;
        let differs = |entry: &super::AgentEntry| {
            let now = PermissionsFile::read_or_seed(&entry.folder, home);
            now.text != entry.permissions.text || now.read.is_err() != entry.permissions.read.is_err()
        };
        let entries = self.agents();
        entries.iter().filter(|entry| differs(entry)).map(|entry| entry.agent.id.clone()).collect()
    }
}
