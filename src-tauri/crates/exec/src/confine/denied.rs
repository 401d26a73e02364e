//! Files in a run's folders that deny rules name or that hold secrets, found by walking them. No link is followed.
//!
//! What a confined program opens is seen by no verdict, so these files are not there for it.

use super::survey::MOST_BEFORE;
use crate::resolve::real_path_at;
use postern_policy::DeniedFiles;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Files that a run may not use.
#[derive(Debug, Default)]
pub(super) struct WithheldFiles {
    /// Those that it may not read, nor what is below them.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Those that it may not write.
    pub(super) pinned: BTreeSet<PathBuf>,
}

impl WithheldFiles {
    /// Finds them in these folders and files. `home` begins patterns that name the home folder.
    pub(super) fn find_in<'f>(
        folders: impl Iterator<Item = &'f str>,
        denied: &postern_policy::Denied,
        home: &str,
    ) -> Result<Self, String> {
        let mut kept = Self::default();
        let files = DeniedFiles::new(denied, home)?;
        if files.is_empty() {
            return Ok(kept);
        }
        for place in files.fixed_paths().map(PathBuf::from).filter(|place| place.symlink_metadata().is_ok()) {
            kept.hidden.extend(real_path_at(&place));
            kept.hidden.insert(place);
        }
        let mut open: Vec<PathBuf> = Vec::new();
        for folder in folders.map(PathBuf::from) {
            // A rule that names a folder of the run names all of it.
            if !kept.withhold_path(&folder, true, &files)? {
                open.push(folder);
            }
        }
        let mut left = MOST_BEFORE;
        while let Some(folder) = open.pop() {
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                // It may hold some.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    kept.hidden.insert(folder);
                    continue;
                }
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    continue;
                }
                Err(error) => return Err(format!("{}: {error}", folder.display())),
            };
            for entry in entries {
                let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
                left = left.checked_sub(1).ok_or_else(|| {
                    format!("its folders hold more than {MOST_BEFORE} entries, and some files in them are kept from it")
                })?;
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if kept.withhold_path(&path, is_folder, &files)? || !is_folder {
                    continue;
                }
                if !files.pass_over(&entry.file_name().to_string_lossy()) {
                    open.push(path);
                }
            }
        }
        Ok(kept)
    }

    /// Takes those out that a run of these folders could not write anyway, and returns those of them that it may not read.
    #[cfg(target_os = "linux")]
    pub(super) fn take_elsewhere(&mut self, folders: &[String]) -> BTreeSet<PathBuf> {
        let here = |path: &PathBuf| folders.iter().any(|folder| path.starts_with(folder));
        self.pinned.retain(here);
        let (own, elsewhere) = std::mem::take(&mut self.hidden).into_iter().partition(here);
        self.hidden = own;
        elsewhere
    }

    /// Takes a file or folder that is kept from it, with its target if it is a link. Returns true if all of it may not be read.
    fn withhold_path(&mut self, path: &Path, is_folder: bool, files: &DeniedFiles) -> Result<bool, String> {
        let text = path.to_string_lossy();
        let hide = files.is_read_denied(&text) || !is_folder && files.is_secret(&text);
        let pin = files.is_write_denied(&text);
        if !hide && !pin {
            return Ok(false);
        }
        let into = if hide { &mut self.hidden } else { &mut self.pinned };
        for place in [Some(path.to_owned()), path.canonicalize().ok()].into_iter().flatten() {
            match place.symlink_metadata() {
                // Its target is kept.
                Ok(found) if found.is_symlink() => {}
                Ok(found) if found.is_file() && found.nlink() > 1 => {
                    let (place, names) = (place.display(), found.nlink());
                    return Err(format!("{place} is kept from it, and has {names} names (hard links)"));
                }
                Ok(_) => _ = into.insert(place),
                Err(_) => {}
            }
        }
        Ok(hide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_policy::Denied;
    use std::fs;

    #[test]
    fn files_are_found_at_any_depth_with_what_links_lead_to() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        for folder in ["a/.vscode", ".git", "secrets/deep"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in [".env", "a/.ENV", "a/.vscode/.env", ".git/.env", "secrets/deep/x", "real", "a/b.lock"] {
            fs::write(top.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink("../real", top.join("secrets/link")).unwrap();
        fs::create_dir(top.join("l")).unwrap();
        std::os::unix::fs::symlink("../real", top.join("l/.env")).unwrap();
        let denied = Denied {
            read: vec!["**/.env".to_owned(), format!("{}/secrets/**", top.display())],
            write: vec!["**/*.lock".to_owned()],
            ..Denied::default()
        };
        let find = || WithheldFiles::find_in([top.to_str().unwrap()].into_iter(), &denied, "/home/u");
        let kept = find().unwrap();
        let names = |all: &BTreeSet<PathBuf>| -> Vec<String> {
            all.iter().map(|path| path.strip_prefix(&top).unwrap().display().to_string()).collect()
        };
        assert_eq!(names(&kept.hidden), [".env", ".git/.env", "a/.ENV", "a/.vscode/.env", "real", "secrets"]);
        assert_eq!(names(&kept.pinned), ["a/b.lock"]);
        fs::hard_link(top.join(".env"), top.join("other-name")).unwrap();
        assert!(find().unwrap_err().contains("2 names"), "another name would show it");
    }

    #[test]
    fn files_that_hold_secrets_are_found_by_their_names_and_folders_are_not() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        for folder in [".env/bin", "a/.docker", "node_modules/x", ".git", "secret"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in [
            ".env/bin/python", "a/.ENV.local", "a/.env.example", "a/.docker/config.json", "server-key.pem",
            "key.rs", "node_modules/x/.env", ".git/.env", "secret/token",
        ] {
            fs::write(top.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink("secret/token", top.join("id_rsa")).unwrap();
        let denied = Denied { secrets: true, ..Denied::default() };
        let kept = WithheldFiles::find_in([top.to_str().unwrap()].into_iter(), &denied, "/home/u").unwrap();
        let names: Vec<_> =
            kept.hidden.iter().map(|path| path.strip_prefix(&top).unwrap().display().to_string()).collect();
        assert_eq!(names, ["a/.ENV.local", "a/.docker/config.json", "secret/token", "server-key.pem"]);
        assert!(kept.pinned.is_empty());
    }
}
