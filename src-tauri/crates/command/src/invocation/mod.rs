//! The one reader of options: a program with its options, its verb and its operands, each with its place among the words.
//!
//! Deny rules, effects, unsafe arguments, wrappers and interpreters all read a command here, so that no spelling and no
//! option before the verb hides from one of them what another one sees. What a program's options are is in its file; an
//! option that is not listed there stays *unknown*, and each caller takes the careful side: a deny rule takes it with the
//! next word and without it, an unsafe argument is looked for behind it, a wrapper is not followed.

mod leading;
mod text;
mod verb;
mod word;

use std::borrow::Cow;
use std::ops::Range;

use postern_programs::{Style, Takes};

use crate::call::Arg;
use crate::peel::words_of_others;
use crate::programs::table::Program;
pub(crate) use leading::{Leading, unknown_option};
pub(crate) use text::ArgumentWord;
pub(crate) use verb::verb_indexes;
pub use verb::{Operands, leading_options, operands_in_order};
pub(crate) use word::Grammar;
use word::WordOption;

#[derive(Debug, Clone)]
pub(crate) struct GivenOption<'a> {
    /// Index of its word.
    pub(crate) at: usize,
    /// With its dashes, as it was given: `-o`, `--out`, `-exec`.
    pub(crate) name: Cow<'a, str>,
    /// The rest of its word, or the next word whether or not it takes that.
    pub(crate) value: Option<&'a str>,
    /// Index of the word that the value stands in.
    pub(crate) value_at: usize,
    /// True if the value is the rest of its own word.
    pub(crate) attached: bool,
    /// Value that it takes; `None` if the program's file does not list it, or if only its beginning is known.
    pub(crate) takes: Option<Takes>,
}

/// A program's arguments as its file says that they are read.
#[derive(Debug)]
pub(crate) struct Invocation<'a, W = Arg> {
    /// All words, the program first.
    pub(crate) args: &'a [W],
    pub(crate) program: &'static Program,
    pub(crate) options: Vec<GivenOption<'a>>,
    pub(crate) operands: Vec<usize>,
    /// Places where the verb may be, in order.
    pub(crate) verbs: Vec<usize>,
    /// The first argument that could turn out to be an option.
    pub(crate) unknown: Option<usize>,
    /// The first operand that is a pattern of file names which could begin with a dash.
    pub(crate) pattern: Option<usize>,
}

impl<'a> GivenOption<'a> {
    fn from_part<W: ArgumentWord>(at: usize, part: WordOption<'a>, args: &'a [W]) -> Self {
        let attached = part.attached.is_some();
        let value = part.attached.or_else(|| args.get(at + 1).and_then(ArgumentWord::known_value));
        let value_at = if attached { at } else { at + 1 };
        Self { at, name: part.name, value, value_at, attached, takes: part.takes }
    }

    /// Returns the same without a next word that it does not take.
    fn without_guess(self) -> Self {
        match self.takes {
            Some(Takes::Value) => self,
            Some(Takes::Optional) if self.attached => self,
            _ => Self { value: None, value_at: self.at, attached: false, ..self },
        }
    }

    /// Returns true if the program's file lists it.
    pub(crate) fn is_listed(&self) -> bool {
        self.takes.is_some()
    }
}

impl<'a, W: ArgumentWord> Invocation<'a, W> {
    /// Reads the words of a program.
    pub(crate) fn from_args(args: &'a [W], program: &'static Program) -> Self {
        let verbs = verb_indexes(program, args);
        let verb = verbs.first().and_then(|at| args[*at].known_value());
        let is_for = |names: &str| verb.is_some_and(|verb| names.split(' ').any(|name| name == verb));
        let own = program.of_commands.iter().filter(|(names, _)| is_for(names)).map(|(_, options)| *options);
        let behind: Vec<&str> = std::iter::once(program.behind).chain(own).collect();
        let before = program.before.map_or_else(|| behind.clone(), |options| vec![options]);
        let mut read = Self {
            args,
            program,
            options: Vec::new(),
            operands: Vec::new(),
            verbs,
            unknown: None,
            pattern: None,
        };
        read.read_words(&before, &behind, &words_of_others(program, args));
        read
    }

    pub(crate) fn word_at(&self, at: usize) -> Option<&'a str> {
        self.args.get(at).and_then(ArgumentWord::known_value)
    }

    /// Returns the word, or its beginning if the rest of it is known only at run time.
    pub(crate) fn beginning(&self, at: usize) -> Option<&'a str> {
        self.word_at(at).or_else(|| Some(self.args.get(at)?.known_start()))
    }

    /// Returns a word of which only the beginning is known, and which may go on like this text.
    pub(crate) fn may_become(&self, text: &str) -> Option<usize> {
        let may = |word: &W| {
            let start = word.known_start();
            word.known_value().is_none() && word.is_free() && !start.is_empty() && text.starts_with(start)
        };
        (1..self.args.len()).find(|at| may(&self.args[*at]))
    }

    /// Returns a value, or its beginning; `None` if nothing of it is known.
    pub(crate) fn value_or_start(&self, given: &GivenOption<'a>) -> Option<&'a str> {
        given.value.or_else(|| {
            let word = self.args.get(given.value_at).filter(|_| given.value_at > given.at)?;
            Some(word.known_start()).filter(|start| !start.is_empty())
        })
    }

    /// Returns the options of this name, and those that may be short for it.
    pub(crate) fn options_named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s GivenOption<'a>> {
        let wanted = name.trim_start_matches('-');
        let is_word = wanted.chars().count() > 1;
        self.options.iter().filter(move |given| {
            let short = given.name.trim_start_matches('-');
            let is_long = name.starts_with("--") && given.name.starts_with("--");
            // Go's, Apple's and Java's programs take one dash or two; nearly all long names may be shortened.
            given.name == name
                || is_word && wanted == short
                || is_long
                    && !short.is_empty()
                    && wanted.starts_with(short)
                    && !given.is_listed()
                    && !self.program.has_effect_of(&given.name)
        })
    }

    /// Returns the value of the first of these options.
    pub(crate) fn value_of(&self, names: &[&str]) -> Option<&'a str> {
        self.options.iter().find(|given| names.contains(&&*given.name)).and_then(|given| given.value)
    }

    /// Returns the first and the last index of a verb of these parts (`bisect.run`; alternatives by `|`). An operand behind
    /// an option that is not listed may be the option's value.
    pub(crate) fn find_verb(&self, path: &str) -> Option<(usize, usize)> {
        self.verbs.iter().find_map(|first| {
            let mut parts = path.split('.');
            let is = |at: usize, part: &str| {
                self.word_at(at).is_some_and(|word| part.split('|').any(|one| one == word))
            };
            if !is(*first, parts.next().unwrap_or_default()) {
                return None;
            }
            let mut behind = self.operands.iter().copied().filter(|at| at > first);
            let mut last = *first;
            for part in parts {
                last =
                    behind.find(|at| is(*at, part) || !self.may_be_value(*at)).filter(|at| is(*at, part))?;
            }
            Some((*first, last))
        })
    }

    /// Returns true if the word before is an option that is not listed, which may take this one.
    pub(crate) fn may_be_value(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let from = self.options.partition_point(|given| given.at < before);
        let own = self.options.get(from..).unwrap_or_default().iter().take_while(|given| given.at == before);
        own.clone().all(|given| !given.attached) && own.clone().any(|given| !given.is_listed())
    }

    fn read_words(&mut self, before: &[&str], behind: &[&str], others: &[Range<usize>]) {
        let verb = self.verbs.first().copied().unwrap_or(0);
        let style = self.program.style;
        let mut at = 1;
        while at < self.args.len() {
            if let Some(range) = others.iter().find(|range| range.contains(&at)) {
                at = range.end;
                continue;
            }
            let options = if at < verb { before } else { behind };
            let grammar = Grammar { options, style, abbreviates: false };
            at = match self.word_at(at) {
                None => self.unknown_word(at, grammar),
                Some("--") if style != Style::Words => {
                    self.operands.extend(at + 1..self.args.len());
                    break;
                }
                Some(word) if word.starts_with('-') && word.len() > 1 => self.option(at, word, grammar),
                Some(word) if at == 1 && style == Style::Bundled => self.bundle(word, grammar),
                Some(_) => {
                    self.operands.push(at);
                    at + 1
                }
            };
        }
    }

    /// Reads a word that is known only at run time, but for its beginning (`--pre=$X`); returns the index of the next word.
    fn unknown_word(&mut self, at: usize, grammar: Grammar<'_>) -> usize {
        let word = &self.args[at];
        let start = word.known_start();
        let letters = at == 1 && self.program.style == Style::Bundled;
        if word.may_be_option() || word.may_split() || letters || matches!(start, "-" | "--") {
            self.unknown.get_or_insert(at);
        }
        if start.starts_with('-') && start.len() > 1 {
            let from = self.options.len();
            self.option(at, start, grammar);
            if !self.has_its_name(from, start) {
                self.unknown.get_or_insert(at);
            }
            for given in &mut self.options[from..] {
                (given.value, given.value_at) = (None, at);
                given.takes = given.takes.filter(|_| start.contains('=') || !start.starts_with("--"));
            }
            return at + 1;
        }
        if word.is_pattern() {
            self.pattern.get_or_insert(at);
        }
        self.operands.push(at);
        at + 1
    }

    /// Returns true if the unknown part of a word of options can only be the value of one.
    ///
    /// That is after `=`, or after a letter that takes one. The beginning of a long name is compared with the
    /// effects (`--pre$X`).
    fn has_its_name(&self, from: usize, start: &str) -> bool {
        if start.contains('=') {
            return true;
        }
        let takes = |given: &GivenOption<'_>| matches!(given.takes, Some(Takes::Value | Takes::Optional));
        let is_letter = |given: &GivenOption<'_>| given.name.chars().count() == 2;
        match self.program.style {
            Style::Words => false,
            Style::Getopt | Style::Bundled => {
                start.starts_with("--")
                    || self.options[from..].iter().any(|given| is_letter(given) && takes(given))
            }
        }
    }

    /// Reads one word of options; returns the index of the next word.
    fn option(&mut self, at: usize, word: &'a str, grammar: Grammar<'_>) -> usize {
        let (options, args) = (&mut self.options, self.args);
        let next = grammar.read_word(word, |part| options.push(GivenOption::from_part(at, part, args)));
        if !next.takes_next() {
            return at + 1;
        }
        // A value without quotes may turn out to be many words, and the next of them an option.
        if let Some(value) = self.args.get(at + 1) {
            if value.may_split() || value.may_be_option() && !value.is_one_word() {
                self.unknown.get_or_insert(at + 1);
            }
            if value.is_pattern() {
                self.pattern.get_or_insert(at + 1);
            }
        }
        at + 2
    }

    /// Reads a first word of letters without a dash (`tar xfC a.tar dir`), and returns the index of the first
    /// word that is no value.
    ///
    /// The values of the letters are the words after it, in order. A letter that is not listed has the word
    /// that would be its own.
    fn bundle(&mut self, letters: &'a str, grammar: Grammar<'_>) -> usize {
        let mut next = 2;
        for letter in letters.chars() {
            let (name, takes) = grammar.letter(letter);
            let value = self.word_at(next);
            self.options.push(GivenOption { at: 1, name, value, value_at: next, attached: false, takes });
            next += usize::from(takes == Some(Takes::Value));
        }
        next.min(self.args.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Invocation;
    use crate::programs::table::{self, Program};

    fn program(name: &str) -> &'static Program {
        table::program(name).unwrap_or(&Program::UNKNOWN)
    }

    /// Options with their values, the words where the verb may be, and the operands.
    fn read(line: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
        let words: Vec<&str> = line.split(' ').collect();
        let read = Invocation::from_args(&words, program(words[0]));
        let options = read
            .options
            .iter()
            .filter(|given| given.is_listed() || given.name.len() == 2 || given.name.starts_with("--"));
        let options = options.map(|given| match given.clone().without_guess().value {
            Some(value) => format!("{}={value}", given.name),
            None => given.name.to_string(),
        });
        let words_at = |all: &[usize]| all.iter().map(|at| words[*at].to_owned()).collect();
        (options.collect(), words_at(&read.verbs), words_at(&read.operands))
    }

    #[test]
    fn options_verb_and_operands_are_told_apart() {
        for (line, options, verbs, operands) in [
            ("npm --prefix x publish", &["--prefix=x"][..], &["publish"][..], &["publish"][..]),
            ("git -C x push --force o", &["-C=x", "--force"], &["push"], &["push", "o"]),
            ("git commit -am msg f", &["-a", "-m=msg"], &["commit"], &["commit", "f"]),
            ("git commit -mfix", &["-m=fix"], &["commit"], &["commit"]),
            ("git log --grep=x -- -p", &["--grep=x"], &["log"], &["log", "-p"]),
            ("kubectl -n prod exec p -- ls", &["-n=prod"], &["exec"], &["exec", "p", "ls"]),
            ("docker --unheard v rm x", &["--unheard"], &["v", "rm"], &["v", "rm", "x"]),
            ("unheard-of -abc x", &["-a", "-b", "-c"], &["x"], &["x"]),
        ] {
            let (got, at, rest) = read(line);
            assert_eq!(
                (got.as_slice(), at.as_slice(), rest.as_slice()),
                (
                    options.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>().as_slice(),
                    verbs.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>().as_slice(),
                    operands.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>().as_slice(),
                ),
                "{line}"
            );
        }
    }

    #[test]
    fn a_verb_of_several_words_is_found_behind_options() {
        for (line, path, expected) in [
            ("docker volume rm x", "volume.rm", Some((1, 2))),
            ("docker -H h volume --unheard rm x", "volume.rm", Some((3, 5))),
            ("docker volume --unheard v rm x", "volume.rm", Some((1, 4))),
            ("docker volume --a=v w rm x", "volume.rm", None),
            ("docker --unheard v volume rm x", "volume.rm", Some((3, 4))),
            ("docker volume ls rm", "volume.rm", None),
            ("docker image rm x", "volume|image.rm|prune", Some((1, 2))),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(Invocation::from_args(&words, program("docker")).find_verb(path), expected, "{line}");
        }
    }
}
