//! From a verdict to what the agent hears: on the hook's standard output, or, where it listens to the ending alone, by that.

use super::{Kind, Verdict};
use serde_json::{Map, Value, json};

/// Returns the answer to an event: what the hook prints before it ends with 0; or why it ends with 2, which
/// blocks the tool.
pub fn answer(kind: Kind, event: &str, verdict: &Verdict) -> Result<String, String> {
    match verdict {
        Verdict::NoOpinion => return Ok(no_opinion(kind, event)),
        Verdict::AllowConfined(input) => return allow_confined(kind, event, input),
        Verdict::Allow | Verdict::Deny(_) | Verdict::HandOver => {}
    }
    let (word, reason) = match verdict {
        Verdict::Allow => ("allow", ""),
        Verdict::Deny(reason) => ("deny", reason.as_str()),
        Verdict::HandOver | Verdict::NoOpinion | Verdict::AllowConfined(_) => {
            ("ask", "Postern leaves this one to you.")
        }
    };
    let told = match (kind, event) {
        (Kind::ClaudeCode | Kind::Codex, "PermissionRequest") => permission_request(verdict),
        (Kind::ClaudeCode | Kind::VsCode, _) => pre_tool_use(event, word, reason),
        // It takes no other word than a denial: where nothing is said its own rules go on.
        (Kind::Codex, _) => match verdict {
            Verdict::Deny(reason) => pre_tool_use(event, word, reason),
            _ => json!({}),
        },
        (Kind::Cursor, _) => match verdict {
            Verdict::Allow => json!({"permission": word}),
            _ => json!({"permission": word, "user_message": reason, "agent_message": reason}),
        },
        // It has no word for asking: saying nothing leaves it to its own rules.
        (Kind::GeminiCli, _) => match verdict {
            Verdict::Allow => json!({"decision": "allow"}),
            Verdict::Deny(reason) => json!({"decision": "deny", "reason": reason}),
            _ => json!({}),
        },
        (Kind::CopilotCli, _) => json!({"permissionDecision": word, "permissionDecisionReason": reason}),
        (Kind::Cline, _) => match verdict {
            Verdict::Deny(reason) => json!({"cancel": true, "errorMessage": reason}),
            _ => json!({"cancel": false}),
        },
        // These listen to the ending alone.
        (Kind::Windsurf | Kind::KiroCli | Kind::Opencode, _) => {
            return match verdict {
                Verdict::Deny(reason) => Err(reason.clone()),
                _ => Ok(String::new()),
            };
        }
    };
    Ok(told.to_string())
}

/// Returns the answer that allows a tool with another input. An agent that would use the tool with its own input is denied.
fn allow_confined(kind: Kind, event: &str, input: &Map<String, Value>) -> Result<String, String> {
    let told = match (kind, event) {
        (Kind::ClaudeCode, "PreToolUse") => {
            let mut told = pre_tool_use(event, "allow", "");
            told["hookSpecificOutput"]["updatedInput"] = json!(input);
            told
        }
        (Kind::GeminiCli, "BeforeTool") => {
            json!({"decision": "allow", "hookSpecificOutput": {"hookEventName": event, "tool_input": input}})
        }
        (Kind::Opencode, "tool.execute.before") => json!({"args": input}),
        _ => return answer(kind, event, &Verdict::Deny("It may only run confined.".to_owned())),
    };
    Ok(told.to_string())
}

/// Returns the answer that leaves the decision to the agent's own rules and prompt.
fn no_opinion(kind: Kind, event: &str) -> String {
    let told = match (kind, event) {
        // Cursor requires a permission. It shows no prompt for a read, and knows no other word there.
        (Kind::Cursor, "beforeReadFile") => json!({"permission": "allow"}),
        (Kind::Cursor, _) => json!({"permission": "ask"}),
        (Kind::Cline, _) => json!({"cancel": false}),
        (Kind::Windsurf | Kind::KiroCli | Kind::Opencode, _) => return String::new(),
        (Kind::ClaudeCode | Kind::VsCode | Kind::Codex | Kind::GeminiCli | Kind::CopilotCli, _) => json!({}),
    };
    told.to_string()
}

fn pre_tool_use(event: &str, word: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": word, "permissionDecisionReason": reason}})
}

fn permission_request(verdict: &Verdict) -> Value {
    let decision = match verdict {
        Verdict::Allow => json!({"behavior": "allow"}),
        Verdict::Deny(reason) => json!({"behavior": "deny", "message": reason}),
        // Without a decision its own dialog is shown.
        _ => return json!({}),
    };
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}
