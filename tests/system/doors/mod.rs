//! The doors, each from the outside with a client of its own kind.

mod coding_agents;
mod environment;
mod forwarder;
mod hooks;
mod installed;
mod mcp;
mod mcp_http;
mod openclaw;
mod openclaw_package;
mod otel;
mod other_language;
mod telegram;
mod webhook;
mod websocket;
mod xmpp;

use postern_tests::{Answer, Asked, Postern};
use std::io::Write as _;
use std::process::Stdio;

/// Runs a `postern` command line that reads a secret from standard input.
fn with_secret(host: &Postern, args: &[&str], secret: &str) -> Answer {
    let mut command = host.command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{secret}\n").as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

/// Answers the one question that waits with yes, at a terminal.
fn approve_at_a_terminal(host: &Postern) {
    host.approve(&host.json(&["questions"])[0]);
}

#[test]
fn a_door_is_closed_until_it_is_opened_and_opens_again_with_the_host() {
    let mut host = Postern::start();
    let state = |host: &Postern| host.door("websocket")["state"].clone();
    assert_eq!(state(&host), "off");
    assert_eq!(host.door("openclaw")["state"], "off");
    host.refuses(&["doors", "setup", "websocket"], "doors enable websocket");
    let refused = host.run(&["doors", "enable", "websocket", "lisen=127.0.0.1:0"]);
    assert!(refused.code != 0 && refused.stderr.contains("lisen"), "the misspelt word is named: {refused:?}");
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0"]);
    assert_eq!(state(&host), "open");
    host.crash();
    host.start_again();
    assert_eq!(state(&host), "open", "it was open when the host ended");
    host.ok(&["doors", "disable", "websocket"]);
    assert_eq!(state(&host), "off");
}
