//! Opening what lies in an agent's folder, without following a link that the agent could have made.

use rustix::fs::{Mode, OFlags};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);

/// Opens a folder by its real path.
pub(super) fn folder(path: &Path) -> io::Result<OwnedFd> {
    let file = rustix::fs::open(path, FOLDER, Mode::empty())?;
    match crate::resolve::real_path(&file) {
        Ok(real) if real == path => Ok(file),
        _ => Err(io::Error::other("it is no longer the same folder")),
    }
}

pub(super) fn within(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(folder, name, FOLDER, Mode::empty())?)
}

/// Opens the folder that holds a path below another folder, and returns it with the path's last name.
pub(super) fn parent<'p>(top: &OwnedFd, below: &'p Path) -> io::Result<(OwnedFd, &'p OsStr)> {
    let last = below.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut open = rustix::io::fcntl_dupfd_cloexec(top, 0)?;
    for part in below.parent().into_iter().flat_map(Path::components) {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        open = within(&open, name)?;
    }
    Ok((open, last))
}

/// Gives the user all rights to a folder that is his: what ran in it may have taken them. Its path has no link in it.
#[cfg(target_os = "linux")]
pub(super) fn unlock(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, ResolveFlags};
    use std::os::fd::AsRawFd as _;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode) | Mode::RWXU;
    // A folder that cannot be read is opened as a place only, and changed by the descriptor's name.
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode)?)
}

/// Gives the user all rights to a folder that is his: what ran in it may have taken them.
#[cfg(not(target_os = "linux"))]
pub(super) fn unlock(path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, FileType};
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let above = folder(above)?;
    let found = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let mode = Mode::from_raw_mode(found.st_mode) | Mode::RWXU;
    Ok(rustix::fs::chmodat(&above, name, mode, AtFlags::SYMLINK_NOFOLLOW)?)
}
