//! Protected places that were in a folder when the first of the runs that are under way in it began.
//!
//! A run that starts beside another one may find what that one planted. If it took this for the user's, it could plant the
//! same again as soon as the other one has ended. Each run holds a shared lock on a file of its folder, which holds the places;
//! who gets the lock alone writes them. The last run empties the file and removes it: one that nobody holds was left by a program
//! that was killed, and what its runs planted is still there.

use super::overlap;
use super::survey::{PlaceKind, Survey, SurveyedPlaces};
use postern_policy::private_cache;
use rustix::fs::FlockOperation;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Folder of the files, beside the private caches, which no run can open.
const RUNNING: &str = ".running";

/// A run's share in the places of its folders, until it is dropped.
#[derive(Debug)]
pub(super) struct Baseline {
    /// Places to compare with after the run.
    pub(super) places: SurveyedPlaces,
    shares: Vec<PlacesFile>,
}

/// A folder's file, which may be removed from its path.
#[derive(Debug)]
struct PlacesFile {
    path: PathBuf,
    file: File,
}

struct Locked {
    folder: PathBuf,
    share: PlacesFile,
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
            let path = places_path(home, folder);
            let told = |error: io::Error| format!("{}: {error}", path.display());
            locked.push(Locked::new(folder, &path, &mut left).map_err(told)?);
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
        for one in locked.iter_mut().rev().filter(|one| one.joined.is_none()) {
            let shared = one.share_lock(&found);
            shared.map_err(|error| format!("what was in {}: {error}", one.folder.display()))?;
        }
        let shares = locked.into_iter().map(|one| one.share).collect();
        Ok((Self { places, shares }, survey))
    }

    /// Calls `left` with each folder whose last run was killed, and the places that it had.
    pub(super) fn recover(home: &str, mut left: impl FnMut(&Path, &SurveyedPlaces)) {
        for share in running_files(home).filter(PlacesFile::lock_alone) {
            if let Ok(Some((folder, places))) = read_places(&share.file) {
                left(&folder, &places);
            }
            share.remove();
        }
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // A share is given up in any case; who is alone then was the last.
        for share in self.shares.iter().filter(|share| share.lock_alone()) {
            share.remove();
        }
    }
}

impl PlacesFile {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: open_file(path)? })
    }

    /// Locks the file, if nobody else has a share in it.
    fn lock_alone(&self) -> bool {
        rustix::fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_ok()
    }

    /// Returns true if its path still leads to it. Who has locked it alone may remove it.
    fn is_there(&self) -> bool {
        let number = |found: std::fs::Metadata| (found.dev(), found.ino());
        let there = self.path.symlink_metadata().map(number);
        there.is_ok_and(|there| self.file.metadata().map(number).is_ok_and(|own| own == there))
    }

    /// Empties and removes the file, which is locked alone. Who waits for it finds nothing in it.
    fn remove(&self) {
        _ = self.file.set_len(0);
        if self.is_there() {
            _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Locked {
    fn new(folder: &str, path: &Path, left: &mut impl FnMut(&Path, &SurveyedPlaces)) -> io::Result<Self> {
        let folder = PathBuf::from(folder);
        loop {
            let share = PlacesFile::open(path)?;
            if share.lock_alone() {
                // The last run removed it between.
                if !share.is_there() {
                    continue;
                }
                if let Some((of, places)) = read_places(&share.file)?.filter(|(of, _)| *of == folder) {
                    left(&of, &places);
                }
                return Ok(Self { folder, share, joined: None });
            }
            rustix::fs::flock(&share.file, FlockOperation::LockShared)?;
            // An empty one was left by the last run meanwhile.
            if let Some((_, places)) = read_places(&share.file)?.filter(|(of, _)| *of == folder) {
                return Ok(Self { folder, share, joined: Some(places) });
            }
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

    /// Lets others join. The system gives the lock up to change it: who got it meanwhile may have removed the file.
    fn share_lock(&mut self, found: &SurveyedPlaces) -> io::Result<()> {
        loop {
            rustix::fs::flock(&self.share.file, FlockOperation::LockShared)?;
            if read_places(&self.share.file)?.is_some() {
                return Ok(());
            }
            self.share = PlacesFile::open(&self.share.path)?;
            if self.share.lock_alone() && self.share.is_there() {
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
                PlaceKind::GitState(lines) => ("r", lines.as_os_str()),
            };
            let mut kind = OsString::from(letter);
            kind.push(more);
            write(&kind);
        }
        self.share.file.set_len(0)?;
        self.share.file.write_all_at(&text, 0)
    }
}

/// Returns the folder of the files.
fn running_folder(home: &str) -> PathBuf {
    let some = PathBuf::from(private_cache(home, &[], cfg!(target_os = "macos")));
    some.with_file_name(RUNNING)
}

fn places_path(home: &str, folder: &str) -> PathBuf {
    let cache = PathBuf::from(private_cache(home, &[folder.to_owned()], cfg!(target_os = "macos")));
    running_folder(home).join(cache.file_name().unwrap_or_default())
}

/// Opens the files of folders in which runs are under way, or were killed.
fn running_files(home: &str) -> impl Iterator<Item = PlacesFile> {
    let entries = std::fs::read_dir(running_folder(home)).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let path = entry.path();
        let mut options = File::options();
        let file = options.read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(&path).ok()?;
        Some(PlacesFile { path, file })
    })
}

/// Returns the folders above and below these in which runs are under way, with the places that were there before these.
fn runs_around(home: &str, folders: &[String]) -> Vec<(PathBuf, SurveyedPlaces)> {
    let around = |(other, _): &(PathBuf, SurveyedPlaces)| {
        let own = folders.iter().map(Path::new);
        { own }.any(|own| own != other && overlap(own, other))
    };
    running_files(home).filter_map(|share| read_places(&share.file).ok()?).filter(around).collect()
}

/// Returns true if runs are under way in a folder, above it or below it. So are killed ones whose places nobody looked through yet.
pub(super) fn is_under_way(home: &str, folder: &Path) -> bool {
    let mut running = running_files(home).filter_map(|share| read_places(&share.file).ok()?);
    running.any(|(other, _)| overlap(folder, &other))
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
            [b'r', lines @ ..] => PlaceKind::GitState(more(lines)),
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
        let home_text = home.path().to_str().unwrap();
        for (folder, expected) in [("/p", true), ("/p/sub", true), ("/", true), ("/pq", false)] {
            assert_eq!(is_under_way(home_text, Path::new(folder)), expected, "{folder}");
        }
        let (third, killed) = join(home.path(), &["/p"], &["/p/a", "/p/new"]);
        assert!(!third.places.contains_key(Path::new("/p/new")), "the second one is still under way");
        drop((second, third));
        let got = running_files(home.path().to_str().unwrap()).count();
        assert_eq!(got, 0, "the last of them removes its file");
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
            assert!(seen.contains(&"/p/sub/a"), "{first}, {second}: {seen:?}");
            assert!(!seen.contains(&"/p/sub/new"), "{first}, {second}: {seen:?}");
        }
    }

    #[test]
    fn what_a_killed_run_left_is_found_by_the_next_one_and_by_the_host() {
        let home = tempfile::tempdir().unwrap();
        let killed = |found: &[&str]| {
            let (mut baseline, _) = join(home.path(), &["/p"], found);
            // Nobody removes the file of a process that was killed.
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
