//! One program with its known words, as the table of verbs looks at it: tokens, never joined text.

use crate::programs::{Swallows, family, swallows};
use crate::{Step, Word};

/// A program and its arguments. Words that are not known before the run are as they were written.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// The program's family.
    pub(super) name: String,
    /// Its arguments.
    pub(super) args: Vec<&'a str>,
    /// The files that its redirections write.
    pub(super) writes: Vec<&'a str>,
}

/// Returns the step's wrappers and its own program.
pub(super) fn of_step(step: &Step) -> Vec<Seen<'_>> {
    let mut all: Vec<Seen<'_>> = step.via.iter().filter_map(|via| seen(&via.argv)).collect();
    let own = seen(&step.argv).unwrap_or_else(|| Seen {
        name: String::new(),
        args: Vec::new(),
        writes: Vec::new(),
    });
    all.push(Seen { writes: writes(step).collect(), ..own });
    all
}

/// Returns the files that the step's redirections write.
pub(super) fn writes(step: &Step) -> impl Iterator<Item = &str> {
    step.redirections
        .iter()
        .filter(|redirection| redirection.writes())
        .map(|redirection| text(&redirection.target))
}

/// Returns a word's value, or its text where the value is only known at run time.
pub(super) fn text(word: &Word) -> &str {
    word.value.as_deref().unwrap_or(&word.raw)
}

fn seen(argv: &[Word]) -> Option<Seen<'_>> {
    let (first, rest) = argv.split_first()?;
    Some(Seen { name: family(text(first)), args: rest.iter().map(text).collect(), writes: Vec::new() })
}

impl<'a> Seen<'a> {
    /// Returns a command by its words.
    pub(super) fn of_words(argv: &'a [String]) -> Option<Self> {
        let (first, rest) = argv.split_first()?;
        let args = rest.iter().map(String::as_str).collect();
        Some(Self { name: family(first), args, writes: Vec::new() })
    }

    /// Returns true if the program is one of these.
    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Returns true if one of these words is among the arguments.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.args.iter().any(|word| words.contains(word))
    }

    /// Returns true if one of these marks, separated by blanks, is met:
    ///
    /// | mark | is met by |
    /// |---|---|
    /// | `-x`, `--long` | an option behind the program's own known ones, long ones shortened or not |
    /// | `-word` | this word |
    /// | `=word` | this word |
    /// | `^start`, `~part`, `$end` | a word that begins so, holds this (in any case), ends so |
    /// | `#0`, `#1`, `#+` | no argument, exactly one, at least one |
    pub(super) fn meets(&self, marks: &str) -> bool {
        marks.split(' ').filter(|mark| !mark.is_empty()).any(|mark| self.meets_one(mark))
    }

    fn meets_one(&self, mark: &str) -> bool {
        let any = |test: &dyn Fn(&str) -> bool| self.args.iter().any(|word| test(word));
        match mark.split_at(1) {
            ("=", rest) => any(&|word| word == rest),
            ("^", rest) => any(&|word| word.starts_with(rest)),
            ("$", rest) => any(&|word| word.ends_with(rest)),
            ("~", rest) => any(&|word| word.to_ascii_lowercase().contains(rest)),
            ("#", "0") => self.args.is_empty(),
            ("#", "1") => self.args.len() == 1,
            ("#", _) => !self.args.is_empty(),
            _ if mark.starts_with("--") || mark.len() == 2 => self.flag(mark),
            _ => any(&|word| word == mark),
        }
    }

    /// Returns true if an option is given: a letter (`-r`, also in `-rf`), or a long name, shortened or not.
    fn flag(&self, option: &str) -> bool {
        let words = self.behind_globals().iter().take_while(|word| **word != "--");
        match option.strip_prefix("--") {
            Some(long) => words.filter_map(|word| word.strip_prefix("--")).any(|given| {
                let given = given.split('=').next().unwrap_or(given);
                given.len() >= 2 && long.starts_with(given)
            }),
            None => words
                .filter(|word| word.len() > 1 && !word.starts_with("--"))
                .filter_map(|word| word.strip_prefix('-'))
                .any(|letters| letters.contains(&option[1..])),
        }
    }

    /// Returns the arguments after the program's own known options: from its verb, or from the first unknown
    /// option. Deny rules, offers and unsafe arguments skip the same options (`docker --context c rm`).
    fn behind_globals(&self) -> &[&'a str] {
        let mut at = 0;
        while let Some(word) = self.args.get(at).filter(|word| is_option(word)) {
            at += match swallows(&self.name, word) {
                Some(Swallows::Nothing) => 1,
                Some(Swallows::Next) => 2,
                Some(Swallows::Maybe) | None => break,
            };
        }
        self.args.get(at..).unwrap_or_default()
    }

    /// Returns the index behind the verb, if the verb is as written: words separated by blanks, alternatives by
    /// `|`; `!` before them is any verb but these; nothing is any command.
    pub(super) fn behind_verb(&self, verb: &str) -> Option<usize> {
        if verb.is_empty() {
            return Some(0);
        }
        let start = self.args.len() - self.behind_globals().len();
        if let Some(others) = verb.strip_prefix('!') {
            let is_other = |at: &usize| !others.split('|').any(|other| other == self.args[*at]);
            return self.operands_from(start).into_iter().find(is_other).map(|at| at + 1);
        }
        self.behind(start, verb)
    }

    fn behind(&self, from: usize, verb: &str) -> Option<usize> {
        let (first, rest) = verb.split_once(' ').unwrap_or((verb, ""));
        let here = self
            .operands_from(from)
            .into_iter()
            .filter(|at| first.split('|').any(|one| one == self.args[*at]));
        here.map(|at| at + 1)
            .find_map(|next| if rest.is_empty() { Some(next) } else { self.behind(next, rest) })
    }

    /// Returns the possible positions of the first operand. After an unknown option, either of two words may be it.
    fn operands_from(&self, start: usize) -> Vec<usize> {
        let args = self.args.get(start..).unwrap_or_default();
        let mut reached = vec![false; args.len() + 2];
        reached[0] = true;
        let mut found = Vec::new();
        for (at, word) in args.iter().enumerate().take(MOST_WORDS) {
            if !reached[at] {
                continue;
            }
            if !is_option(word) {
                found.push(start + at);
                continue;
            }
            let (alone, with_value) = match swallows(&self.name, word) {
                Some(Swallows::Nothing) => (true, false),
                Some(Swallows::Next) => (false, true),
                Some(Swallows::Maybe) | None => (true, !word.contains('=')),
            };
            reached[at + 1] |= alone;
            reached[at + 2] |= with_value;
        }
        found
    }

    /// Returns the operands from an index on. All words behind `--` are operands.
    pub(super) fn operands(&self, from: usize) -> Vec<&'a str> {
        let args = self.args.get(from..).unwrap_or_default();
        let end = args.iter().position(|word| *word == "--").unwrap_or(args.len());
        let plain = args[..end].iter().filter(|word| !is_option(word));
        plain.chain(args.get(end + 1..).unwrap_or_default()).copied().collect()
    }

    /// Returns the value of the first of these options (`-o VALUE`, `-oVALUE`, `--out=VALUE`).
    pub(super) fn value_of(&self, options: &[&str]) -> Option<&'a str> {
        self.args.iter().enumerate().find_map(|(at, word)| {
            let option = options.iter().find(|option| word.starts_with(**option))?;
            match &word[option.len()..] {
                "" => self.args.get(at + 1).copied(),
                rest => Some(rest.strip_prefix('=').unwrap_or(rest)),
            }
        })
    }
}

/// Words that may contain a verb.
const MOST_WORDS: usize = 256;

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}
