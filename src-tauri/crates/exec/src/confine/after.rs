//! The end of a `project` run: protected places that it created or changed are set aside.
//!
//! Most escapes are hand-offs: a confined run leaves a file that an unconfined program obeys. Places that existed were
//! pinned; this finds new ones, deeper than stand-ins reach, links that were changed, and pinned ones that another program
//! replaced meanwhile.

use super::beneath;
use super::originals::Originals;
use super::survey::{MOST_AFTER, PlaceKind, Survey, SurveyedPlaces};
use crate::small_file::{open_no_link, read_text};
use postern_policy::{GIT_OBEYS, ProtectedPlaces};
use std::path::{Path, PathBuf};

const ASIDE: &str = ".set-aside-by-postern";
/// Bytes of the configuration of a new repository.
const LONGEST_CONFIG: u64 = 64 << 10;
/// Numbered names that are tried before one that nobody could foresee.
const MOST_NAMES: usize = 100;

/// A protected place that a confined run created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Path where it was found.
    pub path: String,
    /// Path where it is now, or why it could not be moved.
    pub moved: Result<String, String>,
}

/// Sets aside what appeared in these folders. Folders that the run made unreadable are opened.
pub(super) fn set_aside(
    folders: &[String],
    before: &SurveyedPlaces,
    originals: &Originals,
    protected: &ProtectedPlaces,
) -> Vec<SetAside> {
    let unlock = |path: &Path| !before.contains_key(path) && beneath::unlock(path).is_ok();
    let now = Survey::walk_folders(folders, protected, MOST_AFTER, &unlock);
    let new = now.places.iter().filter(|(path, kind)| {
        !before.get(*path).is_some_and(|before| before.has_become(kind))
            || originals.is_replaced(path, kind, folders)
    });
    // What lies in a new place goes with it, and comes right after it.
    let mut moved: Option<&Path> = None;
    let mut found = Vec::new();
    for (path, kind) in new {
        if moved.is_some_and(|above| path.starts_with(above)) || is_plain_git(path, kind, &now) {
            continue;
        }
        let Some(top) = folders.iter().map(Path::new).find(|top| path.starts_with(top)) else { continue };
        moved = Some(path);
        let to =
            rename_aside(top, path).map(|to| to.display().to_string()).map_err(|error| error.to_string());
        found.push(SetAside { path: path.display().to_string(), moved: to });
    }
    if now.cut {
        let unseen = Err("not everything in it could be looked at".to_owned());
        found.extend(folders.iter().map(|folder| SetAside { path: folder.clone(), moved: unseen.clone() }));
    }
    found
}

/// Renames a place in its folder, and returns its new path.
fn rename_aside(top: &Path, path: &Path) -> std::io::Result<PathBuf> {
    match rename(top, path) {
        // The run may have taken the right to change the folder that holds it.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            beneath::unlock(path.parent().unwrap_or(top))?;
            rename(top, path)
        }
        done => done,
    }
}

fn rename(top: &Path, path: &Path) -> std::io::Result<PathBuf> {
    let below = path.strip_prefix(top).map_err(std::io::Error::other)?;
    let (parent, last) = beneath::parent(&beneath::folder(top)?, below)?;
    for at in 0..=MOST_NAMES {
        let mut name = last.to_owned();
        name.push(ASIDE);
        match at {
            0 => {}
            MOST_NAMES => {
                let mut unforeseen = [0; 8];
                getrandom::fill(&mut unforeseen).map_err(std::io::Error::other)?;
                name.push(format!(".{:016x}", u64::from_ne_bytes(unforeseen)));
            }
            at => name.push(format!(".{at}")),
        }
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&parent, last, &parent, &name, flags) {
            Ok(()) => return Ok(path.with_file_name(name)),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(std::io::Error::other("too many were set aside there before"))
}

/// Returns true for the configuration and hooks of a repository as `git init` and `git clone` of a local folder make
/// them: they start nothing.
fn is_plain_git(path: &Path, kind: &PlaceKind, now: &Survey) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    if *kind != PlaceKind::Plain
        || !now.repositories.contains(folder)
        || !GIT_OBEYS.iter().any(|(own, _)| *own == name)
    {
        return false;
    }
    match name {
        "config" => {
            let read = open_no_link(path).and_then(|file| read_text(&file, LONGEST_CONFIG));
            read.is_ok_and(|text| text.lines().all(is_plain_setting))
        }
        "hooks" => std::fs::read_dir(path).is_ok_and(|mut hooks| {
            hooks.all(|hook| hook.is_ok_and(|hook| hook.file_name().to_string_lossy().ends_with(".sample")))
        }),
        _ => false,
    }
}

/// Settings that `git init` writes, and those that name a person.
const PLAIN_SETTINGS: &str = "\
    repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks name \
    email objectformat defaultbranch";

fn is_plain_setting(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || ["[core]", "[user]", "[extensions]", "[init]"].contains(&line) {
        return true;
    }
    let Some((key, value)) = line.split_once('=') else { return false };
    // A line that goes on could set anything.
    let key = key.trim().to_ascii_lowercase();
    PLAIN_SETTINGS.split(' ').any(|plain| plain == key) && !value.contains('\\') && !value.contains('[')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::fs;

    fn protected() -> ProtectedPlaces {
        ProtectedPlaces::new("/home/nobody", |_| None)
    }

    /// Change of a folder, by paths in it.
    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Change {
        Folder(PathBuf),
        /// File with this text, in place of what it had.
        File(PathBuf, String),
        /// Link to this path.
        Link(PathBuf, PathBuf),
        /// Folder that looks like a repository's own.
        Repository(PathBuf),
        Remove(PathBuf),
        /// Another file of this text in its place.
        Replace(PathBuf, String),
        Pipe(PathBuf),
        /// File of 64 GiB without content.
        Large(PathBuf),
    }

    impl Change {
        fn make(&self, top: &Path) {
            let file = |path: &Path, text: &str| {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            };
            match self {
                Self::Folder(path) => fs::create_dir_all(top.join(path)).unwrap(),
                Self::File(path, text) => file(&top.join(path), text),
                Self::Link(path, to) => std::os::unix::fs::symlink(to, top.join(path)).unwrap(),
                Self::Repository(path) => {
                    for part in ["objects", "refs"] {
                        fs::create_dir_all(top.join(path).join(part)).unwrap();
                    }
                    file(&top.join(path).join("HEAD"), "ref: refs/heads/main");
                }
                Self::Remove(path) if top.join(path).is_dir() => fs::remove_dir_all(top.join(path)).unwrap(),
                Self::Remove(path) => fs::remove_file(top.join(path)).unwrap(),
                Self::Replace(path, text) => {
                    file(&top.join("new"), text);
                    fs::rename(top.join("new"), top.join(path)).unwrap();
                }
                Self::Pipe(path) => {
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "no function of Rust makes one on every system"
                    )]
                    let made = std::process::Command::new("mkfifo").arg(top.join(path)).status();
                    assert!(made.unwrap().success());
                }
                Self::Large(path) => fs::File::create(top.join(path)).unwrap().set_len(64 << 30).unwrap(),
            }
        }
    }

    /// Folder before and after a run, and what is set aside in it.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct AfterCase {
        name: String,
        #[serde(default)]
        before: Vec<Change>,
        after: Vec<Change>,
        found: Vec<String>,
        /// True if only Linux has it.
        #[serde(default)]
        linux: bool,
    }

    #[test]
    fn what_a_run_leaves_for_others_to_obey_is_set_aside() {
        for row in include_str!("after.jsonl").lines() {
            let case: AfterCase = serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}"));
            if case.linux && cfg!(not(target_os = "linux")) {
                continue;
            }
            let place = tempfile::tempdir().unwrap();
            let top = place.path().canonicalize().unwrap();
            case.before.iter().for_each(|change| change.make(&top));
            let folders = vec![top.display().to_string()];
            let before = Survey::walk_folders(&folders, &protected(), 1000, &|_| false);
            let originals = Originals::of_survey(&before, &folders);
            case.after.iter().for_each(|change| change.make(&top));
            let found = set_aside(&folders, &before.places, &originals, &protected());
            let paths = found.into_iter().map(|found| {
                let to = found.moved.unwrap();
                assert!(Path::new(&to).symlink_metadata().is_ok() && to.starts_with(&found.path), "{to}");
                assert!(Path::new(&found.path).symlink_metadata().is_err(), "{} is gone", found.path);
                found.path.strip_prefix(&format!("{}/", top.display())).unwrap().to_owned()
            });
            assert_eq!(paths.collect::<Vec<_>>(), case.found, "{}", case.name);
        }
    }

    #[test]
    fn tens_of_thousands_of_places_are_set_aside_at_once() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let folders = vec![top.display().to_string()];
        let before = Survey::walk_folders(&folders, &protected(), 1000, &|_| false);
        let deep = top.join(["d"; 20].join("/"));
        fs::create_dir_all(&deep).unwrap();
        for at in 0..20_000 {
            fs::write(deep.join(format!("{at}.code-workspace")), "").unwrap();
        }
        let found = set_aside(&folders, &before.places, &Originals::default(), &protected());
        assert_eq!(found.iter().filter(|found| found.moved.is_ok()).count(), 20_000);
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("p/sub")).unwrap();
        fs::create_dir_all(top.join("elsewhere/.claude")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), top.join("p/link")).unwrap();
        assert!(rename(&top.join("p"), &top.join("p/link/.claude")).is_err());
        std::os::unix::fs::symlink(top.join("elsewhere"), top.join("q")).unwrap();
        assert!(rename(&top.join("q"), &top.join("q/.claude")).is_err());
        assert!(top.join("elsewhere/.claude").is_dir());
    }
}
