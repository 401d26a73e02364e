//! Trust in a file as an organization's own: one that others could have written says nothing.

use super::ManagedPlace;
use postern_exec::small_file;
use rustix::fs::{Mode, Stat};
use std::io;
use std::path::Path;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Reads a file that only the system's user, or the person where they named it, can have written.
pub(super) fn read_trusted(place: &ManagedPlace) -> io::Result<Vec<u8>> {
    // A way there that is no file is as good as none; one that cannot be looked at is not.
    let path = std::fs::canonicalize(&place.path)?;
    let file = small_file::open_regular(&path)?;
    check_owner(&rustix::fs::fstat(&file)?, place.by_root, "it")?;
    for folder in path.ancestors().skip(1) {
        check_folder(folder, place.by_root)?;
    }
    small_file::read_bytes(&file, LONGEST)
}

fn check_folder(folder: &Path, by_root: bool) -> io::Result<()> {
    let stat = rustix::fs::stat(folder)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    // In a folder like /tmp others may add files and cannot replace one that is not theirs.
    if mode.contains(Mode::SVTX) && stat.st_uid == 0 {
        return Ok(());
    }
    check_owner(&stat, by_root, &format!("the folder {}", folder.display()))
}

fn check_owner(stat: &Stat, by_root: bool, what: &str) -> io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    if stat.st_uid != 0 && (by_root || stat.st_uid != own) {
        let who = if by_root { "root" } else { "root or you" };
        return Err(io::Error::other(format!("{what} belongs to user {} and not to {who}", stat.st_uid)));
    }
    let mode = Mode::from_raw_mode(stat.st_mode);
    if mode.contains(Mode::WOTH) || (mode.contains(Mode::WGRP) && stat.st_gid != 0) {
        return Err(io::Error::other(format!("others can write to {what}: chmod go-w takes that from them")));
    }
    Ok(())
}
