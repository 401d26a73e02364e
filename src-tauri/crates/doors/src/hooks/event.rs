//! From an agent's event to the tool that it wants to use, under the names that `permissions.jsonc` has for tools.

use super::Kind;
use serde_json::{Map, Value};

/// A tool that an agent wants to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its name in `permissions.jsonc`.
    pub tool: String,
    /// What it would be called with, under the names that `permissions.jsonc` looks at.
    pub arguments: Map<String, Value>,
    /// The agent's session.
    pub session: Option<String>,
    /// The event, by the agent's own name for it: its answer has the shape of this event.
    pub event: String,
}

/// An event that is not one of this agent's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no event of a {agent} hook: {what}")]
pub struct Odd {
    agent: &'static str,
    what: String,
}

/// Reads what the agent wrote to the hook's standard input.
pub fn read(kind: Kind, text: &str) -> Result<Asked, Odd> {
    let odd = |what: String| Odd { agent: kind.name(), what };
    let event: Value = serde_json::from_str(text).map_err(|error| odd(error.to_string()))?;
    let said = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
    let missing = |name: &str| odd(format!("it has no {name}"));
    let session = said("session_id").or_else(|| said("conversation_id")).or_else(|| said("sessionId"));
    let name = said("hook_event_name");
    let (tool, arguments, event_name) = match kind {
        Kind::ClaudeCode => {
            let event_name = name.ok_or_else(|| missing("hook_event_name"))?;
            if !["PreToolUse", "PermissionRequest"].contains(&event_name.as_str()) {
                return Err(odd(format!(
                    "{event_name} asks for nothing; PreToolUse and PermissionRequest do"
                )));
            }
            (said("tool_name").ok_or_else(|| missing("tool_name"))?, object(&event["tool_input"]), event_name)
        }
        Kind::GeminiCli => {
            let tool = said("tool_name").ok_or_else(|| missing("tool_name"))?;
            let server = event["mcp_context"]["server_name"].as_str();
            let tool =
                server.map_or(tool.clone(), |server| match event["mcp_context"]["tool_name"].as_str() {
                    Some(own) => format!("mcp__{server}__{own}"),
                    None => tool,
                });
            (tool, object(&event["tool_input"]), name.unwrap_or_else(|| "BeforeTool".to_owned()))
        }
        Kind::CopilotCli => {
            let tool = said("toolName").ok_or_else(|| missing("toolName"))?;
            (tool, object(&event["toolArgs"]), name.unwrap_or_else(|| "preToolUse".to_owned()))
        }
        Kind::Cursor => cursor(&event, name.ok_or_else(|| missing("hook_event_name"))?).map_err(odd)?,
    };
    let (tool, mut arguments) = known(&tool, arguments);
    if tool == "shell_exec"
        && let Some(cwd) = said("cwd")
    {
        arguments.entry("cwd").or_insert(Value::String(cwd));
    }
    Ok(Asked { tool, arguments, session, event: event_name })
}

fn cursor(event: &Value, name: String) -> Result<(String, Map<String, Value>, String), String> {
    let said = |field: &str| {
        event
            .get(field)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| format!("it has no {field}"))
    };
    let one = |field: &str, value: String| Map::from_iter([(field.to_owned(), Value::String(value))]);
    match name.as_str() {
        "beforeShellExecution" => Ok(("shell_exec".to_owned(), one("command", said("command")?), name)),
        "beforeReadFile" => Ok(("read_file".to_owned(), one("path", said("file_path")?), name)),
        "beforeMCPExecution" => Ok((sanitized(&said("tool_name")?), object(&event["tool_input"]), name)),
        "preToolUse" => Ok((said("tool_name")?, object(&event["tool_input"]), name)),
        _ => Err(format!(
            "{name} asks for nothing; beforeShellExecution, beforeMCPExecution and beforeReadFile do"
        )),
    }
}

/// Arguments come as an object, or as the text of one.
fn object(value: &Value) -> Map<String, Value> {
    match value {
        Value::Object(all) => all.clone(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(all)) => all,
            // What is no object is told as it is: no pattern matches it, so it is asked about.
            Ok(_) | Err(_) => Map::from_iter([("text".to_owned(), value.clone())]),
        },
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other.clone())]),
    }
}

/// A tool under the name that `permissions.jsonc` has for it, with its arguments under the names that are looked at there.
fn known(tool: &str, mut arguments: Map<String, Value>) -> (String, Map<String, Value>) {
    if let Some((server, own)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return (format!("{}_{}", sanitized(server), sanitized(own)), arguments);
    }
    let name = match tool {
        "Bash" | "Shell" | "bash" | "shell" | "run_shell_command" => "shell_exec",
        "Read" | "NotebookRead" | "view" | "read_file" | "read_many_files" => "read_file",
        "Write" | "create" | "write_file" => "write_file",
        "Edit" | "MultiEdit" | "NotebookEdit" | "StrReplace" | "edit" | "str_replace" | "replace" => {
            "edit_file"
        }
        "Glob" | "glob" => "glob",
        "Grep" | "grep" | "search_file_content" | "grep_search" => "grep",
        "Skill" | "activate_skill" => "skill",
        other => return (other.to_owned(), arguments),
    };
    for other in ["notebook_path", "absolute_path"] {
        if let Some(path) = arguments.remove(other) {
            arguments.entry("path").or_insert(path);
        }
    }
    if name == "skill"
        && let Some(skill) = arguments.remove("skill")
    {
        arguments.entry("name").or_insert(skill);
    }
    (name.to_owned(), arguments)
}

/// As tools of MCP servers are named in `permissions.jsonc`: letters, digits, `_` and `-`.
fn sanitized(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' }).collect()
}
