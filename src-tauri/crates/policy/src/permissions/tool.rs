//! The gate for tools: the agent's file, its session's layers, and what a tool's value is.

use super::layer::{Entry, FileLayer, last_match};
use super::{SHELL_TOOL, command};
use crate::agent::AgentPolicy;
use crate::path;
use crate::rule::Effect;
use crate::verdict::Decision;
use serde_json::Value;
use std::borrow::Cow;

/// The answer to `tool.check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolVerdict {
    /// What happens.
    pub decision: Decision,
    /// Why, in one sentence.
    pub message: String,
    /// The entry that decided: pattern and line of the file (0: in no file).
    pub entry: Option<(String, usize)>,
    /// The values that patterns were compared with.
    pub values: Vec<String>,
    /// The patterns that *Always* would add for this tool; empty where nothing may be added.
    pub always: Vec<String>,
}

/// Which argument of a tool is its value, in the order in which they are looked for.
const VALUES: &[(&str, &[&str])] = &[
    ("read_file", &["path", "file_path"]),
    ("write_file", &["path", "file_path"]),
    ("edit_file", &["path", "file_path"]),
    ("glob", &["pattern", "path"]),
    ("grep", &["path"]),
    ("skill", &["name"]),
];

/// Judges a use of a tool. Pure: `home` is the person's home folder.
pub fn check_tool(
    policy: &AgentPolicy,
    session: Option<&str>,
    tool: &str,
    arguments: &Value,
    home: &str,
) -> ToolVerdict {
    if let Some(problem) = &policy.file_problem {
        let message =
            format!("permissions.jsonc cannot be read ({problem}); nothing is allowed until it is mended.");
        return ToolVerdict {
            decision: Decision::Deny,
            message,
            entry: None,
            values: Vec::new(),
            always: Vec::new(),
        };
    }
    let layers = Layers::of(policy, session);
    if tool == SHELL_TOOL {
        return command::check(&layers, arguments);
    }
    match VALUES.iter().find(|(name, _)| *name == tool) {
        None => layers.verdict(tool, None),
        Some((_, names)) => match names.iter().find_map(|name| arguments.get(name)?.as_str()) {
            Some(value) => layers.verdict(tool, Some((value, home))),
            None if tool == "grep" => layers.verdict(tool, None),
            None => {
                let message = format!("{tool} names no {}: it cannot be compared with the rules.", names[0]);
                let unread = ToolVerdict { message, always: Vec::new(), ..layers.verdict(tool, None) };
                ToolVerdict { decision: unread.decision.max(Decision::Ask), ..unread }
            }
        },
    }
}

/// Layers in the order in which they are read: parents', file, runtime.
pub(super) struct Layers<'a> {
    pub(super) parents: Vec<&'a FileLayer>,
    pub(super) all: Vec<&'a FileLayer>,
}

impl<'a> Layers<'a> {
    pub(super) fn of(policy: &'a AgentPolicy, session: Option<&str>) -> Self {
        let session = policy.session(session);
        let parents: Vec<_> = session.map(|layers| layers.parents.iter().collect()).unwrap_or_default();
        let mut all = parents.clone();
        all.extend(policy.file.as_ref());
        all.extend(session.map(|layers| &layers.runtime));
        Self { parents, all }
    }

    /// The entry that decides: a parent's deny first, then the last match of all.
    pub(super) fn decide(&self, tool: &str, matches: impl Fn(&Entry) -> bool) -> Option<&'a Entry> {
        let veto = self.parents.iter().find_map(|parent| {
            last_match(&[*parent], tool, &matches).filter(|entry| entry.effect == Effect::Deny)
        });
        veto.or_else(|| last_match(&self.all, tool, &matches))
    }

    fn verdict(&self, tool: &str, value: Option<(&str, &str)>) -> ToolVerdict {
        let spellings = value.map(|(value, home)| spellings(value, home)).unwrap_or_default();
        let worst = if spellings.is_empty() {
            self.decide(tool, Entry::is_catch_all)
        } else {
            let of = |spelling: &Cow<'_, str>| {
                self.decide(tool, |entry| entry.is_catch_all() || entry.matches_value(spelling))
            };
            spellings.iter().map(of).max_by_key(|entry| decision(*entry)).flatten()
        };
        let shown = value
            .map_or(String::new(), |(value, _)| format!(" for {}", postern_command::escape::text(value)));
        ToolVerdict {
            decision: decision(worst),
            message: sentence(tool, &shown, worst),
            entry: worst.map(|entry| (entry.written.clone(), entry.line)),
            values: value.map(|(value, _)| vec![value.to_owned()]).unwrap_or_default(),
            always: vec![value.map_or("*", |(value, _)| value).to_owned()]
                .into_iter()
                .filter(|pattern| pattern == "*" || is_plain(pattern))
                .collect(),
        }
    }
}

/// Whether a text means only itself when it is used as a pattern.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(['*', '?', '[', ']', '{', '}', '(', ')', '!', '\\'])
}

/// A value as written, and the path that it leads to.
fn spellings<'a>(value: &'a str, home: &str) -> Vec<Cow<'a, str>> {
    let expanded = path::expand_home(value, home);
    let mut all = vec![Cow::Borrowed(value)];
    if expanded.starts_with('/') {
        all.push(Cow::Owned(path::normal(&expanded).into_owned()));
    } else {
        all.push(Cow::Owned(path::normal(&format!("/{expanded}"))[1..].to_owned()));
    }
    all
}

/// What an entry decides; no entry asks.
pub(super) fn decision(entry: Option<&Entry>) -> Decision {
    match entry.map(|entry| entry.effect) {
        Some(Effect::Allow) => Decision::Allow,
        Some(Effect::Deny) => Decision::Deny,
        Some(Effect::Ask) | None => Decision::Ask,
    }
}

/// Why, in one sentence.
pub(super) fn sentence(tool: &str, shown: &str, entry: Option<&Entry>) -> String {
    let tool = postern_command::escape::text(tool);
    let Some(entry) = entry else { return format!("No rule for {tool}{shown}: it asks.") };
    let verb = match entry.effect {
        Effect::Allow => "allows",
        Effect::Deny => "denies",
        Effect::Ask => "asks about",
    };
    let place =
        if entry.line == 0 { String::new() } else { format!(" (permissions.jsonc, line {})", entry.line) };
    format!("\"{}\"{place} {verb} {tool}{shown}.", postern_command::escape::text(&entry.written))
}
