//! One program with its known words, as the dangerous patterns look at it: tokens, never joined text.

use crate::path;
use postern_command::{Step, Swallows, swallows};
use std::borrow::Cow;

/// A program and its arguments. Words that are not known before the run stand as they were written.
#[derive(Debug)]
pub struct Seen<'a> {
    /// The program without folder, in lower case.
    pub name: Cow<'a, str>,
    /// Its arguments.
    pub args: Vec<&'a str>,
    /// Where its redirections write.
    pub writes: Vec<&'a str>,
}

/// The step's wrappers and its own program.
pub(super) fn of_step(step: &Step) -> Vec<Seen<'_>> {
    let mut all = Vec::with_capacity(step.via.len() + 1);
    for via in &step.via {
        all.extend(seen(&via.argv, step, false));
    }
    all.extend(seen(&step.argv, step, true));
    if step.argv.is_empty() {
        all.push(Seen { name: Cow::Borrowed(""), args: Vec::new(), writes: writes(step) });
    }
    all
}

fn seen<'a>(argv: &'a [postern_command::Word], step: &'a Step, own: bool) -> Option<Seen<'a>> {
    let shown = |word: &'a postern_command::Word| word.value.as_deref().unwrap_or(&word.raw);
    let (first, rest) = argv.split_first()?;
    Some(Seen {
        name: path::fold(path::base_name(shown(first))),
        args: rest.iter().map(shown).collect(),
        writes: if own { writes(step) } else { Vec::new() },
    })
}

fn writes(step: &Step) -> Vec<&str> {
    let written = step.redirections.iter().filter(|redirection| redirection.writes());
    written
        .map(|redirection| redirection.target.value.as_deref().unwrap_or(&redirection.target.raw))
        .collect()
}

impl<'a> Seen<'a> {
    /// A command by its words.
    pub fn of_words(argv: &'a [String]) -> Option<Self> {
        let (first, rest) = argv.split_first()?;
        let args = rest.iter().map(String::as_str).collect();
        Some(Self { name: path::fold(path::base_name(first)), args, writes: Vec::new() })
    }

    /// Whether the program is one of these.
    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&&*self.name)
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

    /// Returns true if a short (`r` of `-rf`) or long option (`recursive`, or shortened to `recurs`) is given,
    /// except the program's own options.
    pub(super) fn flag(&self, short: &[char], long: &[&str]) -> bool {
        self.behind_globals().iter().take_while(|word| **word != "--").any(|word| {
            match word.strip_prefix("--") {
                Some(name) => {
                    let name = name.split('=').next().unwrap_or(name);
                    name.len() >= 2 && long.iter().any(|long| long.starts_with(name))
                }
                None => word.len() > 1 && word.starts_with('-') && word[1..].contains(short),
            }
        })
    }

    /// Whether this word stands among the arguments.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.args.iter().any(|word| words.contains(word))
    }

    /// Returns true if the verb passes the test. After an unknown option, either of two words may be the verb.
    pub(super) fn sub_where(&self, test: impl Fn(&str) -> bool) -> bool {
        let args = self.behind_globals();
        self.operands_of(args).into_iter().any(|at| test(args[at]))
    }

    /// Returns true if the verb is one of these.
    pub(super) fn sub(&self, words: &[&str]) -> bool {
        self.sub_where(|sub| words.contains(&sub))
    }

    /// Returns true if there is a verb that is none of these.
    pub(super) fn sub_but(&self, words: &[&str]) -> bool {
        self.sub_where(|sub| !words.contains(&sub))
    }

    /// Returns true if the verb and the word after it pass the tests.
    pub(super) fn subs_where(&self, first: impl Fn(&str) -> bool, second: impl Fn(&str) -> bool) -> bool {
        let args = self.behind_globals();
        self.operands_of(args).into_iter().filter(|at| first(args[*at])).any(|at| {
            let behind = &args[at + 1..];
            self.operands_of(behind).into_iter().any(|at| second(behind[at]))
        })
    }

    /// Returns true if the verb and the word after it are these.
    pub(super) fn subs(&self, first: &str, second: &str) -> bool {
        self.subs_where(|word| word == first, |word| word == second)
    }

    /// Possible positions of the first operand.
    fn operands_of(&self, args: &[&str]) -> Vec<usize> {
        let mut reached = vec![false; args.len() + 2];
        reached[0] = true;
        let mut found = Vec::new();
        for (at, word) in args.iter().enumerate().take(MOST_WORDS) {
            if !reached[at] {
                continue;
            }
            if !is_option(word) {
                found.push(at);
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
}

/// Words that may contain a verb.
const MOST_WORDS: usize = 256;

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}
