//! Paths of which most are nowhere: the programs that rules deny, in each folder of the search path.

use crate::listing::Listing;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Paths in a folder from which on it is listed once, instead of looking for each.
const MANY: usize = 64;
/// Names that are read as quickly as one file is looked for.
const NAMES: usize = 16;

/// Leaves out paths whose folder is missing, or has nothing of that name.
pub fn leave_out_missing<T>(paths: Vec<(T, PathBuf)>) -> Vec<(T, PathBuf)> {
    let mut folders: BTreeMap<PathBuf, Vec<(T, PathBuf)>> = BTreeMap::new();
    for (whose, path) in paths {
        folders.entry(path.parent().unwrap_or(&path).to_owned()).or_default().push((whose, path));
    }
    folders.retain(|folder, _| !is_missing(folder));
    let mut kept = Vec::new();
    for (folder, mut wanted) in folders {
        if wanted.len() >= MANY {
            let listing = Listing::of(&folder, wanted.len() * NAMES);
            wanted.retain(|(_, path)| listing.may_hold(path));
        }
        kept.extend(wanted);
    }
    kept
}

/// Returns true if nothing is there, or no folder. One that may not be looked at counts as there.
fn is_missing(folder: &Path) -> bool {
    match folder.metadata() {
        Ok(found) => !found.is_dir(),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

#[cfg(test)]
mod tests {
    use super::{MANY, leave_out_missing};
    use std::fs;
    use std::path::Path;
    use tempfile::TempDir;

    /// Looks for names in a folder, among so many others that it is listed.
    fn found(folder: &Path, names: &[&str]) -> Vec<String> {
        let others = (0..MANY).map(|number| format!("missing-{number}"));
        let wanted = names.iter().map(|name| (*name).to_owned()).chain(others);
        let wanted = wanted.map(|name| (name.clone(), folder.join(name))).collect();
        leave_out_missing(wanted).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn what_is_there_stays_and_the_rest_goes() {
        let place = TempDir::new().unwrap();
        for name in ["git", "rm"] {
            fs::write(place.path().join(name), "").unwrap();
        }
        assert_eq!(found(place.path(), &["git", "curl"]), ["git"]);
        for nowhere in ["none", "git"] {
            assert_eq!(found(&place.path().join(nowhere), &["git"]), [""; 0], "{nowhere} is no folder");
        }
    }

    #[test]
    fn a_link_to_a_folder_or_to_nothing_is_looked_into_as_the_system_does() {
        let (target, links) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        fs::write(target.path().join("git"), "").unwrap();
        std::os::unix::fs::symlink(target.path(), links.path().join("bin")).unwrap();
        std::os::unix::fs::symlink("/nowhere", links.path().join("rm")).unwrap();
        assert_eq!(found(&links.path().join("bin"), &["git", "rm"]), ["git"]);
        assert_eq!(found(links.path(), &["rm"]), ["rm"], "a link to nothing is still in the folder");
    }

    #[test]
    fn few_paths_are_not_worth_a_listing() {
        let place = TempDir::new().unwrap();
        let few = vec![(1, place.path().join("git"))];
        assert_eq!(leave_out_missing(few.clone()), few);
    }
}
