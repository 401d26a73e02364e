//! Hooks, as a coding agent runs them: an event on standard input, an answer on standard output.

use postern_tests::{Answer, Postern, answer_args, start};
use serde_json::{Value, json};
use std::process::{Child, Stdio};

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
    told["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn the_tool_gate_decides_and_a_person_where_it_asks() {
    let (host, _) = Postern::with_agent();
    let run = ["claude-code", "--agent", "main"];
    let read = end(host.hook(&run, &claude("Read", &json!({"file_path": "/w/a.rs"}))));
    assert_eq!((read.stdout.trim(), read.code), ("{}", 0), "a default decides nothing: {read:?}");
    let secret = end(host.hook(&run, &claude("Read", &json!({"file_path": "/w/.env"}))));
    assert_eq!(decision(&secret), "deny", "{secret:?}");
    let watch = host.watch();
    let asking = host.hook(&run, &claude("Bash", &json!({"command": "git push"})));
    let question = watch.question();
    host.ok(&answer_args("deny", &question, &["--feedback", "not on Fridays"]));
    let told = end(asking);
    assert_eq!(decision(&told), "deny");
    assert!(told.stdout.contains("not on Fridays"), "the person's words reach the agent: {told:?}");
    let mine = end(host.hook(
        &["claude-code", "--agent", "main", "--passthrough"],
        &claude("Bash", &json!({"command": "ls"})),
    ));
    assert_eq!(decision(&mine), "ask");
}

#[test]
fn whatever_goes_wrong_keeps_the_tool_from_being_used() {
    let (host, _) = Postern::with_agent();
    let odd = end(host.hook(&["claude-code", "--agent", "main"], &json!({"hook_event_name": "Stop"})));
    assert_eq!(odd.code, 2, "a hook that ends with 2 blocks: {odd:?}");
    let event = claude("Read", &json!({"file_path": "/w/a.rs"}));
    let stranger = end(host.hook(&["claude-code", "--agent", "nobody"], &event));
    assert_eq!(decision(&stranger), "deny", "{stranger:?}");
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
    assert!(unasked.stdout.contains("the agent main does not exist yet: it will be enrolled"), "{unasked:?}");
    assert!(!host.ok(&["agents", "list"]).contains("main"), "not without a yes");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    host.ok(&["hook", "install", "claude-code", "--agent", "main", "--yes"]);
    let after: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let command = after["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let data = host.data();
    let expected = format!("postern --data {} hook claude-code --agent main", data.display());
    assert!(command.ends_with(&expected), "{command}");
    assert!(
        host.ok(&["agents", "list"]).contains("main"),
        "an agent that was not there is enrolled with the yes"
    );
    assert_eq!(after["model"], "opus");
    host.ok(&["hook", "uninstall", "claude-code", "--yes"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn nothing_is_installed_for_a_postern_that_does_not_run() {
    let mut host = Postern::start();
    host.crash();
    host.fails(&["hook", "install", "claude-code", "--agent", "main", "--yes"], 3, "postern serve");
    assert!(!host.home().join(".claude/settings.json").exists());
}

#[test]
fn uninstalling_makes_the_settings_what_they_were_to_the_letter() {
    let host = Postern::start();
    let project = host.scratch("project");
    let run = |arguments: &[&str]| {
        let mut command = host.command(&[&["hook"], arguments].concat());
        let ended: Answer = command.current_dir(&project).stdin(Stdio::null()).output().unwrap().into();
        assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
    };
    let file = project.join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{\"model\" :   \"opus\",\n\"hooks\":{}}";
    std::fs::write(&file, before).unwrap();
    run(&["install", "claude-code", "--agent", "main", "--project", "--yes"]);
    run(&["install", "claude-code", "--agent", "other", "--project", "--yes"]);
    assert!(std::fs::read_to_string(&file).unwrap().contains("--agent other"));
    run(&["uninstall", "claude-code", "--project", "--yes"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    for (kind, file) in [
        ("codex", ".codex/hooks.json"),
        ("windsurf", ".windsurf/hooks.json"),
        ("vs-code", ".github/hooks/postern-vs-code.json"),
        ("copilot-cli", ".github/hooks/postern.json"),
        ("cline", ".clinerules/hooks/PreToolUse"),
        ("opencode", ".opencode/plugins/postern.js"),
    ] {
        run(&["install", kind, "--agent", "main", "--project", "--yes"]);
        assert!(std::fs::read_to_string(project.join(file)).unwrap().contains("hook"), "{kind}");
        run(&["uninstall", kind, "--project", "--yes"]);
        assert!(!project.join(file).exists(), "{kind}: there was none before");
    }
    let kiro = project.join("agent.json");
    std::fs::write(&kiro, "{ \"tools\": [\"*\"] }").unwrap();
    let kiro_file = kiro.to_str().unwrap();
    run(&["install", "kiro-cli", "--agent", "main", "--file", kiro_file, "--yes"]);
    run(&["uninstall", "kiro-cli", "--file", kiro_file, "--yes"]);
    assert_eq!(std::fs::read_to_string(&kiro).unwrap(), "{ \"tools\": [\"*\"] }");
    let left: Vec<_> = std::fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("before-postern")), "{left:?}");
}

#[test]
fn a_hook_that_is_heard_by_its_ending_ends_with_2_and_the_reason() {
    let (host, _) = Postern::with_agent();
    let event = |path: &str| json!({"agent_action_name": "pre_read_code", "trajectory_id": "t", "tool_info": {"file_path": path}});
    let run = ["windsurf", "--agent", "main"];
    let fine = end(host.hook(&run, &event("/w/a.rs")));
    assert_eq!((fine.code, fine.stdout.as_str()), (0, ""), "{fine:?}");
    let secret = end(host.hook(&run, &event("/w/.env")));
    assert!(secret.code == 2 && secret.stderr.contains("*.env"), "{secret:?}");
}

/// The plugin as opencode loads it: a module that gives hooks.
#[test]
fn the_opencode_plugin_asks_and_throws_what_is_denied() {
    let (host, _) = Postern::with_agent();
    let file = host.scratch("opencode").join("postern.mjs");
    let file = file.to_str().unwrap();
    host.ok(&["hook", "install", "opencode", "--agent", "main", "--file", file, "--yes"]);
    let program = "const { Postern } = await import(process.argv[1]);
        const hooks = await Postern({ directory: '/w' });
        const before = hooks['tool.execute.before'];
        const read = (filePath) => before({ tool: 'read', sessionID: 's', callID: 'c' }, { args: { filePath } });
        await read('/w/a.rs');
        await read('/w/.env').then(() => console.log('used'), (error) => console.log(error.message));";
    let mut node = start("node");
    node.args(["--input-type=module", "-e", program, file]).env("POSTERN_DATA", host.data());
    let Ok(ended) = node.env("HOME", host.home()).stdin(Stdio::null()).output() else {
        eprintln!("SKIPPED: there is no node to load the plugin");
        return;
    };
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(told.contains("*.env"), "{told}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(!told.contains("used"), "{told}{}", String::from_utf8_lossy(&ended.stderr));
}
