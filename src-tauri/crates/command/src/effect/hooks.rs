//! Hooks of a repository that a step's program runs, and settings by which it starts a program.
//!
//! As far as its words tell, from githooks(5) and git-config(1) of git 2.50.

use super::command::{ExaminedCommand, ProgramWords};
use crate::programs::{family_of, is_read_only_anyway};
use crate::quote::behind_home;
use crate::{Role, Step};

/// Commands, as patterns of the files about programs, and hooks that run with them.
type HookRow = (&'static str, &'static str);

const OF_GIT: &[HookRow] = &[
    ("commit", "pre-commit prepare-commit-msg commit-msg post-commit"),
    ("commit:--amend", "post-rewrite"),
    ("push", "pre-push"),
    ("merge pull", "pre-merge-commit prepare-commit-msg commit-msg post-merge"),
    ("bisect checkout pull rebase restore switch worktree.add", "post-checkout"),
    ("pull rebase", "pre-rebase post-rewrite"),
    // A step of a rebase may commit, and may apply a patch.
    ("rebase", "pre-commit prepare-commit-msg commit-msg post-commit"),
    ("cherry-pick revert", "prepare-commit-msg commit-msg post-commit"),
    ("am rebase", "applypatch-msg pre-applypatch post-applypatch"),
    ("am", "post-rewrite"),
    ("send-email", "sendemail-validate"),
    ("am commit fetch gc maintenance merge pull rebase", "pre-auto-gc"),
    (
        "add am apply bisect checkout cherry-pick commit merge mv pull read-tree rebase reset restore revert rm \
         sparse-checkout stage stash submodule switch update-index worktree.add",
        "post-index-change",
    ),
    (
        "am bisect branch checkout cherry-pick commit fast-import fetch filter-branch gc maintenance merge notes \
         pack-refs pull push rebase remote replace reset revert stash switch symbolic-ref tag update-ref worktree.add",
        "reference-transaction",
    ),
];

/// Hooks that git leaves out with these options.
const LEFT_OUT: &[HookRow] = &[
    ("commit:--no-verify commit:-n", "pre-commit commit-msg"),
    ("push:--no-verify", "pre-push"),
    ("merge:--no-verify pull:--no-verify", "pre-merge-commit commit-msg"),
];

/// Hooks of the git that `gh` starts (gh-pr-checkout(1), gh-pr-create(1), gh-pr-merge(1), gh-repo-create(1)).
const OF_GH: &[HookRow] = &[
    ("pr.checkout pr.co pr.merge", "post-checkout post-merge"),
    ("pr.create pr.new repo.create repo.new", "pre-push"),
];

/// Settings by which git starts a program where it reaches a server. `*` stands for one name of a thing (`credential.URL.helper`).
const OF_SERVERS: &str = "core.alternaterefscommand core.askpass core.gitproxy core.sshcommand credential.*.helper \
    credential.helper lfs.*.path protocol.allow protocol.ext.allow remote.*.receivepack remote.*.uploadpack remote.*.vcs";

/// Settings by which git starts a program where it looks at the work tree, or changes it.
///
/// A filter of Git LFS starts further programs (git-lfs-config(5)), whose names it takes in letters of both cases.
const OF_FILES: &str = "core.fsmonitor filter.*.clean filter.*.process filter.*.smudge hook.*.command lfs.*.clean \
    lfs.*.path lfs.*.smudge merge.*.driver";

/// Commands, and settings by which git starts a program with them.
const SETTINGS_OF_GIT: &[HookRow] = &[
    (
        "archive:--remote fetch ls-remote pull push remote.prune remote.show remote.update submodule.add submodule.update",
        OF_SERVERS,
    ),
    (
        "add am apply bisect checkout cherry-pick commit merge mv pull read-tree rebase reset restore revert rm \
         sparse-checkout stage stash submodule switch update-index worktree.add",
        OF_FILES,
    ),
    (
        "branch fast-import fetch filter-branch gc maintenance notes pack-refs push remote replace send-email symbolic-ref \
         tag update-ref",
        "hook.*.command",
    ),
    (
        "lfs.checkout lfs.clone lfs.fetch lfs.lock lfs.locks lfs.prune lfs.pull lfs.push lfs.unlock",
        OF_SERVERS,
    ),
    ("lfs.checkout lfs.clone lfs.migrate lfs.pull", OF_FILES),
    (
        "am cherry-pick commit merge notes pull rebase revert tag",
        "core.editor gpg.*.program gpg.program gpg.ssh.defaultkeycommand sequence.editor trailer.*.cmd trailer.*.command",
    ),
    ("commit:--verbose commit:-v stash:--patch stash:-p", "diff.*.command diff.*.textconv diff.external"),
    ("submodule.update", "submodule.*.update"),
    ("am commit fetch gc maintenance merge pull rebase", "gc.recentobjectshook"),
];

/// Settings that hold for the git that `gh` starts.
const SETTINGS_OF_GH: &[HookRow] = &[
    ("pr.checkout pr.co pr.create pr.merge pr.new repo.create repo.new repo.sync", OF_SERVERS),
    ("pr.checkout pr.co pr.merge repo.sync", OF_FILES),
];

/// Values by which git starts nothing, or a program that runs no text of a project.
const HARMLESS: &[&str] = &[
    "", ":", "cat", "false", "git-lfs clean -- %f", "git-lfs filter-process",
    "git-lfs filter-process --skip", "git-lfs smudge --skip -- %f", "git-lfs smudge -- %f", "gpg", "gpg2",
    "never", "ssh", "true",
];

/// Step whose program obeys a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookedStep {
    /// Names of the hooks, where the repository has them.
    pub hooks: Vec<&'static str>,
    /// Keys of the settings by which it starts a program, where the repository has them. A part may be `*`.
    pub settings: Vec<&'static str>,
    /// Options that name the repository; `None` if a value is only known at run time.
    pub place: Option<RepositoryOptions>,
}

/// Values of the options with which git works elsewhere than in the step's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryOptions {
    /// Folders that it changes to, one from the other (`-C`).
    pub folders: Vec<String>,
    /// The repository (`--git-dir`).
    pub repository: Option<String>,
    /// Top of the work tree (`--work-tree`).
    pub work_tree: Option<String>,
}

impl HookedStep {
    /// Returns true for a setting by which it starts a program. Keys have small letters, but for the name of a thing.
    pub fn is_started_by(&self, key: &str, value: &str) -> bool {
        let is = |pattern: &&str| match pattern.split_once(".*.") {
            None => *pattern == key,
            Some((section, last)) => {
                let rest = key.strip_prefix(section).and_then(|rest| rest.strip_prefix('.'));
                let name =
                    rest.and_then(|rest| rest.strip_suffix(last)).and_then(|rest| rest.strip_suffix('.'));
                name.is_some()
            }
        };
        let value = value.trim();
        // Any other way to update a submodule is one of git's own.
        let is_own = key.ends_with(".update") && !value.starts_with('!');
        !HARMLESS.contains(&value) && !is_own && self.settings.iter().any(is)
    }
}

/// Returns true for a setting among the names that a step obeys: `core.sshcommand=x`. A hook is a name alone.
pub fn is_setting(obeyed: &str) -> bool {
    obeyed.contains('=')
}

/// Returns the hooks that a step may run, and what it says about its repository. A step that only reads runs none.
pub fn hooked_step(step: &Step, home: &str) -> Option<HookedStep> {
    let family = family_of(step.program().filter(|_| step.role == Role::Program)?);
    let (table, settings_table) = match &*family {
        "git" => (OF_GIT, SETTINGS_OF_GIT),
        "gh" => (OF_GH, SETTINGS_OF_GH),
        _ => return None,
    };
    let words = step.known_words();
    if step.ways_out.is_empty() && is_read_only_anyway(&words) {
        return None;
    }
    let mut found: Option<HookedStep> = None;
    ProgramWords::of_step(step).pop()?.for_each_reading(|command| {
        let left_out = hooks_in(LEFT_OUT, command);
        let mut hooks = hooks_in(table, command);
        hooks.retain(|hook| !left_out.contains(hook));
        let settings = hooks_in(settings_table, command);
        if found.is_none() && !(hooks.is_empty() && settings.is_empty()) {
            found = Some(HookedStep { hooks, settings, place: repository_options(command, step, home) });
        }
    });
    found
}

fn hooks_in(table: &'static [HookRow], command: &ExaminedCommand<'_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (_, hooks) in table.iter().filter(|(commands, _)| command.matches_any(commands)) {
        for hook in hooks.split(' ') {
            if !found.contains(&hook) {
                found.push(hook);
            }
        }
    }
    found
}

fn repository_options(command: &ExaminedCommand<'_>, step: &Step, home: &str) -> Option<RepositoryOptions> {
    let mut options = RepositoryOptions::default();
    let read = command.read();
    let verb = read.verbs.first().copied().unwrap_or(usize::MAX);
    for given in read.options.iter().filter(|given| given.at < verb && command.is_one_of(&["git"])) {
        let known = || {
            let word = step.argv.get(given.value_at)?;
            if word.value.is_some() {
                return given.value.map(str::to_owned);
            }
            let behind =
                behind_home(&word.raw).filter(|behind| behind.starts_with('/') && !given.attached)?;
            let plain = !behind.contains(['$', '`', '*', '?', '[', '{', '"', '\'', '\\']);
            plain.then(|| format!("{home}{behind}"))
        };
        match &*given.name {
            "-C" => options.folders.push(known()?),
            "--git-dir" => options.repository = Some(known()?),
            "--work-tree" => options.work_tree = Some(known()?),
            _ => {}
        }
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::{RepositoryOptions, hooked_step};
    use crate::{Dialect, read_shell};

    fn hooks(line: &str) -> Vec<&'static str> {
        let reading = read_shell(line, Dialect::Bash);
        hooked_step(&reading.steps[0], "/home/u").map(|found| found.hooks).unwrap_or_default()
    }

    fn place(line: &str) -> Option<RepositoryOptions> {
        let reading = read_shell(line, Dialect::Bash);
        hooked_step(&reading.steps[0], "/home/u").unwrap().place
    }

    #[test]
    fn commands_run_the_hooks_that_git_runs_for_them() {
        for (line, expected) in [
            ("git commit -m x", &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"][..]),
            ("git -C sub commit --amend", &["pre-commit", "post-rewrite"]),
            ("/usr/bin/git push origin main", &["pre-push"]),
            ("env A=1 git push", &["pre-push"]),
            ("git pull --rebase", &["pre-rebase", "post-merge", "post-checkout"]),
            ("git checkout -b x", &["post-checkout"]),
            ("git worktree add ../x", &["post-checkout"]),
            ("git rebase main", &["pre-rebase", "post-rewrite", "post-checkout"]),
            ("git am x.patch", &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
            ("git revert HEAD", &["prepare-commit-msg", "post-commit"]),
            ("git commit --no-verify -m x", &["prepare-commit-msg", "post-commit"]),
            ("git add .", &["post-index-change"]),
            ("git fetch origin", &["pre-auto-gc", "reference-transaction"]),
            ("gh pr create --fill", &["pre-push"]),
            ("gh pr checkout 5", &["post-checkout"]),
        ] {
            let found = hooks(line);
            assert!(expected.iter().all(|hook| found.contains(hook)), "{line}: {found:?}");
        }
    }

    #[test]
    fn other_commands_and_options_run_none() {
        for line in
            ["git status", "git log -3", "git worktree list", "git tag -l", "gh pr view 5", "echo git push"]
        {
            assert_eq!(hooks(line), [""; 0], "{line}");
        }
        for (line, left_out) in [
            ("git commit --no-verify -m x", "pre-commit"),
            ("git commit -nm x", "commit-msg"),
            ("git push --no-verify", "pre-push"),
            ("git commit -m x", "post-rewrite"),
            ("git worktree add ../x", "pre-commit"),
        ] {
            assert!(!hooks(line).contains(&left_out), "{line}");
        }
        for (line, runs) in [
            ("git push -n", "pre-push"),
            ("git commit -m --no-verify", "pre-commit"),
            ("git merge -n x", "commit-msg"),
        ] {
            assert!(hooks(line).contains(&runs), "{line}");
        }
    }

    #[test]
    fn settings_by_which_git_starts_a_program_hold_for_the_commands_that_obey_them() {
        let obeys = |line: &str, key: &str, value: &str| {
            let reading = read_shell(line, Dialect::Bash);
            hooked_step(&reading.steps[0], "/home/u").is_some_and(|found| found.is_started_by(key, value))
        };
        for (line, key) in [
            ("git fetch origin", "core.sshcommand"),
            ("git push", "credential.helper"),
            ("git push", "credential.https://a.b.helper"),
            ("git pull", "remote.origin.uploadpack"),
            ("git add .", "filter.x.y.clean"),
            ("git commit -m x", "gpg.ssh.program"),
            ("git merge x", "merge.m.driver"),
            ("git commit -vm x", "diff.external"),
            ("gh pr create --fill", "core.sshcommand"),
            ("git branch x", "hook.a.command"),
            ("git tag x", "hook.a.command"),
            ("git checkout main", "lfs.extension.a.smudge"),
            ("git push origin main", "lfs.customTransfer.a.path"),
            ("git lfs pull", "core.sshcommand"),
            ("git lfs push origin main", "lfs.customtransfer.a.path"),
        ] {
            assert!(obeys(line, key, "./evil.sh"), "{line}: {key}");
            assert!(!obeys(line, key, "true"), "{line}: {key}");
        }
        for (line, key) in [
            ("git status", "core.fsmonitor"),
            ("git commit -m x", "core.sshcommand"),
            ("git push", "filter.x.clean"),
            ("git push", "remote.origin.url"),
            ("git commit -m x", "diff.external"),
            ("gh pr view 5", "core.sshcommand"),
        ] {
            assert!(!obeys(line, key, "./evil.sh"), "{line}: {key}");
        }
        assert!(!obeys("git add .", "filter.lfs.process", "git-lfs filter-process"));
        for (way, expected) in [("rebase", false), ("!./evil.sh", true)] {
            assert_eq!(obeys("git submodule update", "submodule.a.update", way), expected, "{way}");
        }
    }

    #[test]
    fn options_before_the_command_name_the_repository() {
        let folders = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let found = place("git -C a -C b -c x=y commit -C HEAD~1").unwrap();
        assert_eq!(found, RepositoryOptions { folders: folders(&["a", "b"]), ..Default::default() });
        let found = place("git --git-dir=x/.git --work-tree y commit -m z").unwrap();
        assert_eq!((found.repository.as_deref(), found.work_tree.as_deref()), (Some("x/.git"), Some("y")));
        let found = place("git -C ~/site commit -m z").unwrap();
        assert_eq!(found.folders, ["/home/u/site"]);
        for line in ["git -C $X commit -m z", "git --git-dir=$X push", "git -C ~/$X push"] {
            assert_eq!(place(line), None, "{line}");
        }
    }
}
