//! `kill -9` of the host: nothing runs twice, everything comes to an end, the agent is told.

use postern_tests::{host_for_sandbox, in_sandbox};

mod busy;
mod expiry;
mod rounds;

#[test]
fn after_a_crash_every_request_has_an_end_and_nothing_ran_twice() {
    let Some(mut host) = host_for_sandbox() else { return };
    let channel = host.enrol("main");
    let marks = host.scratch("marks");
    let fifo = marks.join("held");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    host.ok(&["agents", "set", "main", "preset=allow", "--yes"]);
    // It says that it began, then waits for a reader of the pipe that never comes.
    let script = format!("echo ran >>{}/log; : >{}", marks.display(), fifo.display());
    let running = in_sandbox(&channel, &format!("postern-run --cwd / --shell '{script}'"));
    wait_for(&marks.join("log"));
    host.ok(&["agents", "set", "main", "preset=ask"]);
    let watcher = host.watch();
    let asking = in_sandbox(&channel, "postern-run --cwd / -- git --version");
    watcher.question();

    host.crash();
    host.start_again();

    let asked = asking.end();
    assert_ne!(asked.code, 0, "{asked:?}");
    assert!(
        asked.stderr.contains("restarted"),
        "the agent is told that its question ended with the restart: {asked:?}"
    );
    let ran = running.end();
    assert_ne!(ran.code, 0, "what became of it is not known, so it is no success: {ran:?}");
    let log = std::fs::read_to_string(marks.join("log")).unwrap();
    assert_eq!(log, "ran\n", "nothing runs twice");
    for request in host.json(&["history"]).as_array().unwrap() {
        let state = request["state"].as_str().unwrap();
        assert!(["denied", "finished", "failed"].contains(&state), "every request has an end: {request}");
    }
    assert_eq!(host.json(&["questions"]).as_array().unwrap().len(), 0, "no question is left over");
}

/// Waits for a file by watching its folder.
fn wait_for(path: &std::path::Path) {
    for _ in 0..10_000 {
        if path.exists() {
            return;
        }
        std::thread::yield_now();
        rustix::thread::sched_yield();
        let pause = rustix::time::Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
        drop(rustix::thread::nanosleep(&pause));
    }
    panic!("{} did not appear", path.display());
}
