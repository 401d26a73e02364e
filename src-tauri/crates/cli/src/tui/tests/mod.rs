//! Tests of the view in a terminal.

mod always;
mod answered;
mod shown;

use super::app::{Act, App, TuiKey, View};
use super::choice::RuleChoice;
use super::view::draw_view;
use postern_contract::methods::Arming;
use postern_contract::{Answer, AnswerParams, ApproverNotification, Closed, Question};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde_json::{Value, json};
use std::time::Duration;

/// Makes a question about a command, with as many words.
pub(crate) fn question(command: &str, argv: usize) -> Question {
    let text = |text: &str| json!([{ "text": text, "kind": "plain" }]);
    let words: Vec<Value> = (0..argv).map(|nth| text(&format!("word{nth}"))).collect();
    serde_json::from_value(json!({
        "id": "q1", "code": "a1b2", "digest": "d".repeat(64), "requests": [],
        "asker": { "agent": "main", "name": text("main"), "color": "#3b82f6", "knownBy": text("on its own channel"),
            "session": null, "says": [{ "text": "trust me ", "kind": "plain" }, { "text": "U+202E", "kind": "escaped" }] },
        "command": [{ "text": text(command), "role": "program", "step": 0 }], "line": command, "argv": words,
        "shell": false, "steps": [], "programs": [], "cwd": text("/home/ann"), "env": [], "stdin": null,
        "headline": text("main wants to run a command"), "why": text("no rule"), "rule": null, "policy": text("Ask when no rule matches"),
        "risk": { "level": "dangerous", "reasons": [text("it removes files")] },
        "proposals": [{ "id": "exact", "label": text("this exact command"), "rules": [], "wouldMatch": null }],
        "askedAt": 0, "expiresAt": 4_000_000_000_000_i64, "atZero": text("denied"), "armingMs": 1000, "waiting": 0
    }))
    .unwrap()
}

/// Makes a step that is asked about.
pub(crate) fn step(text: &str) -> postern_contract::ShownStep {
    let step = json!({ "argv": null, "text": text, "program": text, "path": null, "decision": "ask",
        "reason": "allowlist-miss", "span": [0, 0], "why": [] });
    serde_json::from_value(step).unwrap()
}

fn showing(question: Question) -> App {
    let mut app = App::default();
    open(&mut app, question);
    app
}

fn open(app: &mut App, question: Question) {
    app.on_notification(ApproverNotification::QuestionOpened(Box::new(question)));
}

fn change(app: &mut App, question: Question) {
    app.on_notification(ApproverNotification::QuestionChanged(Box::new(question)));
}

/// Draws the view, long after what is on show has come.
fn screen(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let lines = draw(app, width, height);
    app.set_clock(SECOND * 1000);
    app.set_clock(SECOND * 1001);
    lines
}

/// Shows a question, and draws the view.
fn drawn(question: Question, width: u16, height: u16) -> App {
    let mut app = showing(question);
    screen(&mut app, width, height);
    app
}

const SECOND: Duration = Duration::from_secs(1);

fn draw(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw_view(frame, app)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect()
}

fn armed(app: &mut App) {
    app.arming = Some(Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
}

fn close(app: &mut App, id: &str) {
    let how = postern_contract::ClosedBy::Denied;
    let (id, code, face) = (id.to_owned(), "a1b2".to_owned(), None);
    app.on_notification(ApproverNotification::QuestionClosed(Closed { id, code, how, face }));
}

fn type_into(app: &mut App, text: &str) {
    for letter in text.chars() {
        assert_eq!(app.handle_key(TuiKey::Char(letter)), Act::Nothing, "{letter} is a letter");
    }
}
