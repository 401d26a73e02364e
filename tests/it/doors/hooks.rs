//! Hooks, as a coding agent runs them: an event on standard input, an answer on standard output.

use postern_tests::{Answer, Postern};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Child, Stdio};

/// A hook on its way.
fn hook(host: &Postern, arguments: &[&str], event: &Value) -> Child {
    let mut all = vec!["hook"];
    all.extend(arguments);
    let mut child = host
        .command(&all)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    child
}

fn end(child: Child) -> Answer {
    child.wait_with_output().unwrap().into()
}

fn claude(tool: &str, input: &Value) -> Value {
    json!({"session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input})
}

fn decision(answer: &Answer) -> String {
    let told: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    told["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
}

#[test]
fn the_tool_gate_decides_and_a_person_where_it_asks() {
    let host = Postern::start();
    host.enrol("main");
    let run = ["claude-code", "--agent", "main"];
    let read = end(hook(&host, &run, &claude("Read", &json!({"file_path": "/w/a.rs"}))));
    assert_eq!((decision(&read).as_str(), read.code), ("allow", 0));
    let secret = end(hook(&host, &run, &claude("Read", &json!({"file_path": "/w/.env"}))));
    assert_eq!(decision(&secret), "deny", "{secret:?}");
    let watch = host.watch();
    let asking = hook(&host, &run, &claude("Bash", &json!({"command": "git push"})));
    let question = watch.question();
    let (code, digest) = (question["code"].as_str().unwrap(), question["digest"].as_str().unwrap());
    host.ok(&["deny", code, "--digest", digest, "--feedback", "not on Fridays"]);
    let told = end(asking);
    assert_eq!(decision(&told), "deny");
    assert!(told.stdout.contains("not on Fridays"), "the person's words reach the agent: {told:?}");
    let mine = end(hook(
        &host,
        &["claude-code", "--agent", "main", "--hand-over"],
        &claude("Bash", &json!({"command": "ls"})),
    ));
    assert_eq!(decision(&mine), "ask");
}

#[test]
fn whatever_goes_wrong_keeps_the_tool_from_being_used() {
    let mut host = Postern::start();
    host.enrol("main");
    let odd = end(hook(&host, &["claude-code", "--agent", "main"], &json!({"hook_event_name": "Stop"})));
    assert_eq!(odd.code, 2, "a hook that ends with 2 blocks: {odd:?}");
    let event = claude("Read", &json!({"file_path": "/w/a.rs"}));
    let stranger = end(hook(&host, &["claude-code", "--agent", "nobody"], &event));
    assert_eq!(decision(&stranger), "deny", "{stranger:?}");
    host.crash();
    let alone = end(hook(&host, &["claude-code", "--agent", "main"], &event));
    assert_eq!(decision(&alone), "deny", "{alone:?}");
    assert!(alone.stdout.contains("postern serve"), "and it says what to do: {alone:?}");
}

#[test]
fn installing_shows_the_change_and_can_be_undone() {
    let host = Postern::start();
    let file = host.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{\n  \"model\": \"opus\"\n}\n";
    std::fs::write(&file, before).unwrap();
    let unasked = host.run(&["hook", "install", "claude-code", "--agent", "main"]);
    assert_ne!(unasked.code, 0, "nobody said yes: {unasked:?}");
    assert!(unasked.stdout.contains('+') && unasked.stdout.contains("PreToolUse"), "{unasked:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    host.ok(&["hook", "install", "claude-code", "--agent", "main", "--yes"]);
    let after: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let command = after["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("postern hook claude-code --agent main"), "{command}");
    assert_eq!(after["model"], "opus");
    host.ok(&["hook", "uninstall", "claude-code", "--yes"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}
