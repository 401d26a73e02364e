//! A repository's branches and commits, read from its own files.
//!
//! git is not run, because the repository's settings can make it start programs.

use super::Until;
use postern_exec::small_file;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Commits that are counted at most.
const MOST: u64 = 500;
/// Folders above the working directory in which the repository is looked for.
const FARTHEST: usize = 32;
/// Bytes of references, settings, and of one commit that are read at most.
const REFERENCES: u64 = 4 << 20;
const SETTINGS: u64 = 64 << 10;
const COMMIT: u64 = 64 << 10;

pub(super) struct Repository {
    /// Folder of the repository, or of one of its work trees.
    own: PathBuf,
    /// The folder with its references, objects and settings.
    pub(super) common: PathBuf,
}

impl Repository {
    pub(super) fn find_from(folder: &Path) -> Option<Self> {
        let found = folder
            .ancestors()
            .take(FARTHEST)
            .map(|above| above.join(".git"))
            .find(|git| git.symlink_metadata().is_ok())?;
        let own = if found.symlink_metadata().ok()?.is_dir() {
            found
        } else {
            let named = text(&found, SETTINGS)?;
            found.parent()?.join(named.trim().strip_prefix("gitdir: ")?)
        };
        let common = match text(&own.join("commondir"), SETTINGS) {
            Some(named) => own.join(named.trim()),
            None => own.clone(),
        };
        Some(Self { own, common })
    }

    pub(super) fn branch(&self) -> Option<String> {
        let current = text(&self.own.join("HEAD"), SETTINGS)?;
        Some(current.trim().strip_prefix("ref: refs/heads/")?.to_owned())
    }

    /// Returns the number of commits that the remote did not have when it was last looked at. `None` if there are none, if a
    /// merge is among them, or if they are packed.
    pub(super) fn ahead(&self, remote: &str, branch: &str, until: Until) -> Option<u64> {
        let there = self.reference(&format!("refs/remotes/{remote}/{branch}"))?;
        let mut at = self.reference(&format!("refs/heads/{branch}"))?;
        let mut count = 0;
        while at != there {
            count += 1;
            if count > MOST {
                return None;
            }
            until.check()?;
            at = self.only_parent(&at)?;
        }
        (count > 0).then_some(count)
    }

    fn reference(&self, name: &str) -> Option<String> {
        if name.split('/').any(|part| part.is_empty() || part.starts_with('.')) {
            return None;
        }
        let loose = text(&self.common.join(name), SETTINGS).map(|text| text.trim().to_owned());
        let packed = || {
            let all = text(&self.common.join("packed-refs"), REFERENCES)?;
            all.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
        };
        loose.or_else(packed).filter(|object| is_object(object))
    }

    /// Returns the remote of a branch that is pushed under its own name.
    pub(super) fn remote_of(&self, branch: &str) -> Option<String> {
        let settings = text(&self.common.join("config"), SETTINGS)?;
        let section = format!("[branch \"{branch}\"]");
        let own = settings.lines().map(str::trim).skip_while(|line| *line != section).skip(1);
        let own: Vec<&str> = own.take_while(|line| !line.starts_with('[')).collect();
        let value = |name: &str| {
            own.iter().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('=').map(str::trim))
        };
        let same = value("merge").is_none_or(|merge| merge.strip_prefix("refs/heads/") == Some(branch));
        same.then(|| value("remote").unwrap_or("origin").to_owned())
    }

    /// Returns the parent of a commit that has one and is not packed.
    fn only_parent(&self, object: &str) -> Option<String> {
        let (folder, name) = object.split_at_checked(2)?;
        let file = small_file::open_no_link(&self.common.join("objects").join(folder).join(name)).ok()?;
        let mut commit = Vec::new();
        flate2::read::ZlibDecoder::new(file.take(COMMIT)).take(COMMIT).read_to_end(&mut commit).ok()?;
        let head = commit.iter().position(|byte| *byte == 0)?;
        let (kind, body) = commit.split_at(head);
        let lines = body.get(1..)?.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let mut parents = lines.filter_map(|line| line.strip_prefix(b"parent "));
        let parent = std::str::from_utf8(parents.next()?).ok()?.to_owned();
        (kind.starts_with(b"commit ") && parents.next().is_none() && is_object(&parent)).then_some(parent)
    }
}

fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn text(path: &Path, most: u64) -> Option<String> {
    small_file::read_text(&small_file::open_no_link(path).ok()?, most).ok()
}

#[cfg(test)]
mod tests {
    use super::{Repository, Until};
    use std::path::Path;
    use std::process::Command;

    #[expect(clippy::disallowed_methods, reason = "a test makes a repository with the real git")]
    fn git(folder: &Path, words: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn commits_that_the_remote_does_not_have_are_counted() {
        let root = tempfile::tempdir().unwrap();
        let (there, here) = (root.path().join("there.git"), root.path().join("here"));
        git(root.path(), &["init", "--bare", "there.git"]);
        git(root.path(), &["init", "here"]);
        git(&here, &["remote", "add", "origin", there.to_str().unwrap()]);
        git(&here, &["commit", "--allow-empty", "-m", "1"]);
        git(&here, &["push", "-u", "origin", "main"]);
        let of = |remote: Option<&str>, branch: Option<&str>| {
            let repository = Repository::find_from(&here)?;
            let branch = branch.map_or_else(|| repository.branch(), |branch| Some(branch.to_owned()))?;
            let remote = remote.map_or_else(|| repository.remote_of(&branch), |one| Some(one.to_owned()))?;
            repository.ahead(&remote, &branch, Until::far())
        };
        assert_eq!(of(None, None), None, "nothing is said of none");
        git(&here, &["commit", "--allow-empty", "-m", "2"]);
        git(&here, &["commit", "--allow-empty", "-m", "3"]);
        assert_eq!(of(None, None), Some(2));
        assert_eq!(of(Some("origin"), Some("main")), Some(2));
        git(&here, &["pack-refs", "--all"]);
        assert_eq!(of(Some("origin"), None), Some(2), "references may be packed");
        for (remote, branch) in [(Some("elsewhere"), None), (None, Some("../../x")), (None, Some("gone"))] {
            assert_eq!(of(remote, branch), None, "{remote:?} {branch:?}");
        }
        git(&here, &["gc", "--prune=now", "--aggressive"]);
        assert_eq!(of(None, None), None, "packed commits are not read");
    }
}
