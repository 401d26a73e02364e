//! Protected places that lie in writable folders, found by walking them. No link is followed.

use super::envrc::{ENVRC, files_read};
use super::git_state;
use crate::git_config::{GitConfig, SHA1};
use crate::resolve::lexical;
use crate::small_file::{open_no_link, read_bytes};
use postern_policy::{
    GIT_NESTS, GIT_OBEYS, ProtectedPlaces, StandIn, holds_protected_entry, is_git_folder, is_protected_entry,
    unprotected_in,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

/// Entries that are looked at before a run: folders that hold more are not confined.
pub(super) const MOST_BEFORE: usize = 500_000;
/// Entries that are looked at after a run: all. What a run created and nobody looked at would stay.
pub(super) const MOST_AFTER: usize = usize::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlaceKind {
    /// A folder or file.
    Plain,
    /// A link, with each link on its way and whether its end is there. Equal only if all of them are.
    Link(OsString),
    /// State of a git folder by which git starts a program or reaches something else, a line each. Not pinned: git changes it itself.
    GitState(OsString),
}

impl PlaceKind {
    /// Returns true if a place that was like this before a run is no more than that now.
    pub(super) fn has_become(&self, now: &Self) -> bool {
        match (self, now) {
            (Self::GitState(before), Self::GitState(now)) => {
                let lines = |text: &OsString| {
                    text.as_bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
                };
                let (before, now): (BTreeSet<Vec<u8>>, BTreeSet<Vec<u8>>) = (lines(before), lines(now));
                now.is_subset(&before)
            }
            (before, now) => before == now,
        }
    }
}

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
    /// Configuration of a repository that cannot be read: what it names is not known.
    pub(super) unread: Option<String>,
}

type SurveyEntry = (OsString, Option<FileType>);

struct SurveyWalk<'a> {
    found: Survey,
    folders: &'a [String],
    git: GitConfig<'a>,
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
        let git = GitConfig::of_user(protected.home());
        let mut walk = SurveyWalk { found: Self::default(), folders, git, left: most, unlock };
        for folder in folders {
            walk.walk_below(Path::new(folder));
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
        if let Some(unread) = &self.unread {
            return Err(unread.clone());
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
        let kind =
            if found.is_symlink() { PlaceKind::Link(links_on_the_way(&path)) } else { PlaceKind::Plain };
        self.places.insert(path, kind);
    }

    /// Adds state of a git folder. What is pinned as a place stays one.
    fn add_state(&mut self, path: PathBuf, lines: OsString) {
        self.places.entry(path).or_insert(PlaceKind::GitState(lines));
    }
}

impl SurveyWalk<'_> {
    fn walk_below(&mut self, top: &Path) {
        let mut open = VecDeque::from([top.to_owned()]);
        while let Some(folder) = open.pop_front() {
            // Only git works in a folder of this name. Any other one may be made to look like a repository: it stays a folder.
            if folder.strip_prefix(top).is_ok_and(is_in_git)
                && is_git_folder(|part| folder.join(part).symlink_metadata().is_ok())
            {
                self.add_repository(&folder, SHA1);
                self.add_nested(&folder, &mut open);
                continue;
            }
            let parent = last_names(&folder);
            let mut parts = BTreeSet::new();
            self.for_entries(&folder, |walk, (name, kind)| {
                // Some file systems ignore case, and git with them.
                parts.extend(GIT_PARTS.into_iter().filter(|part| name.eq_ignore_ascii_case(part)));
                walk.add_entry((&folder, &parent), &name, kind, &mut open);
            });
            if is_git_folder(|part| parts.contains(part)) {
                self.add_repository(&folder, SHA1);
            }
        }
    }

    fn inner_folders(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut inner = Vec::new();
        if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            self.for_entries(folder, |_, (name, kind)| {
                inner.extend(kind.filter(FileType::is_dir).map(|_| folder.join(name)));
            });
        }
        inner
    }

    /// Calls `each` with the entries of a folder, one by one: a run can create any number. One that cannot be listed is a place
    /// of its own.
    fn for_entries(&mut self, folder: &Path, mut each: impl FnMut(&mut Self, SurveyEntry)) {
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
                return;
            }
        };
        for entry in listed {
            let (Ok(entry), false) = (entry, self.left == 0) else {
                self.found.cut = true;
                break;
            };
            self.left -= 1;
            each(self, (entry.file_name(), entry.file_type().ok()));
        }
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
        let path = folder.join(entry);
        if !is_protected_entry(parent, &name) {
            if is_folder {
                open.push_back(path);
            } else if kind.is_some_and(|kind| kind.is_symlink()) && holds_protected_entry(&name) {
                self.found.add_if_there(path);
            }
            return;
        }
        // A repository is written by git itself, except what git runs.
        if name.eq_ignore_ascii_case(GIT)
            && is_folder
            && is_git_folder(|part| path.join(part).symlink_metadata().is_ok())
        {
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
        if name.eq_ignore_ascii_case(ENVRC) {
            for read in &files_read(&path) {
                self.add_named(read);
            }
        }
        self.found.add_if_there(path);
    }

    /// Adds what git obeys in a repository, and what its configuration names in these folders.
    /// `hash` is the length of an object's name, if its configuration names none.
    fn add_repository(&mut self, folder: &Path, mut hash: usize) {
        self.found.repositories.insert(folder.to_owned());
        for (obeyed, _) in GIT_OBEYS {
            let path = folder.join(obeyed);
            if !is_stand_in(&path) {
                self.found.add_if_there(path);
            }
        }
        let mut trees = Vec::new();
        match self.git.named_by(folder) {
            Ok(named) => {
                hash = named.hash.unwrap_or(hash);
                named.paths.iter().for_each(|path| self.add_named(path));
                trees = named.trees;
            }
            Err(error) => {
                let folder = folder.display();
                self.found.unread = Some(format!("the configuration of {folder} can't be read: {error}"));
            }
        }
        for (file, lines) in git_state::under_way(folder, &trees) {
            self.found.add_state(folder.join(file), lines);
        }
        self.add_links_and_indexes(folder, hash);
        // The folder of a work tree has no objects of its own.
        for tree in self.inner_folders(&folder.join("worktrees")) {
            self.add_repository(&tree, hash);
        }
    }

    /// Adds the links in a git folder, through which git writes, indexes with names that lead elsewhere, and remotes.
    fn add_links_and_indexes(&mut self, folder: &Path, hash: usize) {
        let mut open = vec![folder.to_owned()];
        while let Some(inner) = open.pop() {
            self.for_entries(&inner, |walk, (name, kind)| {
                let path = inner.join(&name);
                let Some(kind) = kind else { return };
                let lines = if kind.is_symlink() {
                    let way =
                        || OsString::from(links_on_the_way(&path).as_bytes().escape_ascii().to_string());
                    (!git_state::is_link_of_git(&path)).then(way)
                } else if kind.is_dir() {
                    if git_state::may_lead_elsewhere(folder, &path) {
                        open.push(path);
                    }
                    return;
                } else if inner == folder && git_state::is_index(&name) {
                    git_state::astray_in_index(&path, hash)
                } else {
                    git_state::remote_in(folder, &path)
                };
                if let Some(lines) = lines {
                    walk.found.add_state(path, lines);
                }
            });
        }
    }

    /// Opens the repositories in a repository.
    fn add_nested(&mut self, folder: &Path, open: &mut VecDeque<PathBuf>) {
        for nest in GIT_NESTS.iter().filter(|nest| **nest != "worktrees") {
            open.extend(self.inner_folders(&folder.join(nest)));
        }
    }

    /// Adds a path that git's configuration names, if it lies in these folders: with the first link on its way, and its end.
    fn add_named(&mut self, path: &Path) {
        let path = lexical(path);
        let Some(top) = self.folders.iter().map(Path::new).find(|top| path.starts_with(top) && path != *top)
        else {
            return;
        };
        let below: Vec<&Path> = path.ancestors().take_while(|above| above != &top).collect();
        match below.into_iter().rev().find(|above| above.is_symlink()) {
            None if !is_stand_in(&path) => self.found.add_if_there(path),
            None => {}
            Some(link) => {
                self.found.add_if_there(link.to_owned());
                let end = path.canonicalize().ok();
                let inside = |end: &PathBuf| {
                    self.folders.iter().any(|top| end.starts_with(top) && end != Path::new(top))
                };
                if let Some(end) = end.filter(inside) {
                    self.found.add_if_there(end);
                }
            }
        }
    }
}

/// Name of the folder in which git keeps a repository.
const GIT: &str = ".git";
/// Entries that make a folder one for git.
const GIT_PARTS: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];
/// Links on the way to one place.
const MOST_LINKS: usize = 40;

fn last_names(folder: &Path) -> String {
    let mut names: Vec<_> = folder.iter().rev().take(2).map(OsStr::to_string_lossy).collect();
    names.reverse();
    names.join("/")
}

/// Returns true if a path lies in a folder of git's name, or is one.
fn is_in_git(below: &Path) -> bool {
    below.iter().any(|part| part.eq_ignore_ascii_case(GIT))
}

/// Returns each link on the way of a path with its target, and whether the end is there. No two ways are the same text.
fn links_on_the_way(path: &Path) -> OsString {
    let mut way = Vec::new();
    let mut add = |part: &Path| {
        let part = part.as_os_str().as_bytes();
        way.extend_from_slice(format!("{}:", part.len()).as_bytes());
        way.extend_from_slice(part);
    };
    let mut at = path.parent().unwrap_or(Path::new("/")).to_owned();
    let mut rest: VecDeque<OsString> = path.file_name().map(OsStr::to_owned).into_iter().collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front().filter(|_| links <= MOST_LINKS) {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        let Ok(target) = std::fs::read_link(&next) else {
            at = next;
            continue;
        };
        links += 1;
        add(&next);
        add(&target);
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        let parts = target.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        });
        for part in parts.collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(part);
        }
    }
    way.extend_from_slice(if at.symlink_metadata().is_ok() { b"there" } else { b"missing" });
    OsString::from_vec(way)
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
    let Some(content) = contents.into_iter().find(|content| found.size() == content.len() as u64) else {
        return false;
    };
    let same = |file| read_bytes(&file, found.size()).is_ok_and(|own| own == content.as_bytes());
    found.is_file() && read_only && open_no_link(path).is_ok_and(same)
}

#[cfg(test)]
mod tests {
    use super::{Survey, SurveyedPlaces};
    use postern_policy::ProtectedPlaces;
    use proptest::prelude::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn places(top: &Path) -> SurveyedPlaces {
        let folders = [top.display().to_string()];
        let protected = ProtectedPlaces::new("/home/nobody", |_| None);
        Survey::walk_folders(&folders, &protected, 10_000, &|_| false).places
    }

    /// Creates a file, or a folder where others lie in it.
    fn create(top: &Path, path: &[&str]) {
        let path = top.join(path.join("/"));
        fs::create_dir_all(path.parent().unwrap()).ok();
        if !path.exists() {
            fs::write(path, "x").ok();
        }
    }

    fn paths() -> impl Strategy<Value = Vec<Vec<&'static str>>> {
        let name = prop::sample::select(vec![
            "HEAD", "objects", "refs", "commondir", "modules", "worktrees", "config", "hooks", ".git",
            ".GIT", ".vscode", ".envrc", "sub", "a",
        ]);
        prop::collection::vec(prop::collection::vec(name, 1..5), 0..14)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// An agent makes what it likes beside a place: the place stays one, for the next run and for the end of this.
        #[test]
        fn what_is_added_takes_no_place_away(before in paths(), added in paths()) {
            let place = tempfile::tempdir().unwrap();
            let top = place.path().canonicalize().unwrap();
            for path in &before {
                create(&top, path);
            }
            let first = places(&top);
            let in_place = |path: &Path| first.keys().any(|place| path.starts_with(place));
            for path in &added {
                let whole: PathBuf = top.join(path.join("/"));
                if !in_place(&whole) {
                    create(&top, path);
                }
            }
            let then = places(&top);
            let gone: Vec<&PathBuf> = first.keys().filter(|path| !then.contains_key(*path)).collect();
            prop_assert!(gone.is_empty(), "{gone:?}");
        }
    }
}
