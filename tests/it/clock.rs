//! A wall clock that is set while Postern runs: what ends at a time ends neither early nor late by it.
#![cfg(target_os = "linux")]

use postern_tests::{Postern, postern_run, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Puts the wall clock ahead by the seconds in the file that `CLOCK_AHEAD` names; the other clocks go on.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  long done = syscall(SYS_clock_gettime, clock, now);
  int file = clock == CLOCK_REALTIME ? open(getenv("CLOCK_AHEAD"), O_RDONLY) : -1;
  if (file >= 0) {
    char text[32] = {0};
    if (read(file, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
    close(file);
  }
  return (int)done;
}
"#;

/// Returns a library that gives a program this clock, and the file that sets it.
fn clock(folder: &Path) -> (PathBuf, PathBuf) {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let built = start("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(built.success());
    (library, folder.join("ahead"))
}

#[test]
fn a_clock_that_is_set_ends_no_block_and_no_prohibition() {
    let folder = tempfile::tempdir().unwrap();
    let (library, ahead) = clock(folder.path());
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let host = Postern::start_with(&[("LD_PRELOAD", &text(&library)), ("CLOCK_AHEAD", &text(&ahead))]);
    host.enrol("main");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "1h"]);
    host.ok(&["pause", "1h"]);
    fs::write(&ahead, "86400").unwrap();
    let status = host.json(&["status"]);
    assert_eq!(status["mode"], "paused", "a day has not passed");
    let told = status["attention"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["kind"] == "clock")
        .expect("it is told");
    assert!(told["message"].as_str().unwrap().contains("was put ahead by 1day"), "{told}");
    assert!(told["since"].is_i64(), "and when: {told}");
    let doctor = host.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("ahead by 1day") && doctor.stdout.contains("restart Postern to go by it"),
        "{doctor:?}"
    );
    host.ok(&["resume"]);
    let explained = host.run(&["explain", "--agent", "main", "--", "/usr/bin/id"]);
    assert!(explained.stdout.to_lowercase().contains("deny"), "{explained:?}");
    // Set back while a block runs, it does not last a day longer.
    host.ok(&["pause", "1s"]);
    fs::write(&ahead, "-86400").unwrap();
    host.until(&["status"], " is on");
    assert!(host.ok(&["status"]).contains("was put back by 1day"));
    fs::write(&ahead, "0").unwrap();
    assert!(!host.ok(&["status"]).contains("clock"), "until it is right again");
}

#[test]
fn a_clock_that_is_set_ends_no_question_and_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let (library, ahead) = clock(folder.path());
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let host = Postern::start_with(&[("LD_PRELOAD", &text(&library)), ("CLOCK_AHEAD", &text(&ahead))]);
    let main = host.enrol("main");
    let watcher = host.watch();
    for jump in ["86400", "-86400"] {
        fs::write(&ahead, "0").unwrap();
        let mut agent = start(postern_run());
        agent
            .args(["--cwd", "/", "--timeout", "5m", "--", "cat"])
            .env("POSTERN_SOCKET", main.join("agent.sock"));
        let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let question = watcher.question();
        fs::write(&ahead, jump).unwrap();
        assert_eq!(host.json(&["status"])["waiting"], 1, "a day has not passed for it");
        host.approve(&question);
        host.until(&["status"], "running 1 command");
        fs::write(&ahead, "0").unwrap();
        assert_eq!(host.json(&["status"])["running"], 1, "nor for what runs");
        drop(agent.stdin.take());
        assert!(agent.wait().unwrap().success(), "it ends by itself");
    }
}

#[test]
fn one_start_with_a_wrong_clock_forgets_no_prohibition() {
    let folder = tempfile::tempdir().unwrap();
    let (library, ahead) = clock(folder.path());
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let mut host = Postern::start_with(&[("LD_PRELOAD", &text(&library)), ("CLOCK_AHEAD", &text(&ahead))]);
    host.enrol("main");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone", "--for", "30d"]);
    for seconds in ["31622400", "0"] {
        host.end();
        fs::write(&ahead, seconds).unwrap();
        host.start_again();
    }
    let rules = host.ok(&["rules", "list"]);
    assert!(rules.contains("/usr/bin/id"), "{rules}");
    let explained = host.run(&["explain", "--agent", "main", "--", "/usr/bin/id"]);
    assert!(explained.stdout.to_lowercase().contains("deny"), "{explained:?}");
}
