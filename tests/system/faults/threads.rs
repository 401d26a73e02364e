//! The system gives a host no further thread and no further process.

use super::tools::{Marker, PATIENCE, all_ended, all_is_well, all_work, doctor_says, ended, until, wrong};
use postern_tests::{Postern, agent_command, postern, start};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Part of each message that names the cause.
const NAMED: &str = "no further thread";
/// Time that the person waits for an answer, at most.
const SOON: Duration = Duration::from_secs(20);

/// The host, as few threads as it has, and what was its limit before.
struct ThreadLimit<'a> {
    host: &'a Postern,
    before: String,
}

impl<'a> ThreadLimit<'a> {
    /// Lets the host have no thread and no process beyond those that it has.
    fn new(host: &'a Postern) -> Self {
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", host.pid())).unwrap();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max processes")).unwrap();
        let before = line.split_whitespace().next().unwrap().to_owned();
        let limited = Self { host, before };
        limited.set_soft("1");
        limited
    }

    fn set_soft(&self, soft: &str) {
        let mut prlimit = start("prlimit");
        prlimit.args(["--pid", &self.host.pid().to_string(), &format!("--nproc={soft}:")]);
        assert!(self.host.start_as_its_user(&mut prlimit).status().unwrap().success(), "{soft}");
    }

    /// Lets it have as many as before.
    fn lift_limit(self) {
        self.set_soft(&self.before);
    }
}

/// Starts a command of an agent as the host's user.
fn start_agent(host: &Postern, channel: &Path, arguments: &[&str]) -> Child {
    host.start_as_its_user(&mut agent_command(channel, arguments)).spawn().unwrap()
}

#[test]
fn a_host_that_gets_no_further_thread_denies_agents_and_answers_the_person() {
    let Some(host) = Postern::start_as_ordinary_user() else { return };
    let [runner, fresh] = ["runner", "fresh"].map(|name| host.enrol_allowed(name));
    let asker = host.enrol("asker");
    let watcher = host.watch();
    let marker = Marker::new(&host, "long");
    let running = start_agent(&host, &runner, &["--shell", &marker.line()]);
    marker.began();
    let asking = start_agent(&host, &asker, &["--", "uname", "--nodename"]);
    let question = watcher.question();

    let limited = ThreadLimit::new(&host);
    // It has no thread of its own yet.
    let denied = ended(start_agent(&host, &fresh, &["--", "true"]), PATIENCE);
    assert!(denied.code != 0 && denied.stderr.contains(NAMED), "{denied:?}");
    all_work(
        &host,
        SOON,
        &[
            &["status"][..],
            &["questions"],
            &["history"],
            &["rules", "deny", "/usr/bin/id", "--everyone"],
            &["pause", "1h"],
            &["resume"],
        ],
    );
    doctor_says(&host, NAMED);
    // The pause denied what waited, and denies a new request at once.
    assert_ne!(ended(asking, PATIENCE).code, 0, "{question}");
    marker.let_go();
    marker.ends_well(running);

    limited.lift_limit();
    let asking = start_agent(&host, &asker, &["--", "uname", "--nodename"]);
    host.approve(&watcher.question());
    assert_eq!(ended(asking, PATIENCE).code, 0);
    assert_eq!(ended(start_agent(&host, &fresh, &["--", "true"]), PATIENCE).code, 0, "it recovers");
    let got = ended(start_agent(&host, &fresh, &["--", "/usr/bin/id"]), PATIENCE).code;
    assert_eq!(got, 126, "the rule is kept");
    assert_eq!(marker.runs(), 1);
    all_is_well(&host);
}

#[test]
fn an_approved_command_that_gets_no_process_fails_and_says_so() {
    let Some(host) = Postern::start_as_ordinary_user() else { return };
    let asker = host.enrol("asker");
    let watcher = host.watch();
    let asking = start_agent(&host, &asker, &["--", "uname", "--nodename"]);
    let question = watcher.question();
    let limited = ThreadLimit::new(&host);
    host.approve(&question);
    let failed = ended(asking, PATIENCE);
    assert!(failed.code != 0 && failed.stdout.is_empty() && failed.stderr.contains(NAMED), "{failed:?}");
    all_ended(&host);
    limited.lift_limit();
    let asking = start_agent(&host, &asker, &["--", "uname", "--nodename"]);
    host.approve(&watcher.question());
    assert_eq!(ended(asking, PATIENCE).code, 0);
    assert_eq!(wrong(&host), [] as [String; 0]);
}

#[test]
fn a_host_without_a_further_thread_ends_in_time_and_the_next_one_says_why_it_does_not_start() {
    let Some(mut host) = Postern::start_as_ordinary_user() else { return };
    let runner = host.enrol_allowed("runner");
    let marker = Marker::new(&host, "long");
    let running = start_agent(&host, &runner, &["--shell", &marker.line()]);
    marker.began();
    _ = ThreadLimit::new(&host);
    let took = host.time_to_end();
    assert!(took < PATIENCE, "{took:?}");
    assert_ne!(ended(running, PATIENCE).code, 0, "it was ended");

    let mut serve = start("prlimit");
    serve.args(["--nproc=1:"]).arg(postern()).arg("serve").env_clear();
    serve.env("HOME", host.home()).env("POSTERN_DATA", host.data()).stdin(Stdio::null());
    serve.stdout(Stdio::piped()).stderr(Stdio::piped());
    let refused = ended(host.start_as_its_user(&mut serve).spawn().unwrap(), PATIENCE);
    assert!(refused.code > 0 && refused.stderr.contains(NAMED), "{refused:?}");
    assert!(!refused.stderr.contains("panicked"), "{refused:?}");
    doctor_says(&host, NAMED);
    host.start_again();
    until("the record is whole", || host.json(&["status"])["running"] == 0);
    all_ended(&host);
    assert_eq!(marker.runs(), 1, "nothing runs twice");
    assert_eq!(wrong(&host), [] as [String; 0]);
}
