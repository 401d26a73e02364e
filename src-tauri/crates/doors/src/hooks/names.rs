//! The names that `permissions.jsonc` has for tools and for what they are called with.

use super::HookAgent;
use postern_command::quote_argv;
use postern_policy::tool_of_server;
use serde_json::{Map, Value};

/// Under what other names agents pass a path.
const PATHS: [&str; 3] = ["notebook_path", "absolute_path", "filePath"];

/// Party that decides about a tool that no line of the user matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolClass {
    /// The agent, also while Postern does not run: the tool touches nothing outside it (a to-do list, a
    /// question to the user).
    Harmless,
    /// The agent's own prompt: the tool fetches, looks around, or starts tools that ask themselves.
    OwnPrompt,
    /// `permissions.jsonc`, and the user if it asks.
    Gate,
}

/// Tools that touch nothing outside of their agent, by their agents' names for them.
const HARMLESS: &str = "\
    AskUserQuestion EnterPlanMode ExitPlanMode Sleep TaskCreate TaskGet TaskList TaskUpdate Think \
    TodoRead TodoWrite ToolSearch ask_followup_question ask_user attempt_completion enter_plan_mode \
    exit_plan_mode manage_todo_list plan_mode_respond report_intent sequential_thinking think todo \
    todo_list todo_read todo_write todoread todowrite update_plan update_todo write_todos";

/// Tools that agents ask about by their own rules, or that start others which ask separately.
const OWN_PROMPT: &str = "\
    Agent BashOutput KillBash KillShell LS LSP ListMcpResourcesTool ReadMcpResourceTool Task TaskOutput \
    TaskStop WebFetch WebSearch codebase_search fetch fetch_webpage file_search get_errors \
    google_web_search list list_code_definition_names list_dir list_directory list_files ls lsp new_task \
    read_lints runSubagent semantic_search spawn_agent task web_fetch web_search webfetch websearch";

/// Tools of [`OWN_PROMPT`] that send something to other machines.
const FETCHES: &str = "\
    ReadMcpResourceTool WebFetch WebSearch fetch fetch_webpage google_web_search web_fetch web_search \
    webfetch websearch";

/// Returns who decides about a tool, by its agent's name for it. `prompts` is false if the agent asks about nothing now.
pub(super) fn tool_class(kind: HookAgent, tool: &str, prompts: bool) -> ToolClass {
    let is_among = |tools: &str| tools.split(' ').any(|known| known == tool);
    // opencode fetches without a prompt.
    let is_unasked = (kind == HookAgent::Opencode || !prompts) && is_among(FETCHES);
    if is_among(HARMLESS) {
        ToolClass::Harmless
    } else if is_among(OWN_PROMPT) && !is_unasked {
        ToolClass::OwnPrompt
    } else {
        ToolClass::Gate
    }
}

/// A tool under the name that `permissions.jsonc` has for it.
#[derive(Debug)]
pub(super) struct NormalizedHookTool {
    pub(super) tool: String,
    /// The MCP server that it is a tool of.
    pub(super) server: Option<String>,
    /// Arguments, under the names that are looked at there.
    pub(super) arguments: Map<String, Value>,
}

impl NormalizedHookTool {
    fn of_server(server: &str, tool: &str, arguments: Map<String, Value>) -> Self {
        let named = Some(server).filter(|server| !server.is_empty());
        Self { tool: tool_of_server(server, tool), server: named.map(str::to_owned), arguments }
    }
}

/// Returns a tool as `permissions.jsonc` knows it. An unknown tool keeps its name.
///
/// `server`: the event names the tool's server, which is empty if it has no name.
pub(super) fn normalize_tool(
    tool: &str,
    server: Option<String>,
    mut arguments: Map<String, Value>,
) -> NormalizedHookTool {
    if let Some(server) = server {
        return NormalizedHookTool::of_server(&server, tool, arguments);
    }
    if let Some((server, own)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return NormalizedHookTool::of_server(server, own, arguments);
    }
    if let Some((server, own)) = tool.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        return NormalizedHookTool::of_server(server, own, arguments);
    }
    if tool == "use_mcp_tool" {
        return used_of_server(arguments);
    }
    let name = match tool {
        "Bash" | "Shell" | "bash" | "shell" | "run_shell_command" | "execute_command" | "execute_bash"
        | "run_in_terminal" | "runTerminalCommand" | "Monitor" | "exec_command" | "local_shell"
        | "shell_command" => "shell_exec",
        "Read" | "NotebookRead" | "view" | "read" | "read_file" | "read_many_files" => "read_file",
        "Write" | "TabWrite" | "create" | "write" | "write_file" | "write_to_file" | "create_file" => {
            "write_file"
        }
        "Edit"
        | "EditNotebook"
        | "MultiEdit"
        | "NotebookEdit"
        | "StrReplace"
        | "edit"
        | "str_replace"
        | "replace"
        | "replace_in_file"
        | "replace_string_in_file"
        | "insert_edit_into_file" => "edit_file",
        "Glob" | "glob" => "glob",
        "Grep" | "grep" | "search_file_content" | "grep_search" => "grep",
        "Skill" | "activate_skill" => "skill",
        // Each agent passes the patch under a name of its own.
        "apply_patch" | "ApplyPatch" | "patch" => {
            let patch = Map::from_iter([("patch".to_owned(), Value::Object(arguments))]);
            return NormalizedHookTool { tool: "edit_file".to_owned(), server: None, arguments: patch };
        }
        other => return NormalizedHookTool { tool: other.to_owned(), server: None, arguments },
    };
    for other in PATHS {
        rename(&mut arguments, other, "path");
    }
    if name == "shell_exec" {
        name_command(&mut arguments);
    }
    if name == "skill" {
        rename(&mut arguments, "skill", "name");
    }
    NormalizedHookTool { tool: name.to_owned(), server: None, arguments }
}

/// Renames an argument. One in the new name's place stays, and so does this: the agent may obey either.
fn rename(arguments: &mut Map<String, Value>, old: &str, new: &str) {
    if arguments.contains_key(new) {
        return;
    }
    if let Some(value) = arguments.remove(old) {
        arguments.insert(new.to_owned(), value);
    }
}

/// Puts a command under its name, as text: some agents pass it by another name, or in words.
fn name_command(arguments: &mut Map<String, Value>) {
    rename(arguments, "cmd", "command");
    let words = arguments.get("command").and_then(Value::as_array);
    let words: Option<Vec<&str>> = words.and_then(|words| words.iter().map(Value::as_str).collect());
    if let Some(text) = words.map(|words| quote_argv(&words)) {
        arguments.insert("command".to_owned(), Value::String(text));
    }
}

/// Reads Cline's own tool for tools of MCP servers: the tool is among its parameters.
fn used_of_server(mut parameters: Map<String, Value>) -> NormalizedHookTool {
    let mut said = |field: &str| {
        let value = parameters.remove(field);
        value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let (server, tool) = (said("server_name"), said("tool_name"));
    let arguments = parameters.remove("arguments").unwrap_or_default();
    NormalizedHookTool::of_server(&server, &tool, object(&arguments))
}

/// Returns the arguments, which come as an object, or as the text of one.
pub(super) fn object(value: &Value) -> Map<String, Value> {
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
