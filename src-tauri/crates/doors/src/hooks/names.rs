//! The names that `permissions.jsonc` has for tools and for what they are called with.

use serde_json::{Map, Value};

/// Under what other names agents pass a path.
const PATHS: [&str; 3] = ["notebook_path", "absolute_path", "filePath"];

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
        | "run_in_terminal" | "runTerminalCommand" => "shell_exec",
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
