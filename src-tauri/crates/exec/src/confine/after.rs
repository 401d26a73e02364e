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
    // What lies in a new place goes with it.
    let mut moved: Vec<&Path> = Vec::new();
    let mut found = Vec::new();
    for (path, kind) in new {
        if moved.iter().any(|above| path.starts_with(above)) || is_plain_git(path, kind, &now) {
            continue;
        }
        let Some(top) = folders.iter().map(Path::new).find(|top| path.starts_with(top)) else { continue };
        moved.push(path);
        let to =
            rename_aside(top, path).map(|to| to.display().to_string()).map_err(|error| error.to_string());
        found.push(SetAside { path: path.display().to_string(), moved: to });
    }
    if now.cut {
        let moved = Err("not everything in it could be looked at".to_owned());
        found.extend(folders.iter().map(|folder| SetAside { path: folder.clone(), moved: moved.clone() }));
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
    use std::fs;

    fn protected() -> ProtectedPlaces {
        ProtectedPlaces::new("/home/nobody", |_| None)
    }

    /// Runs `change` in a folder, and returns what was set aside below it.
    fn after(prepare: impl Fn(&Path), change: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>) {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        prepare(&top);
        let folders = vec![top.display().to_string()];
        let before = Survey::walk_folders(&folders, &protected(), 1000, &|_| false);
        let originals = Originals::of_survey(&before, &folders);
        change(&top);
        let found = set_aside(&folders, &before.places, &originals, &protected());
        let paths = found.into_iter().map(|found| {
            let to = found.moved.unwrap();
            assert!(Path::new(&to).symlink_metadata().is_ok() && to.starts_with(&found.path), "{to}");
            assert!(Path::new(&found.path).symlink_metadata().is_err(), "{} is gone", found.path);
            found.path.strip_prefix(&format!("{}/", top.display())).unwrap().to_owned()
        });
        let paths = paths.collect();
        (place, paths)
    }

    fn after_change(change: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>) {
        after(|_| {}, change)
    }

    #[test]
    fn new_places_are_set_aside_at_any_depth() {
        let (_place, found) = after_change(|top| {
            fs::create_dir_all(top.join("a/b/.claude")).unwrap();
            fs::write(top.join("a/b/.claude/settings.json"), "{}").unwrap();
            fs::write(top.join("a/.envrc"), "x").unwrap();
            fs::write(top.join("a/.MCP.json"), "x").unwrap();
            fs::create_dir_all(top.join(".github/hooks")).unwrap();
            fs::write(top.join("a/.git"), "gitdir: /elsewhere").unwrap();
            fs::write(top.join("a/main.rs"), "x").unwrap();
            fs::create_dir_all(top.join("b/gh/hooks")).unwrap();
            std::os::unix::fs::symlink("gh", top.join("b/.github")).unwrap();
        });
        assert_eq!(found, [".github/hooks", "a/.MCP.json", "a/.envrc", "a/.git", "a/b/.claude", "b/.github"]);
    }

    #[test]
    fn a_repository_that_runs_nothing_stays() {
        let repository = |folder: &Path, config: &str| {
            repository(folder);
            fs::create_dir(folder.join("hooks")).unwrap();
            fs::write(folder.join("hooks/pre-commit.sample"), "x").unwrap();
            fs::write(folder.join("config"), config).unwrap();
        };
        let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
        let (_place, found) = after_change(|top| {
            repository(&top.join("plain/.git"), plain);
            repository(&top.join("bare"), "[core]\n\tfsmonitor = ./x\n");
            repository(&top.join("going-on/.git"), "[core]\n\tfilemode = true\\\n");
            repository(&top.join("hooked/.git"), plain);
            fs::write(top.join("hooked/.git/hooks/pre-commit"), "x").unwrap();
            fs::write(top.join("plain/.git/commondir"), "../x").unwrap();
        });
        assert_eq!(
            found,
            ["bare/config", "going-on/.git/config", "hooked/.git/hooks", "plain/.git/commondir"]
        );
    }

    #[test]
    fn what_was_there_stays_and_a_changed_link_goes() {
        let (_place, found) = after(
            |top| {
                fs::create_dir_all(top.join(".vscode")).unwrap();
                std::os::unix::fs::symlink(".vscode", top.join(".idea")).unwrap();
                std::os::unix::fs::symlink("same", top.join(".cursor")).unwrap();
            },
            |top| {
                fs::remove_file(top.join(".idea")).unwrap();
                std::os::unix::fs::symlink("/etc", top.join(".idea")).unwrap();
            },
        );
        assert_eq!(found, [".idea"], "and nothing is done to where it leads");
    }

    fn repository(folder: &Path) {
        for part in ["objects", "refs"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        fs::write(folder.join("HEAD"), "ref: refs/heads/main").unwrap();
    }

    #[test]
    fn a_folder_made_to_look_like_a_repository_hides_nothing() {
        let (_place, found) = after(
            |top| {
                repository(&top.join(".git"));
                fs::create_dir(top.join(".git/hooks")).unwrap();
            },
            |top| {
                repository(top);
                fs::create_dir(top.join("sub")).unwrap();
                fs::write(top.join("sub/.envrc"), "x").unwrap();
                repository(&top.join("sub/.vscode"));
                repository(&top.join("objects/p/.idea"));
                fs::write(top.join(".git/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
            },
        );
        assert_eq!(found, [".git/config", "objects/p/.idea", "sub/.envrc", "sub/.vscode"]);
    }

    #[test]
    fn a_configuration_that_is_no_small_file_is_set_aside_unread() {
        let (_place, found) = after_change(|top| {
            for name in ["a/.git", "b/.git"] {
                repository(&top.join(name));
            }
            let pipe = top.join("a/.git/config");
            #[expect(clippy::disallowed_methods, reason = "no function of Rust makes a pipe on every system")]
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            fs::File::create(top.join("b/.git/config")).unwrap().set_len(64 << 30).unwrap();
        });
        assert_eq!(found, ["a/.git/config", "b/.git/config"]);
    }

    #[test]
    fn a_link_is_compared_to_its_end() {
        let link = |to: &str, at: &Path| std::os::unix::fs::symlink(to, at).unwrap();
        let (_place, found) = after(
            |top| {
                fs::create_dir_all(top.join("real/claude")).unwrap();
                link("real", &top.join("mid"));
                link("mid/claude", &top.join(".claude"));
                link("conf.envrc", &top.join(".envrc"));
                link("mid/claude", &top.join(".cursor"));
                link("missing", &top.join(".vscode"));
            },
            |top| {
                fs::remove_file(top.join("mid")).unwrap();
                fs::create_dir_all(top.join("mid/claude")).unwrap();
                fs::write(top.join("conf.envrc"), "x").unwrap();
            },
        );
        assert_eq!(found, [".claude", ".cursor", ".envrc"]);
    }

    #[test]
    fn steps_of_a_rebase_that_run_a_program_are_set_aside() {
        let steps = |top: &Path, name: &str, text: &str| {
            let folder = top.join(name).join(".git/rebase-merge");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("git-rebase-todo"), text).unwrap();
        };
        let (_place, found) = after(
            |top| {
                for name in ["a", "b", "c"] {
                    repository(&top.join(name).join(".git"));
                    steps(top, name, "pick 1 x\nexec make\nexec make test\n");
                }
            },
            |top| {
                steps(top, "a", "exec make test\n# exec evil\n");
                steps(top, "b", "pick 1 x\nexec make\nx evil\n");
                fs::remove_dir_all(top.join("c/.git/rebase-merge")).unwrap();
            },
        );
        assert_eq!(found, ["b/.git/rebase-merge/git-rebase-todo"]);
    }

    #[test]
    fn a_way_to_merge_that_is_a_program_is_set_aside() {
        let (_place, found) = after(
            |top| {
                for name in ["a", "b"] {
                    repository(&top.join(name).join(".git"));
                    for folder in ["rebase-merge", "sequencer"] {
                        fs::create_dir(top.join(name).join(".git").join(folder)).unwrap();
                    }
                }
            },
            |top| {
                for (name, way) in [("a", "ort"), ("b", "x/../evil")] {
                    let git = top.join(name).join(".git");
                    fs::write(git.join("rebase-merge/strategy"), format!("{way}\n")).unwrap();
                    let options = format!("[options]\n\tsignoff = true\n\tstrategy = \"{way}\"\n");
                    fs::write(git.join("sequencer/opts"), options).unwrap();
                }
            },
        );
        assert_eq!(found, ["b/.git/rebase-merge/strategy", "b/.git/sequencer/opts"]);
    }

    #[test]
    fn links_and_names_that_lead_git_elsewhere_are_set_aside() {
        let link = |to: &str, at: PathBuf| std::os::unix::fs::symlink(to, at).unwrap();
        let conflict = |name: &str| format!("{}\t{name}\0", "0".repeat(40));
        let (_place, found) = after(
            |top| {
                for name in [".git", ".git/modules/sub", "b/.git"] {
                    repository(&top.join(name));
                }
                fs::create_dir(top.join(".git/logs")).unwrap();
                link("/elsewhere", top.join(".git/FETCH_HEAD"));
                fs::write(top.join("b/.git/MERGE_RR"), conflict("a")).unwrap();
                for name in ["b/.git/remotes", ".git/branches"] {
                    fs::create_dir(top.join(name)).unwrap();
                    fs::write(top.join(name).join("old"), "URL: one\nPull: x\n").unwrap();
                }
            },
            |top| {
                link("/elsewhere", top.join(".git/COMMIT_EDITMSG"));
                link("config", top.join(".git/SQUASH_MSG"));
                link("/elsewhere", top.join(".git/logs/HEAD"));
                link("/elsewhere", top.join(".git/modules/sub/MERGE_MSG"));
                fs::write(top.join(".git/MERGE_RR"), conflict("../key")).unwrap();
                fs::write(top.join(".git/index"), "no index").unwrap();
                fs::remove_file(top.join("b/.git/HEAD")).unwrap();
                link("refs/heads/main", top.join("b/.git/HEAD"));
                link("/elsewhere", top.join("b/a"));
                fs::write(top.join("b/.git/remotes/old"), "URL: one\n").unwrap();
                fs::write(top.join(".git/branches/old"), "URL: two\n").unwrap();
                fs::create_dir(top.join(".git/remotes")).unwrap();
                fs::write(top.join(".git/remotes/new"), "URL: two\n").unwrap();
            },
        );
        let expected = [
            ".git/COMMIT_EDITMSG", ".git/MERGE_RR", ".git/SQUASH_MSG", ".git/branches/old", ".git/index",
            ".git/logs/HEAD", ".git/modules/sub/MERGE_MSG", ".git/remotes/new", "b/.git/MERGE_RR",
        ];
        assert_eq!(found, expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_another_program_replaced_is_set_aside_if_it_may_do_more() {
        let replace = |path: PathBuf, text: &str| {
            let new = path.with_extension("new");
            fs::write(&new, text).unwrap();
            fs::rename(new, path).unwrap();
        };
        let (ssh, branch) = ("[core]\n\tsshCommand = ssh -4\n", "[branch \"main\"]\n\tremote = ");
        let (_place, found) = after(
            |top| {
                for name in ["a", "b", "c"] {
                    repository(&top.join(name).join(".git"));
                    fs::write(top.join(name).join(".git/config"), ssh).unwrap();
                }
                fs::write(top.join(".envrc"), "x").unwrap();
                fs::write(top.join(".mcp.json"), "x").unwrap();
            },
            |top| {
                let merge = "\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n";
                replace(top.join("a/.git/config"), &format!("{ssh}{branch}origin{merge}"));
                replace(top.join("b/.git/config"), &format!("{ssh}\tfsmonitor = ./x\n"));
                replace(top.join("c/.git/config"), &format!("{ssh}{branch}../elsewhere{merge}"));
                replace(top.join(".envrc"), "x");
                fs::write(top.join(".mcp.json"), "its own file, which was pinned").unwrap();
            },
        );
        assert_eq!(found, [".envrc", "b/.git/config", "c/.git/config"]);
    }

    #[test]
    fn what_a_repositorys_configuration_names_is_protected() {
        let (_place, found) = after(
            |top| {
                repository(&top.join(".git"));
                let config =
                    "[core]\nhooksPath = tools/hooks\n[include]\npath = ../conf/git\n[alias]\nx = !sh x.sh\n";
                fs::write(top.join(".git/config"), config).unwrap();
                fs::create_dir_all(top.join("conf")).unwrap();
            },
            |top| {
                fs::create_dir_all(top.join("tools/hooks")).unwrap();
                fs::write(top.join("tools/hooks/pre-commit"), "x").unwrap();
                fs::write(top.join("conf/git"), "[core]\nfsmonitor = ./x\n").unwrap();
                fs::write(top.join("x.sh"), "x").unwrap();
                fs::write(top.join("y.sh"), "x").unwrap();
            },
        );
        assert_eq!(found, ["conf/git", "tools/hooks", "x.sh"]);
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
