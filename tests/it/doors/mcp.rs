//! `postern mcp`: the official clients of two languages, and what an agent on Deny is shown.

use postern_tests::{Postern, postern, repository, start};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A host with the agent `main`, which may run `basename`.
fn host() -> Postern {
    let host = Postern::start();
    host.enrol("main");
    host.ok(&["rules", "allow", "/usr/bin/basename", "--agent", "main"]);
    host
}

/// A client spoken by hand: one JSON-RPC message a line.
struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u32,
}

impl Client {
    fn start(host: &Postern) -> Self {
        let mut command = host.command(&["mcp", "--agent", "main", "--session", "s"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, stdin, stdout, next: 0 };
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

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
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
    assert_eq!(ask("Read", input.clone()), json!({"behavior": "allow", "updatedInput": input}));
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

/// A folder for what is installed once for all runs of the tests.
fn clients(name: &str) -> PathBuf {
    let folder = repository().join("target/mcp-clients").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether a command worked; what it said otherwise.
fn works(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said) }
}

/// Runs a client beside a person who says yes to `cat go`, and looks at what it saw. What `cat` reads is a pipe that
/// the client opens when it is told that the command runs: so it was told while it ran.
fn check(mut client: Command) {
    let host = host();
    let go = host.home().join("go");
    rustix::fs::mkfifoat(rustix::fs::CWD, &go, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let watcher = host.watch();
    client.arg(postern()).arg(host.data());
    if let Some(modules) = client.get_current_dir().map(Path::to_owned) {
        client.arg(modules);
    }
    let running =
        client.env("HOME", host.home()).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let question = watcher.question();
    assert_eq!(question["line"], "cat go", "{question}");
    let (code, digest) = (question["code"].as_str().unwrap(), question["digest"].as_str().unwrap());
    host.ok(&["approve", code, "--digest", digest]);
    assert_eq!(watcher.question()["line"], "dirname /c/d");
    let output = running.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let seen: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(
        seen["tools"],
        json!(["system_run", "system_output", "system_kill", "system_which", "approve"])
    );
    assert_eq!((&seen["allowed"]["stdout"], &seen["allowed"]["exitCode"]), (&json!("b\n"), &json!(0)));
    assert_eq!(
        (&seen["asked"]["state"], &seen["asked"]["stdout"]),
        (&json!("finished"), &json!("went")),
        "{seen}"
    );
    let told = seen["progress"].to_string();
    assert!(told.contains("waits for the person") && told.contains("runs"), "{told}");
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

#[test]
fn the_official_python_client_runs_waits_and_cancels() {
    let folder = clients("python");
    let python = folder.join("bin/python");
    let made =
        if python.exists() { Ok(()) } else { works(start("python3").args(["-m", "venv"]).arg(&folder)) };
    let pip = || works(start(&python).args(["-m", "pip", "install", "-q", "mcp>=2,<3"]));
    let has = || works(start(&python).args(["-c", "import mcp"]));
    if let Err(why) = made.and_then(|()| has().or_else(|_| pip())) {
        eprintln!("SKIPPED: the MCP client for Python could not be installed: {why}");
        return;
    }
    let mut client = start(&python);
    client.arg(repository().join("tests/fixtures/mcp/client.py"));
    check(client);
}

#[test]
fn the_official_typescript_client_runs_waits_and_cancels() {
    let folder = clients("node");
    let there = folder.join("node_modules/@modelcontextprotocol/sdk").exists();
    let install = || {
        works(
            start("npm")
                .args(["install", "--no-save", "--prefix"])
                .arg(&folder)
                .arg("@modelcontextprotocol/sdk@1"),
        )
    };
    if let Err(why) = if there { Ok(()) } else { install() } {
        eprintln!("SKIPPED: the MCP client for TypeScript could not be installed: {why}");
        return;
    }
    let mut client = start("node");
    client.arg(repository().join("tests/fixtures/mcp/client.mjs")).current_dir(&folder);
    check(client);
}
