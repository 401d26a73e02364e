//! Everything that changes when a file does.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Inode and times of a file.
///
/// Two equal states with the same settled times are the same content: mtime can be set back by the owner of
/// the file, ctime cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileState {
    pub device: u64,
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Change time, nanoseconds since 1970.
    pub ctime_ns: i128,
}

impl FileState {
    /// Returns the state of an opened file.
    ///
    /// # Errors
    /// What `fstat` says.
    pub fn from_file(file: &File) -> std::io::Result<Self> {
        Ok(Self::from_metadata(&file.metadata()?))
    }

    /// Returns the state of a file with this metadata.
    pub fn from_metadata(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            mtime_ns: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            ctime_ns: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Returns true if it last changed longer than `margin` before `now`. Times in the future are never
    /// settled.
    pub fn settled(&self, now: SystemTime, margin: Duration) -> bool {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let latest = self.mtime_ns.max(self.ctime_ns).saturating_add_unsigned(margin.as_nanos());
        i128::try_from(now).is_ok_and(|now| latest < now)
    }

    /// Returns true if `other` is the same file, whatever became of its content.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

fn nanoseconds(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}
