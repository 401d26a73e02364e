use super::HookAgent::{
    self, ClaudeCode, Cline, Codex, CopilotCli, Cursor, GeminiCli, KiroCli, Opencode, VsCode, Windsurf,
};
use super::{ToolClass, deadline, install, parse_event, refusal};
use proptest::prelude::*;
use serde::Deserialize;
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

/// Event of an agent, with the tool that it asks for or what is wrong with it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventCase {
    agent: String,
    /// Event as its agent writes it, or a text that is none.
    event: Value,
    #[serde(default)]
    tool: String,
    arguments: Option<Value>,
    /// True for a tool of an MCP server, which may name its tool as it likes.
    #[serde(default)]
    of_server: bool,
    server: Option<String>,
    /// Words about what is wrong.
    odd: Option<Vec<String>>,
}

#[test]
fn each_agents_tools_come_under_the_names_of_the_permissions_file() {
    for row in include_str!("events.jsonl").lines() {
        let case: EventCase = serde_json::from_str(row).unwrap_or_else(|error| panic!("{row}: {error}"));
        let text = case.event.as_str().map_or_else(|| case.event.to_string(), str::to_owned);
        let asked = parse_event(HookAgent::from_name(&case.agent).unwrap(), &text);
        if let Some(words) = case.odd {
            let odd = asked.unwrap_err().to_string();
            assert!(words.iter().all(|word| odd.contains(word.as_str())), "{row}: {odd}");
            continue;
        }
        let asked = asked.unwrap_or_else(|odd| panic!("{row}: {odd}"));
        assert_eq!(asked.tool, case.tool, "{row}");
        if let Some(arguments) = case.arguments {
            assert_eq!(Value::Object(asked.arguments), arguments, "{row}");
        }
        if case.of_server {
            assert_eq!((asked.server, asked.class), (case.server, ToolClass::Gate), "{row}");
        }
    }
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
fn cursor_asks_about_writes() {
    let settings: Value = serde_json::from_str(&install(Cursor, "", "x").unwrap()).unwrap();
    let entry = &settings["hooks"]["preToolUse"][0];
    let tools = entry["matcher"].as_str().unwrap();
    assert!(["Write", "Edit", "StrReplace", "Delete", "ApplyPatch"].iter().all(|tool| tools.contains(tool)));
    assert!(!tools.contains("Shell") && !tools.contains("Read"), "other events ask about these: {tools}");
    for event in ["beforeShellExecution", "preToolUse"] {
        let entry = &settings["hooks"][event][0];
        assert_eq!((&entry["failClosed"], &entry["timeout"]), (&json!(true), &json!(1800)), "{event}");
    }
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
