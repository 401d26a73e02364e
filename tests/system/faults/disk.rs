//! A disk that is full for a while, or that can only be read.

use super::tools::{
    Counter, Marker, Mounted, PATIENCE, agent, all_ended, all_is_well, doctor_says, ended, is_ready,
    one_ended, until, within, wrong,
};
use postern_tests::Postern;
use std::process::Stdio;

/// Size of the disk, in MiB: more than what `doctor` calls full.
const SIZE: u32 = 64;

/// Starts a host on a disk of its own.
fn on_a_small_disk() -> Option<(Postern, Mounted)> {
    let mut disk = None;
    let folder = tempfile::tempdir().unwrap();
    // Only where mounting works at all.
    drop(Mounted::small(folder.path(), 1)?);
    let host = Postern::start_prepared(&[], &[], |data| disk = Mounted::small(data, SIZE));
    Some((host, disk?))
}

#[test]
fn a_disk_that_is_full_for_a_while_loses_no_ending_and_runs_nothing_twice() {
    let Some((host, disk)) = on_a_small_disk() else { return };
    let (runner, asker) = (host.enrol_allowed("runner"), host.enrol("asker"));
    let watcher = host.watch();
    let marker = Marker::new(&host, "long");
    let running = agent(&runner, &["--shell", &marker.line()]);
    marker.began();
    let asking = agent(&asker, &["--", "uname", "--nodename"]);
    let question = watcher.question();

    let full = disk.fill();
    // Until nothing more can be written down: what is in the log already has room for some. The last one is refused, or its
    // end is owed.
    let counted = Counter::new(&host);
    let mut asked = 0;
    let last = loop {
        assert!(asked < 2_000, "a full disk takes only so much");
        asked += 1;
        let mut one = agent(&runner, &["--shell", &counted.line()]);
        until("it is neither ended nor owed", || {
            one_ended(&mut one) || host.ok(&["status"]).contains("to be written")
        });
        if !one_ended(&mut one) || !one.wait().unwrap().success() {
            break one;
        }
    };
    doctor_says(&host, "is full");
    // Each of these says what holds, whether it could be written down or not.
    let denied = within(&host, PATIENCE, &["deny", question["code"].as_str().unwrap()]);
    assert!(denied.code == 0 || denied.stderr.contains("written down"), "{denied:?}");
    let rule = within(&host, PATIENCE, &["rules", "deny", "/usr/bin/id", "--everyone"]);
    let paused = within(&host, PATIENCE, &["pause", "1h"]);
    assert_eq!(host.json(&["status"])["mode"], "paused", "a pause holds at once: {paused:?}");
    marker.let_go();
    until("the run did not end", || host.json(&["status"])["running"] == 0);
    doctor_says(&host, "to be written");

    drop(full);
    marker.ends_well(running);
    assert_ne!(ended(asking, PATIENCE).code, 0, "what was denied is denied");
    let last = ended(last, PATIENCE);
    let ran = asked - usize::from(last.code != 0);
    assert_eq!(counted.runs(), ran, "each ran once, or was refused and did not: {last:?}");
    host.until_not(&["status"], "to be written");
    assert_eq!(marker.runs(), 1);
    let rules = host.ok(&["rules", "list"]);
    let got = rules.contains("/usr/bin/id");
    assert_eq!(got, rule.code == 0, "what was acknowledged is there: {rule:?} {rules}");
    assert_eq!(host.json(&["status"])["mode"], "paused");
    host.ok(&["resume"]);
    all_ended(&host);
    assert_eq!(ended(agent(&runner, &["--", "true"]), PATIENCE).code, 0, "and all goes on");
    assert_eq!(wrong(&host), [] as [String; 0]);
}

#[test]
fn a_host_that_is_killed_on_a_full_disk_comes_back_with_what_it_acknowledged() {
    let Some((mut host, disk)) = on_a_small_disk() else { return };
    let runner = host.enrol_allowed("runner");
    host.ok(&["rules", "deny", "/usr/bin/id", "--everyone"]);
    let marker = Marker::new(&host, "long");
    let running = agent(&runner, &["--shell", &marker.line()]);
    marker.began();
    let full = disk.fill();
    host.crash();
    let started = within(&host, PATIENCE, &["doctor"]);
    assert_eq!(started.code, 1, "{started:?}");
    doctor_says(&host, "is full");
    // There may be room in what the log has already.
    let mut serve = host.command(&["serve"]);
    let mut another = serve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if is_ready(&mut another) {
        another.kill().unwrap();
        another.wait().unwrap();
    } else {
        let refused = ended(another, PATIENCE);
        let said = ["is full", "No space left"].iter().any(|why| refused.stderr.contains(why));
        assert!(refused.code > 0 && said, "{refused:?}");
    }
    doctor_says(&host, "is full");
    drop(full);
    host.start_again();
    assert_ne!(ended(running, PATIENCE).code, 0, "what became of it is not known");
    assert_eq!(marker.runs(), 1, "it does not run again");
    let got = ended(agent(&runner, &["--", "/usr/bin/id"]), PATIENCE).code;
    assert_eq!(got, 126, "what is prohibited stays so");
    all_is_well(&host);
}

#[test]
fn a_host_on_a_disk_that_can_only_be_read_says_why_it_does_not_start() {
    let Some((mut host, disk)) = on_a_small_disk() else { return };
    host.enrol("main");
    host.end();
    disk.again("ro");
    let refused = within(&host, PATIENCE, &["serve"]);
    assert!(refused.code > 0 && refused.stderr.to_lowercase().contains("read"), "{refused:?}");
    doctor_says(&host, "can only be read");
    disk.again("rw");
    host.start_again();
    assert_eq!(wrong(&host), [] as [String; 0]);
    assert_eq!(host.json(&["agents", "list"]).as_array().unwrap().len(), 1, "nothing was touched");
}
