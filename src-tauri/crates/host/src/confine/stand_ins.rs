//! Stand-ins for protected places that do not exist: a mount needs something to lie on.
//!
//! They exist only while a run uses them. A shared lock on the folder says that one does; the run that gets the lock alone
//! removes them, also those that a host left when it was killed.

use super::beneath;
use super::survey::{Survey, is_stand_in};
use postern_policy::{GIT_OBEYS, StandIn, pinned_when_absent};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Mode of a stand-in folder.
const FOLDER_MODE: u32 = 0o555;
/// Mode of a stand-in file.
const FILE_MODE: u32 = 0o444;

/// Stand-ins in one folder, in use until they are dropped.
#[derive(Debug)]
pub(super) struct StandIns {
    folder: PathBuf,
    lock: OwnedFd,
    /// Their paths below the folder.
    all: Vec<(String, StandIn)>,
}

impl StandIns {
    /// Puts a stand-in at every place of a folder that is pinned although it does not exist.
    pub(super) fn in_folder(folder: &Path, survey: &Survey) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        let lock = beneath::folder(folder).map_err(|error| told(&error))?;
        // Without it somebody else removes them, or they stay until the next run.
        _ = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared);
        let top = survey.repositories.contains(&folder.join(".git"));
        let obeyed = GIT_OBEYS.iter().filter(|_| top).map(|(name, kind)| (format!(".git/{name}"), *kind));
        let names = pinned_when_absent().map(|name| (name.to_owned(), StandIn::Folder));
        let mut stand_ins = Self { folder: folder.to_owned(), lock, all: Vec::new() };
        for (name, kind) in names.chain(obeyed) {
            let path = folder.join(&name);
            if path.symlink_metadata().is_err() {
                stand_ins.create(&name, kind).map_err(|error| told(&error))?;
            } else if !is_stand_in(&path) {
                continue;
            }
            stand_ins.all.push((name, kind));
        }
        Ok(stand_ins)
    }

    /// Returns their paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = (PathBuf, StandIn)> {
        self.all.iter().map(|(name, kind)| (self.folder.join(name), *kind))
    }

    fn create(&self, name: &str, kind: StandIn) -> std::io::Result<()> {
        let (parent, last) = beneath::parent(&self.lock, Path::new(name))?;
        match kind {
            StandIn::Folder => rustix::fs::mkdirat(&parent, last, Mode::from_raw_mode(FOLDER_MODE))?,
            StandIn::File(content) => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                let file = rustix::fs::openat(&parent, last, flags, Mode::from_raw_mode(FILE_MODE))?;
                std::fs::File::from(file).write_all(content.as_bytes())?;
            }
        }
        Ok(())
    }

    fn remove(&self, name: &str, kind: StandIn) -> std::io::Result<()> {
        let (parent, last) = beneath::parent(&self.lock, Path::new(name))?;
        let flags = if kind == StandIn::Folder {
            // Only an empty folder is removed.
            let found = rustix::fs::statat(&parent, last, AtFlags::SYMLINK_NOFOLLOW)?;
            if Mode::from_raw_mode(found.st_mode).intersects(Mode::from_raw_mode(0o222)) {
                return Ok(());
            }
            AtFlags::REMOVEDIR
        } else if is_stand_in(&self.folder.join(name)) {
            AtFlags::empty()
        } else {
            return Ok(());
        };
        Ok(rustix::fs::unlinkat(&parent, last, flags)?)
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        if rustix::fs::flock(&self.lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        for (name, kind) in &self.all {
            // What is in use again or was replaced stays.
            _ = self.remove(name, *kind);
        }
    }
}
