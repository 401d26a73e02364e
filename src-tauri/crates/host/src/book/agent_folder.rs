//! Folders of an agent: one that its sandbox is given (socket and key), and one that it is not.
//!
//! The second one has its `permissions.jsonc`: an agent that could write to it would write its own policy.

use crate::folder;
use postern_exec::small_file;
use postern_policy::AgentId;
use postern_protocol::limits::SOCKET_PATH;
use postern_protocol::{SocketKey, channels_folder};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const LONGEST_KEY_FILE: u64 = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentFolder {
    channel: PathBuf,
    permissions: PathBuf,
}

/// Reason why an agent's files could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("the socket {} would have a path of {SOCKET_PATH} bytes or more: use a shorter name or a shorter data folder", .0.display())]
    TooLong(PathBuf),
    #[error("cannot use {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} holds no key: {source}", path.display())]
    BadKey { path: PathBuf, source: postern_protocol::BadKey },
}

impl AgentFolder {
    pub(crate) fn new(data: &Path, agent: &AgentId) -> Self {
        Self {
            channel: channels_folder(data).join(agent.as_str()),
            permissions: permissions_folder(data).join(agent.as_str()),
        }
    }

    /// Returns the folder that a sandbox is given.
    pub(crate) fn channel(&self) -> &Path {
        &self.channel
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.channel.join("agent.sock")
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        self.channel.join("agent.key")
    }

    pub(crate) fn permissions(&self) -> PathBuf {
        self.permissions.join("permissions.jsonc")
    }

    /// Refuses a name whose socket no system could bind.
    pub(crate) fn check_length(&self) -> Result<(), FolderError> {
        let socket = self.socket();
        if socket.as_os_str().len() >= SOCKET_PATH { Err(FolderError::TooLong(socket)) } else { Ok(()) }
    }

    /// Makes both folders, 0700.
    pub(crate) fn create(&self) -> Result<(), FolderError> {
        for path in [&self.channel, &self.permissions] {
            path.parent().map_or(Ok(()), make_folder)?;
            make_folder(path)?;
        }
        Ok(())
    }

    /// Returns the key on disk, or a new one where there is none.
    pub(crate) fn ensure_key(&self) -> Result<SocketKey, FolderError> {
        read_or_make_key(&self.key_file())
    }

    /// Returns a new key in place of the old one.
    pub(crate) fn new_key(&self) -> Result<SocketKey, FolderError> {
        make_key(&self.key_file())
    }

    pub(crate) fn remove(&self) -> Result<(), FolderError> {
        for path in [&self.channel, &self.permissions] {
            match std::fs::remove_dir_all(path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(FolderError::Io { path: path.clone(), source }),
            }
        }
        Ok(())
    }
}

pub(crate) fn permissions_folder(data: &Path) -> PathBuf {
    data.join("policy")
}

/// Creates a folder with mode 0700 if it is missing.
pub(super) fn make_folder(path: &Path) -> Result<(), FolderError> {
    folder::make_private(path).map_err(|source| FolderError::Io { path: path.to_owned(), source })
}

/// Returns the key in `path`, or a new one where there is none.
pub(crate) fn read_or_make_key(path: &Path) -> Result<SocketKey, FolderError> {
    match read_key(path) {
        Err(FolderError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => make_key(path),
        read => read,
    }
}

fn read_key(path: &Path) -> Result<SocketKey, FolderError> {
    let failed = |source| FolderError::Io { path: path.to_owned(), source };
    let file = small_file::open_no_link(path).map_err(failed)?;
    let text = small_file::read_text(&file, LONGEST_KEY_FILE).map_err(failed)?;
    SocketKey::from_text(&text).map_err(|source| FolderError::BadKey { path: path.to_owned(), source })
}

/// Returns a key straight from the system's random source.
pub(crate) fn new_key() -> io::Result<SocketKey> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(SocketKey::from_bytes(bytes))
}

/// Writes a new key: 0600 from birth, and whole or not at all.
pub(crate) fn make_key(path: &Path) -> Result<SocketKey, FolderError> {
    let failed = |source| FolderError::Io { path: path.to_owned(), source };
    let key = new_key().map_err(failed)?;
    write_whole(path, format!("{}\n", key.to_text()).as_bytes()).map_err(failed)?;
    Ok(key)
}

/// Writes a file of the person's own: 0600, whole or not at all, durable before it returns.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, beside) = write_beside(path, content)?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    File::open(folder)?.sync_all()
}

/// Writes a file like [`write_whole`], but for a power cut: after one it may be empty.
pub fn write_soon(path: &Path, content: &[u8]) -> io::Result<()> {
    let (_, beside) = write_beside(path, content)?;
    beside.persist(path)?;
    Ok(())
}

/// Writes a file like [`write_whole`], unless there is one by now, which stays.
pub(crate) fn write_if_missing(path: &Path, content: &[u8]) -> io::Result<()> {
    let (folder, beside) = write_beside(path, content)?;
    beside.as_file().sync_all()?;
    match beside.persist_noclobber(path) {
        Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists => return Err(failed.error),
        Ok(_) | Err(_) => {}
    }
    File::open(folder)?.sync_all()
}

/// Writes content beside a path, under a name of its own: others may write the same file at the same time.
fn write_beside<'a>(path: &'a Path, content: &[u8]) -> io::Result<(&'a Path, NamedTempFile)> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut beside = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    beside.write_all(content)?;
    Ok((folder, beside))
}

#[cfg(test)]
mod tests {
    use super::{AgentFolder, FolderError, write_soon, write_whole};
    use postern_policy::AgentId;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn an_agents_key_is_private_lasting_and_replaceable() {
        let temp = tempfile::tempdir().unwrap();
        let folder = AgentFolder::new(temp.path(), &AgentId::new("main").unwrap());
        folder.create().unwrap();
        assert_eq!(mode(folder.channel()), 0o700, "nobody else enters");
        let key = folder.ensure_key().unwrap().to_text();
        assert_eq!(mode(&folder.key_file()), 0o600, "nobody else reads it");
        assert_eq!(key.len(), 43, "32 bytes in base64url without padding");
        assert_eq!(folder.ensure_key().unwrap().to_text(), key, "the key on disk is the key");
        let new = folder.new_key().unwrap().to_text();
        assert_ne!(new, key, "a new key is another one");
        assert_eq!(folder.ensure_key().unwrap().to_text(), new);
        assert!(!folder.permissions().starts_with(folder.channel()), "a sandbox is not given its own policy");
        folder.remove().unwrap();
        assert!(!folder.channel().exists());
        folder.remove().unwrap();
    }

    #[test]
    fn who_writes_a_file_at_the_same_time_writes_it_whole() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        let texts: Vec<String> = ["a", "b", "c", "d"].map(|letter| letter.repeat(10_000)).to_vec();
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..100).for_each(|_| write_soon(&path, text.as_bytes()).unwrap()));
            }
        });
        assert!(texts.contains(&std::fs::read_to_string(&path).unwrap()), "one of them, whole");
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_damaged_key_is_named_and_never_replaced_by_itself() {
        let temp = tempfile::tempdir().unwrap();
        let folder = AgentFolder::new(temp.path(), &AgentId::new("main").unwrap());
        folder.create().unwrap();
        std::fs::write(folder.key_file(), "short").unwrap();
        assert!(
            matches!(folder.ensure_key(), Err(FolderError::BadKey { .. })),
            "a sandbox holds the old key: the person decides"
        );
    }

    #[test]
    fn a_link_in_place_of_a_key_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let folder = AgentFolder::new(temp.path(), &AgentId::new("main").unwrap());
        folder.create().unwrap();
        let other = temp.path().join("other");
        write_whole(&other, b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
        std::os::unix::fs::symlink(&other, folder.key_file()).unwrap();
        assert!(matches!(folder.ensure_key(), Err(FolderError::Io { .. })), "a link is not a key");
    }

    #[test]
    fn people_with_long_names_enrol_agents_with_long_names() {
        for (person, agent) in [
            ("firstname.lastname", "claude-code"),
            ("christopher.johnson", "openclaw-main"),
            ("maximiliane.schwarzenberger", "claude-code"),
            ("maximiliane.schwarzenberger", "claude-code-for-the-accounting-service-team"),
        ] {
            let data = Path::new("/Users").join(person).join("Library/Application Support/Postern");
            let folder = AgentFolder::new(&data, &AgentId::new(agent).unwrap());
            assert!(folder.check_length().is_ok(), "{}", folder.socket().display());
        }
    }

    #[test]
    fn a_socket_that_no_system_could_bind_is_refused() {
        let agent = AgentId::new("a".repeat(64)).unwrap();
        let folder = AgentFolder::new(Path::new("/home/person/.local/share/postern-data"), &agent);
        assert!(matches!(folder.check_length(), Err(FolderError::TooLong(_))));
    }
}
