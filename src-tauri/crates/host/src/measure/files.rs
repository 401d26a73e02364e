//! Number of files below a folder, and their bytes.

use super::Until;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use std::ffi::CString;
use std::path::Path;
use std::rc::Rc;

/// Entries that are counted at most.
const MOST: u64 = 500_000;
/// Entries between two looks at the clock.
const BETWEEN: u64 = 64;

/// Returns the number of files below a folder and their bytes. `None` if it is no folder (a link to one is none), or if
/// there are too many.
pub(super) fn count_below(folder: &Path, until: Until) -> Option<(u64, u64)> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let root = openat(CWD, folder, flags, Mode::empty()).ok()?;
    let mut left: Vec<(Rc<OwnedFd>, CString)> = Vec::new();
    let (mut files, mut bytes, mut seen) = (0u64, 0u64, 0u64);
    let mut next = Some(Rc::new(root));
    while let Some(folder) = next {
        for entry in Dir::read_from(&*folder).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            seen += 1;
            if seen > MOST || seen.is_multiple_of(BETWEEN) && until.check().is_none() {
                return None;
            }
            let stat = statat(&*folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                left.push((Rc::clone(&folder), name.to_owned()));
            } else {
                files += 1;
                bytes = bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or_default());
            }
        }
        next = match left.pop() {
            Some((parent, name)) => Some(Rc::new(openat(&*parent, name, flags, Mode::empty()).ok()?)),
            None => None,
        };
    }
    Some((files, bytes))
}

#[cfg(test)]
mod tests {
    use super::{Until, count_below};
    use std::time::{Duration, Instant};

    #[test]
    fn files_are_counted_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, other) = (folder.path().join("build/a"), folder.path().join("other"));
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(inner.join("x"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("build/y"), [0; 5]).unwrap();
        std::fs::write(other.join("z"), [0; 1000]).unwrap();
        std::os::unix::fs::symlink(&other, inner.join("link")).unwrap();
        let later = Until::far();
        let (files, bytes) = count_below(&folder.path().join("build"), later).unwrap();
        assert_eq!(files, 3, "the link itself is a file");
        assert!((15..1000).contains(&bytes), "its target is not counted: {bytes}");
        assert_eq!(count_below(&inner.join("link"), later), None, "a link is no folder");
        assert_eq!(count_below(&inner.join("x"), later), None);
        for nth in 0..200 {
            std::fs::write(other.join(format!("f{nth}")), "").unwrap();
        }
        let past = Until(Instant::now().checked_sub(Duration::from_secs(1)).unwrap());
        assert_eq!(count_below(&other, past), None, "what takes too long is left out");
    }
}
