//! Checks of an exec request before it becomes a request of ours.

use super::message::{Exec, OpenclawDecision, OpenclawRefusal};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Refuses what OpenClaw's own app refuses, in its words. `screen` is whether this process may record the screen.
pub(super) fn check_exec(exec: &Exec, screen: bool) -> Result<(), OpenclawRefusal> {
    let invalid = |what: &str| Err(OpenclawRefusal::invalid(what, "invalid"));
    let Some(program) = exec.command.first().filter(|program| !program.trim().is_empty()) else {
        return invalid("command required");
    };
    if program.trim() != program {
        return invalid("executable has surrounding whitespace");
    }
    let raw = exec.raw_command.as_deref().filter(|raw| !raw.trim().is_empty());
    if raw.is_some_and(|raw| !postern_command::stands_for(raw, &exec.command)) {
        return invalid("INVALID_REQUEST: rawCommand does not match command");
    }
    match (&exec.approval_source, exec.approval_decision) {
        (None | Some(Value::Null), _) => {}
        (Some(Value::String(source)), decision) if source == "ask-fallback" || source == "auto-review" => {
            if decision.is_some() {
                return invalid("approvalSource cannot be combined with explicit approval");
            }
        }
        (Some(_), _) => return invalid("approvalSource invalid"),
    }
    if exec.approval_decision == Some(OpenclawDecision::Deny) {
        return Err(OpenclawRefusal::unavailable("SYSTEM_RUN_DENIED: user denied", "user-denied"));
    }
    if exec.needs_screen_recording == Some(true) && !screen {
        return Err(OpenclawRefusal::unavailable(
            "PERMISSION_MISSING: screenRecording", "permission:screenRecording",
        ));
    }
    Ok(())
}

/// Returns the part of a request that makes it the same as another: everything but how it was sent.
pub(super) fn content(exec: &Exec) -> String {
    let parts = (
        &exec.command,
        &exec.cwd,
        exec.env.clone().unwrap_or_default(),
        exec.timeout_ms,
        &exec.agent_id,
        &exec.session_key,
    );
    // Texts and numbers: it cannot fail.
    let bytes = serde_json::to_vec(&parts).unwrap_or_default();
    format!("exec:{}", postern_protocol::encode_hex(&Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::{check_exec, content};
    use crate::openclaw::message::Exec;
    use serde_json::{Value, json};

    fn exec(more: &Value) -> Exec {
        let mut all = json!({"command": ["/bin/echo", "hi there"]});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(all).unwrap()
    }

    fn reason(more: &Value) -> Option<String> {
        check_exec(&exec(more), false)
            .err()
            .map(|refusal| format!("{} / {}", refusal.message, refusal.reason))
    }

    #[test]
    fn what_openclaw_refuses_is_refused_in_its_words() {
        let cases = [
            (json!({"command": []}), "command required / invalid"),
            (json!({"command": ["  "]}), "command required / invalid"),
            (json!({"command": [" ls"]}), "executable has surrounding whitespace / invalid"),
            (
                json!({"rawCommand": "/bin/echo hi"}),
                "INVALID_REQUEST: rawCommand does not match command / invalid",
            ),
            (json!({"approvalSource": "me"}), "approvalSource invalid / invalid"),
            (json!({"approvalSource": 7}), "approvalSource invalid / invalid"),
            (
                json!({"approvalSource": "auto-review", "approvalDecision": "allow-once"}),
                "approvalSource cannot be combined with explicit approval / invalid",
            ),
            (json!({"approvalDecision": "deny"}), "SYSTEM_RUN_DENIED: user denied / user-denied"),
            (
                json!({"needsScreenRecording": true}),
                "PERMISSION_MISSING: screenRecording / permission:screenRecording",
            ),
        ];
        for (more, expected) in cases {
            assert_eq!(reason(&more).as_deref(), Some(expected), "{more}");
        }
    }

    #[test]
    fn what_is_right_passes() {
        let cases = [
            json!({}),
            json!({"rawCommand": null, "approvalSource": null, "unknown": [1]}),
            json!({"rawCommand": "/bin/echo \"hi there\""}),
            json!({"command": ["/bin/sh", "-lc", "ls | wc"], "rawCommand": "ls | wc"}),
            json!({"approvalDecision": "allow-always"}),
        ];
        for more in cases {
            assert_eq!(reason(&more), None, "{more}");
        }
    }

    #[test]
    fn the_same_request_is_the_same_however_it_was_sent() {
        let of = |more: &Value| content(&exec(more));
        assert_eq!(of(&json!({})), of(&json!({"rawCommand": "/bin/echo 'hi there'", "env": {}})));
        for other in [
            json!({"cwd": "/"}),
            json!({"env": {"A": "1"}}),
            json!({"sessionKey": "s"}),
            json!({"command": ["ls"]}),
        ] {
            assert_ne!(of(&json!({})), of(&other), "{other}");
        }
    }
}
