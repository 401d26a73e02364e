//! `postern doctor` in each fault: it names the cause and what to type, also where no host runs or answers.

use postern_tests::Postern;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Returns the problems that `doctor` finds, each with its fix.
fn wrong(host: &Postern) -> Vec<(String, String)> {
    let said = host.run(&["doctor", "--json"]);
    let findings: Value =
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = findings.as_array().unwrap().iter();
    let bad: Vec<_> =
        all.filter(|one| one["ok"] == false).map(|one| (text(one, "what"), text(one, "fix"))).collect();
    assert_eq!(
        said.code,
        i32::from(!bad.is_empty()),
        "the exit code says whether something is wrong: {said:?}"
    );
    bad
}

/// Asserts that exactly one thing is wrong, in these words.
#[track_caller]
fn only(host: &Postern, what: &str, fix: &str) {
    let found = wrong(host);
    let [(said, way)] = found.as_slice() else { panic!("one thing is wrong: {found:?}") };
    assert!(said.contains(what), "{said}");
    assert!(way.contains(fix), "{way}");
}

/// Asserts that it is among the problems.
#[track_caller]
fn among(host: &Postern, what: &str, fix: &str) {
    let found = wrong(host);
    assert!(found.iter().any(|(said, way)| said.contains(what) && way.contains(fix)), "{what}: {found:?}");
}

fn record(host: &Postern) -> PathBuf {
    host.data().join("postern.db")
}

/// Returns a host with an agent, ended as a person ends it, so that its record lies in one file.
fn ended() -> Postern {
    let (mut host, _) = Postern::with_agent();
    host.end();
    host
}

/// Returns a host that crashed while all of its record was still in the log, which is copied into the file after ten quiet seconds.
/// On a busy computer they may pass before the crash.
fn crashed_with_all_in_its_log() -> Postern {
    let crashed = || {
        let (mut host, _) = Postern::with_agent();
        host.crash();
        host
    };
    let is_empty = |host: &Postern| fs::metadata(record(host)).unwrap().len() <= 4096;
    (0..10).map(|_| crashed()).find(is_empty).expect("one crashes within ten seconds")
}

fn fails_to_start(host: &Postern) -> String {
    let started = host.run(&["serve"]);
    assert!(started.code > 0, "{started:?}");
    started.stderr
}

#[test]
fn a_host_that_is_well_has_nothing_wrong() {
    let (host, _) = Postern::with_agent();
    assert_eq!(wrong(&host), [], "and says so");
}

#[test]
fn why_no_host_starts_is_said_where_it_does_not_run() {
    let host = ended();
    only(&host, "Postern isn’t running", "postern serve");
    let overwrite = |at: u64, bytes: &[u8]| {
        let file = fs::OpenOptions::new().write(true).open(record(&host)).unwrap();
        file.write_all_at(bytes, at).unwrap();
    };
    overwrite(60, &99_u32.to_be_bytes());
    among(&host, "written by a newer Postern (format 99", "update Postern");
    assert!(fails_to_start(&host).contains("newer Postern"));
    among(&host, "the last start failed at ", "correct that first");
    overwrite(68, &7_u32.to_be_bytes());
    among(&host, "a database of another program", "move that file away");

    let host = ended();
    fs::write(host.data().join("control.key"), "").unwrap();
    fails_to_start(&host);
    among(&host, "control.key holds no key", "rm '");
    among(&host, "the last start failed at ", "correct that first");
}

#[test]
fn a_start_that_works_forgets_the_one_that_failed() {
    let mut host = ended();
    let key = fs::read(host.data().join("control.key")).unwrap();
    fs::write(host.data().join("control.key"), "").unwrap();
    fails_to_start(&host);
    fs::write(host.data().join("control.key"), key).unwrap();
    host.start_again();
    assert_eq!(wrong(&host), []);
    host.end();
    only(&host, "Postern isn’t running", "postern serve");
}

#[test]
fn a_record_that_is_damaged_or_gone_is_named_before_a_host_finds_it() {
    let mut host = ended();
    let file = fs::OpenOptions::new().write(true).open(record(&host)).unwrap();
    file.write_all_at(&[0x5a; 100], 0).unwrap();
    among(&host, "postern.db is damaged", "postern doctor --repair");
    host.start_again();
    among(&host, "is set aside as ", "postern doctor --repair");
    among(&host, "(since ", "postern doctor --repair");
    host.crash();
    among(&host, "everything is denied until you resume", "postern doctor --repair");

    let host = ended();
    fs::remove_file(record(&host)).unwrap();
    among(&host, "gone or empty, and with it every agent and every rule", "postern doctor --repair");
}

#[test]
fn a_record_whose_log_is_deleted_is_empty_and_not_another_program_s() {
    let mut host = crashed_with_all_in_its_log();
    fs::remove_file(host.data().join("postern.db-wal")).unwrap();
    among(&host, "gone or empty, and with it every agent and every rule", "postern doctor --repair");
    host.start_again();
    assert_eq!(host.json(&["status"])["mode"], "deny-all");
    let found = wrong(&host);
    assert!(!found.iter().any(|(said, _)| said.contains("another program")), "{found:?}");
    host.crash();
    host.start_again();
    assert_eq!(host.json(&["status"])["mode"], "deny-all", "a restart is no answer");

    let (host, _) = Postern::with_agent();
    fs::remove_file(host.data().join("postern.db-wal")).unwrap();
    among(&host, "no longer where it was opened", "end Postern");
    let found = wrong(&host);
    assert!(!found.iter().any(|(said, _)| said.contains("another program")), "{found:?}");
    assert_eq!(host.json(&["status"])["mode"], "deny-all");
}

#[test]
fn files_of_another_user_are_named_with_the_command_that_gives_them_back() {
    let Some(mut host) = Postern::start_as_ordinary_user() else { return };
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root gives files away");
        return;
    }
    host.enrol("main");
    host.end();
    for name in ["postern.db", "control.key"] {
        let file = host.data().join(name);
        std::os::unix::fs::chown(&file, Some(0), Some(0)).unwrap();
        let fix = format!("'{}', then start Postern without sudo", host.data().display());
        only(&host, &format!("{name} belongs to root"), &fix);
        assert!(fails_to_start(&host).contains(name));
        only(&host, &format!("{name} belongs to root"), &fix);
        host.give_away(&file);
    }
    host.start_again();
    let found = wrong(&host);
    assert!(!found.iter().any(|(said, _)| said.contains("belongs to")), "{found:?}");
}

#[test]
fn a_record_that_is_removed_while_postern_runs_is_said_at_once() {
    let (host, _) = Postern::with_agent();
    for name in ["postern.db", "postern.db-wal", "postern.db-shm"] {
        fs::remove_file(host.data().join(name)).unwrap();
    }
    among(&host, "no longer where it was opened", "end Postern");
    assert_eq!(host.json(&["status"])["mode"], "deny-all");
}

#[test]
fn a_host_that_hangs_is_told_from_one_that_does_not_run() {
    let (host, _) = Postern::with_agent();
    let pid = rustix::process::Pid::from_raw(i32::try_from(host.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let began = Instant::now();
    only(&host, "was stopped by a signal", &format!("kill -CONT {}", host.pid()));
    assert!(began.elapsed() < Duration::from_mins(1), "no look takes long");
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    assert_eq!(wrong(&host), []);
    fs::remove_file(host.data().join("control.sock")).unwrap();
    only(&host, "its control socket", &format!("kill {}", host.pid()));
}

#[test]
fn a_channel_that_stays_closed_hides_no_other_that_is_gone() {
    let mut host = ended();
    fs::write(host.data().join("agents/main/agent.key"), "").unwrap();
    host.start_again();
    let other = host.enrol("other");
    fs::remove_file(other.join("agent.sock")).unwrap();
    among(&host, "channel of other", "restart Postern");
    among(&host, "the channel of main is closed: ", "postern agents rotate-key AGENT");
}

#[test]
fn a_channel_that_stays_closed_has_its_reason_and_its_command() {
    let mut host = ended();
    fs::write(host.data().join("agents/main/agent.key"), "").unwrap();
    host.start_again();
    only(&host, "the channel of main is closed: ", "postern agents rotate-key AGENT");
    host.ok(&["agents", "rotate-key", "main"]);
    assert_eq!(wrong(&host), []);
}
