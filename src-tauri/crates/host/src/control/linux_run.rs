//! `postern-run` for containers on a Mac: a program for Linux that the app and the Homebrew formula bring.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

/// Folders with one such program for each processor, seen from the folder of Postern's own: of the app, and of the formula.
const FOLDERS: [&str; 2] = ["../Resources/linux", "../share/postern/linux"];

/// Returns the program for this processor that was installed with Postern, or `None` if there is none.
pub(super) fn installed_linux_run() -> Option<PathBuf> {
    find_beside(&std::env::current_exe().ok()?.canonicalize().ok()?)
}

fn find_beside(own: &Path) -> Option<PathBuf> {
    let folder = own.parent()?;
    let runs = FOLDERS.iter().map(|place| folder.join(place).join(ARCH).join("postern-run"));
    runs.filter_map(|run| run.canonicalize().ok()).find(|run| run.is_file())
}

#[cfg(test)]
mod tests {
    use super::find_beside;
    use std::env::consts::ARCH;
    use std::fs;

    #[test]
    fn it_is_found_in_the_app_and_in_the_formula() {
        for (own, run) in [
            ("Postern.app/Contents/MacOS/postern-desktop", "Postern.app/Contents/Resources/linux"),
            ("Cellar/postern/0.1.0/bin/postern", "Cellar/postern/0.1.0/share/postern/linux"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let (own, run) = (root.join(own), root.join(run).join(ARCH).join("postern-run"));
            fs::create_dir_all(own.parent().unwrap()).unwrap();
            assert_eq!(find_beside(&own), None, "it is not there");
            fs::create_dir_all(run.parent().unwrap()).unwrap();
            fs::write(&run, "").unwrap();
            assert_eq!(find_beside(&own), Some(run));
        }
    }
}
