//! The real socket: who is let in, what is told.

use super::Running;
use postern_protocol::{Handshake, HandshakeSide, Nonce, Socket, SocketKey};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// A client of the control socket, as small as it can be.
pub(super) struct Client {
    lines: tokio::io::Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    next: i64,
}

impl Client {
    /// Connects and proves with this key. Gives the answer to `authenticate` as well.
    pub(super) async fn open(data: &Path, key: &SocketKey) -> (Self, Value) {
        let (reader, writer) = UnixStream::connect(data.join("control.sock")).await.unwrap().into_split();
        let mut client = Self { lines: BufReader::new(reader).lines(), writer, next: 1 };
        let hello = client.line().await.expect("hello comes first");
        let server_nonce = Nonce::try_from(hello["params"]["nonce"].as_str().unwrap().to_owned()).unwrap();
        let client_nonce = Nonce::from_bytes([7; 16]);
        let both = Handshake { socket: Socket::Control, server_nonce, client_nonce: client_nonce.clone() };
        let params = json!({
            "protocol": 1, "nonce": client_nonce, "proof": both.make_proof(key, HandshakeSide::Client),
            "client": {"name": "test", "version": "1"},
        });
        let answer = client.call("authenticate", params).await;
        if let Some(proof) = answer["result"]["proof"].as_str() {
            assert!(both.verify_proof(key, HandshakeSide::Server, proof), "the host proves itself too");
        }
        (client, answer)
    }

    /// Returns the first line that the host says to a new connection.
    pub(super) async fn first_line(data: &Path) -> Value {
        let (reader, writer) = UnixStream::connect(data.join("control.sock")).await.unwrap().into_split();
        let mut client = Self { lines: BufReader::new(reader).lines(), writer, next: 1 };
        client.line().await.expect("something is said")
    }

    pub(super) async fn line(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    pub(super) async fn say(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Calls, and gives the answer. What is told meanwhile is passed over.
    pub(super) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        loop {
            let line = self.line().await.expect("an answer");
            if line["id"] == json!(id) || line["error"].is_object() {
                return line;
            }
        }
    }

    /// Returns the next notification of this method.
    pub(super) async fn told(&mut self, method: &str) -> Value {
        loop {
            let line = self.line().await.expect("it is told");
            if line["method"] == method {
                return line["params"].clone();
            }
        }
    }
}

pub(super) fn key(data: &Path) -> SocketKey {
    SocketKey::from_text(&std::fs::read_to_string(data.join("control.key")).unwrap()).unwrap()
}

fn code(answer: &Value) -> &str {
    answer["error"]["data"]["code"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn the_socket_and_its_key_are_private() {
    let running = Running::start().await;
    for name in ["control.sock", "control.key"] {
        let mode = std::fs::metadata(running.data().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[tokio::test]
async fn who_holds_the_key_is_let_in_and_nobody_else() {
    let running = Running::start().await;
    let (mut client, answer) = Client::open(running.data(), &key(running.data())).await;
    assert!(answer["result"]["proof"].is_string(), "{answer}");
    let status = client.call("status", json!({})).await;
    assert_eq!(status["result"]["mode"], "listening", "{status}");

    let (mut wrong, answer) = Client::open(running.data(), &SocketKey::from_bytes([1; 32])).await;
    assert_eq!(code(&answer), "unauthenticated", "{answer}");
    assert!(wrong.line().await.is_none(), "and cut off");
}

#[tokio::test]
async fn mistakes_have_names_and_the_next_call_works() {
    let running = Running::start().await;
    let (mut client, _) = Client::open(running.data(), &key(running.data())).await;
    client.say("{not json").await;
    assert_eq!(code(&client.line().await.unwrap()), "not-json");
    client.say(r#"{"jsonrpc":"2.0","id":9,"method":"status","params":{},"params":{}}"#).await;
    assert_eq!(code(&client.line().await.unwrap()), "duplicate-key");
    for (method, params, expected) in [
        ("no.such", json!({}), "unknown-method"),
        ("agents.get", json!({"agent": "nobody"}), "not-found"),
        ("agents.add", json!({"agent": "a b"}), "invalid-params"),
        ("rules.add", json!({"effect": "allow", "text": "sh *"}), "refused"),
    ] {
        let answer = client.call(method, params).await;
        assert_eq!(code(&answer), expected, "{method}: {answer}");
    }
    assert!(
        client.call("status", json!({})).await["result"].is_object(),
        "nothing of it broke the connection"
    );
}

#[tokio::test]
async fn who_watches_is_on_duty_and_hears() {
    let running = Running::start().await;
    let (mut client, _) = Client::open(running.data(), &key(running.data())).await;
    let got = running.host.approver_names();
    assert_eq!(got, ["terminal"], "the test's own face; a connection alone is no face");
    client.call("questions.watch", json!({"face": "window"})).await;
    assert_eq!(running.host.approver_names(), ["window", "terminal"]);
    running.raw("pause", json!({})).await.unwrap();
    // The approver that came changes the status, too.
    while client.told("status.changed").await["mode"] != "paused" {}
    running.raw("agents.add", json!({"agent": "main"})).await.unwrap();
    client.told("agents.changed").await;
    running.raw("rules.add", json!({"effect": "deny", "text": "rm *"})).await.unwrap();
    client.told("rules.changed").await;
    client.call("questions.watch", json!({"face": "observer"})).await;
    assert_eq!(running.host.approver_names(), ["terminal"], "who only looks on is not on duty");
}

#[tokio::test]
async fn a_face_that_goes_is_off_duty() {
    let running = Running::start().await;
    let (mut client, _) = Client::open(running.data(), &key(running.data())).await;
    client.call("questions.watch", json!({"face": "window"})).await;
    drop(client);
    while running.host.approver_names().len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(running.host.approver_names(), ["terminal"]);
}
