//! Protected places that lie in writable folders, found by walking them. No link is followed.

use postern_policy::{
    GIT_NESTS, GIT_OBEYS, ProtectedPlaces, StandIn, is_git_folder, is_protected_entry, unprotected_in,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Entries that are looked at before a run: folders that hold more are not confined.
pub(super) const MOST_BEFORE: usize = 500_000;
/// Entries that are looked at after a run, which may have created some.
pub(super) const MOST_AFTER: usize = 10 * MOST_BEFORE;

/// Kind of a protected place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceKind {
    /// A folder or file.
    Plain,
    /// A link with this target.
    Link(PathBuf),
}

/// Protected places by their paths.
pub(super) type SurveyedPlaces = BTreeMap<PathBuf, PlaceKind>;

/// The protected places in some folders.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Each place that exists, and each folder that the user cannot list: it may hold some.
    pub(super) places: SurveyedPlaces,
    /// Folders that git takes for a repository.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// Writable folders inside a protected one.
    pub(super) exceptions: BTreeSet<PathBuf>,
    /// True if something was left out, because there is too much of it or the system failed.
    pub(super) cut: bool,
}

/// An entry of a folder.
type SurveyEntry = (OsString, Option<FileType>);

/// A survey that is being made.
struct SurveyWalk<'a> {
    found: Survey,
    /// Entries that may still be looked at.
    left: usize,
    /// Makes a folder that the user cannot list one that he can, and returns true if it did.
    unlock: &'a dyn Fn(&Path) -> bool,
}

impl Survey {
    /// Walks these folders, each from its top. `unlock` is tried on folders that the user cannot list.
    pub(super) fn walk_folders(
        folders: &[String],
        protected: &ProtectedPlaces,
        most: usize,
        unlock: &dyn Fn(&Path) -> bool,
    ) -> Self {
        let mut walk = SurveyWalk { found: Self::default(), left: most, unlock };
        for folder in folders {
            walk.walk_below(PathBuf::from(folder));
            for place in protected.fixed_in(folder) {
                walk.found.add_if_there(PathBuf::from(place));
            }
        }
        walk.found
    }

    /// Refuses a survey that left something out: what it did not find would be pinned by nobody.
    pub(super) fn check_complete(self, folders: &[String]) -> Result<Self, String> {
        if let Some(top) = folders.iter().find(|top| self.places.contains_key(Path::new(top))) {
            return Err(format!("{top} can't be listed"));
        }
        if self.cut {
            let all = folders.join(", ");
            return Err(format!("{all} can't be looked through, or hold more than {MOST_BEFORE} entries"));
        }
        for (path, _) in self.places.iter().filter(|(_, kind)| **kind == PlaceKind::Plain) {
            one_name(path)?;
        }
        Ok(self)
    }

    fn add_if_there(&mut self, path: PathBuf) {
        let Ok(found) = path.symlink_metadata() else { return };
        let kind = if found.is_symlink() {
            PlaceKind::Link(std::fs::read_link(&path).unwrap_or_default())
        } else {
            PlaceKind::Plain
        };
        self.places.insert(path, kind);
    }
}

impl SurveyWalk<'_> {
    fn walk_below(&mut self, top: PathBuf) {
        let mut open = VecDeque::from([top]);
        while let Some(folder) = open.pop_front() {
            let entries = self.list_entries(&folder);
            // Some file systems ignore case, and git with them.
            let has = |wanted: &str| entries.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
            if is_git_folder(has) {
                self.add_repository(&folder, &mut open);
                continue;
            }
            let parent = folder.file_name().unwrap_or_default().to_string_lossy();
            for (name, kind) in entries {
                self.add_entry((&folder, &parent), &name, kind, &mut open);
            }
        }
    }

    /// Returns the entries of a folder. One that cannot be listed is a place of its own.
    fn list_entries(&mut self, folder: &Path) -> Vec<SurveyEntry> {
        let listed = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && (self.unlock)(folder) => {
                std::fs::read_dir(folder)
            }
            listed => listed,
        };
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {}
                    io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidFilename => {
                        self.found.places.insert(folder.to_owned(), PlaceKind::Plain);
                    }
                    _ => self.found.cut = true,
                }
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        for entry in listed {
            let (Ok(entry), false) = (entry, self.left == 0) else {
                self.found.cut = true;
                break;
            };
            self.left -= 1;
            entries.push((entry.file_name(), entry.file_type().ok()));
        }
        entries
    }

    fn add_entry(
        &mut self,
        (folder, parent): (&Path, &str),
        entry: &OsStr,
        kind: Option<FileType>,
        open: &mut VecDeque<PathBuf>,
    ) {
        let name = entry.to_string_lossy();
        let is_folder = kind.is_some_and(|kind| kind.is_dir());
        if !is_protected_entry(parent, &name) {
            if is_folder {
                open.push_back(folder.join(entry));
            }
            return;
        }
        let path = folder.join(entry);
        // A repository is written by git itself, except what git runs.
        if is_folder && is_git_folder(|part| path.join(part).symlink_metadata().is_ok()) {
            open.push_back(path);
            return;
        }
        if is_stand_in(&path) {
            return;
        }
        for inner in unprotected_in(&name).iter().map(|inner| path.join(inner)) {
            if inner.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                self.found.exceptions.insert(inner.clone());
                open.push_back(inner);
            }
        }
        self.found.add_if_there(path);
    }

    fn add_repository(&mut self, folder: &Path, open: &mut VecDeque<PathBuf>) {
        self.found.repositories.insert(folder.to_owned());
        for (obeyed, _) in GIT_OBEYS {
            let path = folder.join(obeyed);
            if !is_stand_in(&path) {
                self.found.add_if_there(path);
            }
        }
        for nest in GIT_NESTS {
            let inner = folder.join(nest);
            if !inner.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                continue;
            }
            for (name, _) in self
                .list_entries(&inner)
                .into_iter()
                .filter(|(_, kind)| kind.is_some_and(|kind| kind.is_dir()))
            {
                // The folder of a work tree has no objects of its own.
                if *nest == "worktrees" {
                    self.add_repository(&inner.join(name), open);
                } else {
                    open.push_back(inner.join(name));
                }
            }
        }
    }
}

/// Refuses a file that has other names, by which it could be written.
pub(super) fn one_name(path: &Path) -> Result<(), String> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() && found.nlink() > 1 => {
            Err(format!("{} is a protected file with {} names (hard links)", path.display(), found.nlink()))
        }
        _ => Ok(()),
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
