//! Program with its words, as effects are looked for in it.

use crate::invocation::Invocation;
use crate::programs::patterns::{Look, Match};
use crate::programs::table::{self, Effect, Program};
use crate::programs::{family, own_program};
use crate::{Dir, Step, Word};

/// The words of a program and the files that its redirections write. Words that are not known before the run are as they
/// were written.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// The program's family.
    family: String,
    /// All words, the program first.
    all: Vec<&'a str>,
    writes: Vec<&'a str>,
}

/// A program whose words have been read.
#[derive(Debug)]
pub(super) struct Command<'a> {
    /// The program's family.
    pub(super) name: &'a str,
    pub(super) args: &'a [&'a str],
    /// The files that its redirections write.
    pub(super) writes: &'a [&'a str],
    pub(super) read: &'a Invocation<'a, &'a str>,
}

impl<'a> Words<'a> {
    /// Returns a command by its words.
    pub(super) fn of(argv: &'a [String]) -> Option<Self> {
        let family = family(argv.first()?);
        Some(Self { family, all: argv.iter().map(String::as_str).collect(), writes: Vec::new() })
    }

    /// Returns the step's wrappers and its own program.
    pub(super) fn of_step(step: &'a Step) -> Vec<Self> {
        let mut all: Vec<Self> = step.via.iter().filter_map(|via| Self::of_argv(&via.argv)).collect();
        let own = Self::of_argv(&step.argv).unwrap_or_default();
        all.push(Self { writes: writes(step).collect(), ..own });
        all
    }

    fn of_argv(argv: &'a [Word]) -> Option<Self> {
        let family = family(text(argv.first()?));
        Some(Self { family, all: argv.iter().map(text).collect(), writes: Vec::new() })
    }

    /// Calls `use_it` with the words read as the program's file says, and as a person's own file says.
    pub(super) fn read(&self, mut use_it: impl FnMut(&Command<'_>)) {
        let built_in = table::program(&self.family).unwrap_or(&Program::UNKNOWN);
        for program in std::iter::once(built_in).chain(own_program(&self.family)) {
            use_it(&Command {
                name: &self.family,
                args: self.all.get(1..).unwrap_or_default(),
                writes: &self.writes,
                read: &Invocation::of(&self.all, program),
            });
        }
    }
}

/// Returns the files that the step's redirections write.
pub(super) fn writes(step: &Step) -> impl Iterator<Item = &str> {
    step.redirections
        .iter()
        .filter(|redirection| redirection.writes())
        .map(|redirection| text(&redirection.target))
}

/// Returns a word's value, or its text if the value is only known at run time.
pub(super) fn text(word: &Word) -> &str {
    word.value.as_deref().unwrap_or(&word.raw)
}

impl<'a> Command<'a> {
    /// Returns true if the program is one of these.
    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name)
    }

    /// Returns true if one of these words is among the arguments.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.args.iter().any(|word| words.contains(word))
    }

    /// Returns true if one of these patterns of arguments matches.
    pub(super) fn meets(&self, patterns: &str) -> bool {
        self.find(patterns).is_some()
    }

    fn find(&self, patterns: &str) -> Option<Match> {
        Look { read: self.read, dir: &Dir::Same, writes: false, by_option: false }
            .first(patterns)
            .map(|(found, _)| found)
    }

    /// Returns the index of the first word behind the command that an effect is about, if it has the effect.
    pub(super) fn meets_effect(&self, effect: &Effect) -> Option<usize> {
        let named = effect.names.is_empty() || effect.names.contains(&self.name);
        let found = self.find(effect.when).filter(|_| named)?;
        (!self.meets(effect.unless)).then_some(found.behind)
    }

    /// Returns the operands from an index on.
    pub(super) fn operands(&self, from: usize) -> Vec<&'a str> {
        let operands = self.read.operands.iter().filter(|at| **at >= from);
        operands.filter_map(|at| self.read.word(*at)).collect()
    }

    /// Returns the word before an index, or the first argument.
    pub(super) fn verb(&self, behind: usize) -> Option<&'a str> {
        self.read.word(behind.saturating_sub(1).max(1))
    }

    /// Returns the value of the first of these options.
    pub(super) fn value_of(&self, options: &[&str]) -> Option<&'a str> {
        self.read.value_of(options)
    }
}
