//! Postern's own folders, and where they lie, seen from those of a request.

use super::wild_path::may_hold_folder;
use crate::facts::Facts;
use crate::path::{self, path_names};
use postern_protocol::short_folder;
use smallvec::SmallVec;
use std::borrow::Cow;

/// First folders that are another one by another name.
const OTHER_NAMES: [&str; 8] =
    ["private", "proc", "system", "usr", "volumes", ".nofollow", ".resolve", ".vol"];

/// Postern's own folders: its data, and the short one of channels where those lie outside.
pub(super) struct Guarded {
    pub(super) folders: SmallVec<[GuardedFolder; 2]>,
}

impl Guarded {
    pub(super) fn new(facts: &Facts<'_>) -> Self {
        let own = std::iter::once(Cow::Borrowed(facts.data)).chain(short_folder(facts.data).map(Cow::Owned));
        Self { folders: own.map(|folder| GuardedFolder::new(&folder, facts)).collect() }
    }

    /// Returns true if a path, written as paths are compared, lies in one of them.
    pub(super) fn contains_path(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| path::is_within(path, &folder.key))
    }

    /// Returns true if a path, each part a name or a glob, may be one of them or a folder above one.
    pub(super) fn may_lie_below(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| may_hold_folder(path, &folder.key))
    }
}

/// Positions that are the same for a whole request.
pub(super) struct GuardedFolder {
    /// The folder, as paths are compared.
    pub(super) key: String,
    pub(super) names: Vec<String>,
    /// Position of the folder in which the request runs.
    pub(super) cwd: From,
    /// Position of the home folder.
    pub(super) home: From,
}

impl GuardedFolder {
    fn new(folder: &str, facts: &Facts<'_>) -> Self {
        let key = comparison_key(folder).into_owned();
        let names = path_names(&key).map(str::to_owned).collect();
        let from = |folder: &str| From::from_folder(folder, &key);
        let (cwd, home) = (from(facts.cwd), from(facts.home));
        Self { key, names, cwd, home }
    }
}

/// Position of a folder, seen from the guarded one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// In it, or where that is not plain to see.
    Inside,
    /// Above it: so many of its names are the folder's.
    Above(usize),
    Beside,
}

impl From {
    pub(super) fn from_folder(folder: &str, guarded: &str) -> Self {
        let folder = comparison_key(folder);
        if path::is_within(&folder, guarded) || path_names(&folder).next().is_some_and(is_other_name) {
            Self::Inside
        } else if path::is_within(guarded, &folder) {
            Self::Above(path_names(&folder).count())
        } else {
            Self::Beside
        }
    }
}

/// Returns true for the first name of a path that is another one by another name.
pub(super) fn is_other_name(name: &str) -> bool {
    OTHER_NAMES.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Returns the spelling that paths are compared by.
pub(super) fn comparison_key(path: &str) -> Cow<'_, str> {
    path::deny_key(path::without_any_volume(path))
}
