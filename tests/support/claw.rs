//! OpenClaw's companion socket, spoken to as its client does: one line, half-close, one line back.

use crate::host::Postern;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::{SystemTime, UNIX_EPOCH};

/// Client of the open door.
#[derive(Debug)]
pub struct Claw {
    pub socket: String,
    pub token: String,
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_millis();
    i64::try_from(now).expect("a clock before the end of time")
}

impl Claw {
    /// Returns a client of the door of a host where it is open.
    pub fn of(host: &Postern) -> Self {
        let setup = host.json(&["doors", "setup", "openclaw"]);
        let text = |name: &str| setup[name].as_str().expect("the door is open").to_owned();
        Self { socket: text("socket"), token: text("token") }
    }

    /// Returns a signed line that asks for a run.
    pub fn line(&self, request: &Value, ts: i64, nonce: &str) -> Value {
        let text = request.to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(self.token.as_bytes()).expect("any key is one");
        mac.update(format!("{nonce}:{ts}:{text}").as_bytes());
        let proof = postern_protocol::encode_hex(&mac.finalize().into_bytes());
        json!({"type": "exec", "id": "the-id", "nonce": nonce, "ts": ts, "hmac": proof, "requestJson": text})
    }

    /// Sends a request, now and with a nonce of its own.
    pub fn exec(&self, request: &Value) -> UnixStream {
        self.send(&self.line(request, now(), &uuid::Uuid::new_v4().simple().to_string()))
    }

    pub fn send(&self, line: &Value) -> UnixStream {
        let mut stream = UnixStream::connect(&self.socket).expect("the door is open");
        stream.write_all(format!("{line}\n").as_bytes()).expect("a line is taken");
        stream.shutdown(Shutdown::Write).expect("half-closed");
        stream
    }

    /// Returns the answer; null where the connection was closed without one.
    pub fn answer(mut stream: UnixStream) -> Value {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("text");
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).expect("a line of JSON") }
    }
}
