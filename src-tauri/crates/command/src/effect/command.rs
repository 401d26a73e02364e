//! Program with its words, as effects are looked for in it.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::invocation::Invocation;
use crate::programs::patterns::{PatternMatch, PatternSearch};
use crate::programs::table::{self, Program, TableEffect};
use crate::programs::{family_of, own_program};
use crate::text_words::pattern_words;
use crate::{Dir, Step, Word};

/// The words of a program and the files that its redirections write. Words that are not known before the run are as they
/// were written.
#[derive(Debug, Default)]
pub(super) struct ProgramWords<'a> {
    family: Cow<'a, str>,
    /// All words, the program first.
    all: Vec<&'a str>,
    writes: Vec<&'a str>,
    /// The texts that its redirections give it.
    texts: Vec<&'a str>,
    /// The words that the shell expands, as they were written.
    patterns: Vec<&'a str>,
    /// True for a wrapper, which starts another program: its words are not all that it got.
    wraps: bool,
}

/// A program with its words. Its options are read once something asks for them: of most programs nothing does.
#[derive(Debug)]
pub(super) struct ExaminedCommand<'a> {
    /// The program's family.
    pub(super) name: &'a str,
    pub(super) args: &'a [&'a str],
    /// The files that its redirections write.
    pub(super) writes: &'a [&'a str],
    /// The texts that its redirections give it.
    pub(super) texts: &'a [&'a str],
    /// The words that the shell expands, as they were written.
    pub(super) patterns: &'a [&'a str],
    pub(super) program: &'static Program,
    /// True for a wrapper, as in [`ProgramWords`].
    wraps: bool,
    all: &'a [&'a str],
    read: OnceCell<Invocation<'a, &'a str>>,
}

impl<'a> ProgramWords<'a> {
    pub(super) fn from_argv(argv: &'a [String]) -> Option<Self> {
        let family = family_of(argv.first()?);
        Some(Self { family, all: argv.iter().map(String::as_str).collect(), ..Self::default() })
    }

    /// Returns the step's wrappers and its own program.
    pub(super) fn of_step(step: &'a Step) -> Vec<Self> {
        let wrappers =
            step.via.iter().filter_map(|via| Some(Self { wraps: true, ..Self::of_argv(&via.argv)? }));
        let mut all: Vec<Self> = wrappers.collect();
        let own = Self::of_argv(&step.argv).unwrap_or_default();
        let texts = step.redirections.iter().filter_map(|redirection| redirection.text.as_deref());
        let expanded = step.argv.iter().filter(|word| word.value.is_none());
        let patterns = expanded.map(|word| word.raw.as_str()).collect();
        all.push(Self { writes: writes(step).collect(), texts: texts.collect(), patterns, ..own });
        all
    }

    fn of_argv(argv: &'a [Word]) -> Option<Self> {
        let family = family_of(argv.first()?.text());
        Some(Self { family, all: argv.iter().map(Word::text).collect(), ..Self::default() })
    }

    /// Calls `use_it` with the words read as the program's file says, and as a person's own file says.
    pub(super) fn for_each_reading(&self, mut use_it: impl FnMut(&ExaminedCommand<'_>)) {
        let built_in = table::program(&self.family).unwrap_or(&Program::UNKNOWN);
        for program in std::iter::once(built_in).chain(own_program(&self.family)) {
            use_it(&ExaminedCommand {
                name: &self.family,
                args: self.all.get(1..).unwrap_or_default(),
                writes: &self.writes,
                texts: &self.texts,
                patterns: &self.patterns,
                program,
                wraps: self.wraps,
                all: &self.all,
                read: OnceCell::new(),
            });
        }
    }
}

/// Options of git's transfers that take no word of their own.
const FLAGS: [&str; 50] = [
    "--all", "--atomic", "--autostash", "--bare", "--delete", "--dry-run", "--ff", "--ff-only",
    "--follow-tags", "--force", "--force-with-lease", "--heads", "--mirror", "--no-checkout", "--no-edit",
    "--no-ff", "--no-progress", "--no-rebase", "--no-recurse-submodules", "--no-single-branch", "--no-stat",
    "--no-tags", "--no-thin", "--no-verify", "--porcelain", "--progress", "--prune", "--quiet", "--rebase",
    "--recurse-submodules", "--recursive", "--refs", "--set-upstream", "--single-branch", "--squash",
    "--tags", "--unshallow", "--verbose", "-4", "-6", "-a", "-d", "-f", "-n", "-p", "-q", "-r", "-t", "-u",
    "-v",
];

/// Returns the files that the step's redirections write.
pub(super) fn writes(step: &Step) -> impl Iterator<Item = &str> {
    step.redirections
        .iter()
        .filter(|redirection| redirection.writes())
        .map(|redirection| redirection.target.text())
}

impl<'a> ExaminedCommand<'a> {
    /// Returns its options, its verb and its operands.
    pub(super) fn read(&self) -> &Invocation<'a, &'a str> {
        self.read.get_or_init(|| Invocation::from_args(self.all, self.program))
    }

    /// Returns the words that the program looks for, and opens no file for.
    pub(super) fn patterns_sought(&self) -> Vec<&'a str> {
        let sought = pattern_words(self.all, self.patterns);
        let named = |word: &&str| self.all.iter().filter(|other| *other == word).count() > 1;
        sought.into_iter().filter_map(|at| self.all.get(at).copied()).filter(|word| !named(word)).collect()
    }

    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        names.contains(&self.name)
    }

    /// Returns true if one of these words is among the arguments.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.args.iter().any(|word| words.contains(word))
    }

    /// Returns true if one of these patterns of arguments matches.
    pub(super) fn matches_any(&self, patterns: &str) -> bool {
        self.find_match(patterns).is_some()
    }

    fn find_match(&self, patterns: &str) -> Option<PatternMatch> {
        if patterns.is_empty() {
            return None;
        }
        let (read, dir, wraps) = (self.read(), &Dir::Same, self.wraps);
        PatternSearch { read, dir, writes: false, by_option: false, wraps }
            .first_match(patterns)
            .map(|(found, _)| found)
    }

    /// Returns the index of the first word behind the command that an effect is about, if it has the effect.
    pub(super) fn meets_effect(&self, effect: &TableEffect) -> Option<usize> {
        let named = effect.names.is_empty() || effect.names.contains(&self.name);
        let found = named.then(|| self.find_match(effect.when))??;
        (!self.matches_any(effect.unless)).then_some(found.behind)
    }

    /// Returns the words of another command in the arguments, as an effect of the program's file says where it begins.
    pub(super) fn inner_words(&self) -> Option<&'a [&'a str]> {
        let start = |effect: &TableEffect| {
            let before = effect.inner?;
            self.meets_effect(effect)?;
            let found = self.find_match(effect.when)?;
            // The value of an option, or what is behind the operands before it.
            if self.all.get(found.at).is_some_and(|word| word.starts_with('-')) {
                return Some(found.at + 1);
            }
            let mut operands = self.read().operands.iter().copied().filter(|at| *at >= found.behind);
            operands.nth(usize::from(before))
        };
        self.all.get(self.program.effects.iter().find_map(start)?..)
    }

    pub(super) fn operands(&self, from: usize) -> Vec<&'a str> {
        let read = self.read();
        let operands = read.operands.iter().filter(|at| **at >= from);
        operands.filter_map(|at| read.word_at(*at)).collect()
    }

    /// Returns the operands from an index on of which one is the first.
    ///
    /// Each but the last of them may be the value of an option that is not listed.
    pub(super) fn perhaps_first(&self, from: usize) -> Vec<&'a str> {
        let read = self.read();
        let operands: Vec<usize> = read.operands.iter().copied().filter(|at| *at >= from).collect();
        let doubtful = operands.iter().take_while(|at| self.may_be_value(**at)).count();
        operands.iter().take(doubtful + 1).filter_map(|at| read.word_at(*at)).collect()
    }

    /// Returns true if the word before is an option that may take this one.
    pub(super) fn may_be_value(&self, at: usize) -> bool {
        let read = self.read();
        let is_flag = || read.word_at(at.saturating_sub(1)).is_some_and(|word| FLAGS.contains(&word));
        read.may_be_value(at) && !(self.is_one_of(&["git"]) && is_flag())
    }

    /// Returns the word before an index, or the first argument.
    pub(super) fn verb_before(&self, behind: usize) -> Option<&'a str> {
        self.read().word_at(behind.saturating_sub(1).max(1))
    }

    /// Returns the values of an option, also where its name is shortened.
    pub(super) fn values_of(&self, option: &str) -> Vec<&'a str> {
        self.read().options_named(option).filter_map(|given| given.value).collect()
    }

    /// Returns the value of the first of these options.
    pub(super) fn value_of(&self, options: &[&str]) -> Option<&'a str> {
        self.read().value_of(options)
    }
}
