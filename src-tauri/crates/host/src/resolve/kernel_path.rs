//! The path that the system itself gives an opened file: every link followed, letters as they are on the disk.

use std::os::fd::AsFd;
use std::path::PathBuf;

/// The real path of an opened file or folder.
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

/// The real path of an opened file or folder.
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
