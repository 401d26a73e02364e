//! The host: everything that runs behind a window, a terminal or `postern serve`.

use crate::ask::{FaceGuard, FaceKind, Faces};
use crate::folder::{self, FolderLock, LockError};
use crate::gate::{self, Gate};
use postern_contract::Told;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::broadcast;

/// How many messages a watcher may fall behind before it is told to read the lists again.
const WATCH_BACKLOG: usize = 1024;

/// What a host needs to know before it starts. Read once, in `main`.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// The data folder. Made 0700 where it is missing.
    pub data: PathBuf,
    /// The person's home folder: absolute.
    pub home: PathBuf,
}

/// Why a host did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another host owns the data folder: attach to it through its control socket.
    #[error("another Postern already runs on {}", .0.display())]
    AlreadyRunning(PathBuf),
    /// The data folder or something in it could not be used.
    #[error("cannot use {}: {source}", path.display())]
    Folder {
        /// What could not be used.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A running host. Clones are the same host.
#[derive(Debug, Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: HostConfig,
    gate: Gate,
    faces: Faces,
    told: broadcast::Sender<Told>,
    _lock: FolderLock,
}

impl Host {
    /// Takes the data folder and starts everything in it. Must be called inside a tokio runtime.
    pub async fn start(config: HostConfig) -> Result<Self, StartError> {
        let lock = take(&config.data)?;
        let (told, _) = broadcast::channel(WATCH_BACKLOG);
        let faces = Faces::default();
        let gate = gate::start();
        Ok(Self { inner: Arc::new(Inner { config, gate, faces, told, _lock: lock }) })
    }

    /// The gate: questions, answers, kill, pause.
    pub fn gate(&self) -> &Gate {
        &self.inner.gate
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.inner.config.data
    }

    /// Everything a face may want to show, from now on.
    pub fn watch(&self) -> broadcast::Receiver<Told> {
        self.inner.told.subscribe()
    }

    /// A face comes on duty and stays so while the guard is held.
    pub fn face(&self, kind: FaceKind) -> FaceGuard {
        self.inner.faces.enter(kind)
    }

    /// The names of the faces on duty.
    pub fn faces(&self) -> Vec<String> {
        self.inner.faces.names()
    }
}

/// Makes the data folder private and takes its lock.
fn take(data: &Path) -> Result<FolderLock, StartError> {
    let failed = |source| StartError::Folder { path: data.to_owned(), source };
    folder::make_private(data).map_err(failed)?;
    folder::lock(data).map_err(|error| match error {
        LockError::Taken => StartError::AlreadyRunning(data.to_owned()),
        LockError::Io(source) => failed(source),
    })
}
