//! From a verdict to what the agent hears: on the hook's standard output, or, where it listens to the ending alone, by that.

use super::{HookAgent, HookVerdict};
use serde_json::{Map, Value, json};

/// Returns the answer to an event: what the hook prints before it ends with 0; or why it ends with 2, which
/// blocks the tool.
pub fn answer(kind: HookAgent, event: &str, verdict: &HookVerdict) -> Result<String, String> {
    match verdict {
        HookVerdict::NoOpinion => return Ok(no_opinion(kind, event)),
        HookVerdict::AllowConfined(input) => return allow_confined(kind, event, input),
        HookVerdict::Allow | HookVerdict::Deny(_) | HookVerdict::HandOver => {}
    }
    let (word, reason) = match verdict {
        HookVerdict::Allow => ("allow", ""),
        HookVerdict::Deny(reason) => ("deny", reason.as_str()),
        HookVerdict::HandOver | HookVerdict::NoOpinion | HookVerdict::AllowConfined(_) => {
            ("ask", "Postern leaves this one to you.")
        }
    };
    let told = match (kind, event) {
        (HookAgent::ClaudeCode | HookAgent::Codex, "PermissionRequest") => permission_request(verdict),
        (HookAgent::ClaudeCode | HookAgent::VsCode, _) => pre_tool_use(event, word, reason),
        // It takes no other word than a denial: where nothing is said its own rules go on.
        (HookAgent::Codex, _) => match verdict {
            HookVerdict::Deny(reason) => pre_tool_use(event, word, reason),
            _ => json!({}),
        },
        (HookAgent::Cursor, _) => match verdict {
            HookVerdict::Allow => json!({"permission": word}),
            _ => json!({"permission": word, "user_message": reason, "agent_message": reason}),
        },
        // It has no word for asking: saying nothing leaves it to its own rules.
        (HookAgent::GeminiCli, _) => match verdict {
            HookVerdict::Allow => json!({"decision": "allow"}),
            HookVerdict::Deny(reason) => json!({"decision": "deny", "reason": reason}),
            _ => json!({}),
        },
        (HookAgent::CopilotCli, _) => json!({"permissionDecision": word, "permissionDecisionReason": reason}),
        (HookAgent::Cline, _) => match verdict {
            HookVerdict::Deny(reason) => json!({"cancel": true, "errorMessage": reason}),
            _ => json!({"cancel": false}),
        },
        // These listen to the ending alone.
        (HookAgent::Windsurf | HookAgent::KiroCli | HookAgent::Opencode, _) => {
            return match verdict {
                HookVerdict::Deny(reason) => Err(reason.clone()),
                _ => Ok(String::new()),
            };
        }
    };
    Ok(told.to_string())
}

/// Returns the denial of an event that nothing is known of: what the hook prints, and the code that it ends with.
///
/// These agents read what is printed, and some of the others only the code.
pub fn refusal(kind: HookAgent, reason: &str) -> (String, u8) {
    let told = answer(kind, "PreToolUse", &HookVerdict::Deny(reason.to_owned())).unwrap_or_default();
    let code = if matches!(kind, HookAgent::Cline | HookAgent::CopilotCli) { 0 } else { 2 };
    (told, code)
}

/// Returns the answer that allows a tool with another input. An agent that would use the tool with its own input is denied.
fn allow_confined(kind: HookAgent, event: &str, input: &Map<String, Value>) -> Result<String, String> {
    let told = match (kind, event) {
        (HookAgent::ClaudeCode, "PreToolUse") => {
            let mut told = pre_tool_use(event, "allow", "");
            told["hookSpecificOutput"]["updatedInput"] = json!(input);
            told
        }
        (HookAgent::GeminiCli, "BeforeTool") => {
            json!({"decision": "allow", "hookSpecificOutput": {"hookEventName": event, "tool_input": input}})
        }
        (HookAgent::Opencode, "tool.execute.before") => json!({"args": input}),
        _ => return answer(kind, event, &HookVerdict::Deny("It may only run confined.".to_owned())),
    };
    Ok(told.to_string())
}

/// Returns the answer that leaves the decision to the agent's own rules and prompt.
fn no_opinion(kind: HookAgent, event: &str) -> String {
    let told = match (kind, event) {
        // Cursor requires a permission. It shows no prompt for a read, and knows no other word there.
        (HookAgent::Cursor, "beforeReadFile") => json!({"permission": "allow"}),
        (HookAgent::Cursor, _) => json!({"permission": "ask"}),
        (HookAgent::Cline, _) => json!({"cancel": false}),
        (HookAgent::Windsurf | HookAgent::KiroCli | HookAgent::Opencode, _) => return String::new(),
        (
            HookAgent::ClaudeCode
            | HookAgent::VsCode
            | HookAgent::Codex
            | HookAgent::GeminiCli
            | HookAgent::CopilotCli,
            _,
        ) => json!({}),
    };
    told.to_string()
}

fn pre_tool_use(event: &str, word: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": word, "permissionDecisionReason": reason}})
}

fn permission_request(verdict: &HookVerdict) -> Value {
    let decision = match verdict {
        HookVerdict::Allow => json!({"behavior": "allow"}),
        HookVerdict::Deny(reason) => json!({"behavior": "deny", "message": reason}),
        // Without a decision its own dialog is shown.
        _ => return json!({}),
    };
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}
