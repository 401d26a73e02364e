//! The rules of one file, or of one session, in their order.

use super::SHELL_TOOL;
use crate::path;
use crate::rule::Effect;
use crate::words::WordsPattern;
use globset::{GlobBuilder, GlobMatcher};

/// One line of a file: a tool, a pattern for its value, and what happens.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The tool's name, `*` and `?` allowed.
    pub tool: String,
    /// The pattern as written.
    pub written: String,
    /// What happens.
    pub effect: Effect,
    /// Line in the file, counted from 1; 0 where the entry is in no file.
    pub line: usize,
    exact: GlobMatcher,
    any_case: GlobMatcher,
    words: Vec<String>,
    command: Option<WordsPattern>,
}

/// Rules in the order in which they were written; the last that matches wins.
#[derive(Debug, Clone, Default)]
pub struct FileLayer {
    entries: Vec<Entry>,
}

impl FileLayer {
    /// Rules in this order.
    pub fn new(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// Every rule, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a rule behind all others.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }
}

impl Entry {
    /// A rule for `tool`; the error says what is wrong with the pattern.
    pub fn new(tool: &str, pattern: &str, effect: Effect, home: &str, line: usize) -> Result<Self, String> {
        if tool.is_empty() || pattern.is_empty() {
            return Err("a name or pattern that is empty matches nothing; * matches everything".to_owned());
        }
        let extended = ["!(", "@(", "+(", "?(", "*("].iter().any(|sign| pattern.contains(sign));
        if pattern.starts_with('!') || extended {
            return Err(format!(
                "{pattern:?} uses ! or ( ) patterns, which are not understood; write one line for each"
            ));
        }
        let expanded = path::expand_home(pattern, home);
        let glob = |any_case| {
            GlobBuilder::new(&expanded)
                .literal_separator(false)
                .backslash_escape(false)
                .case_insensitive(any_case)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|error| format!("{} is no pattern: {}", quoted(pattern), error.kind()))
        };
        let is_command = crate::words::wild(tool, SHELL_TOOL);
        let words = if is_command { command_words(&expanded)? } else { Vec::new() };
        Ok(Self {
            tool: tool.to_owned(),
            written: pattern.to_owned(),
            effect,
            line,
            exact: glob(false)?,
            any_case: glob(true)?,
            command: is_command.then(|| WordsPattern::of_command(&words)),
            words,
        })
    }

    /// Whether it is about this tool.
    pub(crate) fn is_for(&self, tool: &str) -> bool {
        crate::words::wild(&self.tool, tool)
    }

    /// Whether it matches every value.
    pub(crate) fn is_catch_all(&self) -> bool {
        matches!(self.written.as_str(), "*" | "**")
    }

    /// Whether a value matches: what denies or asks does not care about case.
    pub(crate) fn matches_value(&self, value: &str) -> bool {
        match self.effect {
            Effect::Allow => self.exact.is_match(value),
            Effect::Deny | Effect::Ask => self.any_case.is_match(value),
        }
    }

    /// Its words, where it is about commands.
    pub(crate) fn command(&self) -> Option<(&[String], &WordsPattern)> {
        self.command.as_ref().map(|pattern| (self.words.as_slice(), pattern))
    }
}

fn command_words(pattern: &str) -> Result<Vec<String>, String> {
    let words = postern_command::words_of(pattern)
        .map_err(|error| format!("{} is no command: {error}", quoted(pattern)))?;
    if words.is_empty() { Err(format!("{} holds no word", quoted(pattern))) } else { Ok(words) }
}

/// The last entry of several layers, read as one list, that `matches`.
pub(crate) fn last_match<'a>(
    layers: &[&'a FileLayer],
    tool: &str,
    matches: impl Fn(&Entry) -> bool,
) -> Option<&'a Entry> {
    layers
        .iter()
        .rev()
        .flat_map(|layer| layer.entries.iter().rev())
        .find(|entry| entry.is_for(tool) && matches(entry))
}

fn quoted(pattern: &str) -> String {
    format!("\"{}\"", postern_command::escape::text(pattern))
}
