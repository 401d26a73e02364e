use super::{Kind, Verdict, answer, install, read, uninstall};
use serde_json::{Value, json};

fn asked(kind: Kind, event: &Value) -> (String, Value) {
    let asked = read(kind, &event.to_string()).unwrap();
    (asked.tool, Value::Object(asked.arguments))
}

#[test]
fn each_agents_tools_come_under_the_names_of_the_permissions_file() {
    let claude = |tool: &str, input: Value| {
        asked(
            Kind::ClaudeCode,
            &json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}),
        )
    };
    let bash = claude("Bash", json!({"command": "ls", "description": "list"}));
    assert_eq!(bash, ("shell_exec".to_owned(), json!({"command": "ls", "description": "list", "cwd": "/w"})));
    assert_eq!(
        claude("Read", json!({"file_path": "/a"})),
        ("read_file".to_owned(), json!({"file_path": "/a"}))
    );
    assert_eq!(
        claude("NotebookEdit", json!({"notebook_path": "/n"})),
        ("edit_file".to_owned(), json!({"path": "/n"}))
    );
    assert_eq!(claude("Skill", json!({"skill": "pdf"})), ("skill".to_owned(), json!({"name": "pdf"})));
    assert_eq!(claude("mcp__file system__read.it", json!({})).0, "file_system_read_it");
    assert_eq!(
        claude("WebFetch", json!({"url": "https://x"})).0,
        "WebFetch",
        "what is not known keeps its name"
    );

    let gemini = json!({"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "tool_input": {"command": "ls"}});
    assert_eq!(asked(Kind::GeminiCli, &gemini), ("shell_exec".to_owned(), json!({"command": "ls"})));
    let gemini = json!({"tool_name": "x", "tool_input": {}, "mcp_context": {"server_name": "fs", "tool_name": "read"}});
    assert_eq!(asked(Kind::GeminiCli, &gemini).0, "fs_read");

    let cursor = json!({"conversation_id": "c", "hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w"});
    assert_eq!(
        asked(Kind::Cursor, &cursor),
        ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"}))
    );
    let cursor = json!({"hook_event_name": "beforeReadFile", "file_path": "/etc/passwd", "content": "x"});
    assert_eq!(asked(Kind::Cursor, &cursor), ("read_file".to_owned(), json!({"path": "/etc/passwd"})));
    let cursor =
        json!({"hook_event_name": "beforeMCPExecution", "tool_name": "go", "tool_input": "{\"a\":1}"});
    assert_eq!(asked(Kind::Cursor, &cursor), ("go".to_owned(), json!({"a": 1})));

    let copilot =
        json!({"timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"});
    assert_eq!(
        asked(Kind::CopilotCli, &copilot),
        ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"}))
    );
}

#[test]
fn what_is_no_event_is_named() {
    let cases = [
        (Kind::ClaudeCode, "hello", "expected value"),
        (Kind::ClaudeCode, r#"{"tool_name":"Bash"}"#, "hook_event_name"),
        (Kind::ClaudeCode, r#"{"hook_event_name":"Stop"}"#, "PreToolUse"),
        (Kind::Cursor, r#"{"hook_event_name":"beforeShellExecution"}"#, "command"),
        (Kind::Cursor, r#"{"hook_event_name":"stop"}"#, "beforeShellExecution"),
        (Kind::GeminiCli, "{}", "tool_name"),
        (Kind::CopilotCli, "{}", "toolName"),
    ];
    for (kind, text, word) in cases {
        let error = read(kind, text).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(kind.name()), "{text}: {error}");
    }
}

#[test]
fn answers_have_the_shape_of_the_event() {
    let of = |kind, event: &str, verdict: Verdict| {
        serde_json::from_str::<Value>(&answer(kind, event, &verdict)).unwrap()
    };
    let no = || Verdict::Deny("not now".to_owned());
    assert_eq!(
        of(Kind::ClaudeCode, "PreToolUse", no()),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "not now"}})
    );
    assert_eq!(
        of(Kind::ClaudeCode, "PermissionRequest", Verdict::Allow),
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})
    );
    assert_eq!(of(Kind::Cursor, "beforeShellExecution", no())["permission"], "deny");
    assert_eq!(of(Kind::GeminiCli, "BeforeTool", no()), json!({"decision": "deny", "reason": "not now"}));
    assert_eq!(
        of(Kind::GeminiCli, "BeforeTool", Verdict::HandOver),
        json!({}),
        "it is left to its own rules"
    );
    assert_eq!(of(Kind::CopilotCli, "preToolUse", Verdict::HandOver)["permissionDecision"], "ask");
}

#[test]
fn installing_twice_is_installing_once_and_undoing_leaves_what_was_there() {
    for kind in Kind::ALL {
        let before =
            "{\n  \"zebra\": 1,\n  \"hooks\": {\n    \"Other\": [\n      1\n    ]\n  },\n  \"apple\": 2\n}\n";
        let command = format!("/usr/bin/postern hook {} --agent main", kind.name());
        let once = install(kind, before, &command).unwrap();
        assert_eq!(install(kind, &once, &command).unwrap(), once, "{kind:?}");
        assert!(once.contains(&command) && once.contains("zebra"), "{once}");
        let undone = uninstall(kind, &once).unwrap();
        let mut expected: Value = serde_json::from_str(before).unwrap();
        if once.contains("\"version\"") {
            expected["version"] = json!(1);
        }
        assert_eq!(serde_json::from_str::<Value>(&undone).unwrap(), expected, "{kind:?}");
        assert!(undone.find("zebra") < undone.find("apple"), "what was there keeps its order");
    }
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let error = install(Kind::ClaudeCode, "{\n  // mine\n}", "x").unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
    assert!(install(Kind::Cursor, r#"{"hooks": 3}"#, "x").is_err());
    assert!(install(Kind::Cursor, "", "x").unwrap().contains("beforeShellExecution"), "none yet is empty");
}
