//! `postern doctor --repair`: agents, rules and settings come back from their copy, the history does not, and nothing is
//! allowed before a person has looked.

use postern_tests::{Answer, Postern, agent_command};
use std::fs;
use std::path::{Path, PathBuf};

fn run(channel: &Path, argv: &[&str]) -> Answer {
    agent_command(channel, &[&["--"], argv].concat()).output().unwrap().into()
}

fn record(host: &Postern) -> PathBuf {
    host.data().join("postern.db")
}

/// Returns a host whose agent may run anything but `id`.
fn allowed() -> (Postern, PathBuf) {
    let (host, channel) = Postern::with_allowed_agent();
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone"]);
    assert_eq!(run(&channel, &["true"]).code, 0);
    (host, channel)
}

/// Asserts that nothing is allowed by a record that nobody has looked at.
fn denies(channel: &Path) {
    let denied = run(channel, &["true"]);
    assert_eq!(denied.code, 126, "{denied:?}");
}

fn comes_back(mut host: Postern, channel: &Path, aside: Option<&[u8]>) {
    let said = host.ok(&["doctor", "--repair", "--yes"]);
    assert!(said.contains("agents main; 1 rule;"), "{said}");
    assert!(said.contains("the history and the output of runs"), "what is lost is said: {said}");
    if let Some(lost) = aside {
        let path = said.lines().find_map(|line| line.split_once("is kept as ")).expect("its name is told").1;
        assert_eq!(fs::read(path.trim()).unwrap(), lost, "the lost record is kept as it was");
    }
    host.fails(&["doctor", "--repair", "--yes"], 1, "restored already");
    host.start_again();
    let status = host.ok(&["status"]);
    assert!(status.contains("restored from the copy of "), "{status}");
    denies(channel);
    host.crash();
    host.start_again();
    denies(channel);
    host.ok(&["resume"]);
    assert_eq!(run(channel, &["true"]).code, 0, "the agent is back, with its key");
    assert_eq!(run(channel, &["id"]).code, 126, "and what is prohibited");
    // It exits 1 where the audit is not whole.
    host.ok(&["audit", "--verify"]);
    assert!(!host.ok(&["status"]).contains("attention"), "{}", host.ok(&["status"]));
}

#[test]
fn a_damaged_record_comes_back_before_or_after_a_start() {
    for started in [false, true] {
        let (mut host, channel) = allowed();
        host.end();
        let noise = vec![0x5a; 8192];
        fs::write(record(&host), &noise).unwrap();
        if started {
            host.start_again();
            host.end();
        }
        comes_back(host, &channel, Some(&noise));
    }
}

#[test]
fn a_record_that_is_gone_or_emptied_comes_back() {
    for emptied in [false, true] {
        let (mut host, channel) = allowed();
        host.end();
        if emptied {
            fs::write(record(&host), "").unwrap();
        } else {
            fs::remove_file(record(&host)).unwrap();
        }
        comes_back(host, &channel, None);
    }
}

#[test]
fn a_record_whose_log_is_gone_comes_back() {
    let (mut host, channel) = allowed();
    // A file that its log was not copied into yet.
    let without_log = fs::read(record(&host)).unwrap();
    host.end();
    fs::write(record(&host), &without_log).unwrap();
    comes_back(host, &channel, Some(&without_log));
}

#[test]
fn nothing_is_repaired_where_nothing_is_wrong_or_a_host_runs() {
    let (mut host, _channel) = allowed();
    host.fails(&["doctor", "--repair", "--yes"], 4, "end it first");
    host.end();
    let before = fs::read(record(&host)).unwrap();
    host.fails(&["doctor", "--repair", "--yes"], 1, "nothing to repair");
    assert_eq!(fs::read(record(&host)).unwrap(), before);
    fs::write(record(&host), [0x5a; 100]).unwrap();
    let unasked = host.run(&["doctor", "--repair"]);
    assert!(unasked.code == 2 && unasked.stderr.contains("--yes"), "nobody sits at a terminal: {unasked:?}");
    assert_eq!(fs::read(record(&host)).unwrap(), [0x5a; 100], "and nothing was changed");
    fs::write(host.data().join("postern.db.spare"), [0x5a; 100]).unwrap();
    host.fails(&["doctor", "--repair", "--yes"], 5, "cannot be used");
    fs::remove_file(host.data().join("postern.db.spare")).unwrap();
    host.fails(&["doctor", "--repair", "--yes"], 4, "there is no copy");
}

/// A copy from before a right was taken away says so, with its time, and names the change where it can still be read.
#[test]
fn a_copy_that_would_widen_says_what_it_lacks() {
    let (mut host, channel) = allowed();
    host.end();
    let copy = fs::read(host.data().join("postern.db.spare")).unwrap();
    host.start_again();
    host.ok(&["rules", "deny", "/usr/bin/who", "--everyone"]);
    host.end();
    fs::write(host.data().join("postern.db.spare"), copy).unwrap();
    let whole = fs::read(record(&host)).unwrap();
    // The last page: the audit before it can still be read.
    let mut damaged = whole.clone();
    let end = damaged.len();
    damaged[end - 4096..].fill(0x5a);
    fs::write(record(&host), &damaged).unwrap();
    fs::remove_file(host.data().join("postern.db.doubt")).ok();
    let said = host.run(&["doctor", "--repair"]);
    assert!(said.stdout.contains("the copy was written at "), "{said:?}");
    assert!(said.stdout.contains("1 change was made after the copy"), "{said:?}");
    assert!(said.stdout.contains("a right that one of them removed is there again"), "{said:?}");
    host.ok(&["doctor", "--repair", "--yes"]);
    host.start_again();
    assert!(host.ok(&["status"]).contains("it lacks the last change"), "{}", host.ok(&["status"]));
    denies(&channel);
}
