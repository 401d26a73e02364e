use super::HookAgent::{
    self, ClaudeCode, Cline, Codex, CopilotCli, Cursor, GeminiCli, KiroCli, Opencode, VsCode, Windsurf,
};
use super::{ToolClass, deadline, install, parse_event, refusal};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

#[expect(unreachable_pub, reason = "public in its own crate")]
#[path = "../../../../../fuzz/src/tools.rs"]
mod target;

/// The fuzz target on stable.
#[test]
fn every_entry_of_the_tools_corpus_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus/tools");
    let entries: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(entries.len() > 10, "{} holds a corpus", folder.display());
    for entry in entries {
        let data = std::fs::read(&entry).unwrap();
        let holds = std::panic::catch_unwind(|| target::check(&data));
        assert!(holds.is_ok(), "{}", entry.display());
    }
}

fn asked(kind: HookAgent, event: &Value) -> (String, Value) {
    let asked = parse_event(kind, &event.to_string()).unwrap();
    (asked.tool, Value::Object(asked.arguments))
}

#[test]
fn a_tool_of_a_server_comes_with_its_server_and_is_never_harmless() {
    let context = json!({"server_name": "my fs", "tool_name": "think"});
    let pre = |tool: &str| json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {}});
    let cline =
        json!({"toolName": "use_mcp_tool", "parameters": {"server_name": "my fs", "tool_name": "think"}});
    let windsurf = json!({"mcp_server_name": "my fs", "mcp_tool_name": "think"});
    let cursor = |place: &str| {
        let mut event =
            json!({"hook_event_name": "beforeMCPExecution", "tool_name": "think", "tool_input": "{}"});
        event[place] = json!("https://mcp.example");
        event
    };
    for (kind, event, tool, server) in [
        (ClaudeCode, pre("mcp__my fs__think"), "my_fs_think", Some("my fs")),
        (Codex, pre("mcp__fs__think"), "fs_think", Some("fs")),
        (VsCode, pre("mcp__fs__think"), "fs_think", Some("fs")),
        (
            GeminiCli,
            json!({"tool_name": "x", "tool_input": {}, "mcp_context": context}),
            "my_fs_think",
            Some("my fs"),
        ),
        (Cursor, cursor("url"), "think", Some("https://mcp.example")),
        (Cursor, cursor("command"), "think", Some("https://mcp.example")),
        (Cursor, cursor("other"), "think", None),
        (Cline, json!({"preToolUse": cline}), "my_fs_think", Some("my fs")),
        (
            Windsurf,
            json!({"agent_action_name": "pre_mcp_tool_use", "tool_info": windsurf}),
            "my_fs_think",
            Some("my fs"),
        ),
        (
            KiroCli,
            json!({"hook_event_name": "preToolUse", "tool_name": "@fs/think", "tool_input": {}}),
            "fs_think",
            Some("fs"),
        ),
    ] {
        let asked = parse_event(kind, &event.to_string()).unwrap();
        assert_eq!((asked.tool.as_str(), asked.server.as_deref()), (tool, server), "{event}");
        assert_eq!(asked.class, ToolClass::Gate, "a server may name its tool as it likes: {event}");
    }
    let own = parse_event(ClaudeCode, &pre("TodoWrite").to_string()).unwrap();
    assert_eq!((own.server, own.class), (None, ToolClass::Harmless));
}

#[test]
fn each_agents_tools_come_under_the_names_of_the_permissions_file() {
    let claude = |tool: &str, input: Value| {
        asked(
            ClaudeCode,
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
    assert_eq!(asked(GeminiCli, &gemini), ("shell_exec".to_owned(), json!({"command": "ls"})));

    let cursor = json!({"conversation_id": "c", "hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w"});
    let got = asked(Cursor, &cursor);
    assert_eq!(got, ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"})));
    let cursor = json!({"hook_event_name": "beforeReadFile", "file_path": "/etc/passwd", "content": "x"});
    assert_eq!(asked(Cursor, &cursor), ("read_file".to_owned(), json!({"path": "/etc/passwd"})));
    let cursor =
        json!({"hook_event_name": "beforeMCPExecution", "tool_name": "go", "tool_input": "{\"a\":1}"});
    assert_eq!(asked(Cursor, &cursor), ("go".to_owned(), json!({"a": 1})));

    let copilot =
        json!({"timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"});
    let got = asked(CopilotCli, &copilot);
    assert_eq!(got, ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"})));
}

#[test]
fn so_do_those_of_agents_that_say_it_in_their_own_way() {
    let shell = || ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"}));
    let codex = json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    assert_eq!(asked(Codex, &codex), shell());
    let code = json!({"sessionId": "s", "cwd": "/w", "hookEventName": "PreToolUse", "tool_name": "run_in_terminal",
        "tool_input": {"command": "ls"}});
    assert_eq!(asked(VsCode, &code), shell());
    let code =
        json!({"hookEventName": "PreToolUse", "tool_name": "create_file", "tool_input": {"filePath": "/a"}});
    assert_eq!(asked(VsCode, &code), ("write_file".to_owned(), json!({"path": "/a"})));

    let windsurf = |action: &str, info: Value| {
        asked(Windsurf, &json!({"agent_action_name": action, "trajectory_id": "t", "tool_info": info}))
    };
    assert_eq!(windsurf("pre_run_command", json!({"command_line": "ls", "cwd": "/w"})), shell());
    assert_eq!(
        windsurf("pre_read_code", json!({"file_path": "/a"})),
        ("read_file".to_owned(), json!({"path": "/a"}))
    );
    assert_eq!(windsurf("pre_write_code", json!({"file_path": "/a", "edits": []})).0, "edit_file");
    let used = json!({"mcp_server_name": "my fs", "mcp_tool_name": "read", "mcp_tool_arguments": {"a": 1}});
    assert_eq!(windsurf("pre_mcp_tool_use", used), ("my_fs_read".to_owned(), json!({"a": 1})));

    let cline = |tool: &str, parameters: Value| {
        let asks = json!({"toolName": tool, "parameters": parameters});
        asked(
            Cline,
            &json!({"hookName": "PreToolUse", "taskId": "t", "workspaceRoots": ["/w"], "preToolUse": asks}),
        )
    };
    assert_eq!(cline("execute_command", json!({"command": "ls"})), shell());
    assert_eq!(cline("write_to_file", json!({"path": "a", "content": ""})).0, "write_file");
    let used = json!({"server_name": "fs", "tool_name": "read", "arguments": "{\"a\":1}"});
    assert_eq!(cline("use_mcp_tool", used), ("fs_read".to_owned(), json!({"a": 1})));

    let kiro = |tool: &str| {
        let event = json!({"hook_event_name": "preToolUse", "cwd": "/w", "tool_name": tool, "tool_input": {"command": "ls"}});
        asked(KiroCli, &event)
    };
    assert_eq!((kiro("execute_bash"), kiro("shell")), (shell(), shell()));

    let open = json!({"hook_event_name": "tool.execute.before", "session_id": "s", "cwd": "/w", "tool_name": "read",
        "tool_input": {"filePath": "/a"}});
    assert_eq!(asked(Opencode, &open), ("read_file".to_owned(), json!({"path": "/a"})));
}

fn event_of(kind: HookAgent, tool: &str, input: &Value) -> Value {
    match kind {
        CopilotCli => json!({"cwd": "/w", "toolName": tool, "toolArgs": input.to_string()}),
        Cline => {
            json!({"workspaceRoots": ["/w"], "preToolUse": {"toolName": tool, "parameters": input}})
        }
        _ => {
            let name = match kind {
                GeminiCli => "BeforeTool",
                Opencode => "tool.execute.before",
                Cursor | KiroCli => "preToolUse",
                _ => "PreToolUse",
            };
            json!({"hook_event_name": name, "cwd": "/w", "tool_name": tool, "tool_input": input})
        }
    }
}

/// Tools that agents have under names of their own.
const OWN_TOOLS: [&str; 14] = [
    "Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Skill", "Write", "apply_patch", "create_file",
    "edit", "grep_search", "read", "read_many_files",
];

proptest! {
    /// No value is thrown away before it is judged: a model may put one name of a path beside another.
    #[test]
    fn every_text_that_an_agent_is_given_is_judged(
        kind in prop::sample::select(HookAgent::ALL.to_vec()),
        tool in prop::sample::select(OWN_TOOLS.to_vec()),
        names in prop::collection::btree_set(
            "path|file_path|filePath|absolute_path|notebook_path|dir_path|name|skill|patch|patchText|include|x", 1..6),
    ) {
        prop_assume!(kind != Windsurf);
        let input = names.iter().map(|name| (name.clone(), json!(format!("/value/of/{name}"))));
        let event = event_of(kind, tool, &Value::Object(input.collect()));
        let judged = Value::Object(parse_event(kind, &event.to_string()).unwrap().arguments).to_string();
        for name in &names {
            let value = format!("\"/value/of/{name}\"");
            prop_assert!(judged.contains(&value), "{kind:?} {tool}: {value} is not in {judged}");
        }
    }
}

#[test]
fn a_command_by_another_name_or_in_words_is_one_of_the_agents_shell() {
    for (tool, input) in [
        ("Bash", json!({"command": "ls"})),
        ("exec_command", json!({"cmd": "ls"})),
        ("local_shell", json!({"command": ["ls"]})),
        ("shell", json!({"command": ["ls"]})),
    ] {
        let expected = ("shell_exec".to_owned(), json!({"command": "ls", "cwd": "/w"}));
        assert_eq!(asked(Codex, &event_of(Codex, tool, &input)), expected, "{tool}");
    }
    let both = json!({"command": "ls", "cmd": "rm x"});
    let (tool, arguments) = asked(Codex, &event_of(Codex, "Bash", &both));
    let kept = json!({"command": "ls", "cmd": "rm x", "cwd": "/w"});
    assert_eq!((tool.as_str(), arguments), ("shell_exec", kept), "no argument is thrown away");
}

#[test]
fn a_patch_is_an_edit_by_every_agent() {
    for kind in HookAgent::ALL.into_iter().filter(|kind| *kind != Windsurf) {
        for name in ["patchText", "input", "command", "path"] {
            let input = json!({name: "*** Add File:.envrc"});
            let asked = parse_event(kind, &event_of(kind, "apply_patch", &input).to_string()).unwrap();
            assert_eq!((asked.tool.as_str(), asked.class), ("edit_file", ToolClass::Gate), "{kind:?}");
            assert_eq!(Value::Object(asked.arguments), json!({"patch": input}), "{kind:?}");
        }
    }
}

#[test]
fn a_tool_of_a_server_never_has_the_name_of_an_agents_own() {
    for (kind, tool) in [
        (ClaudeCode, "mcp__read__file"),
        (Codex, "mcp__write__file"),
        (VsCode, "mcp__shell__exec"),
        (KiroCli, "@edit/file"),
    ] {
        let (tool, _) = asked(kind, &event_of(kind, tool, &json!({"command": "ls"})));
        assert!(tool.starts_with("mcp_"), "{kind:?}: {tool}");
    }
    let cursor =
        json!({"hook_event_name": "beforeMCPExecution", "tool_name": "read_file", "tool_input": "{}"});
    assert_eq!(asked(Cursor, &cursor).0, "mcp_read_file");
}

#[test]
fn what_opencode_fetches_without_a_prompt_is_asked_about() {
    for tool in ["webfetch", "websearch", "apply_patch"] {
        let class = |kind| parse_event(kind, &event_of(kind, tool, &json!({})).to_string()).unwrap().class;
        assert_eq!(class(Opencode), ToolClass::Gate, "{tool}");
    }
    let event = event_of(Opencode, "todowrite", &json!({})).to_string();
    assert_eq!(parse_event(Opencode, &event).unwrap().class, ToolClass::Harmless);
}

#[test]
fn what_is_fetched_in_a_mode_without_prompts_is_asked_about() {
    let class = |kind, tool: &str, mode: &str| {
        let mut event = event_of(kind, tool, &json!({}));
        event["permission_mode"] = json!(mode);
        parse_event(kind, &event.to_string()).unwrap().class
    };
    for kind in [ClaudeCode, Codex, VsCode] {
        for tool in ["WebFetch", "WebSearch", "web_search", "fetch_webpage"] {
            assert_eq!(class(kind, tool, "bypassPermissions"), ToolClass::Gate, "{kind:?} {tool}");
            assert_eq!(class(kind, tool, "default"), ToolClass::OwnPrompt, "{kind:?} {tool}");
        }
        let got = class(kind, "Task", "bypassPermissions");
        assert_eq!(got, ToolClass::OwnPrompt, "its tools are asked about");
        assert_eq!(class(kind, "TodoWrite", "bypassPermissions"), ToolClass::Harmless);
    }
}

#[test]
fn cursor_asks_about_writes_and_about_what_is_attached_to_a_read() {
    let settings: Value = serde_json::from_str(&install(Cursor, "", "x").unwrap()).unwrap();
    let entry = &settings["hooks"]["preToolUse"][0];
    let tools = entry["matcher"].as_str().unwrap();
    assert!(["Write", "Edit", "StrReplace", "Delete", "ApplyPatch"].iter().all(|tool| tools.contains(tool)));
    assert!(!tools.contains("Shell") && !tools.contains("Read"), "other events ask about these: {tools}");
    for event in ["beforeShellExecution", "preToolUse"] {
        let entry = &settings["hooks"][event][0];
        assert_eq!((&entry["failClosed"], &entry["timeout"]), (&json!(true), &json!(1800)), "{event}");
    }
    let attached = json!([{"type": "file", "filePath": "/home/u/.ssh/id_rsa"}]);
    let read = json!({"hook_event_name": "beforeReadFile", "file_path": "/a", "attachments": attached});
    let expected = json!({"path": "/a", "attachments": attached});
    assert_eq!(asked(Cursor, &read), ("read_file".to_owned(), expected));
}

#[test]
fn every_agent_is_denied_what_its_hook_cannot_read_or_answer_in_time() {
    for kind in HookAgent::ALL {
        let (told, code) = refusal(kind, "no event");
        let says_no = ["\"deny\"", "\"cancel\":true"].iter().any(|word| told.contains(word));
        assert!(code == 2 || says_no, "{kind:?}: {told} {code}");
        assert!(told.is_empty() || serde_json::from_str::<Value>(&told).is_ok(), "{kind:?}: {told}");
    }
    let (told, _) = refusal(Cline, "no event");
    assert!(told.contains("\"cancel\":true"), "it looks at nothing else than what is printed: {told}");
    assert!(deadline(Cline) < Duration::from_mins(2));
    let written = install(ClaudeCode, "", "x").unwrap();
    assert!(written.contains("\"timeout\": 1800"), "{written}");
    assert!(written.contains("\"onFailure\": \"block\""), "{written}");
    for kind in HookAgent::ALL {
        assert!(deadline(kind) < Duration::from_mins(30), "{kind:?}");
    }
}

#[test]
fn a_command_is_judged_in_the_folder_that_its_agent_runs_it_in() {
    let read = |kind: HookAgent, input: Value| {
        let event = match kind {
            CopilotCli => json!({"cwd": "/w", "toolName": "bash", "toolArgs": input}),
            GeminiCli => {
                json!({"cwd": "/w", "tool_name": "run_shell_command", "tool_input": input})
            }
            Opencode => {
                json!({"hook_event_name": "tool.execute.before", "cwd": "/w", "tool_name": "bash",
                    "tool_input": input})
            }
            _ => {
                json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": "Bash", "tool_input": input})
            }
        };
        parse_event(kind, &event.to_string()).map(|asked| Value::Object(asked.arguments))
    };
    for (kind, own) in [(GeminiCli, "dir_path"), (Opencode, "workdir")] {
        for (named, folder) in [("sub", "/w/sub"), ("/other", "/other"), ("../up", "/w/../up")] {
            let told = read(kind, json!({"command": "./x", own: named})).unwrap();
            assert_eq!(told, json!({"command": "./x", "cwd": folder}), "{kind:?}");
        }
        let odd = read(kind, json!({"command": "./x", own: ["/other"]})).unwrap_err().to_string();
        assert!(odd.contains("[\"/other\"]"), "{odd}");
    }
    let kinds = [ClaudeCode, Codex, CopilotCli, GeminiCli, Opencode, VsCode];
    for kind in kinds {
        let same = read(kind, json!({"command": "./x", "cwd": "/w"})).unwrap();
        assert_eq!(same, json!({"command": "./x", "cwd": "/w"}), "{kind:?}");
        let odd = read(kind, json!({"command": "./x", "cwd": "/other"})).unwrap_err().to_string();
        assert!(odd.contains("\"/other\"") && odd.contains("leave it out"), "{kind:?}: {odd}");
    }
}

#[test]
fn what_is_no_event_is_named() {
    let cases = [
        (ClaudeCode, "hello", "not JSON (line 1"),
        (ClaudeCode, r#"{"tool_name":"Bash"}"#, "hook_event_name"),
        (ClaudeCode, r#"{"hook_event_name":"Stop"}"#, "PreToolUse"),
        (Cursor, r#"{"hook_event_name":"beforeShellExecution"}"#, "command"),
        (Cursor, r#"{"hook_event_name":"stop"}"#, "beforeShellExecution"),
        (GeminiCli, "{}", "tool_name"),
        (CopilotCli, "{}", "toolName"),
        (Codex, r#"{"hook_event_name":"Stop"}"#, "PermissionRequest"),
        (Windsurf, r#"{"agent_action_name":"post_run_command","tool_info":{}}"#, "pre_run_command"),
        (Windsurf, r#"{"agent_action_name":"pre_run_command"}"#, "command_line"),
        (Cline, r#"{"hookName":"TaskStart"}"#, "preToolUse"),
        (KiroCli, r#"{"hook_event_name":"stop"}"#, "preToolUse"),
        (Opencode, r#"{"hook_event_name":"tool.execute.before"}"#, "tool_name"),
    ];
    for (kind, text, word) in cases {
        let error = parse_event(kind, text).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(kind.name()), "{text}: {error}");
    }
}

#[test]
fn who_decides_by_default_goes_by_the_tool() {
    let of = |tool: &str| {
        let event =
            json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": tool, "tool_input": {}});
        let asked = parse_event(ClaudeCode, &event.to_string()).unwrap();
        assert_eq!(asked.cwd.as_deref(), Some("/w"));
        asked.class
    };
    for tool in ["TodoWrite", "ExitPlanMode", "AskUserQuestion", "update_plan", "write_todos"] {
        assert_eq!(of(tool), ToolClass::Harmless, "{tool}");
    }
    for tool in ["Task", "WebFetch", "WebSearch", "LS"] {
        assert_eq!(of(tool), ToolClass::OwnPrompt, "{tool}");
    }
    for tool in ["Bash", "Monitor", "Write", "Read", "mcp__x__TodoWrite", "todowrite2", "SomethingNew"] {
        assert_eq!(of(tool), ToolClass::Gate, "{tool}");
    }
}
