//! A record that another program keeps locked: a person with `sqlite3`, a backup, a virus scanner.

use postern_store::FILE_NAME;
use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

/// Lock of a writer, in the index of the log: its first byte, and the number of bytes (SQLite's WAL format).
const WRITER: (u64, u64) = (120, 1);
/// Lock of a process that has the record to itself, in the record: its first byte, and the number of bytes (SQLite's locking).
const ALONE: (u64, u64) = (0x4000_0000, 512);
/// Time that a write takes at most. What is locked for longer was not locked to write to it.
const WRITE: Duration = Duration::from_millis(500);

/// Returns the process that lets nobody else write to the record for longer than a write takes.
///
/// Not for a process that has the record open: the system would end its locks with the files that are closed here.
pub(crate) fn find_locker(record: &Path) -> Option<u32> {
    let index = record.with_file_name(format!("{FILE_NAME}-shm"));
    let now = || locked_by(&index, WRITER).or_else(|| locked_by(record, ALONE));
    let first = now()?;
    std::thread::sleep(WRITE);
    now().filter(|later| *later == first)
}

fn locked_by(path: &Path, (start, length): (u64, u64)) -> Option<u32> {
    let wanted = Flock { start, length, ..Flock::from(FlockType::ReadLock) };
    // Where it cannot be told, nobody is named.
    let found = fcntl_getlk(open_file(path).ok()?, &wanted).ok()??;
    found.pid.map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
}

fn open_file(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
