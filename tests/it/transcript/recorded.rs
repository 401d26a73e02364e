//! An agent's end of a channel that writes down what both sides say, with everything that differs from day to day put in
//! stable words.

use postern_client::read_key;
use postern_protocol::{Handshake, HandshakeSide, Nonce, Socket, SocketKey};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The nonces and the key that docs/PROTOCOL.md explains proofs with.
const HOSTS_NONCE: &str = "6f1d9a0c3be84c57a2f0d1e2c3b4a596";
const AGENTS_NONCE: &str = "00112233445566778899aabbccddeeff";

/// Time that the host may take: a guard against hanging, never an expectation.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection that is written down.
pub(super) struct Recorded {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    next_id: u64,
    /// The transcript of one story.
    pub(super) text: String,
    /// Values that the host chose, with the page's own words for them.
    names: BTreeMap<String, String>,
    /// True if its key is the channel's.
    real: bool,
}

impl Recorded {
    /// Connects and opens the channel with the key in its folder, or with another one.
    pub(super) fn open(channel: &Path, key: Option<SocketKey>) -> Self {
        let stream = UnixStream::connect(channel.join("agent.sock")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        let (text, names, real) = (String::new(), BTreeMap::new(), key.is_none());
        let mut open = Self { stream, lines, next_id: 1, text, names, real };
        let hello = open.hear();
        let server_nonce = Nonce::try_from(hello["params"]["nonce"].as_str().unwrap().to_owned()).unwrap();
        open.told(&hello);
        let client_nonce = Nonce::from_bytes([7; 16]);
        let handshake =
            Handshake { socket: Socket::Channel, server_nonce, client_nonce: client_nonce.clone() };
        let key = key.unwrap_or_else(|| read_key(&channel.join("agent.key")).unwrap());
        let params = json!({
            "protocol": 1, "nonce": client_nonce, "proof": handshake.make_proof(&key, HandshakeSide::Client),
            "client": {"name": "my-agent", "version": "1.0"}, "after": 0,
        });
        let answer = open.ask("authenticate", &params);
        if real {
            let proof = answer["result"]["proof"].as_str().unwrap();
            assert!(handshake.verify_proof(&key, HandshakeSide::Server, proof), "the host proves itself");
        }
        open
    }

    /// Says something and hears its answer.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_and_hear(method, params, &[])
    }

    /// Sends a call, and expects these events in this order. Answer and events may cross: the answer is
    /// recorded first.
    pub(super) fn ask_and_hear(&mut self, method: &str, params: &Value, events: &[&str]) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let call = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.stream.write_all(format!("{call}\n").as_bytes()).unwrap();
        self.write("agent", &call);
        let (mut heard, mut answer) = (Vec::new(), None);
        while answer.is_none() {
            let message = self.hear();
            if message["id"] == id { answer = Some(message) } else { heard.push(message) }
        }
        let answer = answer.unwrap();
        self.told(&answer);
        while heard.len() < events.len() {
            heard.push(self.hear());
        }
        self.expect(heard, events);
        answer
    }

    /// Expects these events, in this order.
    pub(super) fn events(&mut self, events: &[&str]) {
        let heard = events.iter().map(|_| self.hear()).collect();
        self.expect(heard, events);
    }

    fn expect(&mut self, heard: Vec<Value>, events: &[&str]) {
        let names: Vec<&str> = heard.iter().map(|message| message["method"].as_str().unwrap()).collect();
        assert_eq!(names, events, "{heard:?}");
        for message in heard {
            self.told(&message);
        }
    }

    /// Names a value that the host chose as the page does.
    pub(super) fn call_it(&mut self, chosen: &str, name: &str) {
        self.names.insert(chosen.to_owned(), name.to_owned());
        self.text = self.text.replace(chosen, name);
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the host says something");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn told(&mut self, message: &Value) {
        self.write("host", message);
    }

    fn write(&mut self, who: &str, message: &Value) {
        let mut stable = message.clone();
        steady(&mut stable, self.real);
        let mut line = stable.to_string();
        for (chosen, name) in &self.names {
            line = line.replace(chosen, name);
        }
        let gap = if who == "host" { "   " } else { "  " };
        self.text.extend([who, gap, line.as_str(), "\n"]);
    }
}

/// Puts what differs between two runs and two machines in stable words: times, codes of questions, numbers of processes, nonces and proofs.
fn steady(message: &mut Value, real: bool) {
    let is_call = message.get("method").is_some_and(|method| method == "authenticate");
    let walk = |name: &str| -> Option<Value> {
        Some(match name {
            "at" => json!("2026-01-01T12:00:00.000Z"),
            "expiresAt" => json!("2026-01-01T12:02:00.000Z"),
            "question" => json!("caa2"),
            "pid" => json!(4711),
            "durationMs" => json!(12),
            "nonce" if is_call => json!(AGENTS_NONCE),
            "nonce" => json!(HOSTS_NONCE),
            "proof" if !real => json!("0".repeat(64)),
            "proof" => json!(proof(if is_call { HandshakeSide::Client } else { HandshakeSide::Server })),
            _ => return None,
        })
    };
    replace(message, &walk);
}

fn replace(value: &mut Value, by: &dyn Fn(&str) -> Option<Value>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match by(name) {
                    Some(new) => *value = new,
                    None => replace(value, by),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, by)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the proof that the page's nonces and key give: a reader can make it again.
fn proof(side: HandshakeSide) -> String {
    let nonce = |text: &str| Nonce::try_from(text.to_owned()).unwrap();
    let key = SocketKey::from_bytes(std::array::from_fn(|index| u8::try_from(index).unwrap()));
    let handshake = Handshake {
        socket: Socket::Channel,
        server_nonce: nonce(HOSTS_NONCE),
        client_nonce: nonce(AGENTS_NONCE),
    };
    handshake.make_proof(&key, side)
}
