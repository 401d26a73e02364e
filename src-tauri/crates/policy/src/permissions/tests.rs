use super::{DEFAULT_FILE, FileLayer, check_tool};
use crate::{AgentId, AgentPolicy, Decision, SessionLayers, Settings};
use serde_json::{Value, json};

const HOME: &str = "/home/user";

fn policy(text: &str) -> AgentPolicy {
    let file = Some(FileLayer::parse(text, HOME).unwrap());
    AgentPolicy { file, ..AgentPolicy::new(AgentId::new("main").unwrap(), Settings::default()) }
}

fn check(text: &str, tool: &str, arguments: &Value) -> Decision {
    check_tool(&policy(text), None, tool, arguments, HOME).decision
}

use Decision::{Allow, Ask, Deny};

#[test]
fn the_default_file_does_what_it_says() {
    for (tool, arguments, expected) in [
        ("read_file", json!({ "path": "src/main.rs" }), Allow),
        ("read_file", json!({ "file_path": "src/main.rs" }), Allow),
        ("read_file", json!({ "path": ".env" }), Deny),
        ("read_file", json!({ "path": "deploy/prod.env" }), Deny),
        ("read_file", json!({ "path": "/x/.env.local" }), Deny),
        ("read_file", json!({ "path": "x/.ENV" }), Deny),
        ("read_file", json!({ "path": "x/./y/../.env" }), Deny),
        ("read_file", json!({ "path": ".env/" }), Deny),
        ("read_file", json!({ "path": "aws_credentials.json" }), Deny),
        ("read_file", json!({ "path": "my-secrets/x" }), Deny),
        ("read_file", json!({ "path": ".env.example" }), Allow),
        ("read_file", json!({}), Ask),
        ("write_file", json!({ "path": "my-secrets/x" }), Allow),
        ("edit_file", json!({ "path": "a.env" }), Deny),
        ("glob", json!({ "pattern": "**/*.rs" }), Allow),
        ("grep", json!({ "path": "src" }), Allow),
        ("grep", json!({}), Allow),
        ("skill", json!({ "name": "bird" }), Ask),
        ("filesystem_read_file", json!({ "path": "x" }), Ask),
        ("shell_exec", json!({ "command": "git status" }), Ask),
    ] {
        assert_eq!(check(DEFAULT_FILE, tool, &arguments), expected, "{tool} {arguments}");
    }
}

#[test]
fn the_last_match_wins_and_home_is_expanded() {
    let text = r#"{
        "*": "ask",
        "write_file": { "*": "allow", "$HOME/.ssh/*": "deny", "~/projects/*": "allow", "/etc/*": "deny" },
        "my_tool": "allow",
        "filesystem_*": "deny"
    }"#;
    for (tool, arguments, expected) in [
        ("write_file", json!({ "path": "/home/user/.ssh/id" }), Deny),
        ("write_file", json!({ "path": "~/.ssh/id" }), Deny),
        ("write_file", json!({ "path": "/home/user/projects/../.ssh/id" }), Deny),
        ("write_file", json!({ "path": "/home/user/projects/a/b" }), Allow),
        ("write_file", json!({ "path": "/etc/hosts" }), Deny),
        ("my_tool", json!({}), Allow),
        ("filesystem_read_file", json!({}), Deny),
        ("other", json!({}), Ask),
    ] {
        assert_eq!(check(text, tool, &arguments), expected, "{tool} {arguments}");
    }
    assert_eq!(
        check(r#"{ "a": "deny", "*": "allow" }"#, "a", &json!({})),
        Allow,
        "a last catch-all overrides"
    );
    assert_eq!(check("{}", "a", &json!({})), Ask, "no rule asks");
}

#[test]
fn every_command_of_a_line_is_judged_by_itself() {
    let text = r#"{ "shell_exec": { "*": "ask", "git status": "allow", "npm test *": "allow", "ls *": "allow", "git push *": "deny" } }"#;
    for (command, expected) in [
        ("git status", Allow),
        ("npm test", Allow),
        ("npm test a b", Allow),
        ("git status && ls -la | ls", Allow),
        ("git status; rm x", Ask),
        ("git status && git -C x push", Deny),
        ("ls > x", Ask),
        ("ls $(git status)", Allow),
        ("ls $(rm x)", Ask),
        ("$X", Ask),
        ("", Deny),
    ] {
        let verdict = check_tool(&policy(text), None, "shell_exec", &json!({ "command": command }), HOME);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.message);
    }
    assert_eq!(check(text, "shell_exec", &json!({})), Ask, "no command to compare");
    assert_eq!(
        check(r#"{ "*": "allow" }"#, "shell_exec", &json!({ "command": "bash -c \"$X\"" })),
        Allow,
        "the gate is off"
    );
}

#[test]
fn always_adds_patterns_by_arity() {
    let always = |command: &str| {
        check_tool(&policy(DEFAULT_FILE), None, "shell_exec", &json!({ "command": command }), HOME).always
    };
    assert_eq!(always("git push origin main"), ["git push *"]);
    assert_eq!(always("npm run build"), ["npm run build"]);
    assert_eq!(always("cat README.md && git push x"), ["cat *", "git push *"]);
    assert!(always("$X").is_empty());
    let read = check_tool(&policy("{}"), None, "read_file", &json!({ "path": "a/b" }), HOME);
    assert_eq!(read.always, ["a/b"]);
}

#[test]
fn a_parents_deny_is_a_veto_and_the_runtime_loosens_an_ask() {
    let mut policy = policy(r#"{ "read_file": "allow", "write_file": "ask" }"#);
    let parent = FileLayer::parse(r#"{ "*": "deny", "write_file": "ask", "grep": "allow" }"#, HOME).unwrap();
    let runtime =
        FileLayer::parse(r#"{ "write_file": { "a.txt": "allow" }, "read_file": "allow" }"#, HOME).unwrap();
    policy.sessions.insert("sub".to_owned(), SessionLayers { parents: vec![parent], runtime });
    let check =
        |session, tool, path| check_tool(&policy, session, tool, &json!({ "path": path }), HOME).decision;
    assert_eq!(
        check(Some("sub"), "read_file", "x"),
        Deny,
        "neither file nor runtime override a parent's deny"
    );
    assert_eq!(check(None, "read_file", "x"), Allow, "other sessions are as before");
    assert_eq!(check(Some("sub"), "write_file", "a.txt"), Allow, "always loosens an ask");
    assert_eq!(check(Some("sub"), "write_file", "b.txt"), Ask);
    assert_eq!(check(Some("sub"), "grep", "b"), Allow);
}

#[test]
fn a_broken_file_denies_every_tool() {
    let mut policy = policy(DEFAULT_FILE);
    policy.file_problem = Some("line 2, column 1: expected comma".to_owned());
    let verdict = check_tool(&policy, None, "grep", &json!({}), HOME);
    assert_eq!(verdict.decision, Deny);
    assert!(verdict.message.contains("line 2, column 1"), "{}", verdict.message);
}
