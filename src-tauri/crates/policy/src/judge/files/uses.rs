//! Files that a step uses, as far as its words tell.

use super::spelled::{files_of_sed, opened, pieces, written_pieces};
use crate::facts::StepFacts;
use crate::glob::{ANY_NAME, ANY_PATH};
use crate::judge::core::{TOO_MANY, spellings_of};
use crate::judge::line::JudgmentContext;
use crate::judge::places::is_name_only;
use crate::needed::folders_of;
use crate::operands::{only_reads, put_files, written_words};
use crate::path;
use crate::path::unmarked;
use crate::step_words::{
    FEED, SEARCH, folded_base_name, has_letter, has_long, is_option, operands, program_word,
};
use postern_command::effect::effects_of;
use postern_command::{ArgEffect, CommandEffect, RedirectionKind, Role, Step, StepEffect, Word};

/// A file that a step uses, or several that one word stands for.
#[derive(Debug, Clone, Default)]
pub(super) struct StepFileUse {
    /// The word, or the program that goes through a folder.
    pub(super) written: String,
    /// Absolute paths that it is.
    pub(super) known: Vec<String>,
    /// Absolute paths that it may be: parts of them are not known.
    pub(super) open: Vec<String>,
    /// Folders below which everything is used.
    pub(super) walks: Vec<String>,
    /// True if names with a dot are passed over in them.
    pub(super) visible: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// Builtins that set variables to what no word of the line tells.
const SETTERS: &[&str] = &["getopts", "mapfile", "printf", "read", "readarray"];

/// Programs whose operands are not read, beside those that only print them.
const READ_NO_OPERAND: &[&str] = &[
    "[", "[[", "cd", "chgrp", "chmod", "chown", "mkdir", "pushd", "rm", "rmdir", "tee", "test", "touch",
    "truncate", "unlink",
];

/// Programs that find files for the program that they start.
pub(super) const FIND: &[&str] = &["fd", "fdfind", "find", "gfind"];

pub(super) fn of_step(step: &Step, found: &StepFacts, line: &JudgmentContext<'_>) -> Vec<StepFileUse> {
    let folders = folders_of(line.cwd, &step.dir);
    let name = step.program().map(folded_base_name).unwrap_or_default();
    let builtin =
        matches!(step.role, Role::HarmlessBuiltin | Role::Nothing) && !matches!(&*name, "source" | ".");
    let reads = !builtin && !READ_NO_OPERAND.contains(&&*name) && !is_name_only(&name);
    let effects = effects_of(step);
    let written = if only_reads(step, &effects) { Vec::new() } else { written_words(step) };
    let script = name.ends_with("sed") && step.ways_out.iter().any(|way| way.effect == ArgEffect::Shell);
    let mut all = Uses { line, folders, found, script, all: Vec::new() };
    all.of_effects(step, &effects);
    all.all.iter_mut().for_each(|one| one.reads &= reads);
    all.of_written(step, &written);
    all.of_operands(step, &name, reads);
    all.of_wrappers(step, reads, &written);
    all.of_assignments(step, reads, !written.is_empty());
    all.of_redirections(step);
    if let Some(script) = &found.script {
        all.all.push(StepFileUse {
            written: script.written.clone(),
            known: vec![script.real_path.clone()],
            reads: true,
            ..StepFileUse::default()
        });
    }
    all.all
}

/// Findings of a step.
pub(super) struct Uses<'a> {
    line: &'a JudgmentContext<'a>,
    folders: Option<Vec<String>>,
    found: &'a StepFacts,
    /// True if words of the step may be a script of `sed` that uses files.
    script: bool,
    pub(super) all: Vec<StepFileUse>,
}

impl Uses<'_> {
    fn of_effects(&mut self, step: &Step, effects: &[StepEffect]) {
        for found in effects {
            let (read, written, whole) = match &found.effect {
                CommandEffect::Read { .. } => (true, false, false),
                CommandEffect::Write { .. } => (false, true, false),
                CommandEffect::Delete { recursive, .. } => (false, true, *recursive),
                _ => continue,
            };
            let paths = found.effect.affected_paths();
            if paths.is_empty() && written {
                let walks = self.run_folders();
                self.all.push(StepFileUse {
                    written: program_word(step),
                    walks,
                    writes: true,
                    ..StepFileUse::default()
                });
            }
            for path in paths.iter().filter(|path| !is_placeholder(path, step)) {
                let one = self.of_text(path, read, written);
                let walks = if whole { one.known.clone() } else { Vec::new() };
                self.all.push(StepFileUse { walks, ..one });
            }
        }
    }

    /// Adds the words that a step may write, and what it puts into folders.
    fn of_written(&mut self, step: &Step, written: &[&Word]) {
        let words = written.iter().filter(|word| !is_placeholder(word.text(), step));
        let words: Vec<StepFileUse> = words.map(|word| self.of_word(word, false, true)).collect();
        let made: Vec<StepFileUse> =
            put_files(step).iter().map(|path| self.of_text(path, false, true)).collect();
        self.all.extend(words.into_iter().chain(made));
    }

    fn of_operands(&mut self, step: &Step, name: &str, reads: bool) {
        let given = has_letter(step, "ef") || has_long(step, &["--regexp", "--file", "--files"]);
        let pattern = operands(step).next().filter(|_| SEARCH.contains(&name) && !given);
        let is_pattern = |word: &&Word| pattern.is_some_and(|pattern| std::ptr::eq(pattern, *word));
        let tests = |word: &&Word| FIND.contains(&name) && word.text().starts_with('-');
        let words = step.argv.iter().skip(1).take_while(|word| !tests(word));
        let words: Vec<&Word> =
            words.filter(|word| !is_pattern(word) && !is_placeholder(word.text(), step)).collect();
        if let Some(program) = step.argv.first().filter(|word| word.text().contains('/')) {
            let run = self.of_word(program, true, false);
            self.all.push(run);
        }
        let used: Vec<StepFileUse> = words.iter().map(|word| self.of_word(word, reads, false)).collect();
        let operands = words.iter().zip(&used).filter(|(word, _)| !word.text().starts_with('-'));
        let folders = operands.flat_map(|(_, one)| one.known.clone()).collect();
        self.of_walk(step, name, folders);
        self.all.extend(used);
    }

    /// Adds the files of wrappers, and those that they give the program that they start.
    fn of_wrappers(&mut self, step: &Step, reads: bool, written: &[&Word]) {
        let has_place = |word: &Word| word.text().contains("{}");
        let writes = if step.argv.iter().any(has_place) {
            written.iter().any(|word| has_place(word))
        } else {
            !written.is_empty()
        };
        for via in &step.via {
            let name = via.argv.first().map(Word::text).map(folded_base_name).unwrap_or_default();
            let words: Vec<&Word> = via.argv.iter().skip(1).collect();
            let given = StepFileUse { written: program_word(step), reads, writes, ..StepFileUse::default() };
            if FIND.contains(&&*name) {
                let is_start = |word: &&&Word| !word.text().starts_with(['-', '(', '!']);
                let starts: Vec<StepFileUse> =
                    words.iter().take_while(is_start).map(|word| self.of_whole(word, true)).collect();
                let mut known: Vec<String> = starts.iter().flat_map(|one| one.known.clone()).collect();
                if starts.is_empty() {
                    known = self.run_folders();
                }
                let only = names_of_find(&words);
                let below = starts.into_iter().flat_map(|one| one.open).chain(known.clone());
                let open = below.map(|folder| format!("{folder}/{only}")).collect();
                self.all.push(StepFileUse { known, open, ..given });
                continue;
            }
            let used = words.iter().map(|word| {
                let split = is_option(word) || word.text().contains('=');
                if split { self.of_word(word, true, true) } else { self.of_whole(word, true) }
            });
            let used: Vec<StepFileUse> = used.collect();
            let sure = used.iter().map(|one| StepFileUse { open: Vec::new(), writes: true, ..one.clone() });
            self.all.extend(sure);
            self.all.extend(used.into_iter().map(|one| StepFileUse { writes: false, ..one }));
            if FEED.contains(&&*name) {
                self.all.push(StepFileUse { open: vec![ANY_PATH.to_string()], ..given });
            }
        }
    }

    /// Adds the files that variables in front of a program name: `GIT_WORK_TREE=x git checkout .`.
    fn of_assignments(&mut self, step: &Step, reads: bool, writes: bool) {
        for one in step.assignments.iter().filter(|_| step.role == Role::Program) {
            let used = self.of_word(&one.value, reads, writes);
            self.all.push(StepFileUse { open: Vec::new(), ..used });
        }
    }

    fn of_redirections(&mut self, step: &Step) {
        for one in step.redirections.iter().filter(|one| one.names_file()) {
            let reads = matches!(one.kind, RedirectionKind::Read | RedirectionKind::ReadWrite);
            let used = self.of_whole(&one.target, reads);
            self.all.push(StepFileUse { writes: one.writes(), ..used });
        }
    }

    pub(super) fn run_folders(&self) -> Vec<String> {
        self.folders.clone().unwrap_or_else(|| vec![ANY_PATH.to_string()])
    }

    /// Returns what a word is that is one path, or an option with one.
    fn of_whole(&self, word: &Word, reads: bool) -> StepFileUse {
        let mut used = StepFileUse { written: word.raw.clone(), reads, ..StepFileUse::default() };
        for (text, runtime) in self.spelled(word) {
            let behind =
                text.starts_with('-').then(|| text.split_once('=')).flatten().map(|(_, value)| value);
            self.add_path(behind.unwrap_or(&text), runtime, &mut used);
        }
        used
    }

    /// Returns what a word may name, in each of its parts that may be a path.
    fn of_word(&self, word: &Word, reads: bool, writes: bool) -> StepFileUse {
        let mut used = StepFileUse { written: word.raw.clone(), reads, writes, ..StepFileUse::default() };
        for (text, runtime) in self.spelled(word) {
            if writes {
                written_pieces(&text).for_each(|piece| self.add_path(piece, runtime, &mut used));
            } else {
                pieces(&text).for_each(|piece| self.add_path(piece, runtime, &mut used));
            }
            if self.script {
                files_of_sed(&text).for_each(|file| self.add_path(file, runtime, &mut used));
            }
        }
        used
    }

    /// Returns the same for a path of an effect, which is a word's value or as it was written.
    fn of_text(&self, text: &str, reads: bool, writes: bool) -> StepFileUse {
        let value = (!text.contains(['$', '`', '*', '?', '[', '{', '"', '\''])).then(|| text.to_owned());
        self.of_word(&Word { raw: text.to_owned(), value }, reads, writes)
    }

    /// Returns what a word turns into, and if parts of it are known only at run time.
    pub(super) fn spelled(&self, word: &Word) -> Vec<(String, bool)> {
        if let Some(value) = &word.value {
            return vec![(value.clone(), false)];
        }
        let here = self.folders.iter().flatten().next().map_or(self.line.cwd, String::as_str);
        let spelled = spellings_of(&word.raw, here, self.line);
        let all = spelled.iter().map(|text| {
            if text == TOO_MANY && word.raw != TOO_MANY { (ANY_PATH.to_string(), true) } else { opened(text) }
        });
        let open = self.is_open(&word.raw).then(|| opened(&word.raw.replace(['"', '\'', '\\'], "")));
        all.chain(open).collect()
    }

    /// Returns true if a word holds a variable of which the line tells some values and not all.
    fn is_open(&self, raw: &str) -> bool {
        let unknown = |text: &str| {
            let numbers = text.strip_prefix("$(seq ").and_then(|rest| rest.split_once(')'));
            let numbers =
                numbers.filter(|(inside, _)| !inside.contains(|c: char| c.is_alphabetic() || c == '.'));
            let text = text.strip_prefix("$((").or(numbers.map(|(_, rest)| rest)).unwrap_or(text);
            text.replace("$HOME", "").replace("$PWD", "").contains(['$', '`', '('])
        };
        let names = raw.split('$').skip(1).map(|rest| {
            let rest = rest.trim_start_matches(['{', '!', '#']);
            &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
        });
        names.filter(|name| !name.is_empty() && !matches!(*name, "HOME" | "PWD")).any(|name| {
            let steps = || self.line.reading.steps.iter();
            let assigned = steps().flat_map(|step| &step.assignments).filter(|one| one.name == name);
            let set = steps().filter(|step| step.program().is_some_and(|name| SETTERS.contains(&name)));
            { assigned }.any(|one| one.value.value.is_none() && unknown(&one.value.raw))
                || self.line.listed(name).any(unknown)
                || set.flat_map(|step| &step.argv).any(|word| word.text() == name)
        })
    }

    fn add_path(&self, text: &str, runtime: bool, used: &mut StepFileUse) {
        if text.is_empty() || text.starts_with('-') {
            return;
        }
        if runtime && let Some((_, rest)) = text.rsplit_once(ANY_PATH) {
            // What is not known may lead up again, so that nothing before it counts.
            let rest = rest.rsplit_once("/..").map_or(rest, |(_, rest)| rest);
            used.open.push(format!("{ANY_PATH}{rest}"));
            return;
        }
        let here = self.folders.as_deref().and_then(<[String]>::first).map_or(self.line.cwd, String::as_str);
        let expanded = path::expand_tilde(text, self.line.home, here);
        let plain =
            Some(unmarked(&expanded)).filter(|plain| *plain != *expanded).map(std::borrow::Cow::into_owned);
        for text in [Some(expanded.clone().into_owned()), plain].into_iter().flatten() {
            let unknown = ["/\u{fffd}".to_owned()];
            let folders = self.folders.as_deref().unwrap_or(&unknown);
            if self.folders.is_none() && !text.starts_with('/') {
                used.open.push(format!("{ANY_PATH}/{text}"));
            }
            for folder in folders {
                let reached = path::reached(folder, &text);
                if path::is_by_number(&reached) {
                    used.open.push(ANY_PATH.to_string());
                } else if reached.contains([ANY_NAME, ANY_PATH]) {
                    used.open.push(reached);
                } else {
                    used.known.push(reached);
                }
            }
        }
        let led =
            self.found.targets.iter().filter(|target| target.written == *expanded || target.written == text);
        used.known.extend(led.map(|target| path::without_aliases(&target.real).to_owned()));
    }
}

/// Returns the names that `find` is told to look for below a folder: of its first `-name`, if nothing turns that around.
fn names_of_find(words: &[&Word]) -> String {
    let text = |at: usize| words.get(at).map(|word| word.text());
    let other = |word: &&Word| matches!(word.text(), "-o" | "-or" | "!" | "-not" | ",");
    let name = words.iter().position(|word| matches!(word.text(), "-name" | "-iname"));
    let name = name.filter(|_| !words.iter().any(other)).and_then(|at| text(at + 1));
    format!("{ANY_PATH}{}", name.map_or_else(String::new, |name| opened(name).0))
}

/// Returns true for the word that a finder replaces by its files.
fn is_placeholder(word: &str, step: &Step) -> bool {
    word == "{}" && !step.via.is_empty()
}
