//! Files that something else names for a step: the list of a loop, a search, or a program's input.

use crate::path;
use crate::step_words::FEED;
use postern_command::effect::patterns_of_find;
use postern_command::{ListedWord, ParsedCommand, Step, Word};
use serde::{Deserialize, Serialize};

/// Naming of files by something else than the words of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedFiles {
    /// Lists of loops.
    Listed {
        /// The paths that stand for words of a list.
        words: Vec<ListedWord>,
    },
    /// A program that looks for files.
    Found {
        program: String,
        /// Folders that it looks through; none for the step's own.
        folders: Vec<String>,
        /// Patterns of their names.
        patterns: Vec<String>,
    },
    /// Standard input of the step.
    Input,
}

impl NamedFiles {
    /// Returns true for a path that stands for these files, if they are no list.
    pub fn stands_for_them(path: &str) -> bool {
        matches!(path, "{}" | "…")
    }
}

/// Files that a wrapper hands to a step.
pub(super) struct GivenFiles {
    /// Words that name them, or folders that they lie in; `None` if only the run tells.
    pub(super) starts: Option<Vec<String>>,
    pub(super) named: Option<NamedFiles>,
}

/// Programs that pass on some of the lines that they read.
const FILTERS: [&str; 7] = ["egrep", "fgrep", "grep", "head", "sort", "tail", "uniq"];

/// Programs that look for files, with the name that they have in words.
const FINDERS: [(&str, &str); 4] = [("find", "find"), ("gfind", "find"), ("fd", "fd"), ("fdfind", "fd")];

/// Returns the files that a wrapper hands to the step.
///
/// `find` and `fd` look through folders; `xargs` and `parallel` take names from the pipe before them.
pub(super) fn given_files(reading: &ParsedCommand, step: &Step) -> Option<GivenFiles> {
    step.via.iter().rev().find_map(|via| {
        let name = via.argv.first().and_then(|word| word.value.as_deref()).map(path::base_name)?;
        if !FEED.contains(&name) {
            let named = found_by(&via.argv)?;
            return Some(GivenFiles { starts: Some(starts(&via.argv)), named: Some(named) });
        }
        let lister = lister(reading, step);
        let starts = lister.map(|lister| starts(&lister.argv));
        let found = lister.and_then(|lister| found_by(&lister.argv));
        // `parallel` may have its names from behind `:::`.
        let named = found.or((name != "parallel").then_some(NamedFiles::Input));
        Some(GivenFiles { starts, named })
    })
}

/// Returns what a program finds, if it looks for files.
fn found_by(argv: &[Word]) -> Option<NamedFiles> {
    let name = path::base_name(argv.first()?.value.as_deref()?);
    let (_, program) = FINDERS.into_iter().find(|(finder, _)| *finder == name)?;
    let words: Vec<&str> = argv.iter().skip(1).map(Word::text).collect();
    let is_find = program == "find";
    let is_folder = |word: &&&str| is_find && !word.starts_with(['-', '(', '!']);
    let folders: Vec<String> = words.iter().take_while(is_folder).map(|word| (*word).to_owned()).collect();
    let patterns = if is_find { patterns_of_find(&words) } else { Vec::new() };
    Some(NamedFiles::Found {
        program: program.to_owned(),
        folders: if folders == ["."] { Vec::new() } else { folders },
        patterns: patterns.into_iter().map(str::to_owned).collect(),
    })
}

/// Returns the words of a program that name folders which it looks through.
fn starts(argv: &[Word]) -> Vec<String> {
    let words = argv.iter().skip(1).map(|word| word.value.as_ref().unwrap_or(&word.raw));
    let mut named: Vec<String> =
        words.filter(|word| !word.starts_with(['-', '(', '!', ')', '{', ';', '+'])).cloned().collect();
    named.push(".".to_owned());
    named
}

/// Returns the program at the beginning of the step's pipe, if it tells names of files that it finds.
fn lister<'r>(reading: &'r ParsedCommand, step: &Step) -> Option<&'r Step> {
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
                return Some(before);
            }
            "grep" | "egrep" | "fgrep" if has(&["-l", "-rl", "-lr", "--files-with-matches"]) => {
                return Some(before);
            }
            _ if FILTERS.contains(&name) => at -= 1,
            _ => return None,
        }
    }
}
