//! The data folder: private, and owned by one host at a time.

use postern_protocol::channels_folder;
use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::time::Instant;

/// The lock's file in a data folder.
const LOCK: &str = "host.lock";
/// Time that the lock of a killed host may outlive it.
const LEFT_BEHIND: Duration = Duration::from_secs(2);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// The lock that says who is host. Held for as long as this lives; the system lets go of it when the process ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let_go(&self.file);
    }
}

/// Reason why the folder could not be locked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Another process owns it.
    #[error("another Postern owns this data folder")]
    Taken,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes `path` (and missing parents) as a folder that only its owner can enter.
///
/// Also if it was there before with wider rights.
pub fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Returns true if agents were enrolled in this data folder.
pub(crate) fn has_agents(data: &Path) -> bool {
    std::fs::read_dir(channels_folder(data)).is_ok_and(|mut folders| folders.next().is_some())
}

/// Takes the data folder, or says that another host has it.
pub(crate) fn lock_folder(data: &Path) -> Result<FolderLock, LockError> {
    let file = lock_file(&data.join(LOCK))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            write_owner_pid(&file);
            Ok(FolderLock { file })
        }
        Err(rustix::io::Errno::WOULDBLOCK) => Err(LockError::Taken),
        Err(error) => Err(LockError::Io(error.into())),
    }
}

/// Writes our process id into the lock, for [`read_owner`].
fn write_owner_pid(mut file: &File) {
    let signed = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
    if let Err(error) = signed {
        tracing::debug!(%error, "the lock does not name its owner");
    }
}

/// Holder of a data folder's lock.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LockOwner {
    /// No process.
    Nobody,
    /// A host, with its process id if the lock names it.
    Host(Option<u32>),
}

impl LockOwner {
    /// Returns the process id of the host, if there is one that is named.
    pub(crate) fn host_pid(&self) -> Option<u32> {
        match self {
            Self::Nobody => None,
            Self::Host(pid) => *pid,
        }
    }
}

/// Returns the process that holds the data folder.
pub(crate) fn read_owner(data: &Path) -> io::Result<LockOwner> {
    let mut file = match OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK)
        .open(data.join(LOCK))
    {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockOwner::Nobody),
        Err(error) => return Err(error),
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {
            let_go(&file);
            Ok(LockOwner::Nobody)
        }
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let mut signed = String::new();
            let read = Read::by_ref(&mut file).take(20).read_to_string(&mut signed);
            Ok(LockOwner::Host(read.ok().and_then(|_| signed.parse().ok())))
        }
        Err(error) => Err(error.into()),
    }
}

/// Locks the data folder, also if its host has just been killed.
///
/// A process that this host was about to start can hold the lock a moment longer, because it has the host's
/// open files until it is itself; a host that lives answers all that connect.
pub(crate) async fn lock_once_free(data: &Path) -> Result<FolderLock, LockError> {
    let end = Instant::now() + LEFT_BEHIND;
    loop {
        match lock_folder(data) {
            Err(LockError::Taken) if Instant::now() < end && !has_a_host(data).await => {
                tokio::time::sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// Returns true if a host speaks on the approvers' socket.
async fn has_a_host(data: &Path) -> bool {
    let hello = async {
        let mut connection = UnixStream::connect(data.join(postern_protocol::CONTROL_SOCKET)).await?;
        connection.read_u8().await
    };
    matches!(tokio::time::timeout(PAUSE * 10, hello).await, Ok(Ok(_)))
}

/// Lets go of a lock at once. Closing the file alone would leave it with a child that was just forked, until it execs.
pub(crate) fn let_go(file: &File) {
    // Where this fails, closing lets go of it a moment later.
    _ = flock(file, FlockOperation::Unlock);
}

/// Opens a lock file, made 0600 where it is new; never through a symbolic link.
pub(crate) fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::{LockError, LockOwner, lock_folder, lock_once_free, make_private, read_owner};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_folder_is_private_and_has_one_owner() {
        let temp = tempfile::tempdir().unwrap();
        let data = temp.path().join("a/data");
        make_private(&data).unwrap();
        let mode = std::fs::metadata(&data).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "nobody else may enter");
        let first = lock_folder(&data).unwrap();
        assert!(matches!(lock_folder(&data), Err(LockError::Taken)), "one host at a time");
        assert_eq!(read_owner(&data).unwrap(), LockOwner::Host(Some(std::process::id())));
        drop(first);
        assert_eq!(
            read_owner(&data).unwrap(),
            LockOwner::Nobody,
            "a signed lock that nobody holds has no owner"
        );
        assert!(lock_folder(&data).is_ok(), "a folder whose host went is free");
    }

    #[tokio::test]
    async fn a_lock_that_outlives_its_host_is_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let left = lock_folder(temp.path()).unwrap();
        // The first is asked first: it finds the folder taken, and nobody there.
        let (taken, ()) = tokio::join!(lock_once_free(temp.path()), async { drop(left) });
        assert!(taken.is_ok(), "{taken:?}");
    }

    #[test]
    fn wide_rights_are_narrowed() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        make_private(temp.path()).unwrap();
        let mode = std::fs::metadata(temp.path()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "an old folder with wider rights is closed");
    }
}
