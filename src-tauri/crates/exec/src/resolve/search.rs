//! Resolution of names: the search path, and paths as text.

use postern_policy::SEARCH_PATH;
use std::path::{Component, Path, PathBuf};
#[cfg(target_os = "macos")]
use std::sync::LazyLock;

/// Folders that installers add to the search path, as they were when the host started.
#[cfg(target_os = "macos")]
static INSTALLED: LazyLock<Vec<String>> = LazyLock::new(|| installed(Path::new("/etc/paths.d")));

/// Returns the folders in which an agent's programs are looked up, in order: those of its settings, or the
/// built-in list.
///
/// `~/` is the person's home folder. What is not absolute is dropped: an empty or relative entry would mean the
/// request's own working directory. So is what holds a `:`, which `PATH` would split.
pub fn search_path(configured: &[String], home: &str) -> Vec<String> {
    let built_in = || {
        let own = SEARCH_PATH.iter().map(|folder| (*folder).to_owned());
        #[cfg(target_os = "macos")]
        let own = own.chain(INSTALLED.iter().cloned());
        own
    };
    let chosen: Vec<String> = if configured.is_empty() { built_in().collect() } else { configured.to_vec() };
    chosen
        .into_iter()
        .map(|folder| match folder.strip_prefix("~/") {
            Some(rest) => format!("{home}/{rest}"),
            None => folder,
        })
        .filter(|folder| folder.starts_with('/') && !folder.contains([':', '\0']))
        .collect()
}

/// Returns the folders named in the files of `/etc/paths.d`, one per line, in the order of the files' names.
#[cfg(any(target_os = "macos", test))]
fn installed(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let lines = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
    let all = files.iter().map(lines).collect::<Vec<_>>().join("\n");
    all.lines().map(str::trim).filter(|line| line.starts_with('/')).map(str::to_owned).collect()
}

/// Returns a path without `.`, `..` and doubled slashes, as text: symbolic links are not looked at.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => {
                clean.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_are_searched() {
        let configured = ["", ".", "bin", "~/bin", "/opt/x", "~other/bin", "/a:/b"].map(str::to_owned);
        assert_eq!(search_path(&configured, "/Users/ada"), ["/Users/ada/bin", "/opt/x"]);
        assert!(search_path(&[], "/Users/ada").contains(&"/usr/bin".to_owned()), "the built-in list");
        assert!(
            search_path(&["bin".to_owned()], "/h").is_empty(),
            "nothing usable is nothing, not the built-in list"
        );
    }

    #[test]
    fn what_installers_add_is_read_in_the_order_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("20-b"), "/opt/b/bin\n\nrelative\n").unwrap();
        std::fs::write(folder.path().join("10-a"), "/Library/a/bin\n/Library/a b/bin").unwrap();
        assert_eq!(installed(folder.path()), ["/Library/a/bin", "/Library/a b/bin", "/opt/b/bin"]);
        assert!(installed(&folder.path().join("none")).is_empty());
    }

    #[test]
    fn paths_are_cleaned_as_text() {
        for (path, clean) in
            [("/a/./b//c", "/a/b/c"), ("/a/../b", "/b"), ("/../..", "/"), ("/a/b/../../c/", "/c"), ("/", "/")]
        {
            assert_eq!(lexical(Path::new(path)), Path::new(clean), "{path}");
        }
    }
}
