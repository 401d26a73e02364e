//! SIGTERM ends the host within five seconds, whatever hangs.

use postern_tests::{Postern, agent_command, start};
use std::process::Stdio;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(5);

/// Ends the host and measures it.
fn takes(host: &mut Postern) -> Duration {
    let began = Instant::now();
    host.end();
    began.elapsed()
}

#[test]
fn a_tree_that_hears_no_signal_does_not_hold_the_host_up() {
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
    let took = takes(&mut host);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(took < LIMIT, "{took:?}");
    for pid in [shell, child] {
        assert!(!std::path::Path::new(&format!("/proc/{pid}/exe")).exists(), "{pid} outlives the host");
    }
}

#[test]
fn a_record_that_somebody_locks_does_not_hold_the_host_up() {
    let (mut host, _) = Postern::with_agent();
    let lock = "import sqlite3, sys, time\n\
                held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                held.execute('BEGIN IMMEDIATE')\n\
                print('locked', flush=True)\n\
                time.sleep(60)";
    let mut locker = start("python3");
    let mut locker =
        locker.args(["-c", lock]).arg(host.data().join("postern.db")).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(locker.stdout.take().unwrap()), &mut said)
        .unwrap();
    let mut written = host.command(&["rules", "deny", "/usr/bin/id", "--everyone"]);
    let mut writing = written.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let took = takes(&mut host);
    locker.kill().unwrap();
    locker.wait().unwrap();
    writing.wait().unwrap();
    assert!(took < LIMIT, "{took:?}");
    host.start_again();
    assert_eq!(host.json(&["status"])["mode"], "listening", "and the next start is none the worse");
}
