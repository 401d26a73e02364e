//! The host is restarted: who watches, asks or answers comes back by itself, and says so in one line.

use postern_tests::screen::Terminal;
use postern_tests::{OwnedChild, Postern, agent_command, lines_of};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_mins(1);

/// Waits for a line with this part.
#[track_caller]
fn says(lines: &Receiver<String>, part: &str) -> String {
    loop {
        let line =
            lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("nobody says {part:?}: {error}"));
        if line.contains(part) {
            return line;
        }
    }
}

fn asks(channel: &Path, argv: &[&str]) -> OwnedChild {
    OwnedChild(agent_command(channel, &[&["--"], argv].concat()).spawn().unwrap())
}

#[test]
fn who_watches_comes_back_and_sees_what_is_asked_then() {
    let (mut host, agent) = Postern::with_agent();
    let piped = |mut command: Command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut questions = piped(host.command(&["questions", "--watch"]));
    let mut history = piped(host.command(&["history", "--watch"]));
    let (asked, remarks) =
        (lines_of(questions.stdout.take().unwrap()), lines_of(questions.stderr.take().unwrap()));
    let (told, also) = (lines_of(history.stdout.take().unwrap()), lines_of(history.stderr.take().unwrap()));
    let _first = asks(&agent, &["uname", "--first"]);
    says(&asked, "uname --first");
    says(&told, "uname --first");
    host.crash();
    for remarks in [&remarks, &also] {
        says(remarks, "waiting until it runs again");
    }
    host.start_again();
    for remarks in [&remarks, &also] {
        says(remarks, "Postern runs again");
    }
    let _second = asks(&agent, &["uname", "--second"]);
    says(&asked, "uname --second");
    says(&told, "uname --second");
    assert!(host.ok(&["status"]).contains("terminal"), "and is on duty again");
    for mut child in [questions, history] {
        assert!(child.try_wait().unwrap().is_none(), "it goes on");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_hook_asks_again_when_the_host_is_back() {
    let (mut host, _) = Postern::with_agent();
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash",
                       "tool_input": {"command": "touch /tmp/never"}});
    let watcher = host.watch();
    let hook = host.hook(&["claude-code", "--agent", "main"], &event);
    let before = watcher.question();
    host.crash();
    host.start_again();
    let after = watcher.question();
    assert_ne!(before["id"], after["id"], "it is asked anew");
    host.approve(&after);
    let ended = hook.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "allow", "{ended:?}");
}

#[test]
fn a_call_over_mcp_ends_as_its_request_did_and_the_next_one_is_asked() {
    let (mut host, _) = Postern::with_agent();
    let watcher = host.watch();
    let mut command = host.command(&["mcp", "--agent", "main"]);
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let answers = lines_of(server.stdout.take().unwrap());
    let mut say = |message: Value| writeln!(input, "{message}").unwrap();
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
    says(&answers, "\"id\":1");
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let mut call = |id: u32, word: &str| {
        say(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "system_run", "arguments": {"command": ["echo", word], "cwd": "/", "env": {"WHY": word}}}}));
    };
    call(2, "one");
    watcher.question();
    host.crash();
    host.start_again();
    let ended = says(&answers, "\"id\":2");
    assert!(ended.contains("restarted"), "the host says what became of the same request: {ended}");
    call(3, "two");
    host.approve(&watcher.question());
    assert!(says(&answers, "\"id\":3").contains("two"));
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn the_terminal_view_stays_and_shows_what_is_asked_then() {
    let (mut host, agent) = Postern::with_agent();
    let mut screen = Terminal::start(&host.command(&["tui"]));
    let _first = asks(&agent, &["uname", "--first"]);
    screen.shows("uname --first", PATIENCE);
    host.crash();
    screen.shows("waiting until it runs again", PATIENCE);
    host.start_again();
    screen.shows("Postern runs again", PATIENCE);
    let _second = asks(&agent, &["uname", "--second"]);
    screen.shows("uname --second", PATIENCE);
    screen.end();
}
