//! Protected places that were in a folder when the first of the runs that are under way in it began.
//!
//! A run that starts beside another one may find what that one planted. If it took this for the user's, it could plant the
//! same again as soon as the other one has ended. Each run holds a shared lock on a file of its folder, which holds the places;
//! who gets the lock alone writes them. The last run empties the file: one that is not empty and that nobody holds was left by a
//! program that was killed, and what its runs planted is still there.

use super::survey::{PlaceKind, Survey, SurveyedPlaces};
use postern_policy::private_cache;
use rustix::fs::FlockOperation;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Ending of the files' names.
const ENDING: &str = ".places";

/// A run's share in the places of its folders, until it is dropped.
#[derive(Debug)]
pub(super) struct Baseline {
    /// Places to compare with after the run.
    pub(super) places: SurveyedPlaces,
    shares: Vec<File>,
}

/// A folder's file, locked.
struct Locked {
    folder: PathBuf,
    file: File,
    /// Places that were there when the first run began; `None` if no other run is under way.
    joined: Option<SurveyedPlaces>,
}

impl Baseline {
    /// Joins the runs in these folders.
    ///
    /// `left` is called first, with each folder whose last run was killed and the places that it had. `survey` is called
    /// while no other run can begin or end to count there.
    pub(super) fn join_runs(
        folders: &[String],
        home: &str,
        mut left: impl FnMut(&Path, &SurveyedPlaces),
        survey: impl FnOnce() -> Result<Survey, String>,
    ) -> Result<(Self, Survey), String> {
        // Everybody locks in this order, so that nobody waits for somebody who waits for him.
        let mut sorted: Vec<&String> = folders.iter().collect();
        sorted.sort();
        sorted.dedup();
        let mut locked = Vec::new();
        for folder in sorted {
            let path = private_cache(home, std::slice::from_ref(folder), cfg!(target_os = "macos")) + ENDING;
            let told = |error: io::Error| format!("{path}: {error}");
            let file = open_file(Path::new(&path)).map_err(told)?;
            locked.push(Locked::new(folder, file, &mut left).map_err(told)?);
        }
        // Those that begin or end meanwhile count as well.
        let mut around = runs_around(home, folders);
        let survey = survey()?;
        around.extend(runs_around(home, folders));
        let of_user = |path: &Path| {
            around.iter().all(|(folder, before)| !path.starts_with(folder) || before.contains_key(path))
        };
        let mut places = survey.places.clone();
        places.retain(|path, _| of_user(path));
        let found = places.clone();
        for one in &locked {
            let told = |error: io::Error| format!("what was in {}: {error}", one.folder.display());
            one.settle(&found, &mut places).map_err(told)?;
        }
        // In reverse, for the same reason: a share may be taken from us while we change it.
        for one in locked.iter().rev().filter(|one| one.joined.is_none()) {
            let told = |error: io::Error| format!("what was in {}: {error}", one.folder.display());
            one.share_lock(&found).map_err(told)?;
        }
        let shares = locked.into_iter().map(|one| one.file).collect();
        Ok((Self { places, shares }, survey))
    }

    /// Calls `left` with each folder whose last run was killed, and the places that it had.
    pub(super) fn recover(home: &str, mut left: impl FnMut(&Path, &SurveyedPlaces)) {
        for file in files_with_places(home) {
            if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            if let Ok(Some((folder, places))) = read_places(&file) {
                left(&folder, &places);
            }
            _ = file.set_len(0);
        }
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        for share in &self.shares {
            // The share is given up in any case; who is alone then was the last.
            if rustix::fs::flock(share, FlockOperation::NonBlockingLockExclusive).is_ok() {
                _ = share.set_len(0);
            }
        }
    }
}

impl Locked {
    fn new(folder: &str, file: File, left: &mut impl FnMut(&Path, &SurveyedPlaces)) -> io::Result<Self> {
        let folder = PathBuf::from(folder);
        loop {
            if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                if let Some((of, places)) = read_places(&file)?.filter(|(of, _)| *of == folder) {
                    left(&of, &places);
                }
                return Ok(Self { folder, file, joined: None });
            }
            rustix::fs::flock(&file, FlockOperation::LockShared)?;
            // An empty one was left by the last run meanwhile.
            if let Some((_, places)) = read_places(&file)?.filter(|(of, _)| *of == folder) {
                return Ok(Self { folder, file, joined: Some(places) });
            }
            rustix::fs::flock(&file, FlockOperation::Unlock)?;
        }
    }

    /// Writes the places of this folder, or takes those that were there when the first run began.
    fn settle(&self, found: &SurveyedPlaces, places: &mut SurveyedPlaces) -> io::Result<()> {
        if let Some(joined) = &self.joined {
            places.retain(|path, _| !path.starts_with(&self.folder));
            places.extend(joined.clone());
            return Ok(());
        }
        self.write_places(found)
    }

    /// Lets others join. The system gives the lock up to change it: who got it meanwhile may have emptied the file.
    fn share_lock(&self, found: &SurveyedPlaces) -> io::Result<()> {
        loop {
            rustix::fs::flock(&self.file, FlockOperation::LockShared)?;
            if read_places(&self.file)?.is_some() {
                return Ok(());
            }
            if rustix::fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                self.write_places(found)?;
            }
        }
    }

    fn write_places(&self, found: &SurveyedPlaces) -> io::Result<()> {
        let mut text = Vec::new();
        let mut write = |part: &OsStr| {
            text.extend_from_slice(part.as_bytes());
            text.push(0);
        };
        write(self.folder.as_os_str());
        for (path, kind) in found.iter().filter(|(path, _)| path.starts_with(&self.folder)) {
            write(path.as_os_str());
            let (letter, more) = match kind {
                PlaceKind::Plain => ("", OsStr::new("")),
                PlaceKind::Link(way) => ("l", way.as_os_str()),
                PlaceKind::RebaseSteps(lines) => ("r", lines.as_os_str()),
            };
            let mut kind = OsString::from(letter);
            kind.push(more);
            write(&kind);
        }
        self.file.set_len(0)?;
        self.file.write_all_at(&text, 0)
    }
}

/// Opens the files of folders in which runs are under way, or were killed: the last run of a folder empties its file.
fn files_with_places(home: &str) -> impl Iterator<Item = File> {
    let some = private_cache(home, &[], cfg!(target_os = "macos"));
    let entries = Path::new(&some).parent().map(std::fs::read_dir);
    let files = entries.into_iter().flatten().flatten().flatten().map(|entry| entry.path());
    let holds_places = |path: &PathBuf| {
        path.as_os_str().as_bytes().ends_with(ENDING.as_bytes())
            && path.metadata().is_ok_and(|found| found.len() > 0)
    };
    files.filter(holds_places).filter_map(|path| open_file(&path).ok())
}

/// Returns the folders above and below these in which runs are under way, with the places that were there before these.
fn runs_around(home: &str, folders: &[String]) -> Vec<(PathBuf, SurveyedPlaces)> {
    let around = |(other, _): &(PathBuf, SurveyedPlaces)| {
        let own = folders.iter().map(Path::new);
        { own }.any(|own| own != other && (own.starts_with(other) || other.starts_with(own)))
    };
    files_with_places(home).filter_map(|file| read_places(&file).ok()?).filter(around).collect()
}

/// Opens a file beside the private caches, which no run can open, to lock it.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let above = path.parent().unwrap_or(Path::new("/"));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(above)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Returns the folder and its places; `None` if the file is empty.
fn read_places(mut file: &File) -> io::Result<Option<(PathBuf, SurveyedPlaces)>> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    let mut parts = text.split(|byte| *byte == 0).map(OsStr::from_bytes);
    let Some(folder) = parts.next().filter(|folder| !folder.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let mut places = SurveyedPlaces::new();
    while let (Some(path), Some(kind)) = (parts.next(), parts.next()) {
        let more = |from: &[u8]| OsStr::from_bytes(from).to_owned();
        let kind = match kind.as_bytes() {
            [b'l', way @ ..] => PlaceKind::Link(more(way)),
            [b'r', lines @ ..] => PlaceKind::RebaseSteps(more(lines)),
            _ => PlaceKind::Plain,
        };
        places.insert(PathBuf::from(path), kind);
    }
    Ok(Some((folder, places)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(paths: &[&str]) -> Survey {
        let places = paths.iter().map(|path| (PathBuf::from(path), PlaceKind::Plain));
        let link = (PathBuf::from("/p/link"), PlaceKind::Link("/there\nnow".into()));
        Survey { places: places.chain([link]).collect(), ..Survey::default() }
    }

    fn join(home: &Path, folders: &[&str], found: &[&str]) -> (Baseline, Vec<(PathBuf, SurveyedPlaces)>) {
        let folders: Vec<String> = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let mut killed = Vec::new();
        let left = |folder: &Path, places: &SurveyedPlaces| killed.push((folder.to_owned(), places.clone()));
        let (baseline, seen) =
            Baseline::join_runs(&folders, home.to_str().unwrap(), left, || Ok(survey(found))).unwrap();
        assert_eq!(seen.places, survey(found).places, "what is there is pinned all the same");
        (baseline, killed)
    }

    #[test]
    fn what_appears_between_two_runs_at_once_is_nobodys() {
        let home = tempfile::tempdir().unwrap();
        let (first, _) = join(home.path(), &["/p"], &["/p/a"]);
        let (second, _) = join(home.path(), &["/q", "/p"], &["/p/a", "/p/new", "/q/b"]);
        assert_eq!(second.places, survey(&["/p/a", "/q/b"]).places, "the first one may have planted it");
        drop(first);
        let (third, killed) = join(home.path(), &["/p"], &["/p/a", "/p/new"]);
        assert!(!third.places.contains_key(Path::new("/p/new")), "the second one is still under way");
        drop((second, third));
        let (fourth, killed_later) = join(home.path(), &["/p"], &["/p/new"]);
        assert_eq!(fourth.places, survey(&["/p/new"]).places, "the first of the next runs starts over");
        assert!(killed.is_empty() && killed_later.is_empty());
    }

    #[test]
    fn what_a_run_in_a_folder_around_planted_is_nobodys() {
        for (first, second) in [("/p", "/p/sub"), ("/p/sub", "/p")] {
            let home = tempfile::tempdir().unwrap();
            let (_running, _) = join(home.path(), &[first], &["/p/sub/a"]);
            let (other, _) = join(home.path(), &[second], &["/p/sub/a", "/p/sub/new"]);
            let seen: Vec<&str> = other.places.keys().filter_map(|path| path.to_str()).collect();
            assert!(
                seen.contains(&"/p/sub/a") && !seen.contains(&"/p/sub/new"),
                "{first}, {second}: {seen:?}"
            );
        }
    }

    #[test]
    fn what_a_killed_run_left_is_found_by_the_next_one_and_by_the_host() {
        let home = tempfile::tempdir().unwrap();
        let killed = |found: &[&str]| {
            let (mut baseline, _) = join(home.path(), &["/p"], found);
            // Nobody empties the file of a process that was killed.
            baseline.shares.clear();
        };
        killed(&["/p/a"]);
        let (next, left) = join(home.path(), &["/p"], &["/p/a", "/p/new"]);
        assert_eq!(left, [("/p".into(), survey(&["/p/a"]).places)]);
        let mut found = Vec::new();
        let mut recover = || {
            Baseline::recover(home.path().to_str().unwrap(), |folder, places| {
                found.push((folder.to_owned(), places.len()));
            });
        };
        recover();
        drop(next);
        recover();
        killed(&["/p/b"]);
        recover();
        recover();
        assert_eq!(found, [("/p".into(), 2)], "once, and not while a run is under way");
    }
}
