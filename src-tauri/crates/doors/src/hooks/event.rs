//! From an agent's event to the tool that it wants to use, under the names that `permissions.jsonc` has for tools.

use super::HookAgent;
use super::names::{NormalizedHookTool, ToolClass, normalize_tool, object, tool_class};
use serde_json::{Map, Value};

/// A tool that an agent wants to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookToolUse {
    /// Name in `permissions.jsonc`.
    pub tool: String,
    /// The MCP server that it is a tool of, where the event tells.
    pub server: Option<String>,
    /// Arguments, under the names that `permissions.jsonc` looks at.
    pub arguments: Map<String, Value>,
    /// Input of the tool if the agent runs the command that its hook gives back ([`confined`](super::confined)).
    pub replaceable: Option<Map<String, Value>>,
    /// Decides if no line of the user matches the tool.
    pub class: ToolClass,
    /// False in a session in which the agent shows no prompt of its own.
    pub prompts: bool,
    /// Folder that the agent works in.
    pub cwd: Option<String>,
    pub session: Option<String>,
    /// The event, by the agent's own name for it: its answer has the shape of this event.
    pub event: String,
}

/// An event that nothing can be decided about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Odd {
    /// Event of another agent.
    #[error("this is no event of a {agent} hook: {what}")]
    Event {
        /// The agent that it should be of.
        agent: &'static str,
        /// Missing field.
        what: String,
    },
    /// Unknown folder of the command.
    #[error("{what}")]
    Folder {
        /// The event, by the agent's own name for it: the denial has its shape.
        event: String,
        /// Problem of the folder.
        what: String,
    },
}

/// Agents whose searches pass over an argument `path`.
const SEARCH_ELSEWHERE: [HookAgent; 2] = [HookAgent::GeminiCli, HookAgent::VsCode];

/// Mode of a session in which Claude Code, Codex and others ask about nothing: what no hook denies goes on.
const NO_PROMPTS: &str = "bypassPermissions";

/// Reads what the agent wrote to the hook's standard input.
#[expect(clippy::too_many_lines, reason = "one arm for each agent")]
pub fn parse_event(kind: HookAgent, text: &str) -> Result<HookToolUse, Odd> {
    let odd = |what: String| Odd::Event { agent: kind.name(), what };
    let event: Value = serde_json::from_str(text)
        .map_err(|error| odd(format!("it is not JSON (line {}, column {})", error.line(), error.column())))?;
    let said = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
    let missing = |name: &str| odd(format!("it has no {name}"));
    let sessions = ["session_id", "conversation_id", "sessionId", "trajectory_id", "taskId"];
    let session = sessions.into_iter().find_map(said);
    let name = said("hook_event_name").or_else(|| said("hookEventName"));
    // `None` for a tool of no server, or one whose name includes its server.
    let mut server: Option<String> = None;
    let (tool, arguments, event_name) = match kind {
        HookAgent::ClaudeCode | HookAgent::Codex | HookAgent::VsCode => {
            let event_name = name.ok_or_else(|| missing("hook_event_name"))?;
            if !["PreToolUse", "PermissionRequest"].contains(&event_name.as_str()) {
                return Err(odd(format!(
                    "{event_name} asks for nothing; PreToolUse and PermissionRequest do"
                )));
            }
            (said("tool_name").ok_or_else(|| missing("tool_name"))?, object(&event["tool_input"]), event_name)
        }
        HookAgent::GeminiCli => {
            let tool = said("tool_name").ok_or_else(|| missing("tool_name"))?;
            let context = &event["mcp_context"];
            let named = context["server_name"].as_str().zip(context["tool_name"].as_str());
            server = named.map(|(server, _)| server.to_owned());
            let tool = named.map_or(tool, |(_, own)| own.to_owned());
            (tool, object(&event["tool_input"]), name.unwrap_or_else(|| "BeforeTool".to_owned()))
        }
        HookAgent::CopilotCli => {
            let tool = said("toolName").ok_or_else(|| missing("toolName"))?;
            (tool, object(&event["toolArgs"]), name.unwrap_or_else(|| "preToolUse".to_owned()))
        }
        HookAgent::Cursor => {
            let name = name.ok_or_else(|| missing("hook_event_name"))?;
            cursor(&event, name, &mut server).map_err(odd)?
        }
        HookAgent::KiroCli | HookAgent::Opencode => {
            let event_name = name.ok_or_else(|| missing("hook_event_name"))?;
            let asks = if kind == HookAgent::KiroCli { "preToolUse" } else { "tool.execute.before" };
            if event_name != asks {
                return Err(odd(format!("{event_name} asks for nothing; {asks} does")));
            }
            (said("tool_name").ok_or_else(|| missing("tool_name"))?, object(&event["tool_input"]), event_name)
        }
        HookAgent::Cline => {
            let asked = event.get("preToolUse").ok_or_else(|| missing("preToolUse"))?;
            let tool = asked["toolName"].as_str().ok_or_else(|| missing("preToolUse.toolName"))?;
            (tool.to_owned(), object(&asked["parameters"]), "PreToolUse".to_owned())
        }
        HookAgent::Windsurf => {
            let name = said("agent_action_name").ok_or_else(|| missing("agent_action_name"))?;
            windsurf(&event, name, &mut server).map_err(odd)?
        }
    };
    // A tool of a server may have any name.
    let prompts = said("permission_mode").as_deref() != Some(NO_PROMPTS);
    let class = if server.is_some() { ToolClass::Gate } else { tool_class(kind, &tool, prompts) };
    // Cursor names no server, but what it connects to.
    let connects = server.as_ref().and_then(|_| said("url").or_else(|| said("command")));
    let NormalizedHookTool { tool, server, mut arguments } = normalize_tool(&tool, server, arguments);
    let server = server.or(connects);
    let cwd = said("cwd").or_else(|| event["workspaceRoots"][0].as_str().map(str::to_owned));
    if tool == "shell_exec" {
        let folder = folder(kind, &mut arguments, cwd.as_deref())
            .map_err(|what| Odd::Folder { event: event_name.clone(), what })?;
        arguments.extend(folder.map(|folder| ("cwd".to_owned(), Value::String(folder))));
    }
    if tool == "grep" {
        let folder = if SEARCH_ELSEWHERE.contains(&kind) { "dir_path" } else { "path" };
        let start = || Value::String(cwd.clone().unwrap_or_else(|| ".".to_owned()));
        arguments.entry(folder).or_insert_with(start);
    }
    let replaceable = super::rewrite::replaceable(kind, &event_name, &event).filter(|_| tool == "shell_exec");
    Ok(HookToolUse { tool, server, arguments, replaceable, class, prompts, cwd, session, event: event_name })
}

/// Takes the folder that a shell command runs in out of its arguments: the one that the agent's own argument names, else the agent's.
fn folder(
    kind: HookAgent,
    arguments: &mut Map<String, Value>,
    cwd: Option<&str>,
) -> Result<Option<String>, String> {
    // A model may add any argument, and most agents run the command as if it were not there.
    match (arguments.remove("cwd"), cwd) {
        (Some(Value::String(named)), None) => return Ok(Some(named)),
        (Some(named), Some(cwd)) if named != *cwd => {
            return Err(format!(
                "its cwd, {named}, is not the folder that the agent works in, {cwd}: leave it out"
            ));
        }
        (Some(_) | None, _) => {}
    }
    let own = match kind {
        HookAgent::GeminiCli => arguments.remove("dir_path"),
        HookAgent::Opencode => arguments.remove("workdir"),
        _ => None,
    };
    match own {
        None | Some(Value::Null) => Ok(cwd.map(str::to_owned)),
        Some(Value::String(named)) if named.starts_with('/') => Ok(Some(named)),
        Some(Value::String(named)) => Ok(cwd.map(|cwd| format!("{cwd}/{named}"))),
        Some(named) => Err(format!("the folder that it names, {named}, is not a path")),
    }
}

fn cursor(
    event: &Value,
    name: String,
    server: &mut Option<String>,
) -> Result<(String, Map<String, Value>, String), String> {
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
        "beforeReadFile" => {
            let mut read = one("path", said("file_path")?);
            let attached = event["attachments"].as_array().filter(|all| !all.is_empty());
            read.extend(attached.map(|all| ("attachments".to_owned(), Value::Array(all.clone()))));
            Ok(("read_file".to_owned(), read, name))
        }
        "beforeMCPExecution" => {
            *server = Some(String::new());
            Ok((said("tool_name")?, object(&event["tool_input"]), name))
        }
        "preToolUse" => Ok((said("tool_name")?, object(&event["tool_input"]), name)),
        _ => Err(format!(
            "{name} asks for nothing; beforeShellExecution, beforeMCPExecution, beforeReadFile and preToolUse do"
        )),
    }
}

/// Reads an event of Windsurf, which has an action rather than a tool.
fn windsurf(
    event: &Value,
    name: String,
    server: &mut Option<String>,
) -> Result<(String, Map<String, Value>, String), String> {
    let mut about = object(&event["tool_info"]);
    let mut take = |field: &str| about.remove(field).ok_or_else(|| format!("it has no tool_info.{field}"));
    let tool = match name.as_str() {
        "pre_run_command" => {
            let command = take("command_line")?;
            about.insert("command".to_owned(), command);
            "shell_exec".to_owned()
        }
        "pre_read_code" | "pre_write_code" => {
            let path = take("file_path")?;
            about.insert("path".to_owned(), path);
            let tool = if name == "pre_read_code" { "read_file" } else { "edit_file" };
            tool.to_owned()
        }
        "pre_mcp_tool_use" => {
            let (named, tool) = (take("mcp_server_name")?, take("mcp_tool_name")?);
            let arguments = take("mcp_tool_arguments").unwrap_or_default();
            about = object(&arguments);
            *server = Some(named.as_str().unwrap_or_default().to_owned());
            tool.as_str().unwrap_or_default().to_owned()
        }
        _ => {
            return Err(format!(
                "{name} asks for nothing; pre_run_command, pre_read_code, pre_write_code and pre_mcp_tool_use do"
            ));
        }
    };
    Ok((tool, about, name))
}
