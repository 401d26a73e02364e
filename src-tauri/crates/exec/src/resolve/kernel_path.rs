//! The path that the system itself gives an opened file: every link followed, letters as they are on the disk.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Returns the real path of an opened file or folder.
///
/// # Errors
/// What the system says, and `NotFound` where the file has no path any more.
#[cfg(target_os = "linux")]
pub(crate) fn real_path(file: impl AsFd) -> std::io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()))?;
    // A deleted file has a path that leads elsewhere or nowhere.
    if path.to_string_lossy().ends_with(" (deleted)") && std::fs::symlink_metadata(&path).is_err() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    Ok(path)
}

/// Returns the real path of an opened file or folder.
///
/// # Errors
/// What the system says.
#[cfg(target_os = "macos")]
pub(crate) fn real_path(file: impl AsFd) -> std::io::Result<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    let path = rustix::fs::getpath(file)?;
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

/// Returns the real path of what a path leads to, or `None` if it leads nowhere. Nothing is read and nothing is waited for.
#[cfg(target_os = "linux")]
pub(crate) fn real_path_at(path: &Path) -> Option<PathBuf> {
    use rustix::fs::{Mode, OFlags};
    let file = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    real_path(file).ok()
}

/// Returns the real path of what a path leads to, or `None` if it leads nowhere.
#[cfg(target_os = "macos")]
pub(crate) fn real_path_at(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Returns the real path of an opened file with several hard links, as `path` leads to it; the system may
/// return another of its names. `None` if `path` leads to another file by now.
pub(super) fn real_path_of_name(path: &Path, file: &File) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(target) = std::fs::read_link(&path) {
            path = path.parent()?.join(target);
            continue;
        }
        let name = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        let (there, opened) = (std::fs::symlink_metadata(&name).ok()?, file.metadata().ok()?);
        return ((there.dev(), there.ino()) == (opened.dev(), opened.ino())).then_some(name);
    }
    None
}
