//! Assignments: what a line makes of its variables.

use shuck_ast::{Assignment as TreeAssignment, AssignmentValue, Word as TreeWord};

use super::around::{Around, Below, Made};
use super::scanned::WordProblem;
use super::span::byte_range;
use super::walk::Walk;
use crate::{Assignment, Unparsed, Word};

/// Bytes of a value that is put in the place of its variable.
const LONGEST_CONSTANT: usize = 512;

impl Walk<'_> {
    pub(super) fn assignment(&mut self, assignment: &TreeAssignment, around: &Around) -> Assignment {
        let span = byte_range(assignment.span);
        let name = assignment.target.name.as_str().to_owned();
        let subscript = assignment
            .target
            .subscript
            .as_ref()
            .map(|subscript| self.slice_text(&byte_range(subscript.span())));
        if subscript.is_some_and(|text| !text.chars().all(|c| c.is_ascii_digit())) {
            let what = "a subscript is evaluated";
            self.add_doubt(&span, WordProblem { code: Unparsed::Arithmetic, what, advice: None });
        }
        if subscript.is_some() {
            self.arrays.insert(name.clone());
        }
        let (value_span, value, made) = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let made = self.made_by(word, around);
                if subscript.is_none() && !assignment.append {
                    let below = self.leads_below(word, around);
                    self.note_below(&name, below);
                }
                self.walk_words(std::slice::from_ref(word), around);
                let scanned = self.scan_word(word.span, &word.parts, around);
                let value =
                    scanned.values.filter(|values| values.len() == 1).and_then(|mut values| values.pop());
                (byte_range(word.span), value, made)
            }
            AssignmentValue::Compound(array) => {
                self.arrays.insert(name.clone());
                self.beyond_posix(&span);
                for element in &array.elements {
                    self.walk_words(std::slice::from_ref(&element.value().word), around);
                    if !matches!(element, shuck_ast::ArrayElem::Sequential(_)) {
                        let what = "a subscript is evaluated";
                        self.add_doubt(&span, WordProblem { code: Unparsed::Arithmetic, what, advice: None });
                    }
                }
                let value = self
                    .slice_text(&span)
                    .find('=')
                    .map_or(byte_range(array.span).start, |at| span.start + at + 1);
                (value..span.end, None, Made::Wild)
            }
        };
        let simple = subscript.is_none() && !assignment.append;
        self.made.push((name.clone(), if simple { made } else { Made::Wild }));
        Assignment { name, value: Word { raw: self.raw_text(&value_span), value } }
    }

    /// Notes variables that the line's own shell sets for certain, and nowhere else: their values are known from here on.
    pub(super) fn note_constants(&mut self, assignments: &[Assignment]) {
        // The shell gives these values of its own, or refuses them.
        const OF_THE_SHELL: &[&str] = &[
            "DIRSTACK", "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "HOME", "LINENO", "OLDPWD", "OPTARG",
            "OPTIND", "PPID", "PWD", "RANDOM", "REPLY", "SECONDS", "SHELLOPTS", "UID", "_",
        ];
        for Assignment { name, value } in assignments {
            let own = OF_THE_SHELL.contains(&name.as_str()) || name.starts_with("BASH");
            let value = value.value.as_ref().filter(|value| value.len() <= LONGEST_CONSTANT);
            // Arithmetic changes numbers without an assignment.
            let value = value.filter(|value| !value.bytes().all(|byte| byte.is_ascii_digit()));
            if let Some(value) = value.filter(|_| !own && self.variables.once.contains(name)) {
                self.constants.insert(name.clone(), value.clone());
            }
        }
    }

    /// Notes that a variable was set once to what leads nowhere else.
    pub(super) fn note_below(&mut self, name: &str, below: Option<Below>) {
        let Some(below) = below else { return };
        let (times, all) = self.below.remove(name).unwrap_or((0, Below::These(Vec::new())));
        self.below.insert(name.to_owned(), (times + 1, all.merge_with(below)));
    }

    /// Returns whether a word leads nowhere else, whatever it becomes.
    pub(super) fn leads_below(&mut self, word: &TreeWord, around: &Around) -> Option<Below> {
        let scanned = self.scan_word(word.span, &word.parts, around);
        match scanned.values {
            Some(values) => values.iter().all(|value| is_below(value)).then_some(Below::These(values)),
            None => (is_pattern_below(self.slice_text(&byte_range(word.span))) && !self.shows_hidden())
                .then_some(Below::Files),
        }
    }

    /// Returns true if patterns may match hidden files here.
    pub(super) fn shows_hidden(&self) -> bool {
        let text: String = self.text.chars().filter(|c| !matches!(c, '_' | '-')).collect();
        let text = text.to_ascii_lowercase();
        ["dotglob", "globdots", "globignore"].iter().any(|name| text.contains(name))
    }

    /// Returns the kind of value of a variable after it was set to this word.
    pub(super) fn made_by(&mut self, word: &TreeWord, around: &Around) -> Made {
        let scanned = self.scan_word(word.span, &word.parts, around);
        let Some(values) = scanned.values else {
            let starts_open = scanned.loose.dash
                || self.slice_text(&byte_range(word.span)).starts_with(['*', '?', '[', '+', '@', '!']);
            return match starts_open {
                _ if scanned.number => Made::Number,
                _ if scanned.tame => Made::Tame,
                true => Made::Wild,
                false => Made::Plain,
            };
        };
        let number = |value: &String| !value.is_empty() && value.chars().all(|c| c.is_ascii_digit());
        let words = |value: &String| value.split_whitespace().all(|word| !word.starts_with('-'));
        match values.as_slice() {
            values if values.iter().all(number) && !values.is_empty() => Made::Number,
            values if values.iter().all(|v| words(v) && !v.contains(['*', '?', '['])) => Made::Tame,
            values if values.iter().all(|v| !v.starts_with('-')) => Made::Plain,
            _ => Made::Wild,
        }
    }
}

/// Returns true for a relative path of plain characters, no part of which is empty or begins with a dot or a dash.
fn is_below(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    value.split('/').all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && part.chars().all(plain)
    })
}

/// Returns true for a pattern that stays below its folder: `*.txt`, `src/*.rs`.
///
/// It matches no hidden file, none elsewhere, and none whose name could be an option that leads elsewhere: it
/// begins with a known part, or its names end in a known ending.
fn is_pattern_below(raw: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.*?".contains(c);
    let known = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let ending = raw
        .rsplit_once('.')
        .is_some_and(|(_, ending)| !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric()));
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || "_*?".contains(c)) && part.chars().all(plain)
    };
    raw.split('/').all(part) && (known(raw) || ending) && !raw.contains("..")
}
