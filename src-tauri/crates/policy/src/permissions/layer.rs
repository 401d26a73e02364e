//! The rules of one file, or of one session, in their order.

use super::command_words::CommandWords;
use crate::generous::MatchCertainty;
use crate::glob::{Glob, LONGEST};
use crate::path;
use crate::rule::Effect;
use crate::subject::{HOST_TOOL, SHELL_TOOL};

/// Position of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOrigin {
    /// In the agent's `permissions.jsonc`.
    File {
        /// Line, counted from 1.
        line: usize,
    },
    /// In the layer that a subagent's session was opened with.
    Subagent,
    /// *Always* put it there during this session.
    Session,
}

/// Line of a file: a tool, a pattern for its value, and an effect.
#[derive(Debug, Clone)]
pub struct PermissionEntry {
    /// The tool's name as written: a pattern as well.
    pub tool: String,
    pub written: String,
    pub effect: Effect,
    pub origin: EntryOrigin,
    /// The tool's name; `None` if it names one tool and is no pattern.
    tools: Option<Glob>,
    value: Option<Glob>,
    command: Option<CommandWords>,
}

/// Rules in the order in which they were written; the last that matches wins.
#[derive(Debug, Clone, Default)]
pub struct FileLayer {
    entries: Vec<PermissionEntry>,
}

impl FileLayer {
    /// Rules in this order.
    pub fn new(entries: Vec<PermissionEntry>) -> Self {
        Self { entries }
    }

    /// Returns every rule, in order.
    pub fn entries(&self) -> &[PermissionEntry] {
        &self.entries
    }

    /// Adds a rule behind all others.
    pub fn push(&mut self, entry: PermissionEntry) {
        self.entries.push(entry);
    }

    /// Converts the rules to the layer of a subagent's session.
    #[must_use]
    pub fn of_subagent(mut self) -> Self {
        for entry in &mut self.entries {
            entry.origin = EntryOrigin::Subagent;
        }
        self
    }
}

impl PermissionEntry {
    /// Returns a rule for `tool`; the error says what is wrong with it.
    pub fn new(
        tool: &str,
        pattern: &str,
        effect: Effect,
        home: &str,
        origin: EntryOrigin,
    ) -> Result<Self, String> {
        if tool.is_empty() || pattern.is_empty() {
            return Err("a name or pattern that is empty matches nothing; * matches everything".to_owned());
        }
        if pattern.len() > LONGEST || tool.len() > LONGEST {
            return Err(format!("a name or pattern of more than {LONGEST} bytes is no pattern"));
        }
        let tools = if is_plain_name(tool) {
            None
        } else {
            Some(Glob::new(tool).map_err(|problem| format!("{} {problem}", quoted(tool)))?)
        };
        let mut entry = Self {
            tool: tool.to_owned(),
            written: pattern.to_owned(),
            effect,
            origin,
            tools,
            value: None,
            command: None,
        };
        let only_commands = matches!(tool, SHELL_TOOL | HOST_TOOL);
        let expanded = path::expand_home(pattern, home);
        let say = |problem: String| format!("{} {problem}", quoted(pattern));
        entry.value = match Glob::new(&expanded) {
            Ok(glob) => Some(glob),
            Err(_) if only_commands => None,
            Err(problem) => return Err(say(problem)),
        };
        if entry.is_about_commands() {
            entry.command = match CommandWords::new(pattern, home) {
                Ok(words) => Some(words),
                Err(problem) if only_commands => return Err(say(problem)),
                Err(_) => None,
            };
        }
        Ok(entry)
    }

    /// Returns the line in the file, counted from 1; 0 if it is in no file.
    pub fn line_number(&self) -> usize {
        match self.origin {
            EntryOrigin::File { line } => line,
            EntryOrigin::Subagent | EntryOrigin::Session => 0,
        }
    }

    /// Returns true if it is about host commands, by either of their names.
    pub fn is_about_commands(&self) -> bool {
        self.is_for(SHELL_TOOL) || self.is_for(HOST_TOOL)
    }

    /// Returns true if it is about this tool: in any case where it denies or asks.
    pub(crate) fn is_for(&self, tool: &str) -> bool {
        match (&self.tools, self.effect) {
            (None, Effect::Allow) => self.tool == tool,
            (None, Effect::Deny | Effect::Ask) => path::fold_case(&self.tool) == path::fold_case(tool),
            (Some(_), _) if matches!(self.tool.as_str(), "*" | "**") => true,
            (Some(glob), Effect::Allow) => glob.is_strict_match(tool),
            (Some(glob), Effect::Deny | Effect::Ask) => glob.is_generous_match(tool),
        }
    }

    /// Returns true if it matches every value.
    pub(crate) fn is_catch_all(&self) -> bool {
        matches!(self.written.as_str(), "*" | "**")
    }

    /// Returns true if its pattern is the path of a folder or file from the root.
    pub(crate) fn is_absolute(&self) -> bool {
        self.written.starts_with(['/', '~', '$'])
    }

    pub(crate) fn allows_value(&self, value: &str) -> bool {
        if self.is_catch_all() {
            // "Applies to all": but not to what may lead somewhere else than it reads.
            return !value.split('/').any(|part| part == "..") && !value.contains(['\n', '\r', '\0']);
        }
        self.value.as_ref().is_some_and(|glob| glob.is_strict_match(value))
    }

    /// Returns true if it denies or asks about this value.
    pub(crate) fn stops_value(&self, value: &str) -> bool {
        self.is_catch_all() || self.value.as_ref().is_some_and(|glob| glob.is_generous_match(value))
    }

    /// Returns the one program that its pattern is about; `None` if its first word is more than a plain
    /// name.
    pub(crate) fn program(&self) -> Option<&str> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        self.written.split_whitespace().next().filter(|first| first.chars().all(plain))
    }

    pub(crate) fn command(&self) -> Option<&CommandWords> {
        self.command.as_ref()
    }

    /// Returns whether it is about a command: strictly where it allows, generously where it denies or asks.
    pub(crate) fn match_command(&self, names: &[&str], words: &[Option<&str>]) -> MatchCertainty {
        if self.is_catch_all() {
            return MatchCertainty::Yes;
        }
        match self.effect {
            Effect::Allow if self.command().is_some_and(|command| command.matches(words)) => {
                MatchCertainty::Yes
            }
            Effect::Allow => MatchCertainty::No,
            Effect::Deny | Effect::Ask => {
                let text = words.iter().map(|word| word.unwrap_or("?")).collect::<Vec<_>>().join(" ");
                if self.stops_value(&text) {
                    return MatchCertainty::Yes;
                }
                let args = words.get(1..).unwrap_or_default();
                self.command().map_or(MatchCertainty::No, |command| command.stop_match(names, args))
            }
        }
    }
}

/// Returns the last entry of several layers, read as one list, that `matches`.
pub(crate) fn last_match<'a>(
    layers: &[&'a FileLayer],
    tool: &str,
    matches: impl Fn(&PermissionEntry) -> bool,
) -> Option<&'a PermissionEntry> {
    layers
        .iter()
        .rev()
        .flat_map(|layer| layer.entries.iter().rev())
        .find(|entry| entry.is_for(tool) && matches(entry))
}

fn is_plain_name(tool: &str) -> bool {
    tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | ' '))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", postern_command::escape::visible_text(text))
}
