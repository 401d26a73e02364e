//! The names in a folder, to know what is not there without asking the system for each.
//!
//! Of some two hundred protected places few exist, as of the programs that rules deny, and each question costs as much as one
//! about what does.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The names in a folder.
pub(crate) struct Listing {
    folder: PathBuf,
    /// Names, or `None` if anything may be there: the folder cannot be listed, or is large, or ignores case.
    names: Option<HashSet<OsString>>,
}

impl Listing {
    /// Lists a folder of so many names at `most`: in a larger one it is cheaper to ask.
    pub(crate) fn of(folder: &Path, most: usize) -> Self {
        let names = read_names(folder, most).ok().flatten().filter(|names| tells_cases_apart(folder, names));
        Self { folder: folder.to_owned(), names }
    }

    /// Returns false if nothing can be at a path.
    pub(crate) fn may_hold(&self, path: &Path) -> bool {
        let (Some(names), Ok(below)) = (&self.names, path.strip_prefix(&self.folder)) else { return true };
        match below.components().next() {
            Some(Component::Normal(first)) => names.contains(first),
            _ => true,
        }
    }
}

fn read_names(folder: &Path, most: usize) -> io::Result<Option<HashSet<OsString>>> {
    let names = std::fs::read_dir(folder)?.take(most + 1).map(|entry| Ok(entry?.file_name()));
    let names: HashSet<OsString> = names.collect::<io::Result<_>>()?;
    Ok(Some(names).filter(|names| names.len() <= most))
}

/// Returns true if the system does not find a name of the folder in another case.
fn tells_cases_apart(folder: &Path, names: &HashSet<OsString>) -> bool {
    let other = names.iter().find_map(|name| other_case(name).filter(|other| !names.contains(other)));
    other.is_some_and(|other| {
        let found = folder.join(other).symlink_metadata();
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    })
}

/// Returns a name with its letters in the other case, if it has any and nothing else that has cases.
fn other_case(name: &OsStr) -> Option<OsString> {
    let name = name.to_str().filter(|name| name.is_ascii())?;
    let other: String = name
        .chars()
        .map(|letter| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect();
    (other != name).then(|| other.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const MOST: usize = 500;

    #[test]
    fn what_is_not_there_is_known_without_asking() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path();
        let empty = Listing::of(top, MOST);
        assert!(empty.may_hold(&top.join(".ssh")), "it may ignore case: no name tells");
        fs::create_dir(top.join(".ssh")).unwrap();
        fs::write(top.join("Notes"), "").unwrap();
        std::os::unix::fs::symlink("/nowhere", top.join(".netrc")).unwrap();
        let listing = Listing::of(top, MOST);
        let may_hold = |path: &str| listing.may_hold(&top.join(path));
        assert!(may_hold(".ssh") && may_hold(".ssh/id_rsa") && may_hold(".netrc"));
        assert!(!may_hold(".aws/credentials") && !may_hold(".SSH"));
        assert!(may_hold("") && may_hold("../.aws") && listing.may_hold(Path::new("/elsewhere/.aws")));
        assert!(
            Listing::of(&top.join("Notes"), MOST).may_hold(&top.join("Notes/.ssh")),
            "it cannot be listed"
        );
    }

    #[test]
    fn a_large_folder_is_not_listed() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..=MOST {
            fs::write(place.path().join(format!("file-{number}")), "").unwrap();
        }
        assert!(Listing::of(place.path(), MOST).may_hold(&place.path().join(".ssh")));
    }
}
