//! Claude Code: `permissions.allow`, `.ask` and `.deny` of user, project and local settings.
//!
//! `Bash(npm run test:*)` and `Bash(npm run test *)` are prefixes, `Bash(git * main)` has a wildcard for any text, anything
//! else is the exact line. Paths are those of `.gitignore`; `//` begins one at the root. What no tool may read or edit becomes a
//! rule about files.

use super::command::ForeignCommand;
use super::{Becomes, ForeignEntry, LeftOut, Taking, UnreadableFile, list_texts, parse_document};
use crate::rule::{Effect, Pattern};
use crate::subject::SHELL_TOOL;

/// Tools for paths, and the tools here that they stand for.
const PATHS: &[(&str, &[&str])] = &[
    ("Read", &["read_file"]),
    ("NotebookRead", &["read_file"]),
    ("Edit", &["edit_file", "write_file"]),
    ("MultiEdit", &["edit_file"]),
    ("NotebookEdit", &["edit_file"]),
    ("Write", &["write_file"]),
];

/// Tools that go by the same name in `permissions.jsonc`, where no value of theirs is compared.
const PLAIN: &[&str] = &[
    "Agent", "BashOutput", "ExitPlanMode", "KillShell", "LS", "LSP", "SlashCommand", "Task", "TaskOutput",
    "TodoRead", "TodoWrite", "WebFetch", "WebSearch",
];

pub(super) fn read_entries(text: &str, taking: &Taking) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let document = parse_document(text)?;
    let lists = [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)];
    let mut entries = Vec::new();
    for (list, effect) in lists {
        let written = list_texts(&document, &["permissions", list])?;
        entries.extend(
            written.into_iter().map(|rule| ForeignEntry::new(rule, effect, becomes(rule, effect, taking))),
        );
    }
    if let Some(mode) = document["permissions"]["defaultMode"].as_str().filter(|mode| *mode != "default") {
        entries.push(ForeignEntry::new(format!("defaultMode: {mode}"), Effect::Allow, Err(LeftOut::NoRule)));
    }
    Ok(entries)
}

fn becomes(rule: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let (tool, value) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
        None => (rule, None),
    };
    if tool == "Bash" {
        return convert_bash(value.unwrap_or("*"), effect, taking);
    }
    if let Some(rest) = tool.strip_prefix("mcp__") {
        let (server, own) = rest.split_once("__").unwrap_or((rest, "*"));
        return taking.use_of_server(server, own, effect);
    }
    if let Some((_, tools)) = PATHS.iter().find(|(name, _)| *name == tool) {
        let patterns = taking.path_patterns(value.unwrap_or_default(), effect)?;
        let lines = || taking.make_lines(tools, &patterns, effect);
        return match patterns.first() {
            // What a rule about files names it names with everything below, and for every program.
            Some(own) if effect == Effect::Deny && own != "*" => {
                let about = if tools.contains(&"read_file") { Pattern::Read } else { Pattern::Write };
                taking.make_rules(effect, vec![about(own.clone())]).or_else(|_| lines())
            }
            _ => lines(),
        };
    }
    match (tool, value) {
        ("Skill", value) => taking.make_lines(&["skill"], &[value.unwrap_or("*").to_owned()], effect),
        ("Glob", None) => taking.any_use("glob", effect),
        ("Grep", None) => taking.any_use("grep", effect),
        (tool, None | Some("*" | "**")) if PLAIN.contains(&tool) => taking.any_use(tool, effect),
        (tool, Some(_)) => Err(LeftOut::NoValue(tool.to_owned())),
        (_, None) => Err(LeftOut::NoRule),
    }
}

fn convert_bash(value: &str, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let value = value.trim();
    let any = value.trim_matches(['*', ':', ' ']).is_empty();
    let prefix = value.strip_suffix(":*").or_else(|| value.strip_suffix(" *"));
    match (prefix, effect) {
        _ if any && effect == Effect::Allow => Err(LeftOut::Everything),
        _ if any => taking.any_use(SHELL_TOOL, effect),
        (Some(prefix), _) if !prefix.contains('*') => taking.command(ForeignCommand::Prefix(prefix), effect),
        _ if value.contains('*') => taking.command(ForeignCommand::Glob(value), effect),
        _ => taking.command(ForeignCommand::Exact(value), effect),
    }
}
