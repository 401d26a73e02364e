//! The client in OpenClaw's published package against the door. The package is large: it is installed where
//! `POSTERN_OPENCLAW=1` says so, and used where it is.

use super::installed::{large, or_skip, script, works};
use super::openclaw::Claw;
use postern_tests::{OwnedChild, start};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Stdio};

/// The version that these tests were made with.
const VERSION: &str = "2026.9.6";

/// Returns the package, and a Node.js that is new enough for it.
fn package() -> Result<PathBuf, String> {
    let package = large("openclaw", VERSION, "POSTERN_OPENCLAW", &["--omit=optional"])?;
    let fits = "const [major, minor] = process.versions.node.split('.').map(Number);
        if (major < 24 || (major === 24 && minor < 16)) {
          console.error(`it needs Node.js 24.16, and this is ${process.version}`);
          process.exit(1);
        }";
    works(start("node").args(["-e", fits]))?;
    Ok(package)
}

/// The package's client, ready to be told what to ask.
struct Client {
    _child: OwnedChild,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    fn start(package: PathBuf, claw: &Claw) -> Self {
        let (socket, token) = claw.reached_by();
        let mut node = start("node");
        node.arg(script("openclaw/client.mjs")).arg(package).args([socket, token]);
        node.env("HOME", claw.host().home()).env("OPENCLAW_STATE_DIR", claw.host().home().join("openclaw"));
        let mut child = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { _child: OwnedChild(child), stdin, stdout };
        while client.line()["ready"] != true {}
        client
    }

    /// Returns the next line of ours; what the package itself says on the way is passed over.
    fn line(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the client ended");
            if let Ok(read) = serde_json::from_str::<Value>(&line) {
                return read;
            }
        }
    }

    fn ask(&mut self, call: &Value) {
        writeln!(self.stdin, "{call}").unwrap();
    }

    fn told(&mut self) -> Value {
        self.line()["result"].take()
    }

    fn exec(&mut self, request: &Value, wrong: &Value) -> Value {
        self.ask(&json!({"call": "exec", "request": request, "wrong": wrong}));
        self.told()
    }
}

#[test]
fn openclaws_own_client_gets_decisions_runs_and_every_error() {
    let Some(package) = or_skip("OpenClaw's package", package()) else { return };
    let claw = Claw::open(&[]);
    let mut client = Client::start(package, &claw);
    decisions(&claw, &mut client);
    runs(&claw, &mut client);
    refusals(&claw, &mut client);
}

fn decisions(claw: &Claw, client: &mut Client) {
    let ask = json!({"call": "approval", "request": {"command": "uname -s", "cwd": "/", "ask": "on-miss", "agentId": "main"}});
    client.ask(&ask);
    claw.decide(&["approve"]);
    assert_eq!(client.told(), "allow-once");
    client.ask(&ask);
    claw.decide(&["deny"]);
    assert_eq!(client.told(), "deny");
    let mut forged = ask.clone();
    forged["wrong"] = json!({"token": "wrong"});
    client.ask(&forged);
    assert_eq!(client.told(), "deny");
}

fn runs(claw: &Claw, client: &mut Client) {
    claw.host().ok(&["rules", "allow", "/usr/bin/printf", "--agent", "claw"]);
    let request = json!({"command": ["/usr/bin/printf", "hi %s", "there"], "rawCommand": "/usr/bin/printf \"hi %s\" there",
        "cwd": "/", "env": null, "timeoutMs": 10_000, "agentId": "main", "sessionKey": "agent:main:main"});
    assert_eq!(
        client.exec(&request, &json!({})),
        json!({"ok": true, "payload": {"exitCode": 0, "timedOut": false, "success": true, "stdout": "hi there",
            "stderr": "", "error": null}})
    );
    client.ask(&json!({"call": "exec", "request": {"command": ["uname"], "cwd": "/"}}));
    claw.decide(&["approve"]);
    assert_eq!(client.told()["payload"]["stdout"], "Linux\n");
    client.ask(&json!({"call": "exec", "request": {"command": ["uname"], "cwd": "/"}}));
    claw.decide(&["deny", "--feedback", "not now"]);
    let told = client.told();
    assert_eq!(
        (&told["ok"], &told["error"]["reason"], &told["error"]["message"]),
        (&json!(false), &json!("user-denied"), &json!("SYSTEM_RUN_DENIED: user denied: not now"))
    );
}

fn refusals(claw: &Claw, client: &mut Client) {
    let good = json!({"command": ["/usr/bin/printf", "x"], "cwd": "/"});
    assert_eq!(client.exec(&good, &json!({"nonce": 7}))["ok"], true, "a nonce is good once");
    let mut reason = |request: &Value, wrong: Value| {
        let told = client.exec(request, &wrong);
        let error = &told["error"];
        assert_eq!(told["ok"], false, "{told}");
        format!("{}/{}", error["code"].as_str().unwrap(), error["reason"].as_str().unwrap())
    };
    assert_eq!(reason(&good, json!({"nonce": 7})), "INVALID_REQUEST/replay");
    assert_eq!(reason(&good, json!({"token": "wrong"})), "INVALID_REQUEST/hmac");
    assert_eq!(reason(&good, json!({"skew": -11_000})), "INVALID_REQUEST/ttl");
    assert_eq!(reason(&good, json!({"skew": 11_000})), "INVALID_REQUEST/ttl");
    for (request, expected) in [
        (json!({"command": "uname"}), "INVALID_REQUEST/json"),
        (json!({"command": []}), "INVALID_REQUEST/invalid"),
        (json!({"command": ["uname"], "rawCommand": "uname -a"}), "INVALID_REQUEST/invalid"),
        (
            json!({"command": ["/usr/bin/printf", "x"], "cwd": "/no/such/folder"}),
            "UNAVAILABLE/cwd-unavailable",
        ),
        (json!({"command": ["uname"], "cwd": "/", "env": {"LD_PRELOAD": "/x"}}), "INVALID_REQUEST/invalid"),
    ] {
        assert_eq!(reason(&request, json!({})), expected, "{request}");
    }
    let missed = json!({"command": ["uname"], "cwd": "/"});
    claw.host().ok(&["rules", "deny", "id", "--command", "--agent", "claw"]);
    assert_eq!(reason(&json!({"command": ["id"], "cwd": "/"}), json!({})), "UNAVAILABLE/denylist");
    claw.host().ok(&["agents", "set", "claw", "ask=off"]);
    assert_eq!(reason(&missed, json!({})), "UNAVAILABLE/allowlist-miss");
    claw.host().ok(&["agents", "set", "claw", "preset=deny"]);
    assert_eq!(reason(&missed, json!({})), "UNAVAILABLE/security=deny");
}
