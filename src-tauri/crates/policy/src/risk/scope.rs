//! The reach of paths: the agent's folders, other folders of the person, the system.

use crate::facts::{Facts, StepFacts};
use crate::path;
use postern_command::effect::{EffectScope, is_system_file};
use postern_command::{ParsedCommand, Step, Word};
use std::borrow::Cow;

/// Folders for files that nobody keeps.
const TEMPORARY: [&str; 8] = [
    "/tmp", "/var/tmp", "/var/folders", "/dev/shm", "/private/tmp", "/private/var/tmp",
    "/private/var/folders", "/private/dev/shm",
];

/// Words that the shell replaces by a temporary folder.
const TEMPORARY_WORDS: [&str; 2] = ["$TMPDIR", "${TMPDIR}"];

/// The place where paths are written, as far as it is known.
pub(super) struct PathContext<'a> {
    cwd: Option<Cow<'a, str>>,
    folders: &'a [String],
    home: &'a str,
    found: Option<&'a StepFacts>,
    /// Reach of the files that another program names for the step, if one does.
    given: Option<EffectScope>,
}

impl<'a> PathContext<'a> {
    pub(super) fn of_step(facts: &Facts<'a>, step: &Step, found: Option<&'a StepFacts>) -> Self {
        let cwd = super::folder(facts, step);
        let context = Self { cwd, folders: facts.folders, home: facts.home, found, given: None };
        let given = given_files(facts.reading, step).map(|files| match files {
            GivenFiles::Named(words) => context.scope_of(&words),
            GivenFiles::Unknown => EffectScope::Outside,
        });
        Self { given, ..context }
    }

    /// Returns the place of a part that belongs to no step: its folder may be another.
    pub(super) fn anywhere(facts: &Facts<'a>) -> Self {
        Self { cwd: None, folders: facts.folders, home: facts.home, found: None, given: None }
    }

    pub(super) fn in_folder(cwd: Option<&'a str>, folders: &'a [String], home: &'a str) -> Self {
        Self { cwd: cwd.map(Cow::Borrowed), folders, home, found: None, given: None }
    }

    /// Returns the widest reach of these paths.
    pub(super) fn scope_of(&self, paths: &[String]) -> EffectScope {
        paths.iter().map(|path| self.of_one(path)).max().unwrap_or(EffectScope::Inside)
    }

    /// Returns true if one of these paths is an agent's folder, holds one, or is its repository.
    pub(super) fn holds_all(&self, paths: &[String]) -> bool {
        let holds = |path: &String| {
            let last = path.rsplit('/').next().unwrap_or(path);
            let some = path.contains(['*', '?', '[', '{']) && !last.chars().all(|c| "*.?\"'".contains(c));
            if some {
                return false;
            }
            let Some(reached) = self.reached(path) else { return false };
            let repository =
                reached.split('/').any(|name| name == ".git") && reached.strip_suffix(".lock").is_none();
            repository || self.folders.iter().any(|folder| path::is_within(folder, &reached))
        };
        paths.iter().any(holds)
    }

    fn of_one(&self, written: &str) -> EffectScope {
        if let Some(given) = self.given.filter(|_| written.contains("{}") || written == "…") {
            return given;
        }
        let plain = written.replace(['"', '\''], "");
        if TEMPORARY_WORDS
            .iter()
            .any(|word| plain.strip_prefix(word).is_some_and(|rest| rest.starts_with('/')))
        {
            return EffectScope::Inside;
        }
        let Some(reached) = self.reached(written) else { return EffectScope::Outside };
        let named = if is_some_of_temporary(&plain) { EffectScope::Inside } else { self.of_path(&reached) };
        let real = super::find_real_path(self.found, &path::expand_home(written, self.home));
        real.into_iter().map(|real| self.of_path(real)).chain([named]).max().unwrap_or(EffectScope::Outside)
    }

    fn of_path(&self, path: &str) -> EffectScope {
        // A home folder that lies in a temporary one holds files that somebody keeps.
        let kept = |folder: &str| path::is_within(self.home, folder) && path::is_within(path, self.home);
        let below =
            |folder: &str| path::is_within(path, folder) && path.len() > folder.len() && !kept(folder);
        if TEMPORARY.iter().any(|folder| below(folder))
            || self.folders.iter().any(|folder| path::is_within(path, folder))
        {
            EffectScope::Inside
        } else if is_system_file(path) {
            EffectScope::Machine
        } else {
            EffectScope::Outside
        }
    }

    /// Returns the absolute path of a word up to its first pattern; `None` where a part is only known at run time.
    fn reached(&self, written: &str) -> Option<String> {
        let plain = written.replace(['"', '\''], "");
        let expanded = path::expand_tilde(&plain, self.home, self.cwd.as_deref().unwrap_or("/"));
        if expanded.contains(['$', '`']) {
            return None;
        }
        let known = match expanded.find(['*', '?', '[', '{']) {
            Some(at) => expanded[..at].rsplit_once('/').map_or("", |(folder, _)| folder),
            None => &expanded,
        };
        let known = if known.is_empty() && expanded.starts_with('/') { "/" } else { known };
        if known.starts_with('/') {
            return Some(path::reached("/", known));
        }
        Some(path::reached(self.cwd.as_deref()?, known))
    }
}

/// Returns true for a pattern of some files right in a temporary folder, by a part of their names: `/tmp/build-*`.
fn is_some_of_temporary(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, name)| {
        TEMPORARY.contains(&folder)
            && name.contains(['*', '?'])
            && name.contains(|c: char| c.is_ascii_alphanumeric())
            && !name.contains(['[', '{', '$', '`'])
    })
}

/// Programs that pass on some of the lines that they read.
const FILTERS: [&str; 7] = ["egrep", "fgrep", "grep", "head", "sort", "tail", "uniq"];

/// Files that a wrapper hands to a step.
enum GivenFiles {
    /// Words that name them, or folders that they lie in.
    Named(Vec<String>),
    /// Only the run tells.
    Unknown,
}

/// Returns the files that a wrapper hands to the step.
///
/// `find` and `fd` look through folders; `xargs` and `parallel` take names from the pipe before them.
fn given_files(reading: &ParsedCommand, step: &Step) -> Option<GivenFiles> {
    step.via.iter().rev().find_map(|via| {
        let name = via.argv.first().and_then(|word| word.value.as_deref()).map(path::base_name)?;
        match name {
            "find" | "gfind" | "fd" | "fdfind" => Some(GivenFiles::Named(starts(&via.argv))),
            "xargs" | "gxargs" | "parallel" => {
                Some(listed(reading, step).map_or(GivenFiles::Unknown, GivenFiles::Named))
            }
            _ => None,
        }
    })
}

/// Returns the folders that `find` or `fd` looks through.
fn starts(argv: &[Word]) -> Vec<String> {
    let words = argv.iter().skip(1).map(|word| word.value.as_ref().unwrap_or(&word.raw));
    let mut named: Vec<String> =
        words.filter(|word| !word.starts_with(['-', '(', '!', ')', '{', ';', '+'])).cloned().collect();
    named.push(".".to_owned());
    named
}

/// Returns the words of the program at the beginning of the step's pipe, if it tells names of files that it finds.
fn listed(reading: &ParsedCommand, step: &Step) -> Option<Vec<String>> {
    let mut at = reading.steps.iter().position(|other| std::ptr::eq(other, step))?;
    loop {
        let (before, here) = (reading.steps.get(at.checked_sub(1)?)?, &reading.steps[at]);
        let between = reading.text.get(before.span.end..here.span.start)?;
        if between.trim() != "|" || before.opaque.is_some() {
            return None;
        }
        let name = path::base_name(before.program()?);
        let has = |option: &[&str]| {
            before.argv.iter().any(|word| option.iter().any(|one| word.value.as_deref() == Some(*one)))
        };
        match name {
            "find" | "gfind" | "fd" | "fdfind" | "ls" | "rg" | "git" | "echo" | "printf" => {
                return Some(starts(&before.argv));
            }
            "grep" | "egrep" | "fgrep" if has(&["-l", "-rl", "-lr", "--files-with-matches"]) => {
                return Some(starts(&before.argv));
            }
            _ if FILTERS.contains(&name) => at -= 1,
            _ => return None,
        }
    }
}
