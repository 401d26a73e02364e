//! Reads small files of the user, whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file to read. Never waits for a pipe, and never for a device.
///
/// # Errors
/// As the system says, and for what is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// Opens a regular file to read, if its path names no link.
///
/// # Errors
/// As [`open_regular`], and for a link.
pub fn open_no_link(path: &Path) -> io::Result<File> {
    open_with(path, libc::O_NOFOLLOW)
}

fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC | flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("is not a file")) }
}

/// Reads the whole file.
///
/// # Errors
/// As the system says, and for a file of more than `most` bytes.
pub fn read_bytes(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut bytes)?;
    if read as u64 > most {
        return Err(io::Error::other(format!("is longer than {} KiB", most / 1024)));
    }
    Ok(bytes)
}

/// Reads the whole file as text.
///
/// # Errors
/// As [`read_bytes`], and for text that is not UTF-8.
pub fn read_text(file: &File, most: u64) -> io::Result<String> {
    String::from_utf8(read_bytes(file, most)?).map_err(|_| io::Error::other("is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x".repeat(2048)).unwrap();
        let file = || open_regular(&path).unwrap();
        assert_eq!(read_text(&file(), 2048).unwrap().len(), 2048);
        assert_eq!(read_text(&file(), 2047).unwrap_err().to_string(), "is longer than 1 KiB");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&file(), 2048).unwrap_err().to_string(), "is not UTF-8 text");
    }

    #[test]
    fn what_is_no_file_of_its_own_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open_regular(folder.path()).unwrap_err().to_string(), "is not a file");
        assert_eq!(open_regular(Path::new("/dev/null")).unwrap_err().to_string(), "is not a file");
        #[cfg(target_os = "linux")]
        {
            let pipe = folder.path().join("pipe");
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
            let refused = open_regular(&pipe).unwrap_err().to_string();
            assert_eq!(refused, "is not a file", "nobody waits for a writer");
        }
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(open_regular(&link).is_ok());
        assert!(open_no_link(&link).is_err());
    }
}
