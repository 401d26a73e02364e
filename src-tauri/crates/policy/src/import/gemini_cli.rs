//! Gemini CLI: `[[rule]]` of `policies/*.toml`, and the lists of tools in `settings.json`.

use super::command::ForeignCommand;
use super::{Becomes, ForeignEntry, LeftOut, Taking, UnreadableFile, list_texts, parse_document};
use crate::rule::Effect;
use crate::subject::SHELL_TOOL;
use serde::Deserialize;

/// Tools by their names there, and here.
const TOOLS: &[(&str, &str)] = &[
    ("run_shell_command", SHELL_TOOL),
    ("ShellTool", SHELL_TOOL),
    ("read_file", "read_file"),
    ("ReadFileTool", "read_file"),
    ("read_many_files", "read_file"),
    ("write_file", "write_file"),
    ("WriteFileTool", "write_file"),
    ("replace", "edit_file"),
    ("EditTool", "edit_file"),
    ("glob", "glob"),
    ("search_file_content", "grep"),
    ("grep_search", "grep"),
    ("activate_skill", "skill"),
    ("list_directory", "list_directory"),
    ("web_fetch", "web_fetch"),
    ("google_web_search", "google_web_search"),
    ("save_memory", "save_memory"),
];

pub(super) fn read_entries(
    name: &str,
    text: &str,
    taking: &Taking,
) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let is_policy = std::path::Path::new(name).extension().is_some_and(|kind| kind == "toml");
    if is_policy { policies(text, taking) } else { settings(text, taking) }
}

fn settings(text: &str, taking: &Taking) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let document = parse_document(text)?;
    let lists: [(&[&str], Effect); 4] = [
        (&["tools", "exclude"], Effect::Deny),
        (&["excludeTools"], Effect::Deny),
        (&["tools", "allowed"], Effect::Allow),
        (&["allowedTools"], Effect::Allow),
    ];
    let mut entries = Vec::new();
    for (list, effect) in lists {
        entries.extend(list_texts(&document, list)?.into_iter().map(|written| {
            let (tool, value) = match written.strip_suffix(')').and_then(|rule| rule.split_once('(')) {
                Some((tool, value)) => (tool, Some(value)),
                None => (written, None),
            };
            ForeignEntry::new(written, effect, tool_use(tool, value, effect, taking))
        }));
    }
    Ok(entries)
}

fn tool_use(tool: &str, value: Option<&str>, effect: Effect, taking: &Taking) -> Result<Becomes, LeftOut> {
    let known = TOOLS.iter().find(|(there, _)| *there == tool).map(|(_, here)| *here);
    match (known, value) {
        (Some(SHELL_TOOL), Some(prefix)) => taking.command(ForeignCommand::Prefix(prefix), effect),
        (Some(SHELL_TOOL), None) if effect == Effect::Allow => Err(LeftOut::Everything),
        (_, Some(_)) => Err(LeftOut::NoValue(tool.to_owned())),
        (Some(here), None) => taking.any_use(here, effect),
        (None, None) if tool == "*" && effect == Effect::Allow => Err(LeftOut::Everything),
        (None, None) => {
            let own = tool.strip_prefix("mcp_").unwrap_or(tool);
            taking.use_of_server("", own, effect)
        }
    }
}

#[derive(Deserialize)]
struct Policies {
    #[serde(default)]
    rule: Vec<GeminiPolicy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPolicy {
    tool_name: Option<TextOrList>,
    mcp_name: Option<String>,
    command_prefix: Option<TextOrList>,
    command_regex: Option<String>,
    args_pattern: Option<String>,
    subagent: Option<String>,
    interactive: Option<bool>,
    modes: Option<Vec<String>>,
    tool_annotations: Option<toml::Table>,
    decision: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrList {
    One(String),
    Many(Vec<String>),
}

impl TextOrList {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

fn policies(text: &str, taking: &Taking) -> Result<Vec<ForeignEntry>, UnreadableFile> {
    let policies: Policies =
        toml::from_str(text).map_err(|error| UnreadableFile(error.message().to_owned()))?;
    let mut entries = Vec::new();
    for policy in &policies.rule {
        let effect = match policy.decision.as_str() {
            "allow" => Effect::Allow,
            "deny" => Effect::Deny,
            _ => Effect::Ask,
        };
        let prefixes = policy.command_prefix.as_ref().map(TextOrList::as_slice).unwrap_or_default();
        let tools = policy.tool_name.as_ref().map(TextOrList::as_slice).unwrap_or_default();
        let entry =
            |written: String, becomes| ForeignEntry::new(written, effect, policy.always(effect).and(becomes));
        for prefix in prefixes {
            let becomes = taking.command(ForeignCommand::Prefix(prefix), effect);
            entries.push(entry(format!("commandPrefix {prefix}"), becomes));
        }
        if prefixes.is_empty() {
            let any = ["*".to_owned()];
            let tools = if tools.is_empty() { &any[..] } else { tools };
            entries.extend(tools.iter().map(|tool| {
                let becomes = match &policy.mcp_name {
                    Some(server) => taking.use_of_server(server, tool, effect),
                    None => tool_use(tool, None, effect, taking),
                };
                entry(format!("toolName {tool}"), becomes)
            }));
        }
    }
    Ok(entries)
}

impl GeminiPolicy {
    /// Returns why the rule cannot be taken over, where its conditions say something that no rule here can.
    fn always(&self, effect: Effect) -> Result<(), LeftOut> {
        if self.command_regex.is_some() || self.args_pattern.is_some() {
            return Err(LeftOut::Regex);
        }
        let modes = self.modes.as_deref().unwrap_or_default();
        let partly = self.subagent.is_some()
            || self.interactive.is_some()
            || self.tool_annotations.is_some()
            || !(modes.is_empty() || modes.iter().any(|mode| mode == "default"));
        if partly && effect == Effect::Allow { Err(LeftOut::Sometimes) } else { Ok(()) }
    }
}
