//! Protected places that lie in writable folders, found by walking them. No link is followed.

use postern_policy::{
    GIT_FOLDER, GIT_NESTS, GIT_OBEYS, Protected, StandIn, is_protected_entry, unprotected_in,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{DirEntry, FileType};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Entries that are looked at; what lies deeper in a larger folder is not found.
const MOST_ENTRIES: usize = 20_000;
/// Kind of a protected place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A folder or file.
    Plain,
    /// A link with this target.
    Link(PathBuf),
}

/// The protected places in some folders.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Each place that exists.
    pub(super) places: BTreeMap<PathBuf, Kind>,
    /// Folders that git takes for a repository.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// Writable folders inside a protected one.
    pub(super) exceptions: BTreeSet<PathBuf>,
    /// Entries that may still be looked at.
    pub(super) left: usize,
}

impl Survey {
    /// Walks these folders, each from its top.
    pub(super) fn of(folders: &[String], protected: &Protected) -> Self {
        let mut survey = Self { left: MOST_ENTRIES, ..Self::default() };
        for folder in folders {
            survey.walk(PathBuf::from(folder));
            for place in protected.fixed_in(folder) {
                survey.add_if_there(PathBuf::from(place));
            }
        }
        survey
    }

    fn walk(&mut self, top: PathBuf) {
        let mut open = VecDeque::from([top]);
        while let Some(folder) = open.pop_front() {
            let entries: Vec<DirEntry> =
                std::fs::read_dir(&folder).into_iter().flatten().flatten().take(self.left).collect();
            self.left -= entries.len();
            let has = |wanted: &&str| entries.iter().any(|entry| entry.file_name() == *wanted);
            if GIT_FOLDER.iter().all(has) {
                self.add_repository(&folder, &mut open);
                continue;
            }
            for entry in entries {
                if let Ok(kind) = entry.file_type() {
                    self.add_entry(&folder, &entry, kind, &mut open);
                }
            }
        }
    }

    fn add_entry(&mut self, folder: &Path, entry: &DirEntry, kind: FileType, open: &mut VecDeque<PathBuf>) {
        let (path, name) = (entry.path(), entry.file_name());
        let parent = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_string_lossy();
        if !is_protected_entry(&parent, &name) {
            if kind.is_dir() {
                open.push_back(path);
            }
            return;
        }
        // A repository is written by git itself, except what git runs.
        if kind.is_dir() && GIT_FOLDER.iter().all(|part| path.join(part).symlink_metadata().is_ok()) {
            open.push_back(path);
            return;
        }
        if is_stand_in(&path) {
            return;
        }
        for inner in unprotected_in(&name).iter().map(|inner| path.join(inner)) {
            if inner.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                self.exceptions.insert(inner.clone());
                open.push_back(inner);
            }
        }
        self.add_if_there(path);
    }

    fn add_repository(&mut self, folder: &Path, open: &mut VecDeque<PathBuf>) {
        self.repositories.insert(folder.to_owned());
        for (obeyed, _) in GIT_OBEYS {
            let path = folder.join(obeyed);
            if !is_stand_in(&path) {
                self.add_if_there(path);
            }
        }
        for nest in GIT_NESTS {
            let inner = std::fs::read_dir(folder.join(nest)).into_iter().flatten().flatten();
            for entry in
                inner.take(self.left).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            {
                self.left = self.left.saturating_sub(1);
                // The folder of a work tree has no objects of its own.
                if *nest == "worktrees" {
                    self.add_repository(&entry.path(), open);
                } else {
                    open.push_back(entry.path());
                }
            }
        }
    }

    fn add_if_there(&mut self, path: PathBuf) {
        let Ok(found) = path.symlink_metadata() else { return };
        let kind = if found.is_symlink() {
            Kind::Link(std::fs::read_link(&path).unwrap_or_default())
        } else {
            Kind::Plain
        };
        self.places.insert(path, kind);
    }
}

/// Returns true if this is a stand-in that a confined run left, or that another one uses.
pub(super) fn is_stand_in(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    let read_only = found.permissions().mode() & 0o222 == 0;
    if found.is_dir() {
        return read_only && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    }
    let contents = GIT_OBEYS.iter().filter_map(|(name, stand_in)| match stand_in {
        StandIn::File(content) if path.file_name().is_some_and(|own| own == *name) => Some(*content),
        StandIn::File(_) | StandIn::Folder => None,
    });
    found.is_file()
        && read_only
        && contents.into_iter().any(|content| {
            found.size() == content.len() as u64
                && std::fs::read(path).is_ok_and(|own| own == content.as_bytes())
        })
}
