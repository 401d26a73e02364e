//! A hostile agent inside a sandbox. It reads one order per line from standard input, executes it with only
//! what the sandbox offers, and answers each with one line of JSON.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an attacker that cannot go on fails here, and the line says why"
)]

mod flood;

use postern_client::{Channel, ChannelMessage, read_key};
use postern_protocol::{AgentCall, Notice, RunParams};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Longest wait for an expected event.
const PATIENCE: Duration = Duration::from_mins(2);

fn main() {
    let mut agent = Agent::new();
    for line in std::io::stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = agent.carry_out(&order);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}

struct Agent {
    socket: PathBuf,
    key: PathBuf,
    channel: Option<Channel>,
    /// Events that arrived during the wait for another one.
    events: VecDeque<Value>,
}

impl Agent {
    fn new() -> Self {
        let variable = |name| PathBuf::from(std::env::var_os(name).unwrap());
        let (socket, key) = (variable("POSTERN_SOCKET"), variable("POSTERN_KEY_FILE"));
        Self { socket, key, channel: None, events: VecDeque::new() }
    }

    fn carry_out(&mut self, order: &Value) -> Value {
        let text = |name: &str| order[name].as_str().unwrap_or_default().to_owned();
        match text("do").as_str() {
            "shell" => shell(&text("text")),
            "write" => {
                // Written beside and renamed, so that the file is never incomplete.
                let (path, beside) = (PathBuf::from(text("path")), format!("{}.new", text("path")));
                std::fs::write(&beside, text("text")).unwrap();
                let mode = u32::try_from(order["mode"].as_u64().unwrap_or(0o644)).unwrap();
                std::fs::set_permissions(&beside, PermissionsExt::from_mode(mode)).unwrap();
                std::fs::rename(&beside, path).unwrap();
                Value::Null
            }
            "exchange" => exchange(&text("a"), &text("b"), order["times"].as_u64().unwrap_or(1)),
            "connect" => self.connect(),
            "call" => self.call(&text("method"), &order["params"]),
            "request" => self.request(order["params"].clone()),
            "race" => {
                let reply = self.request(order["params"].clone());
                // An even number of exchanges restores the original names.
                let times = exchange_for(&text("a"), &text("b"), order["microseconds"].as_u64().unwrap_or(0));
                json!({ "reply": reply, "times": times })
            }
            "flood" => flood::start(order, &self.socket, &self.key),
            "event" => self.event(&order["methods"], &text("requestId")),
            other => json!({ "error": format!("no such order: {other}") }),
        }
    }

    fn channel(&mut self) -> &mut Channel {
        if self.channel.is_none() {
            let key = read_key(&self.key).unwrap();
            self.channel = Some(Channel::connect(&self.socket, &key).unwrap());
        }
        self.channel.as_mut().unwrap()
    }

    /// Connects again and returns the host's greeting about the agent.
    fn connect(&mut self) -> Value {
        self.channel = None;
        self.events.clear();
        serde_json::to_value(self.channel().welcome()).unwrap()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = match AgentCall::parse_params(method, params) {
            Ok(call) => call,
            Err(mistake) => return json!({ "error": mistake.to_string() }),
        };
        match self.channel().call_host(&call) {
            Ok(answer) => answer,
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    /// Sends `system.run` without waiting for its end, with a new id if none is given.
    fn request(&mut self, mut params: Value) -> Value {
        let id = params["requestId"].as_str().map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
        params["requestId"] = json!(id);
        params["wait"] = json!("none");
        let answer = match RunParams::from_value(&params) {
            Ok(params) => self.channel().call_host(&AgentCall::Run(Box::new(params))),
            Err(mistake) => return json!({ "requestId": id, "error": mistake.to_string() }),
        };
        match answer {
            Ok(mut answer) => {
                answer["requestId"] = json!(id);
                answer
            }
            Err(error) => json!({ "requestId": id, "error": error.to_string() }),
        }
    }

    /// Waits for an event of a request by one of these methods.
    fn event(&mut self, methods: &Value, id: &str) -> Value {
        let methods = methods.as_array().unwrap();
        let wanted = |event: &Value| event["params"]["requestId"] == id && methods.contains(&event["method"]);
        if let Some(at) = self.events.iter().position(wanted) {
            return self.events.remove(at).unwrap();
        }
        let until = Instant::now() + PATIENCE;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let notice = match self.channel().read_message(Some(left)) {
                Ok(Some(ChannelMessage::Event(notice))) => value_of(&notice),
                Ok(Some(_)) => continue,
                Ok(None) => break,
                Err(gone) => return json!({ "error": gone.to_string() }),
            };
            if wanted(&notice) {
                return notice;
            }
            self.events.push_back(notice);
        }
        json!({ "error": "it did not come" })
    }
}

fn value_of(notice: &Notice) -> Value {
    let line = notice.to_line();
    serde_json::from_slice(&line).unwrap()
}

fn shell(text: &str) -> Value {
    let output = std::process::Command::new("/bin/sh").args(["-c", text]).output().unwrap();
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    json!({ "code": output.status.code(), "stdout": words(&output.stdout), "stderr": words(&output.stderr) })
}

fn exchange(a: &str, b: &str, times: u64) -> Value {
    for _ in 0..times {
        renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
    }
    json!(times)
}

fn exchange_for(a: &str, b: &str, microseconds: u64) -> u64 {
    let end = Instant::now() + Duration::from_micros(microseconds);
    let mut times = 0;
    while Instant::now() < end || times % 2 == 1 {
        exchange(a, b, 1);
        times += 1;
    }
    times
}
