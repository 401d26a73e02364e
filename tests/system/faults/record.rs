//! The record's files are cut short while the host runs.

use super::tools::{PATIENCE, agent, ended, within, wrong};
use postern_tests::Postern;
use std::fs;
use std::path::PathBuf;

/// Starts a host whose agent may run anything but `id`.
fn allowed() -> (Postern, PathBuf) {
    let host = Postern::start();
    let runner = host.enrol_allowed("runner");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone"]);
    assert_eq!(ended(agent(&runner, &["--", "true"]), PATIENCE).code, 0);
    (host, runner)
}

fn cut(host: &Postern, name: &str) {
    let file = fs::OpenOptions::new().write(true).open(host.data().join(name)).unwrap();
    file.set_len(0).unwrap();
}

#[test]
fn a_log_that_is_emptied_while_postern_runs_is_doubt_and_stays_so() {
    let (mut host, runner) = allowed();
    cut(&host, "postern.db-wal");
    // Whatever it is told first, nothing runs on a record that forgets.
    let denied = (0..20).any(|_| ended(agent(&runner, &["--", "true"]), PATIENCE).code != 0);
    assert!(denied, "commands go on although the record lost what was acknowledged");
    let rule = within(&host, PATIENCE, &["rules", "deny", "/usr/bin/who", "--everyone"]);
    assert_ne!(rule.code, 0, "nothing is acknowledged that is lost: {rule:?}");
    assert_eq!(host.json(&["status"])["mode"], "deny-all");
    assert_ne!(wrong(&host), [] as [String; 0]);
    host.crash();
    host.start_again();
    assert_eq!(host.json(&["status"])["mode"], "deny-all", "a restart is no answer");
    assert_ne!(wrong(&host), [] as [String; 0]);
}

#[test]
fn an_index_of_the_log_that_is_emptied_loses_nothing() {
    let (mut host, runner) = allowed();
    cut(&host, "postern.db-shm");
    // The host may not survive that; its record does.
    drop(within(&host, PATIENCE, &["rules", "deny", "/usr/bin/who", "--everyone"]));
    host.crash();
    host.start_again();
    assert_eq!(ended(agent(&runner, &["--", "true"]), PATIENCE).code, 0);
    assert_eq!(ended(agent(&runner, &["--", "/usr/bin/id"]), PATIENCE).code, 126);
    assert_eq!(wrong(&host), [] as [String; 0]);
}
