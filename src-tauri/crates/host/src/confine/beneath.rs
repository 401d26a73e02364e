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

/// Opens a folder in another one.
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
