//! Every message in `docs/PROTOCOL.md` is one that this crate reads, and everything that can be said stands there.

use crate::answer::{
    EventsAfterResult, InputResult, KillResult, OutputResult, RunResult, SessionResult, StatusResult,
    ToolCheckResult, WhichResult,
};
use crate::{
    AgentCall, AuthenticateParams, CallId, ControlWelcome, DenyReason, ErrorCode, ErrorObject, Frame,
    Handshake, HandshakeSide, Hello, Nonce, Notice, Socket, SocketKey, Welcome, decode, limits,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const PAGE: &str = include_str!("../../../../../docs/PROTOCOL.md");

/// State of the conversation in the page's examples so far.
#[derive(Default)]
struct Heard {
    /// Calls that wait for their answer, by id.
    asked: HashMap<CallId, String>,
    /// Every method and event that was shown.
    shown: HashSet<String>,
    server_nonce: Option<Nonce>,
    handshake: Option<Handshake>,
}

#[test]
fn every_example_is_read_and_nothing_is_left_out() {
    let mut heard = Heard::default();
    let mut within = false;
    for line in PAGE.lines() {
        match line {
            "```json" => within = true,
            "```" => within = false,
            line if within => heard.example(line),
            _ => {}
        }
    }
    assert!(heard.asked.is_empty(), "every call has its answer: {:?}", heard.asked);
    let events =
        ["exec.pending", "exec.started", "exec.output", "exec.finished", "exec.denied", "tool.resolved"];
    for name in AgentCall::METHODS.into_iter().chain(events) {
        assert!(heard.shown.contains(name), "{name} has an example");
    }
}

#[test]
fn every_name_stands_on_the_page_with_its_number() {
    for code in ErrorCode::ALL {
        // The table of errors has them in its first cells; other tables may mention them.
        let name = format!("`{}`", code.name());
        let names = |line: &&str| line.split('|').nth(1).is_some_and(|cell| cell.contains(&name));
        let row = PAGE.lines().filter(|line| line.starts_with('|')).find(names);
        let row = row.unwrap_or_else(|| panic!("{} has a row", code.name()));
        assert!(row.contains(&code.number().to_string()), "{row} has the number of {}", code.name());
    }
    let reasons = [DenyReason::Core, DenyReason::CannotPresent, DenyReason::Restarted];
    for reason in reasons {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.name(), "one name on the wire and in words");
        assert!(PAGE.contains(&format!("`{}`", reason.name())));
    }
    let numbers = [
        limits::FRAME_IN,
        limits::FRAME_OUT,
        limits::ARGUMENT,
        limits::ARGUMENTS_TOTAL,
        limits::UNSENT,
        limits::INPUT,
    ];
    for number in numbers {
        assert!(PAGE.contains(&number.to_string()), "the limit {number} stands there as it is");
    }
}

impl Heard {
    fn example(&mut self, line: &str) {
        let (who, message) = line.split_once(' ').expect("who, and the message");
        let frame = decode(message.trim().as_bytes(), limits::FRAME_IN)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        match (who, frame) {
            ("agent", Frame::Request(request)) if request.method == AuthenticateParams::METHOD => {
                self.authenticate(request, Socket::Channel);
            }
            ("tool", Frame::Request(request)) => self.authenticate(request, Socket::Control),
            ("agent", Frame::Request(request)) => {
                self.shown.insert(request.method.clone());
                self.asked.insert(request.id.clone(), request.method.clone());
                AgentCall::of_request(request).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
            ("host", Frame::Notification(told)) if told.method == "hello" => {
                let hello: Hello = serde_json::from_value(told.params).expect(line);
                self.server_nonce = Some(hello.nonce);
            }
            ("host", Frame::Notification(told)) => {
                self.shown.insert(told.method.clone());
                let params = told.params.clone();
                let notice = Notice::of_notification(told).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(
                    serde_json::to_value(notice).unwrap(),
                    params,
                    "nothing more stands there: {line}"
                );
            }
            ("host", Frame::Response(answer)) => match answer.outcome {
                Ok(result) => self.answer(&answer.id.expect("an id"), &result, line),
                Err(error) => check_error(&error, line),
            },
            (who, frame) => panic!("{who} does not say {frame:?}"),
        }
    }

    fn authenticate(&mut self, request: crate::Request, socket: Socket) {
        self.asked.insert(request.id.clone(), request.method.clone());
        let params = AuthenticateParams::of_request(request).expect("as the page has it");
        let server_nonce = self.server_nonce.clone().expect("hello came first");
        let handshake = Handshake { socket, server_nonce, client_nonce: params.nonce };
        assert!(
            handshake.verify_proof(&key(), HandshakeSide::Client, &params.proof),
            "the proof on the page holds"
        );
        self.handshake = Some(handshake);
    }

    fn answer(&mut self, id: &CallId, result: &Value, line: &str) {
        match self.asked.remove(id).expect("an answer to a call").as_str() {
            "authenticate" => self.welcome(result),
            "system.run" => {
                let read =
                    RunResult::of_value(result.clone()).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(serde_json::to_value(read).unwrap(), *result, "{line}");
            }
            "system.status" => same::<StatusResult>(result, line),
            "system.output" => same::<OutputResult>(result, line),
            "system.input" => same::<InputResult>(result, line),
            "system.kill" => same::<KillResult>(result, line),
            "system.which" => same::<WhichResult>(result, line),
            "session.open" | "session.close" => same::<SessionResult>(result, line),
            "tool.check" => same::<ToolCheckResult>(result, line),
            "events.after" => same::<EventsAfterResult>(result, line),
            other => panic!("{other} is no method of this page"),
        }
    }

    fn welcome(&mut self, result: &Value) {
        let handshake = self.handshake.take().expect("somebody authenticated");
        let proof = result["proof"].as_str().expect("the host's proof").to_owned();
        assert!(
            handshake.verify_proof(&key(), HandshakeSide::Server, &proof),
            "the host's proof on the page holds"
        );
        match handshake.socket {
            Socket::Channel => same::<Welcome>(result, "welcome"),
            Socket::Control => same::<ControlWelcome>(result, "control"),
        }
    }
}

/// Returns the key that the page names.
fn key() -> SocketKey {
    let key = SocketKey::from_bytes(std::array::from_fn(|index| u8::try_from(index).expect("32 bytes")));
    assert!(PAGE.contains(&format!("`{}`", key.to_text())), "the page names it");
    key
}

/// Asserts that nothing of a result is lost when it is read.
fn same<T: Serialize + DeserializeOwned>(result: &Value, line: &str) {
    let read: T = serde_json::from_value(result.clone()).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(serde_json::to_value(read).unwrap(), *result, "{line}");
}

fn check_error(error: &ErrorObject, line: &str) {
    let code = error.kind().unwrap_or_else(|| panic!("a code of this crate: {line}"));
    assert_eq!(code.number(), error.code, "{line}");
}
