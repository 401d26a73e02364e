//! `postern mcp`, and the same over HTTP: the official clients of two languages, and what an agent on Deny is shown.

use super::installed;
use postern_tests::{OwnedChild, Postern, postern, start};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

/// Returns a host with the agent `main`, which may run `basename`.
fn host() -> Postern {
    let (host, _) = Postern::with_agent();
    host.ok(&["rules", "allow", "/usr/bin/basename", "--agent", "main"]);
    host
}

/// A client spoken by hand: one JSON-RPC message a line.
struct Client {
    _child: OwnedChild,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u32,
}

impl Client {
    fn start(host: &Postern) -> Self {
        Self::waiting(host, "1m")
    }

    /// Starts a server whose calls are answered after this time.
    fn waiting(host: &Postern, time: &str) -> Self {
        let mut command = host.command(&["mcp", "--agent", "main", "--session", "s", "--wait", time]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { _child: OwnedChild(child), stdin, stdout, next: 0 };
        let info = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        let welcome = client.call("initialize", &hello);
        assert_eq!(welcome["result"]["serverInfo"]["name"], "postern", "{welcome}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert_ne!(
                self.stdout.read_line(&mut line).unwrap(),
                0,
                "the server ended before its answer to {method}"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn tools(&mut self) -> Vec<String> {
        let listed = self.call("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        self.call("tools/call", &json!({"name": name, "arguments": arguments}))
    }
}

#[test]
fn an_agent_on_deny_is_shown_no_tool_that_runs() {
    let host = host();
    let mut client = Client::start(&host);
    let all = ["system_run", "system_output", "system_kill", "system_which", "approve"];
    assert_eq!(client.tools(), all);
    host.ok(&["agents", "set", "main", "preset=deny"]);
    assert_eq!(client.tools(), ["approve"], "the person's change counts at once");
    let refused = client.tool("system_run", &json!({"command": ["basename", "/a/b"]}));
    assert_eq!(refused["result"]["isError"], true, "a tool that is not shown does not run: {refused}");
    assert_eq!(host.json(&["history"]).as_array().unwrap().len(), 0, "and nothing was asked for");
    host.ok(&["agents", "set", "main", "preset=ask"]);
    assert_eq!(client.tools(), all);
}

#[test]
fn results_are_for_programs_and_for_models_and_mistakes_are_named() {
    let host = host();
    let mut client = Client::start(&host);
    let ran = client.tool("system_run", &json!({"command": ["basename", "/a/b"], "cwd": "/"}));
    assert_eq!(ran["result"]["structuredContent"]["stdout"], "b\n", "{ran}");
    assert_eq!(ran["result"]["content"][0]["text"], "b\nexit code 0");
    let id = ran["result"]["structuredContent"]["requestId"].clone();
    let kept = client.tool("system_output", &json!({"requestId": id}));
    assert_eq!(kept["result"]["structuredContent"]["stdout"], "b\n", "{kept}");
    host.ok(&["rules", "deny", "uname *", "--everyone", "--why", "not here"]);
    let denied = client.tool("system_run", &json!({"command": ["uname"], "cwd": "/"}));
    assert_eq!(denied["result"]["isError"], true, "{denied}");
    assert_eq!(denied["result"]["structuredContent"]["reason"], "denylist");
    assert!(denied["result"]["content"][0]["text"].as_str().unwrap().contains("not here"), "{denied}");
    for (arguments, part) in [
        (json!({}), "command"),
        (json!({"command": ["a"], "shell": "b"}), "command"),
        (json!({"command": "git status"}), r#"command: invalid type: string "git status""#),
        (json!({"command": "git status"}), r#"["git", "status"]"#),
        (json!({"command": ["a"], "timeoutMs": "1m"}), "timeoutMs: invalid type"),
        (json!({"command": ["a"], "colour": 1}), "colour"),
    ] {
        let wrong = client.tool("system_run", &arguments);
        let text = wrong["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(wrong["result"]["isError"] == true && text.contains(part), "{arguments}: {wrong}");
    }
    assert!(
        client.tool("no_such_tool", &json!({}))["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no_such_tool")
    );
}

#[test]
fn a_call_that_a_person_takes_long_over_is_pending_and_the_same_again_joins_it() {
    let host = host();
    let watcher = host.watch();
    let mut client = Client::waiting(&host, "1s");
    let arguments = json!({"command": ["uname", "-s"], "cwd": "/"});
    let pending = client.tool("system_run", &arguments);
    let members = &pending["result"]["structuredContent"];
    assert_eq!(members["state"], "pending", "{pending}");
    assert_eq!(pending["result"]["isError"], false);
    let question = watcher.question();
    let said = pending["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains(question["code"].as_str().unwrap()) && said.contains("same arguments"), "{said}");
    let again = client.tool("system_run", &arguments);
    assert_eq!(again["result"]["structuredContent"]["requestId"], members["requestId"], "{again}");
    host.approve(&question);
    assert_eq!(watcher.closed(), "allowed");
    // It may take longer to run than a call waits.
    let goes_on = |answer: &Value| answer["result"]["structuredContent"]["state"] == "pending";
    let mut calls = std::iter::repeat_with(|| client.tool("system_run", &arguments)).take(60);
    let ended = calls.find(|answer| !goes_on(answer)).expect("it ends");
    drop(calls);
    assert_eq!(ended["result"]["structuredContent"]["stdout"], "Linux\n", "{ended}");
    assert!(!watcher.saw_one(), "nobody is asked twice");
    let left = client.tool("system_run", &json!({"command": ["uname", "-r"], "cwd": "/"}));
    assert_eq!(left["result"]["structuredContent"]["state"], "pending", "{left}");
    watcher.question();
    drop(client);
    assert_eq!(watcher.closed(), "withdrawn", "a client that goes takes what it asked for with it");
}

#[test]
fn claude_codes_permission_prompt_is_answered_in_its_shape() {
    let host = host();
    let mut client = Client::start(&host);
    let mut ask = |tool: &str, input: Value| -> Value {
        let told = client.tool("approve", &json!({"tool_name": tool, "input": input, "tool_use_id": "x"}));
        let text =
            told["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let input = json!({"file_path": "/x/README.md", "limit": 3});
    // A default allows it, but Claude Code's own rules ask: the user decides.
    let watcher = host.watch();
    let person = &host;
    let watcher = std::thread::scope(|scope| {
        let answering = scope.spawn(move || {
            person.approve(&watcher.question());
            watcher
        });
        assert_eq!(ask("Read", input.clone()), json!({"behavior": "allow", "updatedInput": input}));
        answering.join().unwrap()
    });
    let file = host.data().join("policy/main/permissions.jsonc");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"*.env\": \"deny\",", "\"*.md\": \"allow\", \"*.env\": \"deny\","))
        .unwrap();
    let got = ask("Read", input.clone());
    assert_eq!(got, json!({"behavior": "allow", "updatedInput": input}), "a line of theirs");
    assert!(!watcher.saw_one());
    let denied = ask("Read", json!({"file_path": "/x/.env"}));
    assert_eq!(denied["behavior"], "deny");
    assert!(denied["message"].as_str().unwrap().contains("*.env"), "{denied}");
}

#[test]
fn the_registration_starts_this_server() {
    let host = host();
    let text = host.ok(&["agents", "channel", "main", "--for", "mcp"]);
    let read: Value = serde_json::from_str(&text).unwrap();
    let args: Vec<String> = serde_json::from_value(read["mcpServers"]["postern"]["args"].clone()).unwrap();
    assert_eq!(args, ["--data", host.data().to_str().unwrap(), "mcp", "--agent", "main"]);
}

/// Way in which a client reaches the server.
#[derive(Clone, Copy)]
enum Way {
    /// Started by the client.
    Stdio,
    /// Over HTTP, through the door.
    Http,
}

impl Way {
    /// Returns the arguments of the client's script.
    fn arguments(self, host: &Postern) -> [String; 3] {
        match self {
            Self::Stdio => {
                let text = |path: &Path| path.to_str().unwrap().to_owned();
                ["stdio".to_owned(), text(postern()), text(&host.data())]
            }
            Self::Http => {
                host.ok(&["doors", "enable", "mcp-http", "agent=main", "listen=127.0.0.1:0"]);
                let setup = host.json(&["doors", "setup", "mcp-http"]);
                let text = |name: &str| setup[name].as_str().unwrap().to_owned();
                ["http".to_owned(), text("url"), text("token")]
            }
        }
    }
}

/// Runs a client beside a person who says yes to `cat go`, and looks at what it saw. What `cat` reads is a pipe that
/// the client opens when it is told that the command runs: so it was told while it ran.
fn check(mut client: Command, way: Way) {
    let host = host();
    let go = host.home().join("go");
    assert!(start("mkfifo").arg(&go).status().unwrap().success());
    let watcher = host.watch();
    client.args(way.arguments(&host));
    let running =
        client.env("HOME", host.home()).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let question = watcher.question();
    assert_eq!(question["line"], "cat go", "{question}");
    host.approve(&question);
    assert_eq!(watcher.question()["line"], "dirname /c/d");
    let output = running.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let seen: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(
        seen["tools"],
        json!(["system_run", "system_output", "system_kill", "system_which", "approve"])
    );
    assert_eq!((&seen["allowed"]["stdout"], &seen["allowed"]["exitCode"]), (&json!("b\n"), &json!(0)));
    assert_eq!(seen["asked"]["state"], "finished", "{seen}");
    assert_eq!(seen["asked"]["stdout"], "went");
    let told = seen["progress"].to_string();
    assert!(told.contains("waits for the user") && told.contains("runs"), "{told}");
    assert_eq!(seen["cancelled"], true, "{seen}");
    assert_eq!(seen["which"]["programs"][0]["decision"], "allow", "{seen}");
    assert_eq!(seen["approve"]["behavior"], "deny", "{seen}");
    watcher.closed();
    let history = host.json(&["history"]);
    let taken_back = history.as_array().unwrap().iter().find(|row| row["line"] == "dirname /c/d").unwrap();
    assert_eq!(
        taken_back["state"], "denied",
        "what the client cancelled is not asked about any more: {history}"
    );
}

fn python(way: Way) {
    let Some(python) = installed::python() else { return };
    let mut client = start(python);
    client.arg(installed::script("mcp/client.py"));
    check(client, way);
}

fn typescript(way: Way) {
    let Some(folder) = installed::node() else { return };
    let mut client = start("node");
    client.arg(installed::script("mcp/client.mjs")).arg(folder);
    check(client, way);
}

#[test]
fn the_official_python_client_runs_waits_and_cancels() {
    python(Way::Stdio);
}

#[test]
fn the_official_python_client_runs_waits_and_cancels_over_http() {
    python(Way::Http);
}

#[test]
fn the_official_typescript_client_runs_waits_and_cancels() {
    typescript(Way::Stdio);
}

#[test]
fn the_official_typescript_client_runs_waits_and_cancels_over_http() {
    typescript(Way::Http);
}
