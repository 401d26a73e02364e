//! Stand-ins for protected places that do not exist, at the top of a folder and in each repository: a mount needs something to
//! lie on.
//!
//! They exist only while a run uses them. A shared lock on the folder's own file says that one does; the run that gets the lock
//! alone removes them, also those that a host left when it was killed. No confined program can open that file, as it can the folder.
//! It would keep the lock from a run, and another run would take that one's stand-ins away.
//!
//! Empty folders are kept in a store between the runs, because freeing a folder takes far longer than renaming it on some file
//! systems. Each returns to the folder that it was in: somebody may still have it open.

use super::baseline::open_file;
use super::beneath;
use super::survey::{Survey, is_stand_in};
use postern_policy::{GIT_OBEYS, StandIn, pinned_when_absent, private_cache};
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Ending of the names of files that are locked.
const ENDING: &str = ".in-use";
const FOLDER_MODE: u32 = 0o555;
const FILE_MODE: u32 = 0o444;

/// Stand-ins in one folder, in use until they are dropped.
#[derive(Debug)]
pub(super) struct StandIns {
    folder: PathBuf,
    top: OwnedFd,
    /// Locked while they are in use.
    in_use: File,
    store: OwnedFd,
    /// Number of the folder in the store.
    number: usize,
    /// Their paths below the folder.
    all: Vec<(String, StandIn)>,
}

impl StandIns {
    /// Puts a stand-in at every place of a folder that is pinned although it does not exist.
    pub(super) fn in_folder(
        folder: &Path,
        survey: &Survey,
        (store, number): (&OwnedFd, usize),
        home: &str,
    ) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        let top = beneath::folder(folder).map_err(|error| told(&error))?;
        let in_use = lock_file(folder, home).map_err(|error| told(&error))?;
        // Who has it alone is removing them, and waits for nobody.
        rustix::fs::flock(&in_use, FlockOperation::LockShared).map_err(|error| told(&error))?;
        let repositories =
            survey.repositories.iter().filter_map(|path| path.strip_prefix(folder).ok()?.to_str());
        let obeyed = repositories
            .flat_map(|path| GIT_OBEYS.iter().map(move |(name, kind)| (join_path(path, name), *kind)));
        let names = pinned_when_absent().map(|name| (name.to_owned(), StandIn::Folder));
        let store = rustix::io::fcntl_dupfd_cloexec(store, 0).map_err(|error| told(&error))?;
        let mut stand_ins = Self { folder: folder.to_owned(), top, in_use, store, number, all: Vec::new() };
        for (name, kind) in names.chain(obeyed) {
            let path = folder.join(&name);
            if path.symlink_metadata().is_err() {
                match stand_ins.create(&name, kind) {
                    // A repository that the user cannot write: what appears in it is set aside after the run.
                    Err(error) if error.kind() == ErrorKind::PermissionDenied && name.contains('/') => {
                        continue;
                    }
                    // Another run made it at the same time.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists && is_stand_in(&path) => {}
                    done => done.map_err(|error| told(&error))?,
                }
            } else if !is_stand_in(&path) {
                continue;
            }
            stand_ins.all.push((name, kind));
        }
        Ok(stand_ins)
    }

    pub(super) fn stand_in_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.all.iter().map(|(name, _)| self.folder.join(name))
    }

    fn create(&self, name: &str, kind: StandIn) -> std::io::Result<()> {
        let (opened, last) = self.open_place(name)?;
        let parent = opened.as_ref().unwrap_or(&self.top);
        match kind {
            StandIn::Folder => {
                let stored = self.stored(name);
                let kept = is_empty(&self.store, stored.as_ref());
                if !kept || rename(&self.store, stored.as_ref(), parent, last).is_err() {
                    rustix::fs::mkdirat(parent, last, Mode::from_raw_mode(FOLDER_MODE))?;
                }
            }
            StandIn::File(content) => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                let file = rustix::fs::openat(parent, last, flags, Mode::from_raw_mode(FILE_MODE))?;
                File::from(file).write_all(content.as_bytes())?;
            }
        }
        Ok(())
    }

    fn remove(&self, name: &str, kind: StandIn) -> std::io::Result<()> {
        let (opened, last) = self.open_place(name)?;
        let parent = opened.as_ref().unwrap_or(&self.top);
        let flags = if kind == StandIn::Folder {
            let found = rustix::fs::statat(parent, last, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(found.st_mode) != FileType::Directory || !is_read_only(&found) {
                return Ok(());
            }
            let stored = self.stored(name);
            let stored: &OsStr = stored.as_ref();
            if rename(parent, last, &self.store, stored).is_ok() {
                // Another folder was put there: it goes back.
                if !is_empty(&self.store, stored) {
                    rename(&self.store, stored, parent, last)?;
                }
                return Ok(());
            }
            // Only an empty folder is removed.
            AtFlags::REMOVEDIR
        } else if is_stand_in(&self.folder.join(name)) {
            AtFlags::empty()
        } else {
            return Ok(());
        };
        Ok(rustix::fs::unlinkat(parent, last, flags)?)
    }

    /// Opens the folder that holds a stand-in, and returns it with the last name; `None` is the top.
    fn open_place<'n>(&self, name: &'n str) -> std::io::Result<(Option<OwnedFd>, &'n OsStr)> {
        if !name.contains('/') {
            return Ok((None, name.as_ref()));
        }
        let (parent, last) = beneath::parent(&self.top, Path::new(name))?;
        Ok((Some(parent), last))
    }

    /// Returns the name of a stand-in in the store.
    fn stored(&self, name: &str) -> String {
        format!("{}{}", self.number, name.replace('/', "+"))
    }
}

/// Returns the path of an entry in a folder, which may be the top itself.
fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Opens the file of a folder that is locked while stand-ins in it are in use.
fn lock_file(folder: &Path, home: &str) -> std::io::Result<File> {
    let folder = folder.to_str().ok_or(ErrorKind::InvalidFilename)?.to_owned();
    open_file(Path::new(&(private_cache(home, &[folder], cfg!(target_os = "macos")) + ENDING)))
}

/// Opens the store of the runs with this private cache.
pub(super) fn open_store(private_cache: &str) -> Result<OwnedFd, String> {
    let path = super::kept_for(private_cache);
    beneath::folder(Path::new(&path)).map_err(|error| format!("{path}: {error}"))
}

/// Returns true for an empty folder that nobody may write.
fn is_empty(parent: &OwnedFd, name: &OsStr) -> bool {
    let Ok(folder) = beneath::within(parent, name) else { return false };
    let read_only = rustix::fs::fstat(&folder).is_ok_and(|found| is_read_only(&found));
    let own = |entry: &rustix::fs::DirEntry| matches!(entry.file_name().to_bytes(), b"." | b"..");
    let entries = rustix::fs::Dir::new(folder);
    read_only && entries.is_ok_and(|mut all| all.all(|entry| entry.is_ok_and(|entry| own(&entry))))
}

fn is_read_only(found: &rustix::fs::Stat) -> bool {
    !Mode::from_raw_mode(found.st_mode).intersects(Mode::from_raw_mode(0o222))
}

/// Renames a stand-in folder; nothing is replaced.
fn rename(from: &OwnedFd, name: &OsStr, to: &OwnedFd, as_name: &OsStr) -> std::io::Result<()> {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    match rustix::fs::renameat_with(from, name, to, as_name, flags) {
        // Its entry for the folder above changes, so an ordinary user must be able to write it.
        Err(rustix::io::Errno::ACCESS) => {}
        done => return Ok(done?),
    }
    let folder = beneath::within(from, name)?;
    rustix::fs::fchmod(&folder, Mode::from_raw_mode(FOLDER_MODE | 0o200))?;
    let renamed = rustix::fs::renameat_with(from, name, to, as_name, flags);
    rustix::fs::fchmod(&folder, Mode::from_raw_mode(FOLDER_MODE))?;
    Ok(renamed?)
}

impl Drop for StandIns {
    fn drop(&mut self) {
        if rustix::fs::flock(&self.in_use, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        for (name, kind) in &self.all {
            // What is in use again or was replaced stays.
            _ = self.remove(name, *kind);
        }
    }
}
