//! Hooks of a repository that a step would run, looked up where git looks for them.

use super::targets::folders_of_repository;
use crate::git_config::GitConfig;
use postern_command::Step;
use postern_command::effect::{HookedStep, RepositoryOptions, hooked_step};
use postern_policy::is_git_folder;
use std::cell::OnceCell;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Returns the hooks that are there for a step in one of these folders; all that it may run where the place can't be read.
///
/// In a folder that is not known before the run none is looked up: nothing saved covers such a step.
/// `config` is the user's configuration, read for the first such step of a request.
pub(super) fn of_step<'h>(
    step: &Step,
    folders: &[PathBuf],
    home: &'h str,
    config: &OnceCell<GitConfig<'h>>,
) -> Vec<String> {
    let Some(HookedStep { hooks, place }) = hooked_step(step, home) else { return Vec::new() };
    let config = config.get_or_init(|| GitConfig::of_user(if home.is_empty() { "/" } else { home }));
    let read = |folder: &PathBuf| hook_folders(config, folder, place.as_ref()?);
    let read: Option<Vec<Vec<PathBuf>>> = folders.iter().map(read).collect();
    let is_there =
        |hook: &&str| read.iter().flatten().flatten().any(|folder| is_executable_file(&folder.join(hook)));
    hooks.into_iter().filter(|hook| read.is_none() || is_there(hook)).map(str::to_owned).collect()
}

/// Returns where git looks for hooks when it starts in a folder, or `None` if its configuration can't be read.
fn hook_folders(config: &GitConfig<'_>, folder: &Path, options: &RepositoryOptions) -> Option<Vec<PathBuf>> {
    let start = options.folders.iter().fold(folder.to_owned(), |start, next| start.join(next));
    // Nothing runs in a folder that is not there.
    let Ok(start) = start.canonicalize() else { return Some(Vec::new()) };
    let found = match &options.repository {
        Some(named) => Some((start.clone(), start.join(named))),
        None => start.ancestors().find_map(|above| Some((above.to_owned(), repository_in(above)?))),
    };
    let (top, repository) =
        found.map_or((None, Vec::new()), |(top, own)| (Some(top), folders_of_repository(own)));
    let tree = options.work_tree.as_ref().map(|tree| start.join(tree)).or(top).unwrap_or(start);
    config.hook_folders(&repository, &tree).ok()
}

/// Returns the repository in a folder: its `.git`, or the folder itself if it is one without a work tree.
fn repository_in(folder: &Path) -> Option<PathBuf> {
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    if is_there(".git") {
        return Some(folder.join(".git"));
    }
    is_git_folder(is_there).then(|| folder.to_owned())
}

/// Returns true for a file that somebody may execute: git starts such a hook, and a search path finds such a program.
pub(crate) fn is_executable_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::of_step;
    use crate::tests::{Place, write_file};
    use std::cell::OnceCell;

    impl Place {
        fn project() -> Self {
            let project = Self::new();
            project.write("site/.git/config", "[core]\nbare = false\n", 0o644);
            project.write("site/.git/hooks/pre-push.sample", "", 0o755);
            project.write("site/sub/f", "", 0o644);
            project
        }

        fn write(&self, name: &str, text: &str, mode: u32) {
            write_file(&self.path(name), text, mode);
        }

        fn hooks(&self, folder: &str, line: &str) -> Vec<String> {
            let reading = postern_command::read_shell(line, postern_command::Dialect::Bash);
            let home = self.path("home");
            of_step(&reading.steps[0], &[self.path(folder)], home.to_str().unwrap(), &OnceCell::new())
        }
    }

    #[test]
    fn only_what_git_would_start_is_a_hook() {
        let project = Place::project();
        assert_eq!(project.hooks("site", "git push"), [""; 0]);
        project.write("site/.git/hooks/pre-push", "", 0o644);
        project.write("site/.git/hooks/pre-commit/x", "", 0o755);
        std::os::unix::fs::symlink("commit-msg", project.path("site/.git/hooks/commit-msg")).unwrap();
        assert_eq!(project.hooks("site", "git push"), [""; 0]);
        assert_eq!(project.hooks("site", "git commit -m x"), [""; 0]);
        project.write("site/.git/hooks/pre-push", "", 0o755);
        for folder in ["site", "site/sub", "site/.git/hooks"] {
            assert_eq!(project.hooks(folder, "git push"), ["pre-push"], "{folder}");
        }
        for line in ["git commit -m x", "git push --no-verify", "git status", "ls"] {
            assert_eq!(project.hooks("site", line), [""; 0], "{line}");
        }
    }

    #[test]
    fn hooks_are_those_of_the_repository_that_the_options_name() {
        let project = Place::project();
        project.write("site/.git/hooks/pre-push", "", 0o755);
        project.write("bare/HEAD", "", 0o644);
        project.write("bare/hooks/pre-push", "", 0o755);
        for folder in ["bare/objects", "bare/refs", "other"] {
            std::fs::create_dir(project.path(folder)).unwrap();
        }
        assert_eq!(project.hooks("bare", "git push"), ["pre-push"]);
        for line in
            ["git -C ../site/sub push", "git --git-dir ../site/.git push", "git --git-dir=../bare push"]
        {
            assert_eq!(project.hooks("other", line), ["pre-push"], "{line}");
        }
        for line in ["git push", "git -C sub push", "git -C ../nowhere push"] {
            assert_eq!(project.hooks("other", line), [""; 0], "{line}");
        }
        let anywhere = project.hooks("other", "git -C \"$X\" push");
        assert_eq!(anywhere, ["pre-push", "reference-transaction"], "it may be any repository");
    }

    #[test]
    fn configuration_names_other_folders() {
        let project = Place::project();
        project.write("site/.husky/pre-commit", "", 0o755);
        project.write("home/hooks/post-commit", "", 0o755);
        assert_eq!(project.hooks("site", "git commit -m x"), [""; 0]);
        project.write("site/.git/config", "[core]\nhooksPath = .husky\n", 0o644);
        assert_eq!(project.hooks("site/sub", "git commit -m x"), ["pre-commit"]);
        project.write("home/.gitconfig", "[core]\nhooksPath = ~/hooks\n", 0o644);
        project.write("site/.git/config", "", 0o644);
        for folder in ["site", "home"] {
            assert_eq!(project.hooks(folder, "git commit -m x"), ["post-commit"], "{folder}");
        }
        project.write("site/.git/config", "[include]\npath = config\n", 0o644);
        let endless = project.hooks("site", "git push");
        assert_eq!(endless, [""; 0], "a file that includes itself ends");
        let many = "[include]\npath = config\n".repeat(40);
        project.write("site/.git/config", &many, 0o644);
        let unread = project.hooks("site", "git push");
        assert_eq!(unread, ["pre-push", "reference-transaction"], "what can't be read may name hooks");
    }

    #[test]
    fn a_linked_work_tree_has_the_hooks_of_its_repository() {
        let project = Place::project();
        project.write("site/.git/hooks/post-checkout", "", 0o755);
        project.write("site/.git/worktrees/tree/commondir", "../..\n", 0o644);
        let led = project.path("site/.git/worktrees/tree");
        project.write("tree/.git", &format!("gitdir: {}\n", led.display()), 0o644);
        assert_eq!(project.hooks("tree", "git switch main"), ["post-checkout"]);
        project.write("site/.git/worktrees/tree/config.worktree", "[core]\nhooksPath = mine\n", 0o644);
        project.write("tree/mine/post-checkout", "", 0o755);
        std::fs::remove_file(project.path("site/.git/hooks/post-checkout")).unwrap();
        assert_eq!(project.hooks("tree", "git switch main"), ["post-checkout"]);
    }
}
