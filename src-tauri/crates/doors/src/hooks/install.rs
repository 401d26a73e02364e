//! Putting the hook into an agent's settings, and taking it out again. Everything else in them stays, in its order.

use super::{BadSettings, HookAgent, script};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Time that an agent waits for its hook, in seconds: as long as a question may be open.
const WAIT: u64 = 30 * 60;
/// Time that Cline waits, in seconds. No setting changes it.
const WAIT_OF_CLINE: u64 = 120;
/// Time that a hook answers before its agent goes on without an answer, in seconds.
const MARGIN: u64 = 10;
/// Tools of Cursor that none of its other events is about.
const OTHERS_OF_CURSOR: &str = "Write|Edit|MultiEdit|StrReplace|EditNotebook|ApplyPatch|Delete|Grep";

/// Returns the time after which a hook has to deny. Most agents use a tool if its hook never answers.
pub fn deadline(kind: HookAgent) -> Duration {
    let wait = if kind == HookAgent::Cline { WAIT_OF_CLINE } else { WAIT };
    Duration::from_secs(wait - MARGIN)
}

/// Returns the settings with the hook in them once, whatever was there of it before. `command` is what the
/// agent is to run.
pub fn install(kind: HookAgent, before: &str, command: &str) -> Result<String, BadSettings> {
    if script::is_script(kind) {
        return script::install(kind, before, command);
    }
    if kind == HookAgent::KiroCli && before.trim().is_empty() {
        return Err(BadSettings::new(
            "it is the file of an agent, which Kiro makes, and without one there are no tools",
        ));
    }
    let mut settings = without(kind, before)?;
    if has_version(kind) {
        settings.entry("version").or_insert(json!(1));
    }
    let entry = match kind {
        HookAgent::ClaudeCode => {
            // Versions before 2.1.295 pass over `onFailure`.
            json!({"matcher": "*", "hooks": [
                {"type": "command", "command": command, "timeout": WAIT, "onFailure": "block"}]})
        }
        HookAgent::Codex => json!({"hooks": [{"type": "command", "command": command, "timeout": WAIT}]}),
        HookAgent::VsCode => json!({"type": "command", "command": command, "timeout": WAIT}),
        HookAgent::KiroCli => json!({"matcher": "*", "command": command, "timeout_ms": WAIT * 1000}),
        HookAgent::Windsurf => json!({"command": command, "show_output": true}),
        HookAgent::GeminiCli => json!({"matcher": "*", "hooks": [
            {"type": "command", "name": "postern", "command": command, "timeout": WAIT * 1000}]}),
        HookAgent::Cursor => json!({"command": command, "timeout": WAIT, "failClosed": true}),
        HookAgent::Cline | HookAgent::Opencode => json!({"command": command}),
        HookAgent::CopilotCli => json!({"type": "command", "bash": command, "timeoutSec": WAIT}),
    };
    let hooks = settings.entry("hooks").or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(hooks) = hooks else {
        return Err(BadSettings("\"hooks\" is not an object".to_owned()));
    };
    for event in events(kind) {
        let list = hooks.entry(*event).or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(list) = list else {
            return Err(BadSettings(format!("\"hooks\".\"{event}\" is not a list")));
        };
        let mut entry = entry.clone();
        if (kind, *event) == (HookAgent::Cursor, "preToolUse") {
            entry["matcher"] = json!(OTHERS_OF_CURSOR);
        }
        list.push(entry);
    }
    Ok(write_json(before, settings))
}

/// Returns the settings without the hook; nothing where nothing else is in them.
pub fn uninstall(kind: HookAgent, before: &str) -> Result<String, BadSettings> {
    if script::is_script(kind) {
        return Ok(script::uninstall(before));
    }
    let mut left = without(kind, before)?;
    // Said by the installer where nobody had said it.
    if left.len() == 1 && has_version(kind) && left.get("version") == Some(&json!(1)) {
        left.clear();
    }
    Ok(if left.is_empty() { String::new() } else { write_json(before, left) })
}

/// Returns true if the hook is in these settings.
pub fn holds_ours(kind: HookAgent, settings: &str) -> bool {
    if script::is_script(kind) {
        return script::is_ours(settings);
    }
    let read: Value = serde_json::from_str(settings).unwrap_or_default();
    our_entries(kind, &read).next().is_some()
}

/// Returns the command of the hook in these settings. Agents with scripts have none.
pub(crate) fn our_command(kind: HookAgent, settings: &str) -> Option<String> {
    let read: Value = serde_json::from_str(settings).ok()?;
    let entry = our_entries(kind, &read).next()?;
    let entry = entry.get("hooks").and_then(|inner| inner.get(0)).unwrap_or(entry);
    entry.get("command").or_else(|| entry.get("bash"))?.as_str().map(str::to_owned)
}

fn our_entries(kind: HookAgent, settings: &Value) -> impl Iterator<Item = &Value> {
    let of = |event: &&str| settings["hooks"][*event].as_array().map_or(&[][..], Vec::as_slice);
    events(kind).iter().flat_map(of).filter(move |entry| is_ours(kind, entry))
}

fn has_version(kind: HookAgent) -> bool {
    matches!(kind, HookAgent::Cursor | HookAgent::CopilotCli)
}

fn events(kind: HookAgent) -> &'static [&'static str] {
    match kind {
        HookAgent::ClaudeCode | HookAgent::Codex | HookAgent::VsCode | HookAgent::Cline => &["PreToolUse"],
        HookAgent::Cursor => &["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"],
        HookAgent::GeminiCli => &["BeforeTool"],
        HookAgent::CopilotCli | HookAgent::KiroCli => &["preToolUse"],
        HookAgent::Windsurf => &["pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use"],
        HookAgent::Opencode => &["tool.execute.before"],
    }
}

fn without(kind: HookAgent, before: &str) -> Result<Map<String, Value>, BadSettings> {
    if before.trim().is_empty() {
        return Ok(Map::new());
    }
    let read = serde_json::from_str(before)
        .map_err(|error| BadSettings(format!("line {}, column {}: {error}", error.line(), error.column())))?;
    let Value::Object(mut settings) = read else { return Err(BadSettings("it is not an object".to_owned())) };
    let Some(Value::Object(hooks)) = settings.get_mut("hooks") else { return Ok(settings) };
    for event in events(kind) {
        let Some(Value::Array(list)) = hooks.get_mut(*event) else { continue };
        list.retain(|entry| !is_ours(kind, entry));
        if list.is_empty() {
            hooks.shift_remove(*event);
        }
    }
    if hooks.is_empty() {
        settings.shift_remove("hooks");
    }
    Ok(settings)
}

/// Returns true if an entry is ours, by what it runs.
fn is_ours(kind: HookAgent, entry: &Value) -> bool {
    let mark = format!(" hook {} --agent ", kind.name());
    let command = |entry: &Value| {
        let text = entry.get("command").or_else(|| entry.get("bash")).and_then(Value::as_str);
        text.is_some_and(|text| text.contains(&mark))
    };
    let inner = entry.get("hooks").and_then(Value::as_array);
    inner.map_or_else(|| command(entry), |inner| !inner.is_empty() && inner.iter().all(command))
}

/// Writes settings over several lines; on one if they stood on one.
fn write_json(before: &str, settings: Map<String, Value>) -> String {
    let before = before.trim();
    let settings = Value::Object(settings);
    if before.is_empty() || before == "{}" || before.contains('\n') {
        format!("{settings:#}\n")
    } else {
        format!("{settings}\n")
    }
}
