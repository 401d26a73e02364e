//! The search path of the shell in which the user types: where the user finds programs, and so where an agent should.

use postern_policy::SEARCH_PATH;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Word that stands for this shell's path where a search path is typed.
pub(crate) const SHELL: &str = "shell";

/// Returns the folders of a `PATH` in which an agent's programs may be looked up: absolute, there, and not for everybody to write.
pub(crate) fn folders(path: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for folder in path.split(':').filter(|folder| folder.starts_with('/') && !folder.contains(',')) {
        let private = || {
            std::fs::metadata(folder)
                .is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o002 == 0)
        };
        if !all.iter().any(|known| known == folder) && private() {
            all.push(folder.to_owned());
        }
    }
    all
}

/// Returns true if an agent finds there what it would not find in the built-in folders.
pub(crate) fn adds(folders: &[String]) -> bool {
    folders.iter().any(|folder| !SEARCH_PATH.contains(&folder.as_str()) && Path::new(folder).is_dir())
}

#[cfg(test)]
mod tests {
    use super::{adds, folders};
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn folders_that_are_there_and_private_are_taken_once_in_their_order() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name).display().to_string();
        for name in ["own", "shared", "more"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::set_permissions(at("shared"), fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(at("file"), "").unwrap();
        let path = [at("more"), at("own"), at("shared"), at("none"), at("file"), at("more"), ".".to_owned()]
            .join(":");
        let found = folders(&(path + "::relative/bin"));
        assert_eq!(found, [at("more"), at("own")]);
        assert!(adds(&found) && !adds(&folders("/usr/bin:/bin")));
    }
}
