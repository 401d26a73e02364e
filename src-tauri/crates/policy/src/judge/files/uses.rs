//! Files that a step uses, as far as its words tell.

use super::spelled::{opened, pieces};
use crate::facts::StepFacts;
use crate::glob::{ANY_NAME, ANY_PATH};
use crate::judge::core::{TOO_MANY, spellings_of};
use crate::judge::line::JudgmentContext;
use crate::judge::places::is_name_only;
use crate::needed::folders_of;
use crate::path;
use crate::path::unmarked;
use postern_command::effect::effects_of;
use postern_command::{CommandEffect, Redirection, RedirectionKind, Role, Step, Word};
use std::borrow::Cow;

/// A file that a step uses, or several that one word stands for.
#[derive(Debug, Default)]
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

/// Programs whose operands are not read, beside those that only print them.
const READ_NO_OPERAND: &[&str] = &[
    "[", "[[", "cd", "chgrp", "chmod", "chown", "mkdir", "pushd", "rm", "rmdir", "tee", "test", "touch",
    "truncate", "unlink",
];

/// Programs that read everything below a folder, and the letters of the options without which they do not.
const WALK: &[(&str, &str)] = &[
    ("ack", ""),
    ("ag", ""),
    ("bsdtar", "cru"),
    ("cp", "rRa"),
    ("diff", "r"),
    ("ditto", ""),
    ("egrep", "rR"),
    ("fgrep", "rR"),
    ("gcp", "rRa"),
    ("ggrep", "rR"),
    ("grep", "rR"),
    ("gtar", "cru"),
    ("rg", ""),
    ("rsync", ""),
    ("scp", "r"),
    ("tar", "cru"),
    ("zip", "r"),
];

/// Long options that do the same.
const WALK_LONG: &[&str] = &[
    "--recursive",
    "--dereference-recursive",
    "--archive",
    "--create",
    "--append",
    "--update",
    "--recurse-paths",
];

/// Those of them whose first operand is a pattern, and that walk the folder where they run if they are given no other.
const SEARCH: &[&str] = &["ack", "ag", "egrep", "fgrep", "ggrep", "grep", "rg"];

/// Those of them that pass over names with a dot.
const PASS_OVER_HIDDEN: &[&str] = &["ag", "rg"];

/// Programs that find files for the program that they start.
const FIND: &[&str] = &["fd", "fdfind", "find", "gfind"];

/// Programs that give another one words from their input.
const FEED: &[&str] = &["gxargs", "parallel", "xargs"];

/// Programs that put files into the folder that comes last, under their own names.
const PUT: &[&str] = &["cp", "gcp", "gmv", "install", "ln", "mv", "rsync", "scp"];

/// Kinds of effects after which nobody knows what happens to the operands.
const UNKNOWN: &[&str] = &[
    "change-repository",
    "install",
    "run-downloaded-code",
    "run-elsewhere",
    "run-inline-code",
    "run-project-code",
    "unknown",
];

/// Returns the files that a step uses.
pub(super) fn of_step(step: &Step, found: &StepFacts, line: &JudgmentContext<'_>) -> Vec<StepFileUse> {
    let folders = folders_of(line.cwd, &step.dir);
    let name = step.program().map(folded_base_name).unwrap_or_default();
    let builtin =
        matches!(step.role, Role::HarmlessBuiltin | Role::Nothing) && !matches!(&*name, "source" | ".");
    let reads = !builtin && !READ_NO_OPERAND.contains(&&*name) && !is_name_only(&name);
    let mut all = Uses { line, folders, found, all: Vec::new() };
    all.of_effects(step, reads);
    all.of_operands(step, &name, reads);
    all.of_wrappers(step, reads);
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

struct Uses<'a> {
    line: &'a JudgmentContext<'a>,
    folders: Option<Vec<String>>,
    found: &'a StepFacts,
    all: Vec<StepFileUse>,
}

impl Uses<'_> {
    fn of_effects(&mut self, step: &Step, reads: bool) {
        let effects = effects_of(step);
        let unknown = effects.iter().any(|found| UNKNOWN.contains(&found.effect.kind()));
        for found in &effects {
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
        if unknown || effects.is_empty() && step.role == Role::Program {
            let operands = step.argv.iter().skip(1);
            self.all.extend(operands.map(|word| self.of_word(word, false, true)).collect::<Vec<_>>());
        }
        let last = effects.iter().rev().find(|found| matches!(found.effect, CommandEffect::Write { .. }));
        let into = last.and_then(|found| found.effect.affected_paths().last());
        if let Some(into) =
            into.filter(|_| step.program().is_some_and(|name| PUT.contains(&&*folded_base_name(name))))
        {
            for word in operands(step) {
                let path = format!("{into}/{}", path::base_name(word_text(word).trim_end_matches('/')));
                let put = self.of_text(&path, false, true);
                self.all.push(put);
            }
        }
        self.all.iter_mut().for_each(|one| one.reads &= reads);
    }

    fn of_operands(&mut self, step: &Step, name: &str, reads: bool) {
        let given = has_letter(step, "ef") || has_long(step, &["--regexp", "--file", "--files"]);
        let pattern = operands(step).next().filter(|_| SEARCH.contains(&name) && !given);
        let is_pattern = |word: &&Word| pattern.is_some_and(|pattern| std::ptr::eq(pattern, *word));
        let tests = |word: &&Word| FIND.contains(&name) && word_text(word).starts_with('-');
        let words = step.argv.iter().skip(1).take_while(|word| !tests(word));
        let words: Vec<&Word> =
            words.filter(|word| !is_pattern(word) && !is_placeholder(word_text(word), step)).collect();
        if let Some(program) = step.argv.first().filter(|word| word_text(word).contains('/')) {
            let run = self.of_word(program, true, false);
            self.all.push(run);
        }
        let used: Vec<StepFileUse> = words.iter().map(|word| self.of_word(word, reads, false)).collect();
        let operands = words.iter().zip(&used).filter(|(word, _)| !word_text(word).starts_with('-'));
        let folders = operands.flat_map(|(_, one)| one.known.clone()).collect();
        self.of_walk(step, name, folders);
        self.all.extend(used);
    }

    /// Adds the reads of a program that goes through folders.
    fn of_walk(&mut self, step: &Step, name: &str, mut folders: Vec<String>) {
        let Some((_, letters)) = WALK.iter().find(|(walks, _)| *walks == name) else { return };
        let searches = SEARCH.contains(&name);
        let open = step.argv.iter().skip(1).any(|word| word.value.is_none());
        // The first word of `tar` is letters with or without a dash.
        let first =
            step.argv.get(1).map(word_text).filter(|word| name.ends_with("tar") && !word.starts_with("--"));
        let bundled = first.is_some_and(|word| word.contains(|c| letters.contains(c)));
        if !(letters.is_empty() || open || bundled || has_letter(step, letters) || has_long(step, WALK_LONG))
        {
            return;
        }
        if folders.is_empty() && searches {
            folders = self.run_folders();
        }
        let shows_hidden = open || has_letter(step, "u.") || has_long(step, &["--hidden", "--unrestricted"]);
        let visible = PASS_OVER_HIDDEN.contains(&name) && !shows_hidden;
        self.all.push(StepFileUse {
            written: program_word(step),
            walks: folders,
            visible,
            reads: true,
            ..StepFileUse::default()
        });
    }

    /// Adds the files that wrappers read, and those that they write.
    fn of_wrappers(&mut self, step: &Step, reads: bool) {
        let writes = self.all.iter().any(|one| one.writes);
        for via in &step.via {
            let name = via.argv.first().map(word_text).map(folded_base_name).unwrap_or_default();
            let words = || via.argv.iter().skip(1);
            let used: Vec<StepFileUse> = words().map(|word| self.of_whole(word, true)).collect();
            if FIND.contains(&&*name) {
                let starts =
                    words().zip(&used).take_while(|(word, _)| !word_text(word).starts_with(['-', '(', '!']));
                let mut folders: Vec<String> = starts.flat_map(|(_, one)| one.known.clone()).collect();
                if folders.is_empty() {
                    folders = self.run_folders();
                }
                let mut names =
                    words().skip_while(|word| !matches!(word_text(word), "-name" | "-iname")).skip(1);
                let only =
                    names.next().filter(|_| !words().any(|word| matches!(word_text(word), "-o" | "-or")));
                let only = only.map_or_else(
                    || ANY_PATH.to_string(),
                    |name| format!("{ANY_PATH}{}", opened(word_text(name)).0),
                );
                let open = folders.iter().map(|folder| format!("{folder}/{only}")).collect();
                self.all.push(StepFileUse {
                    written: program_word(step),
                    open,
                    reads,
                    writes,
                    ..StepFileUse::default()
                });
            } else {
                self.all.extend(used);
            }
            if FEED.contains(&&*name) {
                let open = vec![ANY_PATH.to_string()];
                self.all.push(StepFileUse {
                    written: program_word(step),
                    open,
                    reads,
                    writes,
                    ..StepFileUse::default()
                });
            }
        }
    }

    fn of_redirections(&mut self, step: &Step) {
        let names_file =
            |one: &&Redirection| !matches!(one.kind, RedirectionKind::Descriptor | RedirectionKind::Here);
        for one in step.redirections.iter().filter(names_file) {
            let reads = matches!(one.kind, RedirectionKind::Read | RedirectionKind::ReadWrite);
            let used = self.of_whole(&one.target, reads);
            self.all.push(StepFileUse { writes: one.writes(), ..used });
        }
    }

    /// Returns the folders in which the step may run.
    fn run_folders(&self) -> Vec<String> {
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
            pieces(&text).for_each(|piece| self.add_path(piece, runtime, &mut used));
        }
        used
    }

    /// Returns the same for a path of an effect, which is a word's value or as it was written.
    fn of_text(&self, text: &str, reads: bool, writes: bool) -> StepFileUse {
        let value = (!text.contains(['$', '`', '*', '?', '[', '{', '"', '\''])).then(|| text.to_owned());
        self.of_word(&Word { raw: text.to_owned(), value }, reads, writes)
    }

    /// Returns what a word turns into, and if parts of it are known only at run time.
    fn spelled(&self, word: &Word) -> Vec<(String, bool)> {
        if let Some(value) = &word.value {
            return vec![(value.clone(), false)];
        }
        let here = self.folders.iter().flatten().next().map_or(self.line.cwd, String::as_str);
        let spelled = spellings_of(&word.raw, here, self.line);
        let all = spelled.iter().map(|text| {
            if text == TOO_MANY && word.raw != TOO_MANY { (ANY_PATH.to_string(), true) } else { opened(text) }
        });
        all.collect()
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
        let expanded = path::expand_home(text, self.line.home);
        let plain = Some(unmarked(&expanded)).filter(|plain| *plain != *expanded);
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

fn folded_base_name(name: &str) -> Cow<'_, str> {
    path::fold_case(path::base_name(name))
}

fn word_text(word: &Word) -> &str {
    word.value.as_deref().unwrap_or(&word.raw)
}

/// Returns true if an option of a step has one of these letters.
fn has_letter(step: &Step, letters: &str) -> bool {
    let option = |word: &str| word.starts_with('-') && !word.starts_with("--");
    step.argv.iter().map(word_text).any(|word| option(word) && word.contains(|c| letters.contains(c)))
}

/// Returns true if a step has one of these long options.
fn has_long(step: &Step, names: &[&str]) -> bool {
    step.argv.iter().any(|word| names.contains(&word_text(word).split('=').next().unwrap_or_default()))
}

fn operands(step: &Step) -> impl Iterator<Item = &Word> {
    step.argv.iter().skip(1).filter(|word| !word_text(word).starts_with('-'))
}

/// Returns true for the word that a finder replaces by its files.
fn is_placeholder(word: &str, step: &Step) -> bool {
    word == "{}" && !step.via.is_empty()
}

/// Returns the words that name a step's program.
fn program_word(step: &Step) -> String {
    step.argv.first().map(|word| word_text(word).to_owned()).unwrap_or_default()
}
