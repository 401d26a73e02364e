//! `postern history --watch --json`: everything that happens, a line each, also over a restart.

use postern_tests::{Asked, OwnedChild, Postern};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

pub(crate) struct Feed {
    _child: OwnedChild,
    lines: BufReader<std::process::ChildStdout>,
}

impl Feed {
    pub(crate) fn start(host: &Postern, more: &[&str]) -> Self {
        let mut child = host
            .command(&[&["history", "--watch", "--json"], more].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { _child: OwnedChild(child), lines }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    pub(crate) fn until(&mut self, event: &str) -> Vec<Value> {
        let mut all = vec![self.next()];
        while all.last().unwrap()["event"] != event {
            all.push(self.next());
        }
        all
    }
}

fn events(told: &[Value]) -> Vec<&str> {
    told.iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[test]
fn every_step_and_every_decision_is_a_line_and_nothing_is_missed_over_a_restart() {
    let (mut host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let mut feed = Feed::start(&host, &["--agent", "main"]);
    let asked = Asked::new(&channel, &["uname", "-s"]);
    let question = watcher.question();
    host.approve(&question);
    assert_eq!(asked.end().code, 0);
    let told = feed.until("request.finished");
    let expected =
        ["request.received", "request.asked", "request.allowed", "request.started", "request.finished"];
    assert_eq!(events(&told), expected, "{told:?}");
    assert!(told.iter().all(|line| line["agent"] == "main" && line["line"] == "uname -s"), "{told:?}");
    assert_eq!(told[0]["exitCode"], Value::Null, "what came later is not told before: {}", told[0]);
    assert_eq!((&told[2]["face"], &told[4]["exitCode"]), (&"terminal".into(), &0.into()), "{told:?}");
    let sequences: Vec<i64> = told.iter().map(|line| line["sequence"].as_i64().unwrap()).collect();
    assert!(sequences.is_sorted_by(|one, next| one < next), "{sequences:?}");
    drop(feed);

    let asked = Asked::new(&channel, &["uname", "-r"]);
    let question = watcher.question();
    host.ok(&["deny", question["code"].as_str().unwrap(), "--feedback", "not now"]);
    assert_eq!(asked.end().code, 126);
    host.crash();
    host.start_again();
    let last = sequences.last().unwrap().to_string();
    let missed = Feed::start(&host, &["--agent", "main", "--after", &last]).until("request.denied");
    assert_eq!(events(&missed), ["request.received", "request.asked", "request.denied"], "{missed:?}");
    assert!(missed[2]["message"].as_str().unwrap().contains("not now"), "{missed:?}");
    let all = Feed::start(&host, &["--agent", "main", "--since", "1h"]).until("request.denied");
    assert_eq!(all.len(), told.len() + missed.len(), "--since tells it all again: {all:?}");
}

#[test]
fn a_stranger_at_a_door_is_told_as_text() {
    let (host, _) = Postern::with_agent();
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0"]);
    let mut feed = Feed::start(&host, &[]);
    let setup = host.json(&["doors", "setup", "websocket"]);
    let address = setup["url"].as_str().unwrap().trim_start_matches("ws://").trim_end_matches('/').to_owned();
    let mut stranger = std::net::TcpStream::connect(&address).unwrap();
    let hello = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer guess\r\n\r\n"
    );
    stranger.write_all(hello.as_bytes()).unwrap();
    let told = feed.until("door.stranger").pop().unwrap();
    assert_eq!((&told["event"], &told["door"]), (&"door.stranger".into(), &"websocket".into()), "{told}");
    assert!(told["message"].as_str().unwrap().contains("token"), "{told}");
    assert!(!told.to_string().contains("guess"), "{told}");
}
