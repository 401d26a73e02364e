//! A socket that is private from birth and has one owner.

use crate::folder::{let_go, lock_file};
use parking_lot::Mutex;
use postern_protocol::limits::SOCKET_PATH;
use rustix::fs::{FlockOperation, Mode, flock};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;

/// Reason why a socket could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Path that is too long for the system.
    #[error("the socket path {} is {SOCKET_PATH} bytes or longer, which the system rejects: use a shorter data folder", .0.display())]
    TooLong(PathBuf),
    /// Another process listens on it.
    #[error("another process owns the socket {}", .0.display())]
    Taken(PathBuf),
    /// There is something else in its place, which is not removed.
    #[error("{} is not a socket", .0.display())]
    NotASocket(PathBuf),
    /// The system refused.
    #[error("cannot listen on {}: {source}", path.display())]
    Io {
        /// The socket.
        path: PathBuf,
        source: io::Error,
    },
}

/// A listening socket and the lock beside it. Dropped, the socket's file goes.
#[derive(Debug)]
pub struct BoundSocket {
    pub listener: UnixListener,
    path: PathBuf,
    lock: File,
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        // It is replaced at the next start where this fails.
        _ = std::fs::remove_file(&self.path);
        let_go(&self.lock);
    }
}

/// Listens on `path`, mode 0600, in a folder that is private already.
pub fn bind_socket(path: &Path) -> Result<BoundSocket, BindError> {
    if path.as_os_str().len() >= SOCKET_PATH {
        return Err(BindError::TooLong(path.to_owned()));
    }
    let failed = |source: io::Error| BindError::Io { path: path.to_owned(), source };
    let lock = lock_file(&path.with_extension("lock")).map_err(failed)?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(BindError::Taken(path.to_owned())),
        Err(error) => return Err(failed(error.into())),
    }
    remove_stale(path)?;
    let listener = bind_private(path).map_err(failed)?;
    Ok(BoundSocket { listener, path: path.to_owned(), lock })
}

/// Removes a socket that a host left behind; nothing else, and not where somebody still listens.
fn remove_stale(path: &Path) -> Result<(), BindError> {
    let failed = |source: io::Error| BindError::Io { path: path.to_owned(), source };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(metadata) if metadata.file_type().is_socket() => {}
        Ok(_) => return Err(BindError::NotASocket(path.to_owned())),
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(BindError::Taken(path.to_owned()));
    }
    std::fs::remove_file(path).map_err(failed)
}

/// Binds a socket that is private from birth (0700), then 0600.
///
/// The mask belongs to the whole process: one socket at a time, and a mask that files and folders made
/// meanwhile by other threads can live with.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    static MASK: Mutex<()> = Mutex::new(());
    let one = MASK.lock();
    let before = rustix::process::umask(Mode::from_raw_mode(0o077));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    drop(one);
    let listener = bound?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::{BindError, bind_socket};
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
    use std::os::unix::fs::PermissionsExt as _;

    #[tokio::test]
    async fn a_socket_is_private_and_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let first = bind_socket(&path).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "nobody else may connect");
        assert!(matches!(bind_socket(&path), Err(BindError::Taken(_))), "one owner at a time");
        drop(first);
        assert!(!path.exists(), "its file goes with it");
        assert!(bind_socket(&path).is_ok(), "and it is free again");
    }

    #[tokio::test]
    async fn only_a_dead_socket_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let stale = folder.path().join("stale.sock");
        // Bound and never listened on: a listener would live on in a child that another test begins at this moment.
        let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        rustix::net::bind(&socket, &SocketAddrUnix::new(&stale).unwrap()).unwrap();
        drop(socket);
        assert!(bind_socket(&stale).is_ok(), "a socket that nobody listens on is replaced");

        let live = folder.path().join("live.sock");
        let _owner = std::os::unix::net::UnixListener::bind(&live).unwrap();
        assert!(
            matches!(bind_socket(&live), Err(BindError::Taken(_))),
            "somebody without our lock listens there"
        );

        let file = folder.path().join("file.sock");
        std::fs::write(&file, "mine").unwrap();
        assert!(matches!(bind_socket(&file), Err(BindError::NotASocket(_))), "a file is not ours to remove");

        let long = folder.path().join("x".repeat(104));
        assert!(matches!(bind_socket(&long), Err(BindError::TooLong(_))), "a path that the system would cut");
    }
}
