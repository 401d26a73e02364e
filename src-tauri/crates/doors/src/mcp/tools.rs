//! The tools as they are listed: names, words, and the shapes of what they take.

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const RUN: &str = "system_run";
/// Answers Claude Code's `--permission-prompt-tool`.
pub(super) const APPROVE: &str = "approve";
pub(super) const NAMES: [&str; 5] = [RUN, "system_output", "system_kill", "system_which", APPROVE];

pub(super) fn shown_tools(may_run: bool) -> Vec<Tool> {
    let listed = NAMES.iter().filter(|name| may_run || **name == APPROVE);
    listed.map(|name| describe_tool(name)).collect()
}

fn describe_tool(name: &'static str) -> Tool {
    let (about, takes) = match name {
        RUN => (
            "Runs a command on the user's own machine and waits for its end. It may have to wait for the user's approval: where \
             the state is pending, call it again with the same arguments to go on waiting. \
             Give command (program and arguments) where you can; shell (a line of bash) only where you need one. No \
             command changes what the next one finds but through files: name cwd each time.",
            run_takes(),
        ),
        "system_output" => (
            "What a run wrote so far, or the part of it that a result left out.",
            object(
                &json!({
                    "requestId": id_schema(),
                    "stream": {"enum": ["stdout", "stderr"], "description": "Both where left out."},
                    "offset": {"type": "integer", "minimum": 0, "description": "The first byte."},
                    "length": {"type": "integer", "minimum": 1, "description": "How many bytes at most."},
                }),
                &["requestId"],
            ),
        ),
        "system_kill" => (
            "Ends a run, or cancels a command that waits for the user.",
            object(
                &json!({"requestId": id_schema(), "signal": {"type": "string", "description": "SIGTERM where left out."}}),
                &["requestId"],
            ),
        ),
        "system_which" => (
            "Where programs are found, and whether running each would be allowed, asked about or denied.",
            object(&json!({"names": {"type": "array", "items": {"type": "string"}}}), &["names"]),
        ),
        _ => (
            "May this tool be used with this input? For --permission-prompt-tool.",
            object(
                &json!({
                    "tool_name": {"type": "string"},
                    "input": {"type": "object"},
                    "tool_use_id": {"type": "string"},
                }),
                &["tool_name", "input"],
            ),
        ),
    };
    let tool = Tool::new(name, about, takes);
    if name == RUN { tool.with_raw_output_schema(run_gives()) } else { tool }
}

fn id_schema() -> Value {
    json!({"type": "string", "description": "The request, as system_run named it."})
}

fn run_takes() -> Arc<JsonObject> {
    object(
        &json!({
            "requestId": {"type": "string", "format": "uuid", "description": "Your own number for it; one is made where it is left out. The same again is the same run, never a second one."},
            "command": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Program and arguments."},
            "shell": {"type": "string", "description": "A line of bash, instead of command."},
            "cwd": {"type": "string", "description": "Where: an absolute path, or one with ~."},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "stdin": {"type": "string"},
            "timeoutMs": {"type": "integer", "minimum": 1},
            "reason": {"type": "string", "description": "Why, in a few words; the user reads it."},
        }),
        &[],
    )
}

fn run_gives() -> Arc<JsonObject> {
    let mut shape = JsonObject::clone(&object(
        &json!({
            "requestId": {"type": "string"},
            "state": {"enum": ["finished", "denied", "pending"]},
            "outcome": {"type": "string"},
            "exitCode": {"type": "integer"},
            "stdout": {"type": "string"},
            "stderr": {"type": "string"},
            "truncated": {"type": "boolean"},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "advice": {"type": "string"},
            "feedback": {"type": "string"},
        }),
        &["requestId", "state"],
    ));
    shape.insert("additionalProperties".to_owned(), Value::Bool(true));
    Arc::new(shape)
}

fn object(properties: &Value, required: &[&str]) -> Arc<JsonObject> {
    let mut shape = JsonObject::new();
    shape.insert("type".to_owned(), json!("object"));
    shape.insert("properties".to_owned(), properties.clone());
    shape.insert("required".to_owned(), json!(required));
    shape.insert("additionalProperties".to_owned(), Value::Bool(false));
    Arc::new(shape)
}
