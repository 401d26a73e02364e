//! Where a name leads: the search path and paths as text. Nothing here looks at the disk.

use std::path::{Component, Path, PathBuf};

/// Where programs are looked up when an agent's settings name no folders.
#[cfg(target_os = "macos")]
const BUILT_IN: &[&str] =
    &["/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// Where programs are looked up when an agent's settings name no folders.
#[cfg(not(target_os = "macos"))]
const BUILT_IN: &[&str] = &["/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// The folders in which an agent's programs are looked up, in order: those of its settings, or the built-in list.
///
/// `~/` is the person's home folder. What is not absolute is dropped: an empty or relative entry would mean the
/// request's own working directory. So is what holds a `:`, which `PATH` would split.
pub fn search_path(configured: &[String], home: &str) -> Vec<String> {
    let built_in = || BUILT_IN.iter().map(|folder| (*folder).to_owned());
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

/// A path without `.`, `..` and doubled slashes, as text: symbolic links are not looked at.
pub(super) fn lexical(path: &Path) -> PathBuf {
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
    fn paths_are_cleaned_as_text() {
        for (path, clean) in
            [("/a/./b//c", "/a/b/c"), ("/a/../b", "/b"), ("/../..", "/"), ("/a/b/../../c/", "/c"), ("/", "/")]
        {
            assert_eq!(lexical(Path::new(path)), Path::new(clean), "{path}");
        }
    }
}
