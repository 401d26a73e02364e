//! A wall clock that is set while Postern runs: what ends at a time ends neither early nor late by it.
#![cfg(target_os = "linux")]

use postern_tests::{TestClock, agent_command};
use std::process::Stdio;

#[test]
fn a_clock_that_is_set_ends_no_block_and_no_prohibition() {
    let clock = TestClock::ahead_by(0);
    let host = clock.start_host();
    host.enrol("main");
    host.enrol("stopped");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "1h"]);
    host.ok(&["agents", "stop", "stopped", "--for", "1h"]);
    host.ok(&["pause", "1h"]);
    clock.set_ahead(86_400);
    let status = host.json(&["status"]);
    assert_eq!(status["mode"], "paused", "a day has not passed");
    assert_eq!(status["stopped"][0]["agent"], "stopped", "for a stopped agent neither: {status}");
    let told = status["attention"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["kind"] == "clock")
        .expect("it is told");
    assert!(told["message"].as_str().unwrap().contains("was put ahead by 1day"), "{told}");
    assert!(told["since"].is_i64(), "and when: {told}");
    let doctor = host.run(&["doctor"]);
    assert!(doctor.stdout.contains("ahead by 1day"), "{doctor:?}");
    assert!(doctor.stdout.contains("restart Postern to go by it"), "{doctor:?}");
    host.ok(&["resume"]);
    let explained = host.run(&["explain", "--agent", "main", "--", "/usr/bin/id"]);
    assert!(explained.stdout.to_lowercase().contains("deny"), "{explained:?}");
    // Set back while a block runs, it does not last a day longer.
    host.ok(&["pause", "1s"]);
    clock.set_ahead(-86_400);
    host.until(&["status"], " is on");
    assert!(host.ok(&["status"]).contains("was put back by 1day"));
    clock.set_ahead(0);
    assert!(!host.ok(&["status"]).contains("clock"), "until it is right again");
}

#[test]
fn a_clock_that_is_set_ends_no_question_and_no_run() {
    let clock = TestClock::ahead_by(0);
    let host = clock.start_host();
    let main = host.enrol("main");
    let watcher = host.watch();
    for jump in [86_400, -86_400] {
        clock.set_ahead(0);
        let mut agent = agent_command(&main, &["--timeout", "5m", "--", "cat"]);
        let mut agent = agent.stdin(Stdio::piped()).spawn().unwrap();
        let question = watcher.question();
        clock.set_ahead(jump);
        assert_eq!(host.json(&["status"])["waiting"], 1, "a day has not passed for it");
        host.approve(&question);
        host.until(&["status"], "running 1 command");
        clock.set_ahead(0);
        assert_eq!(host.json(&["status"])["running"], 1, "nor for what runs");
        drop(agent.stdin.take());
        assert!(agent.wait().unwrap().success(), "it ends by itself");
    }
}

#[test]
fn one_start_with_a_wrong_clock_forgets_no_prohibition() {
    let clock = TestClock::ahead_by(0);
    let mut host = clock.start_host();
    host.enrol("main");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "30d"]);
    for seconds in [31_622_400, 0] {
        host.end();
        clock.set_ahead(seconds);
        host.start_again();
    }
    let rules = host.ok(&["rules", "list"]);
    assert!(rules.contains("/usr/bin/id"), "{rules}");
    let explained = host.run(&["explain", "--agent", "main", "--", "/usr/bin/id"]);
    assert!(explained.stdout.to_lowercase().contains("deny"), "{explained:?}");
}
