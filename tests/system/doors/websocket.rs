//! Approver clients over WebSocket.

use super::Asked;
use futures_util::{SinkExt as _, StreamExt as _};
use postern_tests::{Postern, agent_command, copy_program, texts};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Connections that somebody holds without a word, and the pause between two of them.
const HELD: usize = 32;
const BETWEEN: Duration = Duration::from_millis(5);

struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    id: String,
    key: String,
    hub: String,
}

impl Client {
    async fn connect(
        url: &str,
        token: &str,
        browser: bool,
    ) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, Error> {
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        if browser {
            headers.insert("Sec-WebSocket-Protocol", format!("postern, {token}").parse().unwrap());
        } else {
            headers.insert("Authorization", format!("Bearer {token}").parse().unwrap());
        }
        headers.insert("User-Agent", "test phone".parse().unwrap());
        connect_async(request).await.map(|(socket, _)| socket)
    }

    /// Pairs with a new code.
    async fn pair(host: &Postern, browser: bool) -> Self {
        let setup = host.json(&["doors", "setup", "websocket"]);
        let (url, code) = (setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap());
        let socket = Self::connect(url, code, browser).await.expect("a pairing code lets in");
        let mut client = Self { socket, id: String::new(), key: String::new(), hub: String::new() };
        let paired = client.next().await;
        assert_eq!(paired["action"], "paired", "the first message: {paired}");
        client.id = paired["payload"]["deviceId"].as_str().unwrap().to_owned();
        client.key = paired["payload"]["deviceKey"].as_str().unwrap().to_owned();
        client.hub = paired["from"].as_str().unwrap().to_owned();
        assert_eq!(paired["to"], client.id.as_str());
        let again = Self::connect(url, code, browser).await;
        assert!(matches!(&again, Err(Error::Http(answer)) if answer.status() == 401), "a code works once");
        client
    }

    async fn hear(&mut self) -> Value {
        loop {
            let message = self.socket.next().await.expect("connected").expect("a message");
            if let Message::Text(text) = message {
                return serde_json::from_str(text.as_str()).unwrap();
            }
        }
    }

    /// Returns the next message but that more may run.
    async fn next(&mut self) -> Value {
        loop {
            let message = self.hear().await;
            if message["action"] != "policy-widened" {
                return message;
            }
        }
    }

    async fn say(&mut self, payload: Value) {
        let envelope = json!({"id": "019444a0-0000-7000-8000-000000000002", "from": self.id, "to": self.hub,
            "action": "request", "payload": payload});
        self.socket.send(Message::Text(envelope.to_string().into())).await.unwrap();
    }

    /// Declares what it shows its user.
    async fn shows(&mut self, parts: &[&str]) -> Value {
        self.call("declareShows", json!({"shows": parts})).await
    }

    /// Returns the approval that the next message asks for.
    async fn asked(&mut self) -> String {
        self.next().await["payload"]["approvalId"].as_str().unwrap().to_owned()
    }

    async fn decide(&mut self, approval: &str, decision: &str) -> Value {
        self.call("resolveExecApproval", json!({"approvalId": approval, "decision": decision})).await
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.say(json!({"requestId": "client-req-001", "method": method, "params": params})).await;
        // What changed of a question meanwhile is told again, before or after.
        let mut answer = self.next().await;
        while answer["action"] != "response" {
            answer = self.next().await;
        }
        assert_eq!(answer["payload"]["requestId"], "client-req-001");
        answer["payload"].clone()
    }
}

fn open() -> (Postern, std::path::PathBuf) {
    let (host, channel) = Postern::with_agent();
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0"]);
    (host, channel)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_three_steps_of_the_protocol_word_for_word() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let asked = Asked::new(&channel, &["uname", "-s"]);
    let request = client.next().await;
    assert_eq!(request["action"], "exec-approval-request");
    assert_eq!((&request["from"], &request["to"]), (&json!(client.hub), &json!(client.id)));
    let payload = &request["payload"];
    assert_eq!(payload["agentId"], "main");
    assert_eq!(payload["command"], "uname -s");
    assert_eq!(payload["cwd"], "/");
    assert!(["safe", "needs-review", "dangerous"].contains(&payload["riskLevel"].as_str().unwrap()));
    assert!(payload["riskReasons"].is_array());
    assert!(payload["expiresAtMs"].as_i64().unwrap() > 1_700_000_000_000);
    let approval = payload["approvalId"].as_str().unwrap().to_owned();
    let answer = client.decide(&approval, "allow-once").await;
    assert_eq!(answer, json!({"requestId": "client-req-001", "ok": true, "payload": {"ok": true}}));
    assert_eq!(asked.end().stdout.trim(), "Linux");
    let again = client.decide(&approval, "deny").await;
    assert_eq!(again["ok"], false);
    assert_eq!(again["error"]["code"], "NOT_FOUND", "answered already: {again}");
    let row = &host.json(&["history"])[0];
    assert_eq!(row["decided"], "you-allowed", "{row}");
    assert_eq!(row["approver"], "websocket, test phone");
}

#[tokio::test(flavor = "multi_thread")]
async fn always_saves_a_rule_and_deny_denies() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, true).await;
    let asked = Asked::new(&channel, &["uname", "-s"]);
    let approval = client.asked().await;
    let unseen = client.decide(&approval, "allow-always").await;
    assert_eq!(unseen["error"]["code"], "CONFLICT", "it does not show what would be saved: {unseen}");
    assert!(unseen["error"]["message"].as_str().unwrap().contains("what would be saved"), "{unseen}");
    let wrong = client.shows(&["everything"]).await;
    assert_eq!(wrong["error"]["code"], "INVALID_PARAMS", "{wrong}");
    let shows = ["always", "programs"];
    assert_eq!(client.shows(&shows).await["payload"]["shows"], json!(shows));
    let saved = client.decide(&approval, "allow-always").await;
    assert_eq!(saved["ok"], true, "{saved}");
    let words = "uname *, in / and below; asks again if the program is updated";
    let rule = json!({"rule": "uname *", "folder": "/", "pinned": true, "words": words});
    assert_eq!(saved["payload"]["saved"], json!([rule]), "it is told what was saved");
    assert_eq!(asked.end().code, 0);
    assert_eq!(Asked::new(&channel, &["uname", "-r"]).end().code, 0, "the rule covers its other arguments");
    let asked = Asked::new(&channel, &["id", "-u"]);
    let approval = client.asked().await;
    assert_eq!(client.decide(&approval, "deny").await["ok"], true);
    assert_eq!(asked.end().code, 126);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_sent_what_its_yes_binds_and_says_yes_only_to_what_it_shows() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let arguments = ["--env", "FOO=evil", "--reason", "because", "--", "sort", "-"];
    let mut asked = agent_command(&channel, &arguments).stdin(Stdio::piped()).spawn().unwrap();
    let request = client.next().await;
    let payload = &request["payload"];
    assert_eq!(payload["environment"][0]["name"], "FOO", "{payload}");
    assert_eq!(payload["environment"][0]["value"], "evil");
    assert_eq!(payload["stdin"]["kind"], "stream", "{payload}");
    assert_eq!(payload["reason"], "because");
    assert_eq!(payload["agent"], "main");
    assert_eq!(payload["asked"], 1);
    assert!(payload["programs"][0]["path"].as_str().unwrap().ends_with("/sort"), "{payload}");
    assert_eq!(payload["needs"], json!(["environment", "input"]));
    let approval = payload["approvalId"].as_str().unwrap().to_owned();
    let blind = client.decide(&approval, "allow-once").await;
    let message = blind["error"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(blind["ok"] == false && message.contains("the environment, standard input"), "{blind}");
    client.shows(&["environment"]).await;
    assert_eq!(client.decide(&approval, "allow-once").await["ok"], false, "one part is still missing");
    assert_eq!(host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    let always = client.decide(&approval, "allow-always").await;
    assert_eq!(always["ok"], false, "and that one is not for good either: {always}");
    client.shows(&["environment", "input"]).await;
    assert_eq!(client.decide(&approval, "allow-once").await["ok"], true);
    drop(asked.stdin.take());
    assert!(asked.wait_with_output().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_window_shows_is_sent() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let arguments = ["--session", "s-1", "--shell", "uname -s && id -u"];
    let mut asked = agent_command(&channel, &arguments).spawn().unwrap();
    let request = client.next().await;
    let payload = &request["payload"];
    assert_eq!((&payload["agentId"], &payload["agent"]), (&json!("s-1"), &json!("main")), "{payload}");
    assert_eq!((&payload["shell"], &payload["argv"]), (&json!(true), &Value::Null), "{payload}");
    assert_eq!(texts(&payload["steps"], "text"), ["uname -s", "id -u"]);
    let offers = payload["proposals"].as_array().unwrap();
    let exact = offers.iter().find(|offer| offer["id"] == "exact").unwrap();
    assert_eq!(exact["folder"], "/");
    assert_eq!(exact["pinned"], true);
    assert_eq!(exact["rules"], json!(["uname -s", "id -u"]), "{payload}");
    assert_eq!(payload["always"]["id"], "command");
    assert_eq!((&payload["queued"], &payload["atZero"]), (&json!(0), &json!("Denied")));
    assert!(payload["policy"].is_string() && payload["rule"].is_null() && payload["recent"].is_array());
    client.shows(&["always"]).await;
    let approval = payload["approvalId"].as_str().unwrap();
    let params = json!({"approvalId": approval, "decision": "allow-always", "proposal": "exact"});
    let saved = client.call("resolveExecApproval", params).await;
    assert_eq!(saved["payload"]["saved"][1]["rule"], "id -u", "what it names is saved: {saved}");
    assert!(asked.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_always_that_can_save_nothing_is_one_run_and_says_why() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let out = host.scratch("work").join("out");
    let asked = Asked::new(&channel, &["sh", "-c", &format!("uname > {}$(id -u)", out.display())]);
    let payload = client.next().await["payload"].clone();
    assert_eq!((&payload["always"], &payload["proposals"]), (&Value::Null, &json!([])), "{payload}");
    assert_eq!(payload["nothingToSave"]["reason"], "unread");
    let approval = payload["approvalId"].as_str().unwrap();
    let done = client.decide(approval, "allow-always").await;
    let message = "allowed once; nothing was saved because a part of it is only known when it runs";
    let unsaved = json!({"reason": "unread", "message": message});
    assert_eq!(done["payload"], json!({"ok": true, "saved": [], "notSaved": unsaved}), "{done}");
    assert_eq!(asked.end().code, 0);
    assert_eq!(host.saved_rules(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_can_change_is_to_be_shown_for_a_yes() {
    let (host, channel) = open();
    let folder = host.scratch("project");
    copy_program("/usr/bin/true", &folder.join("tool"));
    let mut client = Client::pair(&host, false).await;
    let arguments = ["--cwd", folder.to_str().unwrap(), "--", "./tool"];
    let mut asked = agent_command(&channel, &arguments).spawn().unwrap();
    let payload = client.next().await["payload"].clone();
    assert!(payload["changeable"][0].as_str().is_some_and(|path| path.ends_with("/tool")), "{payload}");
    assert_eq!(payload["needs"], json!(["changeable"]), "{payload}");
    let approval = payload["approvalId"].as_str().unwrap();
    client.shows(&["always"]).await;
    for decision in ["allow-once", "allow-always"] {
        let blind = client.decide(approval, decision).await;
        let message = blind["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("what the agent can change"), "{decision}: {blind}");
    }
    client.shows(&["always", "changeable"]).await;
    assert_eq!(client.decide(approval, "allow-once").await["ok"], true);
    assert!(asked.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wider_policy_is_told_with_who_made_it_so() {
    let (host, _channel) = open();
    let mut client = Client::pair(&host, false).await;
    host.ok(&["agents", "set", "main", "ask=off"]);
    let told = loop {
        let told = client.hear().await;
        if told["payload"]["summary"].as_str().is_some_and(|summary| summary.contains("agent main")) {
            break told;
        }
    };
    assert_eq!(told["action"], "policy-widened", "{told}");
    assert_eq!(told["payload"]["by"]["face"], "terminal", "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_wins_and_the_others_are_told_who() {
    let (host, channel) = open();
    let (mut one, mut two) = (Client::pair(&host, false).await, Client::pair(&host, false).await);
    let asked = Asked::new(&channel, &["uname"]);
    let approval = one.asked().await;
    assert_eq!(two.next().await["payload"]["approvalId"], approval.as_str());
    assert_eq!(one.decide(&approval, "allow-once").await["ok"], true);
    let told = two.next().await;
    assert_eq!(told["action"], "exec-approval-resolved", "{told}");
    assert_eq!(told["payload"]["approvalId"], approval.as_str());
    assert_eq!(told["payload"]["by"], "websocket, test phone");
    assert_eq!(two.decide(&approval, "deny").await["error"]["code"], "NOT_FOUND");
    assert_eq!(asked.end().code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_sent_again_to_a_client_that_comes_back_and_a_revoked_one_stays_out() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let asked = Asked::new(&channel, &["uname"]);
    let first = client.next().await;
    drop(client.socket);
    let url = host.json(&["doors", "setup", "websocket"])["url"].as_str().unwrap().to_owned();
    client.socket = Client::connect(&url, &client.key, false).await.expect("a device's key lets in");
    let again = client.next().await;
    assert_eq!(again["payload"]["approvalId"], first["payload"]["approvalId"]);
    let id = client.id.clone();
    host.ok(&["doors", "revoke", "websocket", &id]);
    let end = client.socket.next().await;
    assert!(!matches!(end, Some(Ok(Message::Text(_)))), "it is cut off: {end:?}");
    let out = Client::connect(&url, &client.key, false).await;
    assert!(matches!(&out, Err(Error::Http(answer)) if answer.status() == 401));
    host.ok(&["agents", "remove", "main", "--yes"]);
    assert_ne!(asked.end().code, 0, "nobody answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_device_stays_out_whenever_it_comes() {
    let (host, _channel) = open();
    let client = Client::pair(&host, false).await;
    let url = host.json(&["doors", "setup", "websocket"])["url"].as_str().unwrap().to_owned();
    let comes_back = |_| {
        let (url, key) = (url.clone(), client.key.clone());
        tokio::spawn(async move {
            let mut held = Vec::new();
            // Until it is refused.
            while let Ok(socket) = Client::connect(&url, &key, false).await {
                held.push(socket);
            }
            held
        })
    };
    let coming: Vec<_> = (0..8).map(comes_back).collect();
    host.ok(&["doors", "revoke", "websocket", &client.id]);
    let cut_off = async {
        for task in coming {
            for mut socket in task.await.unwrap() {
                while let Some(Ok(_)) = socket.next().await {}
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(2), cut_off).await.expect("every connection of it ends");
    // Its end is seen here a moment before the host has taken note of it.
    let end = Instant::now() + Duration::from_mins(1);
    while host.json(&["status"])["faces"] != json!([]) {
        assert!(Instant::now() < end, "nobody is left who could answer");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_and_changes_nothing() {
    let (host, channel) = open();
    let mut client = Client::pair(&host, false).await;
    let asked = Asked::new(&channel, &["uname"]);
    let approval = client.asked().await;
    let called = |method: &str, params: Value| json!({"requestId": "r", "method": method, "params": params});
    let resolved = |approval: &str, decision: &str| {
        called("resolveExecApproval", json!({"approvalId": approval, "decision": decision}))
    };
    let cases = [
        (called("runIt", json!({})), "METHOD_NOT_FOUND", "resolveExecApproval"),
        (resolved(&approval, "yes"), "INVALID_PARAMS", "allow-once"),
        (resolved("nope", "deny"), "NOT_FOUND", "not found"),
        (json!({"method": "resolveExecApproval"}), "INVALID_REQUEST", "requestId"),
    ];
    for (payload, code, word) in cases {
        client.say(payload.clone()).await;
        let answer = client.next().await;
        assert_eq!(answer["payload"]["error"]["code"], code, "{payload}: {answer}");
        assert!(answer["payload"]["error"]["message"].as_str().unwrap().contains(word), "{answer}");
    }
    client.socket.send(Message::Text("not json".into())).await.unwrap();
    assert_eq!(client.next().await["payload"]["error"]["code"], "INVALID_REQUEST");
    client.id = "somebody else".to_owned();
    let stolen = client.decide(&approval, "allow-once").await;
    assert_eq!(stolen["error"]["code"], "INVALID_REQUEST", "it speaks for itself alone: {stolen}");
    assert_eq!(host.json(&["questions"]).as_array().unwrap().len(), 1, "it waits still");
    host.ok(&["agents", "remove", "main", "--yes"]);
    drop(asked.end());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_takes_its_own_connection_and_nothing_else() {
    let (host, channel) = open();
    let mut flood = Client::pair(&host, false).await;
    let mut client = Client::pair(&host, false).await;
    for _ in 0..200 {
        let junk = Message::Text("x".repeat(1000).into());
        if flood.socket.feed(junk).await.is_err() {
            break;
        }
    }
    drop(flood.socket.flush().await);
    while let Some(Ok(_)) = flood.socket.next().await {}
    // More than the door takes at a time, and none of them says a word.
    let url = host.json(&["doors", "setup", "websocket"])["url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("ws://").trim_end_matches('/');
    let silent: Vec<_> = (0..100).map(|_| std::net::TcpStream::connect(address).unwrap()).collect();
    let asked = Asked::new(&channel, &["uname"]);
    let approval = client.asked().await;
    assert_eq!(client.decide(&approval, "allow-once").await["ok"], true, "the other client goes on");
    assert_eq!(asked.end().code, 0);
    drop(silent);
    // A place is given back when the door sees that its connection ended.
    let end = Instant::now() + Duration::from_mins(1);
    while Client::connect(&url, &client.key, false).await.is_err() {
        assert!(Instant::now() < end, "the door serves again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_and_silent_connections_keep_no_device_out() {
    let (host, _channel) = open();
    let setup = host.json(&["doors", "setup", "websocket"]);
    let (url, code) = (setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap());
    for _ in 0..30 {
        let refused = Client::connect(url, "guess", false).await;
        assert!(matches!(&refused, Err(Error::Http(answer)) if answer.status() == 401));
    }
    let (address, stop) = (url.trim_start_matches("ws://").trim_end_matches('/').to_owned(), Arc::default());
    let ends: Arc<AtomicBool> = Arc::clone(&stop);
    let others = std::thread::spawn(move || {
        let mut held = VecDeque::new();
        while !ends.load(Ordering::Relaxed) {
            held.push_back(std::net::TcpStream::connect(&address));
            held.drain(..held.len().saturating_sub(HELD));
            std::thread::sleep(BETWEEN);
        }
    });
    let mut came = false;
    for _ in 0..5 {
        came = came || Client::connect(url, code, false).await.is_ok();
    }
    stop.store(true, Ordering::Relaxed);
    others.join().unwrap();
    assert!(came, "the code is read at once");
}

/// Returns the status that a page of this origin gets.
async fn from_page(url: &str, token: &str, origin: &str) -> u16 {
    let mut request = url.into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("Sec-WebSocket-Protocol", format!("postern, {token}").parse().unwrap());
    headers.insert("Origin", origin.parse().unwrap());
    match connect_async(request).await {
        Ok((_, response)) => response.status().as_u16(),
        Err(Error::Http(answer)) => answer.status().as_u16(),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_a_pairing_code_or_the_door_from_its_person() {
    let (host, _channel) = open();
    let setup = host.json(&["doors", "setup", "websocket"]);
    let (url, code) = (setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap());
    for wrong in ["a", "b", "c", "d", "e", "f"] {
        let refused = Client::connect(url, wrong, true).await;
        assert!(matches!(&refused, Err(Error::Http(answer)) if answer.status() == 401));
    }
    assert_eq!(from_page(url, code, "https://evil.example").await, 403, "even with the code");
    assert_eq!(from_page(url, code, "null").await, 403);
    let address = url.trim_start_matches("ws://").trim_end_matches('/');
    let silent: Vec<_> = (0..40).map(|_| std::net::TcpStream::connect(address).unwrap()).collect();
    Client::connect(url, code, true).await.expect("the code is as good as before, and there is room");
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_comes_that_the_person_named() {
    let (host, _channel) = open();
    host.refuses(&["doors", "enable", "websocket", "origins=*"], "is no origin");
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0", "origins=https://approver.example"]);
    let setup = host.json(&["doors", "setup", "websocket"]);
    let (url, code) = (setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap());
    assert_eq!(from_page(url, code, "https://approver.example.evil.example").await, 403);
    assert_eq!(from_page(url, code, "https://approver.example").await, 101);
}

#[tokio::test(flavor = "multi_thread")]
async fn away_from_this_machine_it_speaks_tls_with_a_fingerprint_to_compare() {
    let (host, _channel) = open();
    host.refuses(&["doors", "enable", "websocket", "listen=0.0.0.0:0", "tls=off"], "only on localhost");
    assert_eq!(host.json(&["doors", "list"])[0]["state"], "open", "a mistyped setting closes nothing");
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0", "tls=self-signed"]);
    let setup = host.json(&["doors", "setup", "websocket"]);
    assert!(setup["url"].as_str().unwrap().starts_with("wss://127.0.0.1:"), "{setup}");
    assert_eq!(setup["fingerprint"].as_str().unwrap().split(':').count(), 32, "sha256 in pairs: {setup}");
}
