//! The file that the record lies in: private from birth, set aside when it is damaged, never deleted.

use crate::error::OpenError;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Suffixes of the files beside the database: SQLite's own, and the head of the audit.
const COMPANIONS: [&str; 4] = ["", "-wal", "-shm", AUDIT_HEAD];
pub(crate) const AUDIT_HEAD: &str = ".audit";

/// Makes the folder (0700) and the file (0600) where they are missing, and takes rights from others where they have
/// some. Gives the path with its folder's links resolved, because the file is then opened without following any.
pub(crate) fn prepare(path: &Path) -> Result<PathBuf, OpenError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| OpenError::File { path, source }
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at(folder))?;
    std::fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(at(folder))?;
    let name = path.file_name().ok_or_else(|| at(path)(io::Error::from(io::ErrorKind::InvalidInput)))?;
    let path = folder.canonicalize().map_err(at(folder))?.join(name);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => {
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(at(&path))?;
        }
        Ok(_) => return Err(at(&path)(io::Error::other("is not a regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            new.map_err(at(&path))?;
        }
        Err(error) => return Err(at(&path)(error)),
    }
    Ok(path)
}

/// Moves a damaged file and what SQLite keeps beside it to `NAME.damaged-UTC`, and gives that path.
pub(crate) fn set_aside(path: &Path) -> Result<PathBuf, OpenError> {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut aside = beside(path, &format!(".damaged-{stamp}"));
    while aside.symlink_metadata().is_ok() {
        aside = beside(&aside, "-again");
    }
    for companion in COMPANIONS {
        match std::fs::rename(beside(path, companion), beside(&aside, companion)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(OpenError::File { path: beside(path, companion), source }),
        }
    }
    Ok(aside)
}

/// Writes a file that nobody else may read, in place of what is there, and returns it.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    Ok(file)
}

/// Returns the identity of a file: its device and inode.
pub(crate) fn same_file(path: &Path) -> io::Result<(u64, u64)> {
    let found = std::fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
