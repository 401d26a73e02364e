//! First bytes of a record, read without opening it: for when no host runs, or none can.

use crate::file::beside;
use crate::migrate;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// State of the file at a record's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordHeader {
    /// A record that this version can open, as far as its first bytes tell.
    Known,
    /// Nothing.
    Missing,
    /// An empty file, or a database without tables: what was in its log is gone with the log.
    Empty,
    /// No database, or one whose first bytes were overwritten.
    Damaged,
    /// A database of another program.
    Foreign,
    /// A record of a newer Postern.
    Newer {
        /// Format of the file.
        found: u32,
        /// The newest format that is known here.
        known: i64,
    },
    /// Something that cannot be read: the reason.
    Unreadable(String),
}

/// Length of the header of the file, and of what follows in the first page: its kind and its number of entries.
const FIRST: usize = 105;
/// Kind of a page that holds entries itself.
const LEAF: u8 = 13;

/// Reads the first bytes of the record at `path`. Changes nothing, and waits for nobody's lock.
pub fn header(path: &Path) -> RecordHeader {
    // Before it is opened: a pipe would be waited for.
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            return RecordHeader::Unreadable("it is not a regular file".to_owned());
        }
        Ok(found) if found.len() == 0 => return RecordHeader::Empty,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return RecordHeader::Missing,
        Err(error) => return RecordHeader::Unreadable(error.to_string()),
    }
    let mut first = [0; FIRST];
    match File::open(path).and_then(|mut file| file.read_exact(&mut first)) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => RecordHeader::Damaged,
        Err(error) => RecordHeader::Unreadable(error.to_string()),
        Ok(()) if !first.starts_with(b"SQLite format 3\0") => RecordHeader::Damaged,
        Ok(()) => identity(&first, path),
    }
}

/// Identifies a record by its header. The format is in the first page, which may still be in the log.
fn identity(first: &[u8; FIRST], path: &Path) -> RecordHeader {
    let logged = || std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let (application, found) = (number(first, 68), number(first, 60));
    let known = migrate::newest();
    if i64::from(application) != migrate::APPLICATION {
        let without_tables = found == 0 && first[100] == LEAF && first[103..] == [0, 0];
        return match application {
            0 if logged() => RecordHeader::Known,
            0 if without_tables => RecordHeader::Empty,
            _ => RecordHeader::Foreign,
        };
    }
    if i64::from(found) > known { RecordHeader::Newer { found, known } } else { RecordHeader::Known }
}

fn number(bytes: &[u8; FIRST], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}
