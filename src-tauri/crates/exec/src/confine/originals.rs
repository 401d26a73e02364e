//! Protected places that another program replaces while a run is under way.
//!
//! A mount lies on a file, not on its name. Who removes the file outside of the run, or renames another one over it, takes the
//! pin away. Git and editors write files so. From then on the run could write what is there, so it is compared after the run.

use super::survey::{PlaceKind, Survey};
use crate::git_config::{GitSetting, consequential_settings};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Places as they were before a run.
#[derive(Debug, Default)]
pub(super) struct Originals(BTreeMap<PathBuf, Original>);

/// A place as it was before a run.
#[derive(Debug)]
struct Original {
    file: PlaceIdentity,
    /// Settings of a repository's configuration by which git starts or reaches something.
    settings: Option<BTreeSet<GitSetting>>,
}

/// Identity of a file or folder. Its number alone may be given to the next one.
#[derive(Debug, PartialEq, Eq)]
struct PlaceIdentity {
    device: u64,
    number: u64,
    created: Option<SystemTime>,
}

impl PlaceIdentity {
    /// Returns that of a place, or of the end of a link that lies in these folders.
    fn of_place(path: &Path, kind: &PlaceKind, folders: &[String]) -> Option<Self> {
        let end = match kind {
            PlaceKind::Plain => path.to_owned(),
            PlaceKind::Link(_) => {
                let end = path.canonicalize().ok()?;
                let inside = folders.iter().any(|top| end.starts_with(top));
                inside.then_some(end)?
            }
            PlaceKind::GitState(_) => return None,
        };
        let found = end.symlink_metadata().ok()?;
        Some(Self { device: found.dev(), number: found.ino(), created: found.created().ok() })
    }
}

impl Originals {
    /// Returns the places that a survey found in these folders. Only a mount lies on a file: the profiles of macOS go by names.
    pub(super) fn of_survey(survey: &Survey, folders: &[String]) -> Self {
        if !cfg!(target_os = "linux") {
            return Self::default();
        }
        let is_config = |path: &Path| {
            (path.ends_with("config") || path.ends_with("config.worktree"))
                && path.parent().is_some_and(|folder| survey.repositories.contains(folder))
        };
        let originals = survey.places.iter().filter_map(|(path, kind)| {
            let file = PlaceIdentity::of_place(path, kind, folders)?;
            let settings = is_config(path).then(|| consequential_settings(path).ok()).flatten();
            Some((path.clone(), Original { file, settings }))
        });
        Self(originals.collect())
    }

    /// Returns true if another file is at a place now, unless it is configuration in which git starts and reaches no more.
    pub(super) fn is_replaced(&self, path: &Path, kind: &PlaceKind, folders: &[String]) -> bool {
        let Some(original) = self.0.get(path) else { return false };
        let now = PlaceIdentity::of_place(path, kind, folders);
        now.is_some_and(|now| now != original.file) && !self.says_no_more(path)
    }

    /// Returns true for configuration in which git starts and reaches no more than before the run.
    pub(super) fn says_no_more(&self, path: &Path) -> bool {
        let before = self.0.get(path).and_then(|original| original.settings.as_ref());
        before.is_some_and(|before| consequential_settings(path).is_ok_and(|now| now.is_subset(before)))
    }
}
