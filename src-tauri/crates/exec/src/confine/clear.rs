//! Removal of what confined runs leave in the private caches of their folders.

use super::{kept_for, temporary};
use postern_policy::private_cache;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time after which an unchanged temporary file is removed.
const TEMPORARY_FOR: Duration = Duration::from_hours(3 * 24);

/// Time after which the private cache of folders in which nothing ran is removed.
const CACHE_FOR: Duration = Duration::from_hours(30 * 24);

/// Removes the private caches that no run used for thirty days. From the folders beside the others it removes what did not
/// change for three.
pub fn clear_temporary(home: &str) {
    let some = private_cache(home, &[], cfg!(target_os = "macos"));
    let Some(all) = Path::new(&some).parent() else { return };
    let is_cache = |entry: &DirEntry| {
        !entry.file_name().as_encoded_bytes().contains(&b'.')
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    for cache in entries(all).filter(is_cache).map(|entry| entry.path()) {
        let Some(name) = cache.to_str() else { continue };
        let beside = [temporary(name), kept_for(name)].map(PathBuf::from);
        if beside.iter().chain([&cache]).all(|part| is_older(part, CACHE_FOR)) {
            beside.iter().chain([&cache]).for_each(|part| remove(part));
            continue;
        }
        let old = beside.iter().flat_map(|folder| entries(folder)).map(|entry| entry.path());
        old.filter(|path| is_older(path, TEMPORARY_FOR)).for_each(|path| remove(&path));
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok)
}

/// Returns true if nothing changed there for longer than `limit`, or if nothing is there.
fn is_older(path: &Path, limit: Duration) -> bool {
    match std::fs::symlink_metadata(path).and_then(|found| found.modified()) {
        Ok(changed) => changed.elapsed().is_ok_and(|age| age > limit),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Removes a file, or a folder with what is in it. One that stays is told in the log.
fn remove(path: &Path) {
    let removed = match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = removed {
        tracing::warn!(path = %path.display(), %error, "a temporary file was not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::time::SystemTime;

    /// Makes a folder that was changed so many days ago.
    fn folder(path: &Path, days: u64) {
        fs::create_dir_all(path).unwrap();
        let changed = SystemTime::now() - Duration::from_hours(24 * days);
        File::open(path).unwrap().set_modified(changed).unwrap();
    }

    #[test]
    fn a_cache_that_no_run_used_for_long_goes_whole_and_another_loses_what_is_old() {
        let home = tempfile::tempdir().unwrap();
        let cache = |of: &str| {
            let folders = [of.to_owned()];
            private_cache(home.path().to_str().unwrap(), &folders, cfg!(target_os = "macos"))
        };
        let (unused, used) = (cache("/unused"), cache("/used"));
        let running = Path::new(&used).with_file_name(".running");
        for (cache, days) in [(&unused, 31), (&used, 29)] {
            folder(&Path::new(&kept_for(cache)).join("old"), days);
            folder(&Path::new(&temporary(cache)).join("new"), 1);
            for part in [cache.clone(), kept_for(cache), temporary(cache)] {
                folder(Path::new(&part), days);
            }
        }
        folder(&running, 31);
        clear_temporary(home.path().to_str().unwrap());
        for part in [unused.clone(), kept_for(&unused), temporary(&unused)] {
            assert!(!Path::new(&part).exists(), "{part}");
        }
        assert!(Path::new(&used).is_dir() && Path::new(&temporary(&used)).join("new").is_dir());
        assert!(!Path::new(&kept_for(&used)).join("old").exists());
        assert!(running.is_dir(), "the places of folders are never removed here: a run may hold them");
    }
}
