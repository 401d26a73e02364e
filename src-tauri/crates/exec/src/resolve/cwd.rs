//! The working directory of a run: opened once, so that nobody can point the path elsewhere afterwards.

use super::kernel_path::real_path;
use postern_request::{BoundDir, FolderProblem};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// An opened working directory.
#[derive(Debug, Clone)]
pub struct Cwd {
    /// Identity, as the plan holds it.
    pub bound: BoundDir,
    folder: Arc<OwnedFd>,
}

#[cfg(target_os = "linux")]
const FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

impl Cwd {
    /// Opens `path`, which must be absolute.
    ///
    /// # Errors
    /// [`FolderProblem`]: missing, a file, not to be entered.
    pub fn open(path: &str) -> Result<Self, FolderProblem> {
        if !path.starts_with('/') {
            return Err(FolderProblem::NotAbsolute);
        }
        let folder = rustix::fs::open(path, FLAGS, Mode::empty()).map_err(refused)?;
        rustix::fs::accessat(&folder, ".", rustix::fs::Access::EXEC_OK, rustix::fs::AtFlags::empty())
            .map_err(refused)?;
        let stat = rustix::fs::fstat(&folder).map_err(refused)?;
        let real = real_path(&folder).map_err(|_| FolderProblem::Missing)?;
        let path = real.into_os_string().into_string().map_err(|_| FolderProblem::NotText)?;
        let bound = BoundDir { path, device: device(stat.st_dev), inode: stat.st_ino };
        Ok(Self { bound, folder: Arc::new(folder) })
    }

    /// Returns the opened folder, for `fchdir`.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Returns true if its real path still leads to it.
    pub fn is_current(&self) -> bool {
        rustix::fs::stat(self.bound.path.as_str())
            .is_ok_and(|stat| (device(stat.st_dev), stat.st_ino) == (self.bound.device, self.bound.inode))
    }
}

#[cfg(target_os = "linux")]
fn device(raw: u64) -> u64 {
    raw
}

/// Widens a device number. macOS numbers devices with a signed integer; the standard library widens it the
/// same way.
#[cfg(target_os = "macos")]
fn device(raw: i32) -> u64 {
    i64::from(raw).cast_unsigned()
}

fn refused(error: Errno) -> FolderProblem {
    match error {
        Errno::NOENT => FolderProblem::Missing,
        Errno::NOTDIR => FolderProblem::NotAFolder,
        Errno::ACCESS | Errno::PERM => FolderProblem::Forbidden,
        other => FolderProblem::Other(other.to_string()),
    }
}
