//! Lines of OpenClaw's companion socket.

#[expect(dead_code, reason = "the door uses what is not read here")]
#[path = "../../src-tauri/crates/doors/src/openclaw/message.rs"]
mod message;

use message::{
    Exec, OpenclawDecision, OpenclawLine, OpenclawRefusal, OpenclawRunResult, decision_line, exec_line,
};
use serde_json::Value;

/// Feeds a client's line to the door. Each answer to it is one line, and names what it answers.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match serde_json::from_str(text) {
        Ok(OpenclawLine::Request { token: _, id, request }) => {
            let again = serde_json::to_value(&request).unwrap();
            let read: message::OpenclawQuestion = serde_json::from_value(again.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), again);
            for decision in
                [OpenclawDecision::AllowOnce, OpenclawDecision::AllowAlways, OpenclawDecision::Deny]
            {
                answers(&decision_line(&id, decision), &id);
            }
        }
        Ok(OpenclawLine::Exec { id, request_json, .. }) => {
            let answer = match serde_json::from_str::<Exec>(&request_json) {
                Ok(exec) => Ok(OpenclawRunResult {
                    exit_code: None,
                    timed_out: false,
                    success: false,
                    stdout: exec.command.concat(),
                    stderr: exec.raw_command.unwrap_or_default(),
                    error: exec.cwd,
                }),
                Err(error) => Err(OpenclawRefusal::invalid(error.to_string(), &request_json)),
            };
            answers(&exec_line(&id, &answer), &id);
        }
        Err(_) => {}
    }
}

fn answers(line: &str, id: &str) {
    assert_eq!(line.find('\n'), Some(line.len() - 1), "{line:?} is one line");
    let told: Value = serde_json::from_str(line).unwrap();
    assert_eq!(told["id"], id);
}
