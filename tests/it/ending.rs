//! SIGTERM ends the host within five seconds, whatever hangs.

use postern_tests::{Postern, agent_command, ends_in_time, start};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_tree_that_hears_no_signal_does_not_hold_the_host_up() {
    ends_in_time(with_a_deaf_tree);
}

/// Ends a host whose run hears no signal, and returns how long that took.
fn with_a_deaf_tree() -> Duration {
    let (mut host, channel) = Postern::with_allowed_agent();
    let marks = host.scratch("marks");
    let line = format!(
        "trap '' TERM INT HUP; (trap '' TERM; echo $BASHPID > '{0}/child'; kill -STOP $BASHPID; sleep 1000) & echo $$ > '{0}/shell'; \
         while :; do sleep 71; done",
        marks.display()
    );
    let mut agent = agent_command(&channel, &["--shell", &line]).spawn().unwrap();
    let pid = |name: &str| loop {
        let written = std::fs::read_to_string(marks.join(name)).unwrap_or_default();
        if let Ok(pid) = written.trim().parse::<u32>() {
            return pid;
        }
        std::thread::yield_now();
    };
    let (shell, child) = (pid("shell"), pid("child"));
    let took = host.time_to_end();
    agent.kill().unwrap();
    agent.wait().unwrap();
    // What was killed may still have to get the processor for its end.
    let until = Instant::now() + Duration::from_mins(1);
    for pid in [shell, child] {
        while std::path::Path::new(&format!("/proc/{pid}/exe")).exists() {
            assert!(Instant::now() < until, "{pid} outlives the host");
            std::thread::yield_now();
        }
    }
    took
}

#[test]
fn a_record_that_somebody_locks_does_not_hold_the_host_up() {
    ends_in_time(with_a_locked_record);
}

/// Ends a host whose record another program has locked, and returns how long that took.
fn with_a_locked_record() -> Duration {
    let (mut host, _) = Postern::with_agent();
    let lock = "import sqlite3, sys, time\n\
                held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                held.execute('BEGIN IMMEDIATE')\n\
                print('locked', flush=True)\n\
                time.sleep(600)";
    let mut locker = start("python3");
    let mut locker =
        locker.args(["-c", lock]).arg(host.data().join("postern.db")).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(locker.stdout.take().unwrap()), &mut said)
        .unwrap();
    let mut written = host.command(&["rules", "deny", "/usr/bin/id", "--everyone"]);
    let mut writing = written.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let took = host.time_to_end();
    locker.kill().unwrap();
    locker.wait().unwrap();
    writing.wait().unwrap();
    host.start_again();
    assert_eq!(host.json(&["status"])["mode"], "listening", "and the next start is none the worse");
    took
}
