//! Pins that another program takes away while a run is under way.
//!
//! A mount lies on a file, not on its name. Who removes the file outside of the run, or renames another one over it, takes the
//! pin away, and the run could write what is there now. Git and editors write so. Everything of the run is stopped then. It goes
//! on with a new pin where git starts and reaches no more by the new file and nothing of the run has got hold of it; otherwise it
//! is ended.

use super::mounts::{MountAccess, Mounts, mount_onto};
use super::originals::Originals;
use super::survey::one_name;
use crate::run::{Keeper, StoppedProcesses};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, StatxAttributes, StatxFlags};
use std::path::Path;

/// Returns the places whose mounts do not lie where they should.
pub(super) fn find_lost<'a>(keeper: &'a Keeper, pins: &'a Mounts) -> impl Iterator<Item = &'a Path> {
    pins.0.iter().filter(|(path, access)| !is_mounted(keeper, path, **access)).map(|(path, _)| path.as_path())
}

/// Puts back the pins that were taken away. The error is the place of one that cannot be put back; everything of the run has
/// been ended then.
pub(super) fn put_back(keeper: &Keeper, pins: &Mounts, originals: &Originals) -> Result<(), String> {
    let Some(first) = find_lost(keeper, pins).next() else { return Ok(()) };
    // They go on when this is dropped, and what was ended does not.
    let stopped = StoppedProcesses::stop_all(keeper.root());
    let back = || -> Result<(), &Path> {
        let stopped = stopped.as_ref().map_err(|_| first)?;
        for path in find_lost(keeper, pins) {
            put_one_back(keeper, path, originals, stopped).ok_or(path)?;
        }
        find_lost(keeper, pins).next().map_or(Ok(()), Err)
    };
    back().map_err(|path| {
        keeper.end_all();
        tracing::warn!(
            ?path,
            "another program replaced or removed a protected place under a confined run, which was ended"
        );
        path.display().to_string()
    })
}

/// Puts a pin back; `None` if that would not keep the run from the file.
fn put_one_back(
    keeper: &Keeper,
    path: &Path,
    originals: &Originals,
    stopped: &StoppedProcesses,
) -> Option<()> {
    let found = path.symlink_metadata().ok()?;
    one_name(path).ok()?;
    if stopped.may_hold(&found) || !originals.says_no_more(path) {
        return None;
    }
    keeper.mount_more(&[mount_onto(path, path, MountAccess::ReadOnly).ok()?]).ok()
}

/// Checks from outside that a mount lies where it should: an agent may have put a link there.
fn is_mounted(keeper: &Keeper, path: &Path, access: MountAccess) -> bool {
    let Ok(below) = path.strip_prefix("/") else { return false };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::IN_ROOT;
    let Ok(opened) = rustix::fs::openat2(keeper.root(), below, flags, Mode::empty(), resolve) else {
        return false;
    };
    let found = rustix::fs::statx(&opened, "", AtFlags::EMPTY_PATH, StatxFlags::TYPE);
    let is_root = found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
    let read_only = rustix::fs::fstatvfs(&opened)
        .is_ok_and(|found| found.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY));
    is_root && read_only == (access != MountAccess::Writable)
}
