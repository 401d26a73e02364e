//! Hooks of a repository that a step would run, and settings by which its git would start a program.
//!
//! They are looked up where git looks for them.

use super::targets::folders_of_repository;
use crate::git_config::GitConfig;
use postern_command::effect::{HookedStep, RepositoryOptions, hooked_step, is_setting};
use postern_command::{ArgEffect, ParsedCommand, Role, Step, is_read_only_anyway};
use postern_policy::{Lookup, StepFacts, is_git_folder};
use postern_protocol::encode_hex;
use sha2::{Digest as _, Sha256};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Longest value that is named as it is; of a longer one its hash.
const LONGEST_VALUE: usize = 256;

/// Settings that git has unless a file sets them, and with which it starts nothing of a project. An empty list of helpers is none.
const DEFAULTS: [(&str, &str); 10] = [
    ("core.askpass", ""),
    ("core.editor", "false"),
    ("core.fsmonitor", "false"),
    ("core.hookspath", "/dev/null"),
    ("core.sshcommand", "ssh"),
    ("credential.helper", ""),
    ("gpg.format", "openpgp"),
    ("gpg.program", "gpg"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("protocol.ext.allow", "never"),
];

/// Folders of programs whose git has its system's configuration in a place that is read here. Apple's has another one.
#[cfg(target_os = "macos")]
const KNOWN_GIT: [&str; 1] = ["/opt/homebrew/bin/"];
#[cfg(not(target_os = "macos"))]
const KNOWN_GIT: [&str; 2] = ["/usr/bin/", "/usr/local/bin/"];

/// Hooks and settings that a step obeys in its repositories, to be looked up again right before it starts.
#[derive(Debug)]
pub(super) struct ObeyedRepository {
    home: String,
    step: HookedStep,
    folders: Vec<PathBuf>,
    /// Hooks, and settings as `key=value`.
    pub(super) found: Vec<String>,
    /// Keys of all settings that hold; `None` where not all are known.
    keys: Option<Vec<String>>,
}

/// Repositories that a request's steps obey.
#[derive(Debug, Default)]
pub struct Obeyed(Vec<ObeyedRepository>);

impl Obeyed {
    pub(super) fn extend(&mut self, further: Option<ObeyedRepository>) {
        self.0.extend(further);
    }

    /// Returns true if the same hooks and settings are there as when the request was judged.
    pub(crate) fn is_current(&self) -> bool {
        let config = OnceCell::new();
        self.0
            .iter()
            .all(|one| look_up(&one.step, &one.folders, configuration(&config, &one.home)).0 == one.found)
    }

    /// Returns every hook, and every setting by which a git of the request would start a program.
    pub fn names(&self) -> Vec<String> {
        let mut all: Vec<String> = self.0.iter().flat_map(|one| one.found.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Returns settings for the git of a line, where no file sets them: then no file sets them meanwhile.
    ///
    /// None for a submodule, an alias or another program of the line: it would change what runs rightly without being looked up.
    pub fn defaults(&self, reading: &ParsedCommand, facts: &[StepFacts]) -> Vec<(String, String)> {
        let of_programs = || reading.steps.iter().zip(facts).filter(|(step, _)| runs(step));
        let all = self.0.iter().map(|one| one.keys.as_deref()).collect::<Option<Vec<&[String]>>>();
        let Some(set) = all.map(|all| all.concat()) else { return Vec::new() };
        if self.0.is_empty()
            || !reading.opaque.is_empty()
            || reading.steps.iter().any(may_start_more)
            || of_programs().count() != self.0.len()
            || !of_programs().all(|(_, found)| is_known_git(&found.program))
        {
            return Vec::new();
        }
        let hooked = self.0.iter().flat_map(|one| &one.found).any(|name| !is_setting(name));
        let is_free = |key: &str| match key {
            "core.hookspath" => !hooked,
            _ => !set.iter().any(|other| sets(other, key)),
        };
        let free = DEFAULTS.iter().filter(|(key, _)| is_free(key));
        free.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }
}

/// Returns true for a step of a program that may do more than read.
fn runs(step: &Step) -> bool {
    step.role == Role::Program && !is_read_only_anyway(&step.known_words())
}

/// Returns true for a step with words by which more than its own program may start.
fn may_start_more(step: &Step) -> bool {
    let is_more = |effect: ArgEffect| {
        !matches!(
            effect,
            ArgEffect::Writes
                | ArgEffect::Deletes
                | ArgEffect::Outside
                | ArgEffect::Sends
                | ArgEffect::Folder
        )
    };
    let more = step.ways_out.iter().any(|way| is_more(way.effect));
    more || step.opaque.is_some() || !step.assignments.is_empty()
}

fn is_known_git(found: &Lookup) -> bool {
    let Lookup::Found(program) = found else { return false };
    KNOWN_GIT.iter().any(|folder| program.path.strip_prefix(folder) == Some("git"))
}

/// Returns true if a setting takes the place of another one.
fn sets(other: &str, key: &str) -> bool {
    match key {
        // A helper for one server is set by its address.
        "credential.helper" => other.starts_with("credential.") && other.ends_with(".helper"),
        "gpg.program" => matches!(other, "gpg.program" | "gpg.openpgp.program"),
        _ => other == key,
    }
}

/// Looks up what is there for a step in one of these folders; all that it may run where the place can't be read.
///
/// In a folder that is not known before the run nothing is looked up: nothing saved covers such a step.
/// `config` is the user's configuration, read for the first such step of a request.
pub(super) fn of_step<'h>(
    step: &Step,
    folders: Vec<PathBuf>,
    home: &'h str,
    config: &OnceCell<GitConfig<'h>>,
) -> Option<ObeyedRepository> {
    let step = hooked_step(step, home)?;
    let (found, keys) = look_up(&step, &folders, configuration(config, home));
    Some(ObeyedRepository { home: home.to_owned(), step, folders, found, keys })
}

fn configuration<'c, 'h>(config: &'c OnceCell<GitConfig<'h>>, home: &'h str) -> &'c GitConfig<'h> {
    config.get_or_init(|| GitConfig::of_user(if home.is_empty() { "/" } else { home }))
}

/// Returns the hooks and settings that are there for a step, and the keys of all settings where these are known.
fn look_up(
    step: &HookedStep,
    folders: &[PathBuf],
    config: &GitConfig<'_>,
) -> (Vec<String>, Option<Vec<String>>) {
    let read = |folder: &PathBuf| RepositoryAround::read(config, folder, step.place.as_ref()?);
    let Some(read) = folders.iter().map(read).collect::<Option<Vec<RepositoryAround>>>() else {
        return (step.hooks.iter().map(|hook| (*hook).to_owned()).collect(), None);
    };
    let is_there = |hook: &str| {
        read.iter().flat_map(|one| &one.hooks).any(|folder| is_executable_file(&folder.join(hook)))
    };
    let hooks = step.hooks.iter().filter(|hook| is_there(hook)).map(|hook| (*hook).to_owned());
    let settings = read.iter().flat_map(|one| &one.settings);
    let settings = settings.filter(|(key, value)| step.is_started_by(key, value));
    let mut found: Vec<String> = hooks.chain(settings.map(|(key, value)| as_text(key, value))).collect();
    let mut seen = HashSet::new();
    found.retain(|name| seen.insert(name.clone()));
    let known = !read.is_empty() && read.iter().all(|one| !one.nests);
    let all = read.iter().flat_map(|one| &one.settings).chain(config.shared());
    (found, known.then(|| all.map(|(key, _)| key.clone()).collect()))
}

fn as_text(key: &str, value: &str) -> String {
    if value.len() <= LONGEST_VALUE {
        return format!("{key}={value}");
    }
    format!("{key}=sha256:{}", encode_hex(&Sha256::digest(value)))
}

/// Repository that a git obeys which starts in a folder; nothing of it if there is none.
#[derive(Debug, Default)]
struct RepositoryAround {
    /// Folders in which it looks for hooks.
    hooks: Vec<PathBuf>,
    /// Settings of its own, and no user's.
    settings: Vec<crate::git_config::GitSetting>,
    /// True if it has submodules, whose hooks and settings are not looked up.
    nests: bool,
}

impl RepositoryAround {
    /// Reads the repository around a folder; `None` if its configuration can't be read.
    fn read(config: &GitConfig<'_>, folder: &Path, options: &RepositoryOptions) -> Option<Self> {
        let start = options.folders.iter().fold(folder.to_owned(), |start, next| start.join(next));
        // Nothing runs in a folder that is not there.
        let Ok(start) = start.canonicalize() else { return Some(Self::default()) };
        let found = match &options.repository {
            Some(named) => Some((start.clone(), start.join(named))),
            None => start.ancestors().find_map(|above| Some((above.to_owned(), repository_in(above)?))),
        };
        let (top, repository) =
            found.map_or((None, Vec::new()), |(top, own)| (Some(top), folders_of_repository(own)));
        let tree = options.work_tree.as_ref().map(|tree| start.join(tree)).or(top).unwrap_or(start);
        let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
        let nests =
            repository.iter().any(|own| is_there(own.join("modules"))) || is_there(tree.join(".gitmodules"));
        let hooks = config.hook_folders(&repository, &tree).ok()?;
        Some(Self { hooks, settings: config.own_settings(&repository).ok()?, nests })
    }
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
    use super::{KNOWN_GIT, Obeyed, of_step};
    use crate::tests::{Place, write_file};
    use postern_command::Step;
    use postern_policy::{FoundProgram, Lookup, StepFacts};
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
            let found =
                of_step(&reading.steps[0], vec![self.path(folder)], home.to_str().unwrap(), &OnceCell::new());
            found.map(|obeyed| obeyed.found).unwrap_or_default()
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
    fn a_git_alone_is_given_what_no_file_sets() {
        let given = |project: &Place, line: &str| {
            let reading = postern_command::read_shell(line, postern_command::Dialect::Bash);
            let home = project.path("home");
            let (config, mut obeyed) = (OnceCell::new(), Obeyed::default());
            let git = |step: &Step| FoundProgram {
                path: format!("{}{}", KNOWN_GIT[0], step.program_name().unwrap_or_default()),
                ..serde_json::from_value(serde_json::json!({
                    "invoked": "", "path": "", "realPath": "", "identity": null, "shebang": null,
                    "mutable": false, "setuid": false
                }))
                .unwrap()
            };
            let facts = reading.steps.iter().map(|step| StepFacts {
                program: Lookup::Found(Box::new(git(step))),
                via: Vec::new(),
                script: None,
                targets: Vec::new(),
                hooks: Vec::new(),
            });
            let facts: Vec<StepFacts> = facts.collect();
            for step in &reading.steps {
                let folders = vec![project.path("site")];
                obeyed.extend(of_step(step, folders, home.to_str().unwrap(), &config));
            }
            let given = obeyed.defaults(&reading, &facts);
            given.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let project = Place::project();
        // This computer's own configuration may set some.
        let all = given(&project, "git push origin main");
        for key in ["core.hookspath", "core.fsmonitor", "protocol.ext.allow"] {
            assert!(all.iter().any(|one| one == key), "{key}: {all:?}");
        }
        for line in ["git commit -m x && git push", "cd . && git status && git push"] {
            assert_eq!(given(&project, line), all, "{line}");
        }
        for line in ["git push && make", "git -c a.b=c push", "git ci -m x && git push", "A=1 git push", "ls"]
        {
            assert_eq!(given(&project, line), [""; 0], "{line}");
        }
        project.write(
            "home/.gitconfig", "[credential \"https://a.b\"]\nhelper = x\n[gpg]\nformat = ssh\n", 0o644,
        );
        project.write("site/.git/hooks/pre-push", "", 0o755);
        let but = |keys: &[&str]| -> Vec<String> {
            all.iter().filter(|key| !keys.contains(&key.as_str())).cloned().collect()
        };
        let is_set = ["credential.helper", "gpg.format", "core.hookspath"];
        assert_eq!(given(&project, "git push"), but(&is_set));
        assert_eq!(given(&project, "git commit -m x"), but(&is_set[..2]), "it runs no hook of a push");
        project.write("site/.gitmodules", "", 0o644);
        assert_eq!(given(&project, "git push"), [""; 0], "its hooks were not looked up");
    }

    #[test]
    fn settings_of_the_repository_by_which_git_starts_a_program_are_found() {
        let project = Place::project();
        project.write("home/.gitconfig", "[core]\nsshCommand = mine\n", 0o644);
        assert_eq!(project.hooks("site", "git fetch"), [""; 0], "the user's own are no project's");
        project.write("site/.git/more", "[filter \"A b\"]\nclean = ./e\n", 0o644);
        let config = "[core]\nsshCommand = ./e\n[include]\npath = more\n[remote \"o\"]\nurl = x\n";
        project.write("site/.git/config", config, 0o644);
        assert_eq!(project.hooks("site/sub", "git fetch"), ["core.sshcommand=./e"]);
        assert_eq!(project.hooks("site", "git add ."), ["filter.A b.clean=./e"]);
        assert_eq!(project.hooks("site", "git status"), [""; 0]);
        let long = format!("[core]\nsshCommand = {}\n", "x".repeat(300));
        project.write("site/.git/config", &long, 0o644);
        let found = project.hooks("site", "git fetch");
        assert!(found.len() == 1 && found[0].starts_with("core.sshcommand=sha256:"), "{found:?}");
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
