//! The approval protocol, played by a client that shares no line of code with Postern.

use super::Asked;
use postern_tests::{Answer, Postern, repository, start};
use std::process::Stdio;

#[test]
fn a_python_client_plays_the_three_steps_and_the_errors() {
    let (host, channel) = Postern::with_agent();
    host.ok(&["doors", "enable", "websocket", "listen=127.0.0.1:0"]);
    let setup = host.json(&["doors", "setup", "websocket"]);
    let client = start("python3")
        .arg(repository().join("tests/fixtures/doors/approver.py"))
        .args([setup["url"].as_str().unwrap(), setup["pairingCode"].as_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for somebody who can show it.
    host.until(&["doors", "list", "--json"], "\"connected\": true");
    let asked = Asked::new(&channel, &["uname", "-s"]);
    let played = Answer::from(client.wait_with_output().unwrap());
    assert_eq!(played.code, 0, "{}", played.stderr);
    let asked = asked.end();
    assert_eq!((asked.code, asked.stdout.trim()), (0, "Linux"), "{asked:?}");
}
