//! Samples of the pages' tests and designs: real requests to a real host, and its real lists.
//!
//! `scripts/record-samples` writes them, and a test holds them to what the host says today.

mod asking;
mod lists;
mod made;
mod questions;
mod steady;
mod tools;

use postern_client::Control;
use postern_contract::{ApproverNotification, Question};
use postern_tests::repository;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Questions, by scene.
const QUESTIONS: &str = "ui/src/backend/recorded.json";
/// Agents, rules, requests and the rest of the settings window, by method.
const LISTS: &str = "ui/src/backend/recorded-lists.json";
/// Time at which every question was asked and every list was read, in milliseconds.
const ASKED: i64 = 1_772_445_600_000;
/// The person's home in the samples.
const HOME: &str = "/Users/kim";
/// Limit on a host's answer: a guard against hanging, never an expectation.
const PATIENCE: Duration = Duration::from_mins(1);

fn next_question(person: &mut Control) -> Question {
    loop {
        let told = person.next_known_notification(Some(PATIENCE)).unwrap();
        if let ApproverNotification::QuestionOpened(question) = told.expect("a question opens") {
            return *question;
        }
    }
}

#[test]
fn the_samples_are_what_a_host_asks() {
    held(QUESTIONS, &questions::Stage::open().record());
}

#[test]
fn the_samples_are_what_a_host_lists() {
    held(LISTS, &lists::Stage::open().record());
}

#[test]
#[ignore = "writes the samples: run by scripts/record-samples"]
fn write_the_questions() {
    write(QUESTIONS, &questions::Stage::open().record());
}

#[test]
#[ignore = "writes the samples: run by scripts/record-samples"]
fn write_the_lists() {
    write(LISTS, &lists::Stage::open().record());
}

fn write(name: &str, value: &Value) {
    let text = serde_json::to_string_pretty(value).unwrap();
    fs::write(file(name), text + "\n").unwrap();
}

fn held(name: &str, today: &Value) {
    let kept: Value = serde_json::from_str(&fs::read_to_string(file(name)).unwrap()).unwrap();
    for (member, value) in today.as_object().unwrap() {
        assert_eq!(
            kept[member], *value,
            "{name}: {member} changed: run scripts/record-samples and commit what it writes"
        );
    }
    assert_eq!(kept.as_object().unwrap().len(), today.as_object().unwrap().len(), "{name}");
}

fn file(name: &str) -> PathBuf {
    repository().join(name)
}
