//! Cursor: `terminalAllowlist` and `mcpAllowlist` of `permissions.json`; `permissions.allow` and `.deny` of the CLI.

use super::command::Written;
use super::tool::of_server;
use super::{Becomes, Entry, LeftOut, Taking, Unreadable, json, texts};
use crate::permissions::SHELL_TOOL;
use crate::rule::Effect;

pub(super) fn read(text: &str, taking: &Taking) -> Result<Vec<Entry>, Unreadable> {
    let document = json(text)?;
    let mut entries = Vec::new();
    for (list, effect) in [("deny", Effect::Deny), ("allow", Effect::Allow)] {
        let written = texts(&document, &["permissions", list]);
        entries.extend(written.map(|rule| Entry::new(rule, effect, becomes(rule, effect, taking))));
    }
    let commands = texts(&document, &["terminalAllowlist"]);
    entries.extend(
        commands.map(|command| Entry::new(command, Effect::Allow, shell(command, Effect::Allow, taking))),
    );
    let tools = texts(&document, &["mcpAllowlist"]);
    entries.extend(tools.map(|tool| Entry::new(tool, Effect::Allow, mcp(tool, Effect::Allow, taking))));
    Ok(entries)
}

fn becomes(rule: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let Some((tool, value)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return Err(LeftOut::NoRule);
    };
    match tool {
        "Shell" => shell(value, effect, taking),
        "Read" => taking.lines(&["read_file"], &taking.paths(&absolute(value), effect)?, effect),
        "Write" => {
            taking.lines(&["write_file", "edit_file"], &taking.paths(&absolute(value), effect)?, effect)
        }
        "Mcp" => mcp(value, effect, taking),
        "WebFetch" if matches!(value, "*" | "**") => taking.any_use("WebFetch", effect),
        other => Err(LeftOut::NoValue(other.to_owned())),
    }
}

/// Writes a path from the root as `.gitignore` rules do here.
fn absolute(path: &str) -> String {
    if path.starts_with('/') { format!("/{path}") } else { path.to_owned() }
}

/// Returns a program with any arguments, or `program:arguments` with wildcards.
fn shell(value: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let line = match value.split_once(':') {
        Some((program, arguments)) => format!("{program} {arguments}"),
        None => value.to_owned(),
    };
    let any = line.trim_matches(['*', ' ']).is_empty();
    match line.strip_suffix('*').map(str::trim_end) {
        _ if any && effect == Effect::Allow => Err(LeftOut::Everything),
        _ if any => taking.any_use(SHELL_TOOL, effect),
        Some(prefix) if !prefix.contains('*') && line.ends_with(" *") => {
            taking.command(Written::Prefix(prefix), effect)
        }
        _ if line.contains('*') => taking.command(Written::Glob(&line), effect),
        _ if value.contains(':') => taking.command(Written::Exact(&line), effect),
        _ => taking.command(Written::Prefix(&line), effect),
    }
}

/// Imports `server:tool` or `server, tool`. Cursor's hook reports the tool alone, so a rule that names one is
/// denied or asked about there.
fn mcp(value: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let (server, tool) = value.split_once([':', ',']).ok_or(LeftOut::NoRule)?;
    match (server.trim(), tool.trim(), effect) {
        // Without its server, a name allows the same tool of any other.
        ("*", tool, _) | (_, tool, Effect::Ask | Effect::Deny) => {
            taking.any_use(&of_server("", tool), effect)
        }
        (server, tool, Effect::Allow) => taking.any_use(&of_server(server, tool), effect),
    }
}
