//! Cursor: `terminalAllowlist` and `mcpAllowlist` of `permissions.json`; `permissions.allow` and `.deny` of the CLI.

use super::command::ForeignCommand;
use super::{Becomes, ForeignEntry, LeftOut, Taking, UnreadableFile, list_texts, parse_document};
use crate::rule::Effect;
use crate::subject::SHELL_TOOL;

pub(super) fn read_entries(text: &str, taking: &Taking) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let document = parse_document(text)?;
    let mut entries = Vec::new();
    for (list, effect) in [("deny", Effect::Deny), ("allow", Effect::Allow)] {
        let written = list_texts(&document, &["permissions", list])?.into_iter();
        entries.extend(written.map(|rule| ForeignEntry::new(rule, effect, becomes(rule, effect, taking))));
    }
    let commands = list_texts(&document, &["terminalAllowlist"])?.into_iter();
    entries.extend(commands.map(|command| {
        ForeignEntry::new(command, Effect::Allow, convert_shell(command, Effect::Allow, taking))
    }));
    let tools = list_texts(&document, &["mcpAllowlist"])?.into_iter();
    entries.extend(
        tools.map(|tool| ForeignEntry::new(tool, Effect::Allow, convert_mcp(tool, Effect::Allow, taking))),
    );
    Ok(entries)
}

fn becomes(rule: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let Some((tool, value)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return Err(LeftOut::NoRule);
    };
    match tool {
        "Shell" => convert_shell(value, effect, taking),
        "Read" => taking.make_lines(&["read_file"], &taking.path_patterns(&absolute(value), effect)?, effect),
        "Write" => taking.make_lines(
            &["write_file", "edit_file"],
            &taking.path_patterns(&absolute(value), effect)?,
            effect,
        ),
        "Mcp" => convert_mcp(value, effect, taking),
        "WebFetch" if matches!(value, "*" | "**") => taking.any_use("WebFetch", effect),
        other => Err(LeftOut::NoValue(other.to_owned())),
    }
}

/// Writes a path from the root as `.gitignore` rules do here.
fn absolute(path: &str) -> String {
    if path.starts_with('/') { format!("/{path}") } else { path.to_owned() }
}

/// Returns a program with any arguments, or `program:arguments` with wildcards.
fn convert_shell(value: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let line = match value.split_once(':') {
        Some((program, arguments)) => format!("{program} {arguments}"),
        None => value.to_owned(),
    };
    let any = line.trim_matches(['*', ' ']).is_empty();
    match line.strip_suffix('*').map(str::trim_end) {
        _ if any && effect == Effect::Allow => Err(LeftOut::Everything),
        _ if any => taking.any_use(SHELL_TOOL, effect),
        Some(prefix) if !prefix.contains('*') && line.ends_with(" *") => {
            taking.command(ForeignCommand::Prefix(prefix), effect)
        }
        _ if line.contains('*') => taking.command(ForeignCommand::Glob(&line), effect),
        _ if value.contains(':') => taking.command(ForeignCommand::Exact(&line), effect),
        _ => taking.command(ForeignCommand::Prefix(&line), effect),
    }
}

/// Imports `server:tool` or `server, tool`. Cursor's hook reports the tool alone, so a rule that names one is
/// denied or asked about there.
fn convert_mcp(value: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let (server, tool) = value.split_once([':', ',']).ok_or(LeftOut::NoRule)?;
    match (server.trim(), tool.trim(), effect) {
        // Without its server, a name allows the same tool of any other.
        ("*", tool, _) | (_, tool, Effect::Ask | Effect::Deny) => taking.use_of_server("", tool, effect),
        (server, tool, Effect::Allow) => taking.use_of_server(server, tool, effect),
    }
}
