//! Every door that leads requests in refuses at least the variables that OpenClaw's own node refuses.

use postern_tests::{Postern, postern_run, repository, start};
use serde_json::{Value, json};
use std::process::Stdio;

/// Number of variables that one request sets.
const AT_ONCE: usize = 16;

/// Returns the names that OpenClaw refuses to set for a command; of a prefix one that it covers.
fn names() -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("tests/fixtures/openclaw-env-policy.json")).unwrap();
    let policy: Value = serde_json::from_str(&text).unwrap();
    let list = |key: &str| serde_json::from_value::<Vec<String>>(policy[key].clone()).unwrap();
    let mut names = [list("blockedEverywhereKeys"), list("blockedOverrideOnlyKeys")].concat();
    let prefixes = [list("blockedPrefixes"), list("blockedOverridePrefixes")].concat();
    names.extend(prefixes.into_iter().map(|prefix| format!("{prefix}XYZZY")));
    assert!(names.len() > 250, "it is their whole list");
    names
}

/// Returns a host whose agent may run everything: only the variables stand in the way.
fn host() -> Postern {
    let host = Postern::start();
    host.enrol_allowed("claw");
    host
}

/// Asks with all names in turn. `told` gives what an asker was told that was refused; `None` if it ran.
fn each_is_refused(told: impl Fn(&serde_json::Map<String, Value>) -> Option<String>) {
    let harmless = json!({"LC_ALL": "C"});
    assert_eq!(told(harmless.as_object().unwrap()), None, "what is harmless is no reason to refuse");
    for some in names().chunks(AT_ONCE) {
        let env = some.iter().map(|name| (name.clone(), json!("x"))).collect();
        let refused = told(&env).unwrap_or_else(|| panic!("ran with {some:?}"));
        for name in some {
            assert!(refused.contains(name.as_str()), "{name} is not named: {refused}");
        }
    }
}

#[test]
fn the_agents_socket_refuses_them() {
    let host = host();
    let channel = host.data().join("agents/claw");
    each_is_refused(|env| {
        let mut run = start(postern_run());
        run.env("POSTERN_SOCKET", channel.join("agent.sock"))
            .env("POSTERN_KEY_FILE", channel.join("agent.key"));
        run.args(["--cwd", "/"]);
        for (name, value) in env {
            run.arg("--env").arg(format!("{name}={}", value.as_str().unwrap()));
        }
        let ended = run.args(["--", "uname"]).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        (ended.status.code() != Some(0)).then_some(said)
    });
}

#[test]
fn openclaws_door_refuses_them() {
    let claw = super::openclaw::Claw::beside(host());
    each_is_refused(|env| {
        let told = claw.exec(&json!({"command": ["uname"], "cwd": "/", "env": env}));
        (told["ok"] != true).then(|| told["error"]["message"].as_str().unwrap().to_owned())
    });
}

#[test]
fn mcps_door_refuses_them() {
    let door = super::mcp_http::Door::beside(host(), "claw");
    let session = door.session();
    each_is_refused(|env| {
        let told = door.tool(&session, "system_run", &json!({"command": ["uname"], "cwd": "/", "env": env}));
        let text = told["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{told}"));
        (told["result"]["isError"] == true).then(|| text.to_owned())
    });
}
