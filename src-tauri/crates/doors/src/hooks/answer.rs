//! From a verdict to what the agent reads on the hook's standard output.

use super::{Kind, Verdict};
use serde_json::{Value, json};

/// The answer to an event, as one line of JSON. The hook then exits with 0.
pub fn answer(kind: Kind, event: &str, verdict: &Verdict) -> String {
    let (word, reason) = match verdict {
        Verdict::Allow => ("allow", ""),
        Verdict::Deny(reason) => ("deny", reason.as_str()),
        Verdict::HandOver => ("ask", "Postern leaves this one to you."),
    };
    let told = match (kind, event) {
        (Kind::ClaudeCode, "PermissionRequest") => permission_request(verdict),
        (Kind::ClaudeCode, _) => json!({"hookSpecificOutput": {
            "hookEventName": event, "permissionDecision": word, "permissionDecisionReason": reason}}),
        (Kind::Cursor, _) => match verdict {
            Verdict::Allow => json!({"permission": word}),
            _ => json!({"permission": word, "user_message": reason, "agent_message": reason}),
        },
        // It has no word for asking: saying nothing leaves it to its own rules.
        (Kind::GeminiCli, _) => match verdict {
            Verdict::Allow => json!({"decision": "allow"}),
            Verdict::Deny(reason) => json!({"decision": "deny", "reason": reason}),
            Verdict::HandOver => json!({}),
        },
        (Kind::CopilotCli, _) => json!({"permissionDecision": word, "permissionDecisionReason": reason}),
    };
    told.to_string()
}

fn permission_request(verdict: &Verdict) -> Value {
    let decision = match verdict {
        Verdict::Allow => json!({"behavior": "allow"}),
        Verdict::Deny(reason) => json!({"behavior": "deny", "message": reason}),
        // Without a decision its own dialog is shown.
        Verdict::HandOver => return json!({}),
    };
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}
