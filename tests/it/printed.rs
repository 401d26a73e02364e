//! Commands that print several lines: they print lines, and text to paste can be pasted.

use postern_tests::Postern;
use serde_json::Value;

/// Checks that the output contains no escaped line end.
fn lines(host: &Postern, args: &[&str], at_least: usize) -> String {
    let text = host.ok(args);
    assert!(!text.contains("\\n"), "postern {args:?} printed escapes: {text}");
    assert!(text.lines().count() >= at_least, "postern {args:?} printed {text}");
    text
}

/// Returns the JSON document in the output: from the first line that is `{` to the next that is `}`.
fn document(text: &str) -> Value {
    let from = text.lines().skip_while(|line| *line != "{");
    let mut document: Vec<&str> = from.take_while(|line| *line != "}").collect();
    document.push("}");
    serde_json::from_str(&document.join("\n")).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_door_says_in_lines_what_the_other_side_needs() {
    let (host, _) = Postern::with_agent();
    let doors: [(&str, &[&str], usize); 6] = [
        ("websocket", &["listen=127.0.0.1:0"], 2),
        ("openclaw", &["agent=main"], 8),
        ("mcp-http", &["agent=main", "listen=127.0.0.1:0"], 8),
        ("forwarder", &["channels=main@127.0.0.1:0"], 5),
        ("webhook", &["url=https://127.0.0.1:9/"], 4),
        ("otel", &["endpoint=http://127.0.0.1:9/"], 2),
    ];
    for (door, settings, at_least) in doors {
        host.ok(&[&["doors", "enable", door], settings].concat());
        let text = lines(&host, &["doors", "setup", door], at_least);
        match door {
            "openclaw" => {
                let document = document(&text);
                assert!(document["socket"]["path"].as_str().is_some(), "{document}");
                let told = host.json(&["doors", "setup", door]);
                let same: Value = serde_json::from_str(told["document"].as_str().unwrap()).unwrap();
                assert_eq!(same, document, "a program is given the same document");
            }
            "mcp-http" => assert!(document(&text)["mcpServers"]["postern"]["url"].is_string()),
            _ => {}
        }
    }
}

#[test]
fn every_channel_says_in_lines_how_it_comes_into_its_sandbox() {
    let (host, _) = Postern::with_agent();
    host.ok(&["doors", "enable", "openclaw", "agent=main"]);
    host.ok(&["doors", "enable", "mcp-http", "agent=main", "listen=127.0.0.1:0"]);
    for (kind, at_least) in [
        ("docker", 8),
        ("devcontainer", 8),
        ("bwrap", 8),
        ("sandbox-exec", 20),
        ("mcp", 8),
        ("forwarder", 8),
        ("plain", 4),
        ("openclaw", 8),
        ("mcp-http", 8),
    ] {
        let text = lines(&host, &["agents", "channel", "main", "--for", kind], at_least);
        if matches!(kind, "mcp" | "mcp-http" | "openclaw") {
            document(&text);
        }
    }
    let profile = lines(&host, &["agents", "channel", "main", "--for", "sandbox-exec", "--profile"], 15);
    assert!(profile.starts_with("(version 1)\n"), "{profile}");
    host.fails(&["agents", "channel", "main", "--for", "bwrap", "--profile"], 2, "--for sandbox-exec");
}

#[test]
fn a_new_fleets_files_are_shown_in_lines_before_they_are_written() {
    let host = Postern::start();
    let said = host.run(&["fleet", "start", "--name", "mini", "--person", "Mara"]);
    assert!(said.code > 0 && !host.data().join("fleet").exists(), "nobody said yes: {said:?}");
    assert!(!said.stdout.contains("\\n"), "{}", said.stdout);
    let shown = said.stdout.lines().any(|line| line == "listen: \"127.0.0.1:7720\"");
    assert!(shown, "{}", said.stdout);
}
