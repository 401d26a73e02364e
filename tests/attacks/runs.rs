//! Runs of an agent in the sandbox: those that must work, and those that it tries.

use postern_tests::Agent;
use serde_json::{Value, json};

/// Requests a line that must run silently, and returns its start and end.
pub(crate) fn worked(agent: &mut Agent, line: &str) -> (Value, Value) {
    let posted = agent.post(json!({ "shell": line }));
    assert_ne!(posted["state"], "asking", "{line} is asked about: {posted}");
    let started = agent.event(&["exec.started", "exec.denied"], &posted);
    assert_eq!(started["method"], "exec.started", "{line}: {started}");
    (started, agent.end(&posted))
}

/// Requests a line; one that is asked about is withdrawn.
pub(crate) fn tried(agent: &mut Agent, params: Value) -> Value {
    let posted = agent.post(params);
    if posted["state"] == "asking" {
        agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
    }
    if posted["error"].is_string() { posted } else { agent.end(&posted) }
}

/// Returns what a run wrote to both streams.
pub(crate) fn output(end: &Value) -> String {
    let text = |name: &str| end["params"][name].as_str().unwrap_or_default().to_owned();
    text("stdout") + &text("stderr")
}
