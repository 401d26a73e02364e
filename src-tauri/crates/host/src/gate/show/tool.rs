//! What a tool would be used for, as a person reads it: a shell tool's line, or a path before the other arguments.

use super::super::live::ToolCheck;
use super::command;
use super::text::shown;
use postern_command::{Reading, escape};
use postern_contract::{CommandPart, PartRole};
use postern_policy::permissions::SHELL_TOOL;
use serde_json::Value;

/// A tool's use in stretches and as one line.
pub(super) struct Wish<'a> {
    pub(super) parts: Vec<CommandPart>,
    pub(super) line: String,
    /// The agent's own words about it.
    pub(super) says: Option<&'a str>,
}

/// Arguments of a shell tool that have a place of their own in the question.
const OF_A_LINE: [&str; 3] = ["command", "cwd", "description"];

/// What a call wants.
pub(super) fn wish<'a>(check: &'a ToolCheck, reading: Option<&Reading>) -> Wish<'a> {
    let says = check.arguments.get("description").and_then(Value::as_str);
    let part = |text: &str, role| CommandPart { text: shown(text), role, step: None };
    if let Some(reading) = reading.filter(|_| check.tool == SHELL_TOOL) {
        let mut parts = command::parts(reading);
        let mut line = escape::text(&reading.text);
        let rest = others(&check.arguments, &OF_A_LINE);
        if !rest.is_empty() {
            let with = format!("   (with {rest})");
            line.push_str(&escape::text(&with));
            parts.push(part(&with, PartRole::Operator));
        }
        return Wish { parts, line, says };
    }
    // An edit or a read is about a path: it comes first, and the other arguments behind it.
    let named = ["path", "file_path"].into_iter().find_map(|name| {
        let path = check.arguments.get(name)?.as_str()?;
        Some((name, path))
    });
    let with = match named {
        Some((name, path)) => {
            let rest = others(&check.arguments, &[name]);
            let path = postern_command::quote_word(path);
            if rest.is_empty() { format!(" {path}") } else { format!(" {path} {rest}") }
        }
        None => format!(" {}", check.arguments),
    };
    let line = escape::text(&format!("{}{with}", check.tool));
    let parts = vec![part(&check.tool, PartRole::Program), part(&with, PartRole::Argument)];
    Wish { parts, line, says: None }
}

/// The other arguments, each as `"name": value` in JSON: none can pass for another.
fn others(arguments: &Value, but: &[&str]) -> String {
    let members = arguments.as_object().into_iter().flatten();
    let rest = members.filter(|(name, _)| !but.contains(&name.as_str()));
    rest.map(|(name, value)| format!("{}: {value}", Value::from(name.as_str())))
        .collect::<Vec<_>>()
        .join(", ")
}
