//! The reach of paths: the agent's folders, other folders of the person, the system.

use super::named::{GivenFiles, NamedFiles, given_files};
use crate::facts::{Facts, StepFacts};
use crate::path;
use postern_command::effect::{EffectScope, is_system_file};
use postern_command::{ListedWord, Step};
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
    /// Words that stand for those of a list.
    listed: &'a [ListedWord],
    /// Files that another program names for the step, and their reach.
    given: Option<(GivenFiles, EffectScope)>,
}

impl<'a> PathContext<'a> {
    pub(super) fn of_step(facts: &Facts<'a>, step: &'a Step, found: Option<&'a StepFacts>) -> Self {
        let place = Self::in_folder(None, facts.folders, facts.home);
        let context = Self { cwd: super::folder(facts, step), found, listed: &step.listed, ..place };
        let given = given_files(facts.reading, step).map(|files| {
            let scope = files.starts.as_ref().map_or(EffectScope::Outside, |words| context.scope_of(words));
            (files, scope)
        });
        Self { given, ..context }
    }

    /// Returns the place of a part that belongs to no step: its folder may be another.
    pub(super) fn anywhere(facts: &Facts<'a>) -> Self {
        Self::in_folder(None, facts.folders, facts.home)
    }

    pub(super) fn in_folder(cwd: Option<&'a str>, folders: &'a [String], home: &'a str) -> Self {
        let cwd = cwd.map(Cow::Borrowed);
        Self { cwd, folders, home, found: None, listed: &[], given: None }
    }

    /// Returns the widest reach of these paths.
    pub(super) fn scope_of(&self, paths: &[String]) -> EffectScope {
        let meant = paths.iter().flat_map(|path| self.meant(path));
        meant.map(|path| self.of_one(path)).max().unwrap_or(EffectScope::Inside)
    }

    /// Returns the words that a path stands for: in the body of a loop those of its list.
    fn meant<'s>(&'s self, path: &'s String) -> &'s [String] {
        let listed = self.listed.iter().find(|word| word.raw == *path);
        listed.map_or(std::slice::from_ref(path), |word| word.values.as_slice())
    }

    /// Returns what names the files in place of the words of an effect.
    pub(super) fn named(&self, paths: &[String]) -> Option<NamedFiles> {
        let listed = self.listed.iter().filter(|word| paths.contains(&word.raw));
        let words: Vec<ListedWord> = listed.cloned().collect();
        if !words.is_empty() {
            return Some(NamedFiles::Listed { words });
        }
        let (given, _) = self.given.as_ref()?;
        given.named.clone().filter(|_| paths.iter().any(|path| NamedFiles::stands_for_them(path)))
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
        paths.iter().flat_map(|path| self.meant(path)).any(holds)
    }

    fn of_one(&self, written: &str) -> EffectScope {
        let is_given = written.contains("{}") || written == "…";
        if let Some((_, scope)) = self.given.as_ref().filter(|_| is_given) {
            return *scope;
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
            Some(at) => {
                let (folder, pattern) = split_folder(&expanded, at);
                if may_climb(pattern) {
                    return None;
                }
                folder
            }
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

/// Returns the folder in front of a pattern that begins there or later in its part, and the rest.
fn split_folder(path: &str, at: usize) -> (&str, &str) {
    let end = path[..at].rfind('/');
    (end.map_or("", |end| &path[..end]), &path[end.map_or(0, |end| end + 1)..])
}

/// Returns true if a pattern leads up behind its folder, or may: `*/../x`, and `.*`, which finds `..`.
fn may_climb(pattern: &str) -> bool {
    let finds_up =
        |part: &str| part.starts_with('.') && part.trim_start_matches('.').starts_with(['*', '?', '[', '{']);
    pattern.contains("..") || pattern.split('/').any(finds_up)
}
