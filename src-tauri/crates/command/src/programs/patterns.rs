//! Patterns of arguments, as the files about programs have them (`postern_programs` explains them).

use super::table::UnsafeArgs;
use crate::invocation::{ArgumentWord, GivenOption, Invocation};
use crate::{ArgEffect, Dir};

/// Files of which nothing is kept.
pub(crate) const NO_FILE: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/// A place where a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatternMatch {
    pub(crate) at: usize,
    /// The first word behind the command that the pattern names; the first argument, if it names none.
    pub(crate) behind: usize,
}

/// An invocation in its folder, in which patterns are looked for.
#[derive(Debug)]
pub(crate) struct PatternSearch<'a, 'r, W> {
    pub(crate) read: &'a Invocation<'r, W>,
    pub(crate) dir: &'a Dir,
    /// True for patterns about files that are written: the null device is none.
    pub(crate) writes: bool,
    /// True if an option without a command may do what a command does that is none of those listed.
    pub(crate) by_option: bool,
    /// True for a wrapper, which starts another program: its words are not all that it got.
    pub(crate) wraps: bool,
}

/// Returns the first argument that is unsafe, and the pattern that matched.
pub(crate) fn unsafe_arg<W: ArgumentWord>(
    unsafe_args: &UnsafeArgs,
    read: &Invocation<'_, W>,
    dir: &Dir,
) -> Option<(usize, &'static str)> {
    let writes = unsafe_args.does == ArgEffect::Writes;
    let look = PatternSearch { read, dir, writes, by_option: true, wraps: false };
    look.first_match(unsafe_args.when).map(|(found, mark)| (found.at, mark))
}

impl<W: ArgumentWord> PatternSearch<'_, '_, W> {
    /// Returns the first place where one of the patterns (separated by blanks) matches, and that pattern.
    pub(crate) fn first_match<'m>(&self, marks: &'m str) -> Option<(PatternMatch, &'m str)> {
        let marks = marks.split(' ').filter(|mark| !mark.is_empty());
        let found = marks.filter_map(|mark| Some((self.match_pattern(mark)?, mark)));
        found.min_by_key(|(found, _)| found.at)
    }

    fn match_pattern(&self, mark: &str) -> Option<PatternMatch> {
        // Both have to match; the first says where.
        if let Some((first, other)) = mark.split_once('&') {
            return self.match_pattern(other).and_then(|_| self.match_pattern(first));
        }
        let read = self.read;
        let (kind, rest) = mark.split_at(mark.len().min(1));
        let at = match kind {
            "*" => Some(0),
            "=" | "^" | "~" | "$" => self.find_word(kind, rest, 1).or_else(|| match kind {
                "=" | "^" => read.may_become(rest),
                _ => None,
            }),
            "!" => not_one_of(rest, read, self.by_option),
            "#" => self.operand(rest),
            "@" => {
                let verb = read.verbs.first().copied().unwrap_or(usize::MAX);
                self.option(rest, |at| at < verb)
            }
            "-" => self.option(mark, |_| true),
            _ => return self.of_verb(mark),
        };
        Some(PatternMatch { at: at?, behind: 1 })
    }

    /// Finds `NAME`, `NAME!OTHERS` and `NAME:PATTERN`.
    fn of_verb(&self, mark: &str) -> Option<PatternMatch> {
        let read = self.read;
        let Some((path, behind)) = mark.split_once([':', '!']) else {
            let (at, last) = read.find_verb(mark)?;
            return Some(PatternMatch { at, behind: last + 1 });
        };
        let (start, last) = read.find_verb(path)?;
        let (kind, rest) = behind.split_at(behind.len().min(1));
        let at = match kind {
            _ if mark.as_bytes().get(path.len()) == Some(&b'!') => {
                let harmless = |word: &str| behind.split(',').any(|name| name == word);
                (!read.word_at(start + 1).is_some_and(harmless)).then_some(start)
            }
            "-" => self.option(behind, |at| at > start),
            // What stands right behind it is its own command: options behind that are not its own.
            "@" => self.option(rest, |at| at > start && !read.operands.contains(&(start + 1))),
            "#" if rest == "/" => self.leading_out(|at| at > last),
            "#" => read.operands.iter().copied().find(|at| *at > last),
            _ => self.find_word(kind, rest, start + 1),
        };
        Some(PatternMatch { at: at?, behind: last + 1 })
    }

    /// Returns the first word from an index on that is this one, begins so, ends so or holds this.
    fn find_word(&self, kind: &str, text: &str, from: usize) -> Option<usize> {
        let is = |word: &str| match kind {
            "=" => word == text,
            "^" => word.starts_with(text),
            "$" => word.ends_with(text),
            _ => holds_text(word, text),
        };
        (from..self.read.args.len()).find(|at| self.read.beginning(*at).is_some_and(is))
    }

    fn option(&self, name: &str, place: impl Fn(usize) -> bool) -> Option<usize> {
        let (name, only_outside) = match name.strip_suffix('/') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let prints = |path: &str| {
            let to_stdout = path == "-" && matches!(name, "-o" | "--output");
            NO_FILE.contains(&path) || to_stdout && self.read.program.dash_prints
        };
        let counts = |value: Option<&str>| {
            let nowhere = self.writes && value.is_some_and(prints);
            !nowhere && (!only_outside || value.is_none_or(|path| leads_outside(path, self.dir)))
        };
        // The last word names no folder (`tsc -b`).
        let ends = |given: &GivenOption<'_>| {
            only_outside && given.value.is_none() && given.value_at >= self.read.args.len()
        };
        let mut given = self.read.options_named(name);
        given.find(|given| place(given.at) && !ends(given) && counts(given.value)).map(|given| given.at)
    }

    /// Returns the first operand that leads out of the working directory.
    fn leading_out(&self, place: impl Fn(usize) -> bool) -> Option<usize> {
        let leads = |at: usize| {
            let path = self.read.beginning(at).unwrap_or_default();
            let address = path.contains("://");
            !address && leads_outside(path, self.dir)
        };
        self.read.operands.iter().copied().find(|at| place(*at) && leads(*at))
    }

    /// Finds `#0`, `#2`, `#1/`, `#*`, `#*/`.
    fn operand(&self, which: &str) -> Option<usize> {
        let read = self.read;
        match which {
            "0" => return (read.args.len() == 1 && !self.wraps).then_some(0),
            "*/" => return self.leading_out(|_| true),
            "*" => {
                let file = |at: &&usize| !read.word_at(**at).is_some_and(|path| NO_FILE.contains(&path));
                return read.operands.iter().find(file).copied();
            }
            _ => {}
        }
        let (number, only_outside) = match which.strip_suffix('/') {
            Some(number) => (number, true),
            None => (which, false),
        };
        let at = *read.operands.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        let leads =
            read.args[at].is_free() || read.beginning(at).is_none_or(|path| leads_outside(path, self.dir));
        (!only_outside || leads).then_some(at)
    }
}

/// Returns true if a word holds a text, in any case.
fn holds_text(word: &str, text: &str) -> bool {
    word.len() >= text.len()
        && word.as_bytes().windows(text.len().max(1)).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// Returns a verb that is none of these, or that is known only at run time. An option among them counts before any verb
/// (`dpkg -l x`).
fn not_one_of<W: ArgumentWord>(names: &str, read: &Invocation<'_, W>, by_option: bool) -> Option<usize> {
    let harmless = |word: &str| names.split(',').any(|name| name == word);
    let verb = read.verbs.first().copied();
    let before: Vec<_> = read.options.iter().filter(|given| verb.is_none_or(|at| given.at < at)).collect();
    if before.iter().any(|given| harmless(&given.name)) {
        // One that is not known beside it may be what is done (`profiles -p -R x`).
        let other = before
            .iter()
            .find(|given| !harmless(&given.name) && !given.is_listed() && !is_about_output(&given.name));
        return other.map(|given| given.at);
    }
    match verb {
        Some(at) => (!read.word_at(at).is_some_and(harmless)).then_some(at),
        None => read.options.first().filter(|_| by_option).map(|given| given.at),
    }
}

/// Returns true for options that decide how much is printed, and how.
fn is_about_output(name: &str) -> bool {
    matches!(
        name,
        "-v" | "-vv" | "--verbose" | "-q" | "--quiet" | "-plist" | "--json" | "--no-pager" | "--all"
    )
}

/// Returns true if a path leads out of the request's working directory, as far as its spelling tells.
pub(crate) fn leads_outside(path: &str, dir: &Dir) -> bool {
    if NO_FILE.contains(&path) || path == "-" {
        return false;
    }
    if path.starts_with(['/', '~']) || path.contains(":\\") {
        return true;
    }
    let mut depth = match dir {
        Dir::Under(below) if !below.starts_with(['/', '~', '.']) => {
            below.split('/').filter(|part| !part.is_empty()).count()
        }
        Dir::Same | Dir::Under(_) | Dir::OneOf(_) | Dir::Unknown => 0,
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::leads_outside;
    use crate::Dir;

    #[test]
    fn inside_and_outside() {
        for path in ["out", "./a/b", "a/../b", ".", "build/", "-", "/dev/null"] {
            assert!(!leads_outside(path, &Dir::Same), "{path}");
        }
        for path in ["/tmp/x", "~/x", "..", "a/../../b", "../x"] {
            assert!(leads_outside(path, &Dir::Same), "{path}");
        }
        assert!(!leads_outside("..", &Dir::Under("build".to_owned())), "`cd build && cmake ..`");
        assert!(leads_outside("../..", &Dir::Under("build".to_owned())));
        assert!(leads_outside("..", &Dir::Under("/tmp/x".to_owned())));
    }
}
