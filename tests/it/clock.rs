//! A wall clock that is set, while Postern runs or not: what ends at a time ends neither early nor late by it.
#![cfg(target_os = "linux")]

use postern_tests::{Postern, TestClock, agent_command};
use serde_json::Value;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, in seconds.
const DAY: i64 = 86_400;

#[test]
fn a_clock_that_is_set_ends_no_block_and_no_prohibition() {
    let clock = TestClock::ahead_by(0);
    let host = clock.start_host();
    host.enrol("main");
    host.enrol("stopped");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "1h"]);
    host.ok(&["agents", "stop", "stopped", "--for", "1h"]);
    host.ok(&["pause", "1h"]);
    clock.set_ahead(DAY);
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
    clock.set_ahead(-DAY);
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
    for jump in [DAY, -DAY] {
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

/// Makes an allow rule, a deny rule, a block and a stop of an hour each.
fn set_ends(host: &Postern) {
    host.enrol("main");
    host.enrol("stopped");
    host.ok(&["rules", "allow", "/usr/bin/uname", "--agent", "main", "--for", "1h"]);
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "1h"]);
    host.ok(&["agents", "stop", "stopped", "--for", "1h"]);
    host.ok(&["pause", "1h"]);
}

/// Returns the seconds that the allow rule, the deny rule, the block and the stop have left, by a clock that is ahead.
fn time_left(host: &Postern, ahead: i64) -> [Option<i64>; 4] {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let now = i64::try_from(now).unwrap() + ahead;
    let left = |end: &Value| Some(end.as_i64()? / 1_000 - now);
    let rules = host.json(&["rules", "list"]);
    let of_rule = |effect: &str| {
        let row = rules.as_array().unwrap().iter().find(|row| row["rule"]["effect"] == effect)?;
        left(&row["rule"]["lifetime"]["value"])
    };
    let status = host.json(&["status"]);
    [of_rule("allow"), of_rule("deny"), left(&status["pausedUntil"]), left(&status["stopped"][0]["until"])]
}

/// Returns true if this is what is left of an hour.
fn is_an_hour(left: Option<i64>) -> bool {
    left.is_some_and(|left| (3_000..=3_605).contains(&left))
}

#[test]
fn a_clock_that_is_set_while_postern_is_down_lengthens_no_permission_and_ends_no_prohibition() {
    let clock = TestClock::ahead_by(0);
    let mut host = clock.start_host();
    set_ends(&host);
    let left = time_left(&host, 0);
    assert!(left.into_iter().all(is_an_hour), "{left:?}");

    host.end();
    clock.set_ahead(-DAY);
    host.start_again();
    let left = time_left(&host, -DAY);
    assert!(left.into_iter().all(is_an_hour), "not a day more: {left:?}");
    let status = host.ok(&["status"]);
    assert!(status.contains("was put back by 1day while Postern did not run"), "{status}");

    // What a host leaves at its start is enough.
    host.crash();
    clock.set_ahead(DAY);
    host.start_again();
    let left = time_left(&host, DAY);
    let [allowed, denied, blocked, stopped] = left;
    assert_eq!(allowed, None, "a permission ends by the clock that says so first");
    assert!([denied, blocked, stopped].into_iter().all(is_an_hour), "two days have not passed: {left:?}");
    let doctor = host.run(&["doctor"]);
    assert!(doctor.stdout.contains("was put ahead by 2days while Postern did not run"), "{doctor:?}");
    host.ok(&["resume"]);
    let explained = host.run(&["explain", "--agent", "main", "--", "/usr/bin/id"]);
    assert!(explained.stdout.to_lowercase().contains("deny"), "{explained:?}");
}

#[test]
fn a_clock_that_is_set_while_postern_runs_shows_each_end_as_it_will_show_it_then() {
    let clock = TestClock::ahead_by(0);
    let host = clock.start_host();
    set_ends(&host);
    for ahead in [DAY, -DAY, 0] {
        clock.set_ahead(ahead);
        let left = time_left(&host, ahead);
        assert!(left.into_iter().all(is_an_hour), "ahead by {ahead}: {left:?}");
    }
}
