//! Protected places inside a writable folder, as an operating system has to pin them.

use super::places::{EXCEPT, PLACES};
use super::{ProtectedPlaces, Protection, Root, comparison_key};
use crate::path::{self, path_names};
use postern_command::obeyed::{OF_RARE_AGENTS, is_workspace_file};
use std::sync::LazyLock;

/// Stand-in for a protected place that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandIn {
    /// An empty folder: git and editors see nothing in it.
    Folder,
    /// A file with this content, which changes nothing.
    File(&'static str),
}

/// Paths in a git folder that git runs, or that lead it to other configuration.
///
/// `commondir` with `.` names the folder itself, and an empty `config.worktree` sets nothing.
pub const GIT_OBEYS: &[(&str, StandIn)] = &[
    ("config", StandIn::File("")),
    ("config.worktree", StandIn::File("")),
    ("commondir", StandIn::File(".\n")),
    ("hooks", StandIn::Folder),
];

/// Folders in a git folder that hold git folders of their own.
pub const GIT_NESTS: &[&str] = &["modules", "worktrees"];

/// Returns true if entries make a folder a git folder under any name: its own, or those that its `commondir` names.
pub fn is_git_folder(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

/// Returns true if an entry is a protected place in any folder, by its name and the last two of its folder.
pub fn is_protected_entry(folder: &str, name: &str) -> bool {
    if name.is_ascii() {
        return is_entry(folder, name);
    }
    // Some file systems ignore marks and fold other letters than ASCII's.
    let (folder, name) = (comparison_key(folder), comparison_key(name));
    is_entry(folder.trim_start_matches('/'), name.trim_start_matches('/'))
}

/// Returns true for `.git`, in any spelling that a file system may take for it.
pub fn is_git_name(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git") || comparison_key(name).trim_start_matches('/') == ".git"
}

/// First letters of the protected names: most names in a folder begin with another one.
static FIRST: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut first = [false; 256];
    for name in protected_names().map(|place| place.rsplit_once('/').map_or(place, |(_, last)| last)) {
        for letter in name.bytes().take(1) {
            first[usize::from(letter.to_ascii_lowercase())] = true;
            first[usize::from(letter.to_ascii_uppercase())] = true;
        }
    }
    first
});

fn is_entry(folder: &str, name: &str) -> bool {
    let known = name.bytes().next().is_some_and(|letter| FIRST[usize::from(letter)]);
    let is_named = || {
        protected_names().any(|place| match place.rsplit_once('/') {
            Some((above, last)) => last.eq_ignore_ascii_case(name) && ends_with(folder, above),
            None => place.eq_ignore_ascii_case(name),
        })
    };
    known && is_named() || is_workspace_file(name)
}

/// Returns true if a folder's path ends with these names, ignoring case.
fn ends_with(folder: &str, names: &str) -> bool {
    let Some(at) = folder.len().checked_sub(names.len()) else { return false };
    let Some((before, end)) = folder.split_at_checked(at) else { return false };
    end.eq_ignore_ascii_case(names) && (before.is_empty() || before.ends_with('/'))
}

/// Returns true if protected places in any folder lie in entries of this name, which is none itself (`.github` of `.github/hooks`).
pub fn holds_protected_entry(name: &str) -> bool {
    let key = comparison_key(name);
    let key = key.trim_start_matches('/');
    protected_names()
        .any(|place| place.split_once('/').is_some_and(|(first, _)| first.eq_ignore_ascii_case(key)))
}

/// Returns the entries of a protected folder that are judged by themselves.
pub fn unprotected_in(name: &str) -> &'static [&'static str] {
    EXCEPT.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map_or(&[], |(_, except)| except)
}

/// Returns the names that are pinned at the top of a folder although they do not exist.
///
/// A file that appears there is obeyed at once by git, an agent or an editor. Each takes time at every run: the settings of
/// rarer ones are set aside after it.
pub fn pinned_when_absent() -> impl Iterator<Item = &'static str> {
    let obeyed = |protection| matches!(protection, Protection::AgentSettings);
    let named = PLACES.iter().filter(move |place| place.root == Root::Anywhere && obeyed(place.protection));
    let names =
        named.map(|place| place.path).filter(|path| !path.contains('/') && !OF_RARE_AGENTS.contains(path));
    names.chain([".git", ".envrc"])
}

/// Returns the protected places in any folder, by their names.
pub fn protected_names() -> impl Iterator<Item = &'static str> {
    PLACES.iter().filter(|place| place.root == Root::Anywhere).map(|place| place.path)
}

impl ProtectedPlaces {
    /// Returns the protected places with a fixed path that lie in a folder, and the targets of those that are links.
    pub fn fixed_in(&self, folder: &str) -> Vec<String> {
        let here = comparison_key(folder);
        let fixed = PLACES.iter().filter_map(|place| place.absolute(&self.home));
        let real = self.real.iter().map(|(_, real)| real.clone());
        let mut found: Vec<String> = fixed
            .chain(real)
            .filter(|path| path::is_within(path, &here) && *path != here)
            .map(|path| {
                // The spelling of the folder is the caller's; the table's names are in lower case.
                let below: Vec<&str> = path_names(&path).skip(path_names(&here).count()).collect();
                path::join_path(folder, &below.join("/"))
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_known_by_its_name() {
        for (folder, name) in crate::testing::rows::<(&str, &str)>(include_str!("pins.jsonl")) {
            assert!(is_protected_entry(folder, name), "{folder}/{name}");
        }
        for (folder, name) in [
            ("p", "hooks"),
            ("p", "src"),
            ("p", ".gitignore"),
            (".github", "workflows"),
            ("p", "git"),
            ("src/repo", "config.toml"),
            ("x.hg", "hgrc"),
        ] {
            assert!(!is_protected_entry(folder, name), "{folder}/{name}");
        }
    }

    #[test]
    fn a_git_folder_is_known_by_what_git_looks_for() {
        let is = |entries: &[&str]| is_git_folder(|wanted| entries.contains(&wanted));
        assert!(is(&["HEAD", "objects", "refs", "config"]) && is(&["HEAD", "commondir"]));
        assert!(!is(&["HEAD", "objects"]) && !is(&["objects", "refs", "config"]) && !is(&["commondir"]));
    }

    #[test]
    fn what_is_pinned_when_absent_is_a_place() {
        let names: Vec<&str> = pinned_when_absent().collect();
        assert!(names.contains(&".git"), "{names:?}");
        assert!(names.contains(&".claude"), "{names:?}");
        assert!(names.contains(&".mcp.json"), "{names:?}");
        assert!(names.iter().all(|name| is_protected_entry("p", name)), "{names:?}");
    }

    #[test]
    fn places_of_the_home_folder_are_found_in_it() {
        let protected = ProtectedPlaces::new("/home/u", |path| {
            (path == "/home/u/.vimrc").then(|| "/home/u/dotfiles/vimrc".to_owned())
        });
        assert_eq!(protected.fixed_in("/home/u/dotfiles"), ["/home/u/dotfiles/vimrc"]);
        assert!(protected.fixed_in("/home/u/.config").contains(&"/home/u/.config/fish".to_owned()));
        assert_eq!(protected.fixed_in("/home/u/project"), [""; 0]);
    }
}
