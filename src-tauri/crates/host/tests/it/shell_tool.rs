//! Commands of an agent's own shell: denied as those of the host are, and confined where the agent can do that.

use crate::support::Lab;
use serde_json::{Value, json};

#[tokio::test]
async fn a_shell_tool_is_denied_what_a_host_command_is_denied() {
    let (mut lab, mut wire) = Lab::connected().await;
    let text = r#"{ "*": "allow" }"#;
    lab.control("permissions.set", json!({"agent": "main", "text": text})).await.unwrap();
    let shell = |command: &str| json!({"tool": "shell_exec", "arguments": {"command": command}});
    for (command, expected) in [
        ("uname -a", "allow"),
        ("rm -rf /", "deny"),
        ("cd / && sudo rm -rf *", "deny"),
        ("env rm -r -f ~", "deny"),
    ] {
        let verdict = wire.call("tool.check", shell(command)).await.unwrap();
        assert_eq!(verdict["decision"], expected, "{command}: {verdict}");
    }
    lab.rule("deny", None, "/usr/bin/basename").await;
    for command in ["basename /a", "nohup /usr/bin/basename /a", "bash -c 'basename /a'"] {
        let verdict = wire.call("tool.check", shell(command)).await.unwrap();
        assert_eq!(verdict["decision"], "deny", "{command}: {verdict}");
        assert!(verdict["message"].as_str().unwrap().contains("/usr/bin/basename"), "which rule: {verdict}");
    }
    let unread = wire.call("tool.check", shell("eval \"$x\"")).await.unwrap();
    assert_eq!(unread["decision"], "ask", "it may be what is denied: {unread}");
    let question = lab.question().await;
    assert!(question.proposals.is_empty(), "no line of the file would answer for the rule: {question:?}");
    lab.rule("deny", Some("main"), "uname *").await;
    let explained = json!({"agent": "main", "tool": "shell_exec", "arguments": {"command": "uname -a"}});
    let explained = lab.control("tool.explain", explained).await.unwrap();
    assert_eq!(explained["decision"], "deny", "{explained}");
    let stages: Vec<_> =
        explained["trace"].as_array().unwrap().iter().map(|line| line["stage"].clone()).collect();
    assert!(stages.contains(&json!("tool policy")) && stages.contains(&json!("deny rules")), "{stages:?}");
}

#[tokio::test]
async fn a_deny_rule_answers_a_shell_tool_that_waits() {
    let (mut lab, mut wire) = Lab::connected().await;
    let check = json!({"tool": "shell_exec", "arguments": {"command": "basename /a"}, "session": "s"});
    let asked = wire.call("tool.check", check).await.unwrap();
    assert_eq!(asked["decision"], "ask", "{asked}");
    lab.question().await;
    lab.rule("deny", None, "/usr/bin/basename").await;
    let resolved = wire.event("tool.resolved").await;
    assert_eq!(
        (&resolved["checkId"], &resolved["decision"]),
        (&asked["checkId"], &json!("deny")),
        "{resolved}"
    );
}

/// Returns a command of an agent's own shell, in this folder.
fn in_shell(folder: &std::path::Path, command: &str, rewrites: bool) -> Value {
    json!({"tool": "shell_exec", "arguments": {"command": command, "cwd": folder}, "rewrites": rewrites})
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_agent_that_can_run_another_command_is_told_how_to_confine_it() {
    let lab = Lab::start().await;
    let folder = lab.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("build.sh"), "true").unwrap();
    let own = folder.to_str().unwrap();
    lab.set("main", &[("folders", own)]).await;
    let mut wire = lab.connect("main").await;
    let building = in_shell(&folder, "bash ./build.sh", true);
    let asked = wire.call("tool.check", building.clone()).await.unwrap();
    assert_eq!(asked["decision"], "ask", "{asked}");
    lab.set("main", &[("look", "allow"), ("build", "allow")]).await;
    let project = json!({"profile": "project", "folders": [folder]});
    let resolved = wire.event("tool.resolved").await;
    assert_eq!((&resolved["decision"], &resolved["confined"]), (&json!("allow"), &project), "{resolved}");
    for (command, confined) in [
        ("bash ./build.sh", &project),
        ("cat a", &json!({"profile": "look", "folders": [folder]})),
        ("true", &Value::Null),
    ] {
        let told = wire.call("tool.check", in_shell(&folder, command, true)).await.unwrap();
        assert_eq!((&told["decision"], &told["confined"]), (&json!("allow"), confined), "{command}: {told}");
    }
    let plain = wire.call("tool.check", in_shell(&folder, "bash ./build.sh", false)).await.unwrap();
    assert_eq!((&plain["decision"], &plain["confined"]), (&json!("ask"), &Value::Null), "{plain}");
}

#[tokio::test]
async fn what_a_person_allows_runs_as_its_agent_wrote_it() {
    let mut lab = Lab::start().await;
    let folder = lab.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    lab.set("main", &[("folders", folder.to_str().unwrap()), ("look", "allow"), ("ask", "always")]).await;
    let mut wire = lab.connect("main").await;
    let asked = wire.call("tool.check", in_shell(&folder, "cat a", true)).await.unwrap();
    assert_eq!(asked["decision"], "ask", "{asked}");
    lab.answer("once", json!({})).await;
    let resolved = wire.event("tool.resolved").await;
    assert_eq!((&resolved["decision"], &resolved["confined"]), (&json!("allow"), &Value::Null), "{resolved}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_allowed_always_confined_is_confined_in_the_agents_own_shell() {
    let mut lab = Lab::start().await;
    let folder = lab.home().join("project");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("build.sh"), "true").unwrap();
    lab.set("main", &[("folders", folder.to_str().unwrap())]).await;
    let mut wire = lab.connect("main").await;
    let project = json!({"profile": "project", "folders": [folder]});
    let building = |rewrites| in_shell(&folder, "bash ./build.sh", rewrites);
    assert_eq!(wire.call("tool.check", building(true)).await.unwrap()["decision"], "ask");
    lab.answer("always", json!({"proposal": "confined"})).await;
    let resolved = wire.event("tool.resolved").await;
    assert_eq!((&resolved["decision"], &resolved["confined"]), (&json!("allow"), &project), "{resolved}");
    let told = wire.call("tool.check", building(true)).await.unwrap();
    assert_eq!((&told["decision"], &told["confined"]), (&json!("allow"), &project), "by the rule: {told}");
    let plain = wire.call("tool.check", building(false)).await.unwrap();
    assert_eq!(plain["decision"], "ask", "nothing would confine it: {plain}");
    let message = plain["message"].as_str().unwrap_or_default();
    assert!(message.contains("only confined (project)") && message.contains("own shell"), "{plain}");
}
