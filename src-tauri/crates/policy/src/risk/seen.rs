//! One program with its known words, as the dangerous patterns look at it: tokens, never joined text.

use crate::path;
use postern_command::Step;
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

    /// Whether a short option (`r` of `-rf`) or a long one (`recursive`, or shortened to `recurs`) is given.
    pub(super) fn flag(&self, short: &[char], long: &[&str]) -> bool {
        self.args.iter().take_while(|word| **word != "--").any(|word| match word.strip_prefix("--") {
            Some(name) => {
                let name = name.split('=').next().unwrap_or(name);
                name.len() >= 2 && long.iter().any(|long| long.starts_with(name))
            }
            None => word.len() > 1 && word.starts_with('-') && word[1..].contains(short),
        })
    }

    /// Whether this word stands among the arguments.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.args.iter().any(|word| words.contains(word))
    }

    /// The first argument that is no option.
    pub(super) fn sub(&self) -> Option<&'a str> {
        self.args.iter().copied().find(|word| !word.starts_with('-'))
    }

    /// Whether these words stand next to each other among the arguments, options left out.
    pub(super) fn subs(&self, words: &[&str]) -> bool {
        let operands: Vec<&str> = self.args.iter().copied().filter(|word| !word.starts_with('-')).collect();
        operands.windows(words.len()).next().is_some_and(|first| first == words)
    }
}
