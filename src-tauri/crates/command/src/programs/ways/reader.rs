//! A call's arguments as the table looks at them: options with their values, operands, the subcommand.

use postern_programs::{Style, Takes, takes};

use crate::call::{Arg, Call};
use crate::peel::{is_one_word, words_of_others};
use crate::programs::subcommand;
use crate::programs::table::Program;

/// An option that was given.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) at: usize,
    /// With its dashes, as it was given: `-o`, `--out`, `-exec`.
    pub(super) name: String,
    /// The rest of its word, or the next word whether or not it takes it.
    pub(super) value: Option<&'a str>,
    /// The word that the value stands in.
    pub(super) value_at: usize,
    /// Whether this is known to be the whole name of an option, by the program's grammar.
    pub(super) complete: bool,
}

/// The arguments of a call.
#[derive(Debug)]
pub(super) struct Read<'a> {
    pub(super) args: &'a [Arg],
    pub(super) options: Vec<Seen<'a>>,
    pub(super) operands: Vec<usize>,
    /// Where the subcommand may stand, in order.
    pub(super) subs: Vec<usize>,
    /// The first argument that could turn out to be an option.
    pub(super) unknown: Option<usize>,
    /// The first operand that is a pattern of file names which could begin with a dash.
    pub(super) glob: Option<usize>,
    /// How options are read: before the subcommand, and behind it.
    globals: Vec<&'static str>,
    grammars: Vec<&'static str>,
    style: Style,
}

impl<'a> Read<'a> {
    pub(super) fn new(call: &'a Call, family: &str, program: &Program) -> Self {
        let words: Vec<Option<&str>> = call.args.iter().map(Arg::value).collect();
        let subs = subcommand::positions_by(program.before.unwrap_or_default(), family, &words);
        let sub = subs.first().and_then(|at| words[*at]);
        let is_for = |names: &str| sub.is_some_and(|sub| names.split(' ').any(|name| name == sub));
        let own = program.of_commands.iter().filter(|(names, _)| is_for(names)).map(|(_, grammar)| *grammar);
        let grammars: Vec<&str> = std::iter::once(program.behind).chain(own).collect();
        let globals = program.before.map_or_else(|| grammars.clone(), |known| vec![known]);
        let mut read = Self {
            args: &call.args,
            options: Vec::new(),
            operands: Vec::new(),
            subs,
            unknown: None,
            glob: None,
            globals,
            grammars,
            style: program.style,
        };
        read.all(&words_of_others(family, &call.args));
        read
    }

    pub(super) fn word(&self, at: usize) -> Option<&'a str> {
        self.args.get(at).and_then(Arg::value)
    }

    /// The word, or how it begins where the rest of it is known only at run time.
    pub(super) fn beginning(&self, at: usize) -> Option<&'a str> {
        self.word(at).or_else(|| Some(self.args.get(at)?.start.as_str()))
    }

    /// A word of which only the beginning is known, and which may go on like this text.
    pub(super) fn may_become(&self, text: &str) -> Option<usize> {
        let may = |arg: &Arg| {
            arg.value().is_none() && arg.free && !arg.start.is_empty() && text.starts_with(&arg.start)
        };
        (1..self.args.len()).find(|at| may(&self.args[*at]))
    }

    /// A value, or how it begins; none where nothing of it is known.
    pub(super) fn value_or_start(&self, seen: &Seen<'a>) -> Option<&'a str> {
        seen.value.or_else(|| {
            let arg = self.args.get(seen.value_at).filter(|_| seen.value_at > seen.at)?;
            Some(arg.start.as_str()).filter(|start| !start.is_empty())
        })
    }

    fn all(&mut self, others: &[std::ops::Range<usize>]) {
        let sub = self.subs.first().copied().unwrap_or(0);
        let mut at = 1;
        while at < self.args.len() {
            if let Some(range) = others.iter().find(|range| range.contains(&at)) {
                at = range.end;
                continue;
            }
            let grammars = if at < sub { self.globals.clone() } else { self.grammars.clone() };
            at = match self.word(at) {
                None => self.unknown_word(at, &grammars),
                Some("--") if self.style != Style::Words => {
                    self.operands.extend(at + 1..self.args.len());
                    break;
                }
                Some(word) if word.starts_with('-') && word.len() > 1 => self.option(at, word, &grammars),
                Some(word) if at == 1 && self.style == Style::Bundled => self.bundle(word, &grammars),
                Some(_) => {
                    self.operands.push(at);
                    at + 1
                }
            };
        }
    }

    /// A word that is known only at run time, but for its beginning (`--pre=$X`); the index of the next word.
    fn unknown_word(&mut self, at: usize, grammars: &[&str]) -> usize {
        let args = self.args;
        let arg = &args[at];
        let start = arg.start.as_str();
        let letters = at == 1 && self.style == Style::Bundled;
        if arg.dash || arg.splits || letters || matches!(start, "-" | "--") {
            self.unknown.get_or_insert(at);
        }
        if start.starts_with('-') && start.len() > 1 {
            self.option(at, start, grammars);
            if !self.has_its_name(at, start, grammars) {
                self.unknown.get_or_insert(at);
            }
            for seen in self.options.iter_mut().filter(|seen| seen.at == at) {
                (seen.value, seen.value_at) = (None, at);
                seen.complete &= start.contains('=') || !start.starts_with("--");
            }
            return at + 1;
        }
        if begins_anyhow(&self.args[at]) {
            self.glob.get_or_insert(at);
        }
        self.operands.push(at);
        at + 1
    }

    /// Whether what is not known of a word of options can only be the value of one: behind `=`, or behind a letter that takes
    /// one. How a long name begins is told apart by the table (`--pre$X`).
    fn has_its_name(&self, at: usize, start: &str, grammars: &[&str]) -> bool {
        if start.contains('=') {
            return true;
        }
        let taken = |name: &str| grammars.iter().find_map(|grammar| takes(grammar, name));
        match self.style {
            Style::Words => false,
            Style::Getopt | Style::Bundled if start.starts_with("--") => true,
            Style::Getopt | Style::Bundled => self
                .options
                .iter()
                .filter(|seen| seen.at == at && seen.name.chars().count() == 2)
                .any(|seen| matches!(taken(&seen.name), Some(Takes::Value | Takes::Optional))),
        }
    }

    /// Reads one word of options; the index of the next word.
    fn option(&mut self, at: usize, word: &'a str, grammars: &[&str]) -> usize {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let known = grammars.iter().find_map(|grammar| takes(grammar, name));
        let letter = !word.starts_with("--") && name.chars().count() == 2;
        let whole = word.starts_with("--") || self.style == Style::Words || !letter && known.is_some();
        if !letter || whole {
            let value = attached.or_else(|| self.word(at + 1));
            let value_at = if attached.is_some() { at } else { at + 1 };
            let complete = known.is_some();
            self.options.push(Seen { at, name: name.to_owned(), value, value_at, complete });
        }
        let swallows = if whole {
            known == Some(Takes::Value) && attached.is_none()
        } else {
            self.letters(at, word.get(1..).unwrap_or_default(), grammars)
        };
        if !swallows {
            return at + 1;
        }
        // A value without quotes may turn out to be many words, and the next of them an option.
        if self.args.get(at + 1).is_some_and(|value| value.splits || value.dash && !is_one_word(value)) {
            self.unknown.get_or_insert(at + 1);
        }
        if self.args.get(at + 1).is_some_and(begins_anyhow) {
            self.glob.get_or_insert(at + 1);
        }
        at + 2
    }

    /// Reads a first word of letters without a dash (`tar xfC a.tar dir`): their values are the words behind it, in the
    /// order of the letters. A letter that is not listed is told with the word that would be its own. The index of the
    /// first word that is no value.
    fn bundle(&mut self, letters: &str, grammars: &[&str]) -> usize {
        let mut next = 2;
        for letter in letters.chars() {
            let name = format!("-{letter}");
            let known = grammars.iter().find_map(|grammar| takes(grammar, &name));
            let (value, complete) = (self.word(next), known.is_some());
            self.options.push(Seen { at: 1, name, value, value_at: next, complete });
            next += usize::from(known == Some(Takes::Value));
        }
        next.min(self.args.len())
    }

    /// Reads letters; whether the last of them takes the next word.
    fn letters(&mut self, at: usize, cluster: &'a str, grammars: &[&str]) -> bool {
        for (offset, letter) in cluster.char_indices() {
            let name = format!("-{letter}");
            let rest = cluster.get(offset + letter.len_utf8()..).filter(|rest| !rest.is_empty());
            let known = grammars.iter().find_map(|grammar| takes(grammar, &name));
            let complete = known.is_some();
            let value_at = if rest.is_some() { at } else { at + 1 };
            let value = rest.or_else(|| self.word(at + 1));
            self.options.push(Seen { at, name, value, value_at, complete });
            match known {
                Some(Takes::Value) => return rest.is_none(),
                Some(Takes::Optional) => return false,
                Some(Takes::Nothing) | None if letter == '=' => return false,
                Some(Takes::Nothing) | None => {}
            }
        }
        false
    }

    /// Options of this name, or ones that may be short for it.
    pub(super) fn named<'s>(
        &'s self,
        name: &'s str,
        program: &'s Program,
    ) -> impl Iterator<Item = &'s Seen<'a>> {
        self.options.iter().filter(move |seen| {
            let (wanted, given) = (name.trim_start_matches('-'), seen.name.trim_start_matches('-'));
            let long = name.starts_with("--") && seen.name.starts_with("--");
            let many = wanted.chars().count() > 1;
            // Go's, Apple's and Java's programs take one dash or two; nearly all long names may be shortened.
            seen.name == name
                || many && wanted == given
                || long
                    && !given.is_empty()
                    && wanted.starts_with(given)
                    && !seen.complete
                    && !has(program, &seen.name)
        })
    }

    /// Where a subcommand of these parts stands.
    pub(super) fn sub_path(&self, path: &str) -> Option<usize> {
        self.subs.iter().copied().find(|at| {
            let behind = self.operands.iter().copied().filter(|operand| operand > at);
            let mut places = std::iter::once(*at).chain(behind);
            path.split('.').all(|part| places.next().is_some_and(|place| self.word(place) == Some(part)))
        })
    }
}

/// Whether a word is a pattern of file names, one of which could begin with a dash.
fn begins_anyhow(arg: &Arg) -> bool {
    arg.value().is_none() && arg.word.raw.starts_with(['*', '?', '['])
}

/// Returns true if the program has an effect for an option of this very name.
pub(super) fn has(program: &Program, name: &str) -> bool {
    let option = |mark: &str| {
        mark.rsplit(':').next().unwrap_or(mark).trim_start_matches('@').trim_end_matches('/') == name
    };
    program.effects.iter().any(|effect| effect.marks.split(' ').any(option))
}
