//! Tests of hostile and over-long text in every field of a request.
//!
//! What an approver is given is escaped in every string, and what cannot be shown in full is never asked
//! about.

use postern_client::Channel;
use postern_protocol::{NoticeEvent, RunParams, RunStdin, What};
use postern_tests::{Postern, connect_agent};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_mins(2);

/// Hostile text.
///
/// An override of direction, a letter of no width, colors of a terminal, a line's end, markup, a letter that
/// looks like another, a ligature, an isolate, a mark of the byte order, and a delete.
const NASTY: &str = "\u{202e}gnp.exe \u{200b}\u{1b}[31mred\u{1b}[0m\r\n<img src=x onerror=alert(1)> ex\u{430}mple \u{fb01} \u{2066}\u{feff}\u{7f}";

fn requests(text: &str, folder: &Path) -> Vec<(&'static str, RunParams)> {
    let run = |what| RunParams { cwd: Some("/".to_owned()), ..RunParams::new(Uuid::new_v4(), what) };
    let echo = || run(What::Command(vec!["/bin/echo".to_owned(), "hello".to_owned()]));
    let words = |words: &[&str]| What::Command(words.iter().map(|&word| word.to_owned()).collect());
    vec![
        ("argument", run(words(&["/bin/echo", text]))),
        ("program", run(words(&[text, "hello"]))),
        ("arguments", run(words(&["/bin/sh", "-c", "touch \"$0\"", text, text]))),
        ("shell", run(What::Shell(format!("/bin/echo '{text}'")))),
        ("shell, unquoted", run(What::Shell(format!("/bin/echo {text}")))),
        ("cwd", RunParams { cwd: Some(folder.display().to_string()), ..echo() }),
        ("env value", RunParams { env: [("NODE_ENV".to_owned(), text.to_owned())].into(), ..echo() }),
        ("env name", RunParams { env: [(text.to_owned(), "1".to_owned())].into(), ..echo() }),
        ("stdin", RunParams { stdin: RunStdin::Text(text.to_owned()), ..echo() }),
        ("reason", RunParams { reason: Some(text.to_owned()), ..echo() }),
        ("session", RunParams { session: Some(text.to_owned()), ..echo() }),
    ]
}

/// Returns a channel of a new agent: none is asked so often that it has to wait.
fn channel(host: &Postern, nth: usize) -> Channel {
    connect_agent(&host.enrol(&format!("agent-{nth}")))
}

/// Collects every string in it, with its position.
fn strings(value: &Value, place: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((place.to_owned(), text.clone())),
        Value::Array(list) => list.iter().for_each(|one| strings(one, &format!("{place}[]"), found)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, one)| strings(one, &format!("{place}.{key}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns true if a character hides, turns text around or controls a terminal.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[test]
fn hostile_text_in_any_field_reaches_a_face_as_escapes() {
    let host = Postern::start();
    let folder = host.scratch("work").join(NASTY.replace('/', "\u{2215}"));
    std::fs::create_dir(&folder).unwrap();
    let watcher = host.watch();
    let mut asked = Vec::new();
    for (nth, (field, params)) in requests(NASTY, &folder).into_iter().enumerate() {
        let mut channel = channel(&host, nth);
        if channel.run(params).is_err() {
            continue; // Refused at the door.
        }
        let first = channel.next_event(Some(PATIENCE)).unwrap().expect("it is asked or denied").event;
        let question = match first {
            NoticeEvent::Pending(_) => watcher.question(),
            NoticeEvent::Denied(_) => Value::Null,
            event => panic!("{field}: neither asked nor denied: {event:?}"),
        };
        let mut found = Vec::new();
        strings(&question, "question", &mut found);
        for (place, text) in found {
            // A saved rule contains the command and the folder themselves: data for the host, never shown.
            let saved = ["pattern", "folder"].map(|part| format!("question.proposals[].rules[].{part}"));
            if !saved.iter().any(|part| place.starts_with(part)) {
                assert!(!text.chars().any(is_hidden), "{field}: {place} is {text:?}");
            }
        }
        if !question.is_null() {
            asked.push(field);
        }
    }
    for field in ["argument", "arguments", "shell", "cwd", "env value", "stdin", "reason"] {
        assert!(asked.contains(&field), "{field} was never asked about: {asked:?}");
    }
}

#[test]
fn what_cannot_be_shown_in_full_is_never_asked_about() {
    let host = Postern::start();
    let watcher = host.watch();
    for (bytes, nth) in [(100 * 1024, 0), (17 * 1024, 100)] {
        let long = "A".repeat(bytes);
        let folder = Path::new("/").join(&long);
        for (at, (field, params)) in requests(&long, &folder).into_iter().enumerate() {
            // How much input there is stands in the question; the input itself is no part of it.
            if field == "stdin" {
                continue;
            }
            let mut channel = channel(&host, nth + at);
            if channel.run(params).is_err() {
                continue; // Refused at the door.
            }
            let first = channel.next_event(Some(PATIENCE)).unwrap().expect("it is asked or denied").event;
            assert!(matches!(first, NoticeEvent::Denied(_)), "{field} of {bytes} bytes: {first:?}");
        }
    }
    assert!(!watcher.saw_one(), "something over-long was shown");
}
