//! Mounts of a `project` run: everything read-only, the agent's folders writable, and protected places in them pinned.
//!
//! A place is pinned with all its parents: a parent that could be renamed would take the pin along, and a copy of it
//! could be written.

use super::denied::WithheldFiles;
use super::survey::{PlaceKind, Survey, one_name};
use crate::run::Mount;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Most pins of one run: a mount costs time, and a folder with so many protected places is no project.
const MOST_PINS: usize = 2000;

/// State of a mounted path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MountAccess {
    Writable,
    ReadOnly,
    /// Neither read nor written.
    Hidden,
}

/// A file and a folder that nobody can read.
#[derive(Debug)]
pub(super) struct HidingPlaceholders {
    pub(super) file: PathBuf,
    pub(super) folder: PathBuf,
}

/// Mounts on top of the read-only system, parents first.
#[derive(Debug, Default)]
pub(super) struct Mounts(pub(super) BTreeMap<PathBuf, MountAccess>);

impl Mounts {
    /// Returns the mounts for these folders and what was found in them.
    pub(super) fn new(
        folders: &[String],
        survey: &Survey,
        kept: &WithheldFiles,
        stand_ins: impl Iterator<Item = PathBuf>,
    ) -> Result<Self, String> {
        let mut mounts = Self::default();
        let tops: Vec<&Path> = folders.iter().map(Path::new).collect();
        for top in &tops {
            mounts.0.insert((*top).to_owned(), MountAccess::Writable);
        }
        for (path, kind) in &survey.places {
            let target = match kind {
                PlaceKind::Plain => Some(path.clone()),
                // Nothing can be mounted on a link: its target is pinned, and the link is compared after the run.
                PlaceKind::Link(_) => path.canonicalize().ok(),
                PlaceKind::GitState(_) => continue,
            };
            mounts.pin_parents(&tops, path);
            if let Some(target) =
                target.filter(|target| tops.iter().any(|top| target.starts_with(top) && target != top))
            {
                one_name(&target)?;
                mounts.pin_parents(&tops, &target);
                mounts.0.insert(target, MountAccess::ReadOnly);
            }
        }
        for exception in &survey.exceptions {
            mounts.0.insert(exception.clone(), MountAccess::Writable);
        }
        for repository in &survey.repositories {
            mounts.pin_parents(&tops, &repository.join("config"));
        }
        let pinned = kept.pinned.iter().cloned().chain(stand_ins).map(|path| (path, MountAccess::ReadOnly));
        let hidden = kept.hidden.iter().cloned().map(|path| (path, MountAccess::Hidden));
        for (path, access) in pinned.chain(hidden) {
            mounts.pin_parents(&tops, &path);
            mounts.0.insert(path, access);
        }
        // Nothing lies in what is hidden.
        mounts.0.retain(|path, _| !path.ancestors().skip(1).any(|above| kept.hidden.contains(above)));
        if mounts.0.len() > MOST_PINS {
            return Err(format!(
                "its folders hold {} protected places, more than {MOST_PINS}",
                mounts.0.len()
            ));
        }
        Ok(mounts)
    }

    /// Mounts every folder between a top and a path onto itself.
    fn pin_parents(&mut self, tops: &[&Path], path: &Path) {
        for parent in path.ancestors().skip(1) {
            let below = tops.iter().any(|top| parent.starts_with(top) && parent != *top);
            if below {
                self.0.entry(parent.to_owned()).or_insert(MountAccess::Writable);
            }
        }
    }

    /// Returns each as a mount of the path onto itself.
    pub(super) fn of_themselves(
        &self,
        nothing: &HidingPlaceholders,
    ) -> impl Iterator<Item = Result<Mount, String>> {
        self.0.iter().map(|(path, access)| match access {
            MountAccess::Hidden if path.is_dir() => mount_onto(&nothing.folder, path, *access),
            MountAccess::Hidden => mount_onto(&nothing.file, path, *access),
            MountAccess::Writable | MountAccess::ReadOnly => mount_onto(path, path, *access),
        })
    }
}

pub(super) fn mount_onto(path: &Path, target: &Path, access: MountAccess) -> Result<Mount, String> {
    let text = |path: &Path| {
        CString::new(path.as_os_str().as_bytes()).map_err(|_| format!("{} holds NUL", path.display()))
    };
    Ok(Mount { target: text(target)?, source: text(path)?, read_only: access != MountAccess::Writable })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(places: &[&str], repositories: &[&str]) -> Survey {
        Survey {
            places: places.iter().map(|place| (PathBuf::from(place), PlaceKind::Plain)).collect(),
            repositories: repositories.iter().map(PathBuf::from).collect(),
            ..Survey::default()
        }
    }

    #[test]
    fn a_place_is_pinned_with_its_parents() {
        let survey = survey(&["/p/a/b/.git/config", "/p/.vscode"], &["/p/a/b/.git"]);
        let stand_ins = [PathBuf::from("/p/.claude")];
        let kept = WithheldFiles {
            hidden: [PathBuf::from("/p/a/b/.env"), PathBuf::from("/p/c")].into(),
            pinned: [PathBuf::from("/p/c/x.lock")].into(),
        };
        let mounts = Mounts::new(&["/p".to_owned()], &survey, &kept, stand_ins.into_iter()).unwrap();
        let expected = [
            ("/p", MountAccess::Writable),
            ("/p/.claude", MountAccess::ReadOnly),
            ("/p/.vscode", MountAccess::ReadOnly),
            ("/p/a", MountAccess::Writable),
            ("/p/a/b", MountAccess::Writable),
            ("/p/a/b/.env", MountAccess::Hidden),
            ("/p/a/b/.git", MountAccess::Writable),
            ("/p/a/b/.git/config", MountAccess::ReadOnly),
            ("/p/c", MountAccess::Hidden),
        ];
        let found: Vec<(&str, MountAccess)> =
            mounts.0.iter().map(|(path, access)| (path.to_str().unwrap(), *access)).collect();
        assert_eq!(found, expected, "parents come first");
    }

    #[test]
    fn too_many_places_are_refused() {
        let places: Vec<String> = (0..=MOST_PINS).map(|at| format!("/p/{at}/.vscode")).collect();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let refused =
            Mounts::new(&["/p".to_owned()], &survey(&places, &[]), &WithheldFiles::default(), [].into_iter());
        assert!(refused.unwrap_err().contains("more than 2000"));
    }
}
