//! The door `mcp-http`, spoken to by hand: who is let in, who is not, and what a client that goes, or many, take with them.

use super::Asked;
use postern_tests::Postern;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The open door, with what its client holds.
pub(super) struct Door {
    host: Postern,
    address: String,
    token: String,
}

/// Answer to a request.
#[derive(Debug)]
struct Told {
    status: u16,
    session: Option<String>,
    body: String,
}

impl Told {
    fn of(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // Who is refused before it said everything may be cut off behind the answer.
        drop(stream.read_to_end(&mut bytes));
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let named = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        Self { status, session: named.map(str::to_owned), body: body.to_owned() }
    }

    /// Returns the JSON-RPC answer in it.
    fn answer(&self) -> Value {
        let messages = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let read = messages.filter_map(|text| serde_json::from_str::<Value>(text.trim()).ok());
        read.into_iter().find(|message| message.get("id").is_some()).unwrap_or_else(|| panic!("{self:?}"))
    }
}

fn call(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn hello() -> String {
    let info = json!({"name": "test", "version": "1"});
    call("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}))
}

impl Door {
    fn open() -> Self {
        let host = Postern::start();
        host.enrol("main");
        Self::beside(host, "main")
    }

    pub(super) fn beside(host: Postern, agent: &str) -> Self {
        host.ok(&["doors", "enable", "mcp-http", &format!("agent={agent}"), "listen=127.0.0.1:0"]);
        let mut door = Self { host, address: String::new(), token: String::new() };
        door.set_up();
        door
    }

    fn set_up(&mut self) {
        let setup = self.host.json(&["doors", "setup", "mcp-http"]);
        let url = setup["url"].as_str().unwrap();
        url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().clone_into(&mut self.address);
        setup["token"].as_str().unwrap().clone_into(&mut self.token);
    }

    /// Sends a request; HTTP/1.0, so that the answer comes as it is and ends with the connection.
    fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head =
            format!("{line} HTTP/1.0\r\ncontent-length: {}\r\n{}", body.len(), lines.collect::<String>());
        // Who is refused may be cut off before it said everything.
        drop(stream.write_all(format!("{head}\r\n{body}").as_bytes()));
        stream
    }

    /// Returns a message as a client sends it that holds the token, with `more` in place of what it would
    /// say.
    fn post(&self, more: &[(&str, &str)], body: &str) -> TcpStream {
        let bearer = format!("Bearer {}", self.token);
        let usual = [
            ("host", self.address.as_str()),
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let mut headers: Vec<(&str, &str)> =
            usual.into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name)).collect();
        headers.extend(more);
        self.send("POST /mcp", &headers, body)
    }

    pub(super) fn session(&self) -> String {
        let welcome = Told::of(self.post(&[], &hello()));
        assert_eq!(welcome.answer()["result"]["serverInfo"]["name"], "postern", "{welcome:?}");
        let session = welcome.session.expect("it is named");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(Told::of(self.post(&[("mcp-session-id", &session)], &ready)).status, 202);
        session
    }

    fn run(&self, session: &str, command: &[&str]) -> TcpStream {
        self.ask(session, "system_run", &json!({"command": command, "cwd": "/"}))
    }

    fn ask(&self, session: &str, tool: &str, arguments: &Value) -> TcpStream {
        let params = json!({"name": tool, "arguments": arguments});
        self.post(&[("mcp-session-id", session)], &call("tools/call", &params))
    }

    /// Calls a tool to its end.
    pub(super) fn tool(&self, session: &str, tool: &str, arguments: &Value) -> Value {
        Told::of(self.ask(session, tool, arguments)).answer()
    }
}

#[test]
fn who_does_not_hold_the_token_or_was_led_here_is_refused() {
    let mut door = Door::open();
    let status = |more: &[(&str, &str)]| Told::of(door.post(more, &hello())).status;
    assert_eq!(status(&[]), 200);
    let short = &door.token[..door.token.len() - 1];
    for wrong in
        [String::new(), "Bearer".to_owned(), format!("Bearer {short}"), format!("Basic {}", door.token)]
    {
        assert_eq!(status(&[("authorization", &wrong)]), 401, "{wrong:?}");
    }
    let told = Told::of(door.send("POST /mcp", &[("host", &door.address)], &hello()));
    assert!(told.status == 401 && told.body.contains("doors setup mcp-http"), "{told:?}");
    let port = door.address.rsplit(':').next().unwrap();
    assert_eq!(status(&[("host", &format!("localhost:{port}"))]), 200);
    for led in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1:1", "localhost.evil.example"] {
        assert_eq!(status(&[("host", led)]), 403, "host {led}");
    }
    for page in ["https://evil.example", &format!("http://{}", door.address), "null"] {
        assert_eq!(status(&[("origin", page)]), 403, "a page is no MCP client: {page}");
    }
    let bearer = format!("Bearer {}", door.token);
    let elsewhere = door.send("GET /", &[("host", &door.address), ("authorization", &bearer)], "");
    assert_eq!(Told::of(elsewhere).status, 404);
    let long = "x".repeat(4 * 1024 * 1024 + 1);
    assert_eq!(Told::of(door.post(&[], &long)).status, 413);
    for elsewhere in ["listen=0.0.0.0:0", "listen=[::]:0", "listen=192.168.64.1:0"] {
        for tls in ["tls=off", "tls=self-signed"] {
            door.host.refuses(&["doors", "enable", "mcp-http", elsewhere, tls], "only on localhost");
        }
    }
    let token = door.token.clone();
    // Without a port of its own it listens at another one.
    door.set_up();
    assert_eq!(door.token, token);
    assert_eq!(Told::of(door.post(&[], &hello())).status, 200, "a mistyped setting closes nothing");
}

#[test]
fn a_token_is_one_agents_and_can_be_made_anew() {
    let mut door = Door::open();
    let first = door.token.clone();
    let session = door.session();
    door.host.ok(&["doors", "revoke", "mcp-http", "token"]);
    assert_eq!(Told::of(door.post(&[], &hello())).status, 401, "the token before is good no more");
    door.set_up();
    assert_ne!(door.token, first);
    let gone = Told::of(door.run(&session, &["uname"]));
    assert_eq!(gone.status, 404, "nor is what was opened with it: {gone:?}");
    let mains = door.token.clone();
    door.host.enrol("other");
    door.host.ok(&["doors", "enable", "mcp-http", "agent=other"]);
    door.set_up();
    let others = std::mem::replace(&mut door.token, mains.clone());
    assert_ne!(others, mains);
    assert_eq!(Told::of(door.post(&[], &hello())).status, 401, "main's token does not act for other");
    door.host.refuses(&["agents", "channel", "main", "--for", "mcp-http"], "leads to other");
    let text = door.host.ok(&["agents", "channel", "other", "--for", "mcp-http"]);
    let read: Value = serde_json::from_str(&text).unwrap();
    let server = &read["mcpServers"]["postern"];
    assert_eq!(server["headers"]["Authorization"], format!("Bearer {others}"), "{text}");
    assert_eq!(server["url"], format!("http://{}/mcp", door.address));
    door.host.ok(&["doors", "disable", "mcp-http"]);
    door.host
        .refuses(&["agents", "channel", "other", "--for", "mcp-http"], "doors enable mcp-http agent=other");
    assert!(TcpStream::connect(&door.address).is_err(), "nobody listens");
}

#[test]
fn an_agent_on_deny_is_shown_no_tool_that_runs() {
    let door = Door::open();
    let session = door.session();
    let tools = || {
        let listed =
            Told::of(door.post(&[("mcp-session-id", &session)], &call("tools/list", &json!({})))).answer();
        let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tools().len(), 5);
    door.host.ok(&["agents", "set", "main", "preset=deny"]);
    assert_eq!(tools(), ["approve"]);
    let refused = Told::of(door.run(&session, &["uname"])).answer();
    assert_eq!(refused["result"]["isError"], true, "a tool that is not shown does not run: {refused}");
}

/// HTTP does not say that a client went: its streams broke and it did not come again.
#[test]
fn a_client_that_goes_takes_its_question_with_it() {
    let door = Door::open();
    let watch = door.host.watch();
    let stream = door.run(&door.session(), &["uname"]);
    watch.question();
    drop(stream);
    watch.closed();
    let session = door.session();
    let stream = door.run(&session, &["uname", "-s"]);
    watch.question();
    let bearer = format!("Bearer {}", door.token);
    let leave = [("host", door.address.as_str()), ("authorization", &bearer), ("mcp-session-id", &session)];
    let left = Told::of(door.send("DELETE /mcp", &leave, ""));
    assert!((200..300).contains(&left.status), "{left:?}");
    watch.closed();
    drop(stream);
    for row in door.host.json(&["history"]).as_array().unwrap() {
        assert_eq!(row["state"], "denied", "{row}");
    }
}

#[test]
fn a_flood_at_the_door_holds_up_nobody_else_and_passes() {
    let door = Door::open();
    door.host.ok(&["rules", "allow", "/usr/bin/uname", "--agent", "main"]);
    let connect = || TcpStream::connect(&door.address);
    let silent: Vec<_> = (0..200).filter_map(|_| connect().ok()).collect();
    for _ in 0..100 {
        // Cut off at some point, or never served.
        if let Ok(mut stream) = connect() {
            drop(stream.write_all(&[0xff; 4096]));
        }
    }
    let other = Asked::new(&door.host.data().join("agents/main"), &["uname"]);
    assert_eq!(other.end().code, 0, "the agent's own channel goes on beside it");
    door.host.ok(&["doors", "list"]);
    drop(silent);
    // A place is given back when the door sees that its connection ended.
    let end = Instant::now() + Duration::from_mins(1);
    let served = || {
        let mut first = [0; 12];
        door.post(&[], &hello()).read_exact(&mut first).is_ok() && first.ends_with(b"200")
    };
    while !served() {
        assert!(Instant::now() < end, "the door serves again");
    }
}
