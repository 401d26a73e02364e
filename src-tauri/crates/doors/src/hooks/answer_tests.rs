use super::{HookAgent, HookVerdict, answer};
use serde_json::{Value, json};

#[test]
fn answers_have_the_shape_of_the_event() {
    let of = |kind, event: &str, verdict: HookVerdict| {
        serde_json::from_str::<Value>(&answer(kind, event, &verdict).unwrap()).unwrap()
    };
    let no = || HookVerdict::Deny("not now".to_owned());
    assert_eq!(
        of(HookAgent::ClaudeCode, "PreToolUse", no()),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "not now"}})
    );
    assert_eq!(
        of(HookAgent::ClaudeCode, "PermissionRequest", HookVerdict::Allow),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})
    );
    assert_eq!(of(HookAgent::Cursor, "beforeShellExecution", no())["permission"], "deny");
    let got = of(HookAgent::GeminiCli, "BeforeTool", no());
    assert_eq!(got, json!({"decision": "deny", "reason": "not now"}));
    let got = of(HookAgent::GeminiCli, "BeforeTool", HookVerdict::HandOver);
    assert_eq!(got, json!({}), "it is left to its own rules");
    assert_eq!(of(HookAgent::CopilotCli, "preToolUse", HookVerdict::HandOver)["permissionDecision"], "ask");
    assert_eq!(of(HookAgent::VsCode, "PreToolUse", no())["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(of(HookAgent::Codex, "PreToolUse", no())["hookSpecificOutput"]["permissionDecision"], "deny");
    let got = of(HookAgent::Codex, "PreToolUse", HookVerdict::Allow);
    assert_eq!(got, json!({}), "it takes no other word than a denial");
    assert_eq!(
        of(HookAgent::Codex, "PermissionRequest", no())["hookSpecificOutput"]["decision"],
        json!({"behavior": "deny", "message": "not now"})
    );
    assert_eq!(of(HookAgent::Cline, "PreToolUse", no()), json!({"cancel": true, "errorMessage": "not now"}));
    assert_eq!(of(HookAgent::Cline, "PreToolUse", HookVerdict::Allow), json!({"cancel": false}));
    for kind in [HookAgent::Windsurf, HookAgent::KiroCli, HookAgent::Opencode] {
        assert_eq!(
            answer(kind, "x", &no()),
            Err("not now".to_owned()),
            "{kind:?} listens to the ending alone"
        );
        assert_eq!(answer(kind, "x", &HookVerdict::Allow), Ok(String::new()));
    }
}

#[test]
fn what_may_only_run_confined_is_never_allowed_as_it_was() {
    let input = json!({"command": "confined"}).as_object().unwrap().clone();
    for kind in HookAgent::ALL {
        for event in ["PreToolUse", "PermissionRequest", "BeforeTool", "preToolUse", "beforeShellExecution"] {
            let Ok(told) = answer(kind, event, &HookVerdict::AllowConfined(input.clone())) else { continue };
            let denied = ["\"deny\"", "\"cancel\":true"].iter().any(|word| told.contains(word));
            assert!(told.contains(r#""command":"confined""#) || denied, "{kind:?} {event}: {told}");
        }
    }
}

#[test]
fn no_opinion_changes_nothing_about_what_an_agent_does_by_itself() {
    for (kind, event, expected) in [
        (HookAgent::ClaudeCode, "PreToolUse", "{}"),
        (HookAgent::ClaudeCode, "PermissionRequest", "{}"),
        (HookAgent::VsCode, "PreToolUse", "{}"),
        (HookAgent::Codex, "PreToolUse", "{}"),
        (HookAgent::Codex, "PermissionRequest", "{}"),
        (HookAgent::GeminiCli, "BeforeTool", "{}"),
        (HookAgent::CopilotCli, "preToolUse", "{}"),
        (HookAgent::Cursor, "beforeShellExecution", r#"{"permission":"ask"}"#),
        (HookAgent::Cursor, "beforeReadFile", r#"{"permission":"allow"}"#),
        (HookAgent::Cline, "PreToolUse", r#"{"cancel":false}"#),
        (HookAgent::Windsurf, "pre_run_command", ""),
        (HookAgent::KiroCli, "preToolUse", ""),
        (HookAgent::Opencode, "tool.execute.before", ""),
    ] {
        assert_eq!(answer(kind, event, &HookVerdict::NoOpinion).as_deref(), Ok(expected), "{kind:?} {event}");
    }
}
