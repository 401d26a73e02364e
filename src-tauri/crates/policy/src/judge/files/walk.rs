//! Programs that read files which no word names: everything below a folder, or names of a list.

use super::uses::{FIND, StepFileUse, Uses};
use crate::glob::ANY_PATH;
use crate::step_words::{FEED, SEARCH, folded_base_name, has_letter, has_long, program_word};
use postern_command::effect::opens_nothing;
use postern_command::{Redirection, Role, Step, Word, command_words};

/// Programs that read everything below a folder, and the letters and words without one of which they do not.
const WALK: &[(&str, &str, &[&str])] = &[
    ("7z", "", &["a", "u"]),
    ("7za", "", &["a", "u"]),
    ("7zz", "", &["a", "u"]),
    ("ack", "", &[]),
    ("ag", "", &[]),
    ("aws", "", &["sync", "--recursive"]),
    ("bsdtar", "cru", PACKS),
    ("cp", "rRa", RECURSIVE),
    ("diff", "r", RECURSIVE),
    ("ditto", "", &[]),
    ("docker", "", &["cp"]),
    ("egrep", "rRd", RECURSIVE),
    ("fgrep", "rRd", RECURSIVE),
    ("gcp", "rRa", RECURSIVE),
    ("ggrep", "rRd", RECURSIVE),
    ("git", "", &["--no-index", "--untracked"]),
    ("grep", "rRd", RECURSIVE),
    ("gsutil", "rR", &["rsync"]),
    ("gtar", "cru", PACKS),
    ("gzip", "r", RECURSIVE),
    ("kubectl", "", &["cp"]),
    ("nerdctl", "", &["cp"]),
    ("pax", "w", &[]),
    ("podman", "", &["cp"]),
    ("python", "", &["zipfile", "tarfile"]),
    ("python3", "", &["zipfile", "tarfile"]),
    ("rg", "", &[]),
    ("rsync", "", &[]),
    ("scp", "r", &[]),
    ("tar", "cru", PACKS),
    ("ug", "", &[]),
    ("ugrep", "", &[]),
    ("zip", "r", &["--recurse-paths"]),
];

/// Programs that open only files that their words name. Of a folder among these they read the names, or nothing.
const NAMED: &[&str] = &[
    "cat", "cut", "date", "egrep", "expand", "false", "fd", "fdfind", "fgrep", "find", "fold", "gfind",
    "ggrep", "grep", "head", "hostname", "id", "nl", "nproc", "pwd", "readlink", "realpath", "rev", "sed",
    "seq", "sleep", "sort", "tac", "tail", "tr", "tree", "true", "type", "uname", "uniq", "wc", "which",
    "whoami",
];

/// Commands of git that open no file of the work tree, or only those that their words name.
const NAMED_OF_GIT: &[&str] = &[
    "blame", "branch", "cat-file", "check-ignore", "count-objects", "describe", "for-each-ref", "log",
    "ls-files", "ls-tree", "merge-base", "name-rev", "reflog", "remote", "rev-list", "rev-parse", "shortlog",
    "show", "show-ref", "status", "tag", "--version",
];

/// Options of programs that go through folders only with one of them.
const RECURSIVE: &[&str] = &["--recursive", "--dereference-recursive", "--directories", "--archive"];
const PACKS: &[&str] = &["--create", "--append", "--update"];

/// Those of them that pass over names with a dot, unless a pattern of an option names them.
const PASS_OVER_HIDDEN: &[&str] = &["ag", "rg", "ug", "ugrep"];

/// Programs that read files whose names are in their input or in a list, and the letters and options with which they do.
const LISTED: &[(&str, &str, &[&str])] = &[
    ("bsdtar", "T", &["--files-from"]),
    ("cpio", "op", &["--create", "--pass-through"]),
    ("gtar", "T", &["--files-from"]),
    ("pax", "w", &[]),
    ("rsync", "", &["--files-from"]),
    ("tar", "T", &["--files-from"]),
    ("zip", "@", &["--names-stdin"]),
];

/// Returns true if a step reads everything below a folder, or may because of a word that only the run tells.
pub(in crate::judge) fn reads_folders(step: &Step) -> bool {
    let name = step.program().map(folded_base_name).unwrap_or_default();
    let Some((_, letters, words)) = WALK.iter().find(|(walks, ..)| *walks == name) else { return false };
    has_unknown(step) || letters.is_empty() && words.is_empty() || has_one_of(step, letters, words)
}

/// Returns true if a step may open files that no word names.
///
/// They lie below a folder, or a list or the run tells them.
pub(in crate::judge) fn opens_unnamed(step: &Step) -> bool {
    let reads = |redirection: &Redirection| redirection.reads() && redirection.target.value.is_none();
    let is_by = |names: &[&str]| {
        let mut wrappers = step.via.iter().filter_map(|via| via.argv.first());
        wrappers.any(|word| names.contains(&&*folded_base_name(word.text())))
    };
    let opens = step.role == Role::Program && step.program().is_some_and(|name| !opens_nothing(name));
    // Their lists are files, too (`xargs -a names`).
    is_by(FEED)
        || step.redirections.iter().any(reads)
        || opens && (has_unknown(step) || reads_folders(step) || is_by(FIND))
}

/// Returns true if a step is known to open no file but those that its words name.
pub(in crate::judge) fn opens_named(step: &Step) -> bool {
    if opens_unnamed(step) {
        return false;
    }
    let Some(name) = step.program().filter(|_| step.role == Role::Program) else { return true };
    let words: Vec<&str> = step.argv.iter().map(Word::text).collect();
    match (&*folded_base_name(name), command_words(&words).get(1)) {
        // It shows changes of the work tree.
        ("git", Some(&"status")) if has_letter(step, "v") || has_long(step, &["--verbose"]) => false,
        ("git", Some(command)) => NAMED_OF_GIT.contains(command),
        (name, _) => NAMED.contains(&name) || opens_nothing(name),
    }
}

fn has_unknown(step: &Step) -> bool {
    step.argv.iter().skip(1).any(|word| word.value.is_none())
}

impl Uses<'_> {
    /// Adds the reads of a program that goes through folders, or through a list of names.
    pub(super) fn of_walk(&mut self, step: &Step, name: &str, mut folders: Vec<String>) {
        let listed = LISTED.iter().find(|(reads, ..)| *reads == name);
        if listed.is_some_and(|(_, letters, words)| has_one_of(step, letters, words)) {
            let open = vec![ANY_PATH.to_string()];
            let written = program_word(step);
            self.all.push(StepFileUse { written, open, reads: true, ..StepFileUse::default() });
        }
        if !reads_folders(step) {
            return;
        }
        let open = has_unknown(step);
        if folders.is_empty() && SEARCH.contains(&name) || name == "git" {
            folders.extend(self.run_folders());
        }
        let shows_hidden = open || has_letter(step, "u.") || has_long(step, &["--hidden", "--unrestricted"]);
        let visible = PASS_OVER_HIDDEN.contains(&name) && !shows_hidden;
        let word = |glob: &str| Word { raw: glob.to_owned(), value: None };
        let named: Vec<String> = searched_globs(step)
            .filter(|_| visible)
            .flat_map(|glob| self.spelled(&word(glob)))
            .flat_map(|(glob, _)| {
                folders.iter().map(move |folder| format!("{folder}/{ANY_PATH}{glob}")).collect::<Vec<_>>()
            })
            .collect();
        self.all.push(StepFileUse {
            written: program_word(step),
            open: named,
            walks: folders,
            visible,
            reads: true,
            ..StepFileUse::default()
        });
    }
}

/// Returns true if a step has one of these letters, in an option or in the first word of `tar`, or one of these words.
fn has_one_of(step: &Step, letters: &str, words: &[&str]) -> bool {
    let first = step.argv.get(1).map(Word::text).filter(|word| !word.starts_with("--"));
    let bundled = first.is_some_and(|word| {
        step.program().is_some_and(|name| name.ends_with("tar")) && word.contains(|c| letters.contains(c))
    });
    bundled
        || has_letter(step, letters)
        || has_long(step, words)
        || step.argv.iter().skip(1).any(|word| words.contains(&word.text()))
}

/// Returns the patterns of files that a search is told to take, hidden or not.
fn searched_globs(step: &Step) -> impl Iterator<Item = &str> {
    let is_glob = |text: &str| {
        let short = text.starts_with('-') && !text.starts_with("--") && text.ends_with('g');
        short || text == "--glob" || text == "--iglob"
    };
    let behind = step.argv.windows(2).filter(move |pair| is_glob(pair[0].text())).map(|pair| pair[1].text());
    let attached = step.argv.iter().map(Word::text).filter_map(|text| {
        let long = ["--glob=", "--iglob="].iter().find_map(|name| text.strip_prefix(name));
        let short = || text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?.split_once('g');
        long.or_else(|| short().map(|(_, glob)| glob))
    });
    behind.chain(attached).filter(|glob| !glob.is_empty() && !glob.starts_with('!'))
}
