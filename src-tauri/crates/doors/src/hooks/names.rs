//! The names that `permissions.jsonc` has for tools and for what they are called with.

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
const HARMLESS: &[&str] = &[
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Sleep",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "Think",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "ask_followup_question",
    "ask_user",
    "attempt_completion",
    "enter_plan_mode",
    "exit_plan_mode",
    "manage_todo_list",
    "plan_mode_respond",
    "report_intent",
    "sequential_thinking",
    "think",
    "todo",
    "todo_list",
    "todo_read",
    "todo_write",
    "todoread",
    "todowrite",
    "update_plan",
    "update_todo",
    "write_todos",
];

/// Tools that agents ask about by their own rules, or that start others which ask separately.
const OWN_PROMPT: &[&str] = &[
    "Agent",
    "BashOutput",
    "KillBash",
    "KillShell",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "Task",
    "TaskOutput",
    "TaskStop",
    "WebFetch",
    "WebSearch",
    "apply_patch",
    "codebase_search",
    "fetch",
    "fetch_webpage",
    "file_search",
    "get_errors",
    "google_web_search",
    "list",
    "list_code_definition_names",
    "list_dir",
    "list_directory",
    "list_files",
    "ls",
    "lsp",
    "new_task",
    "read_lints",
    "runSubagent",
    "semantic_search",
    "spawn_agent",
    "task",
    "web_fetch",
    "web_search",
    "webfetch",
    "websearch",
];

/// Returns who decides about a tool, by its agent's name for it.
pub(super) fn class(tool: &str) -> ToolClass {
    if HARMLESS.contains(&tool) {
        ToolClass::Harmless
    } else if OWN_PROMPT.contains(&tool) {
        ToolClass::OwnPrompt
    } else {
        ToolClass::Gate
    }
}

/// A tool under the name that `permissions.jsonc` has for it, with its arguments under the names that are looked at there.
/// What is not known keeps its name.
pub(super) fn known(tool: &str, mut arguments: Map<String, Value>) -> (String, Map<String, Value>) {
    if let Some((server, own)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return (of_server(server, own), arguments);
    }
    if let Some((server, own)) = tool.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        return (of_server(server, own), arguments);
    }
    if tool == "use_mcp_tool" {
        return used_of_server(arguments);
    }
    let name = match tool {
        "Bash" | "Shell" | "bash" | "shell" | "run_shell_command" | "execute_command" | "execute_bash"
        | "run_in_terminal" | "runTerminalCommand" | "Monitor" => "shell_exec",
        "Read" | "NotebookRead" | "view" | "read" | "read_file" | "read_many_files" => "read_file",
        "Write" | "create" | "write" | "write_file" | "write_to_file" | "create_file" => "write_file",
        "Edit"
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
        other => return (other.to_owned(), arguments),
    };
    for other in PATHS {
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

/// Cline's own tool for tools of MCP servers: which one stands among its parameters.
fn used_of_server(mut parameters: Map<String, Value>) -> (String, Map<String, Value>) {
    let mut said = |field: &str| {
        let value = parameters.remove(field);
        value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let name = of_server(&said("server_name"), &said("tool_name"));
    let arguments = parameters.remove("arguments").unwrap_or_default();
    (name, super::event::object(&arguments))
}

/// A tool of an MCP server as it is named in `permissions.jsonc`: letters, digits, `_` and `-`.
pub(super) fn of_server(server: &str, tool: &str) -> String {
    let clean = |name: &str| {
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' })
            .collect::<String>()
    };
    if server.is_empty() { clean(tool) } else { format!("{}_{}", clean(server), clean(tool)) }
}
