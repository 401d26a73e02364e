//! Runs lines one by one as the sandbox's first process: what a line leaves behind is gone before the next begins.

use crate::RECORD;
use rustix::process::{Pid, Signal, WaitOptions};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The lines, ended by NUL.
const LINES: &str = "/log/lines";
/// Results: one JSON array of records for each line.
const RESULTS: &str = "/log/results";
/// The folder that lines run in, made afresh for each.
const WORK: &str = "/w";
/// Time that a line may run.
const LONGEST: Duration = Duration::from_secs(1);

/// Runs every line with this shell and its options; the line is the last word. What ran is kept here until all are
/// through: a line could remove any file.
pub(crate) fn all(shell: &[String]) {
    let lines = fs::read_to_string(LINES).unwrap();
    let run = |(at, line)| serde_json::to_string(&one(at, shell, line)).unwrap() + "\n";
    let results: String = lines.split_terminator('\0').enumerate().map(run).collect();
    fs::write(RESULTS, results).unwrap();
}

fn one(at: usize, shell: &[String], line: &str) -> Vec<Vec<String>> {
    prepare();
    fs::write(RECORD, "").unwrap();
    mark(at);
    let [program, options @ ..] = shell else { return Vec::new() };
    #[expect(clippy::disallowed_methods, reason = "this is the program that the sandbox is there for")]
    let started = std::process::Command::new(program)
        .args(options)
        .arg(line)
        .current_dir(WORK)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if started.is_ok() {
        until_all_are_gone();
    }
    let text = String::from_utf8_lossy(&fs::read(RECORD).unwrap_or_default()).into_owned();
    text.lines().filter_map(|record| serde_json::from_str(record).ok()).collect()
}

/// Shows a tracer where a line begins: a start that fails, of a program whose name is the line's number.
fn mark(at: usize) {
    #[expect(clippy::disallowed_methods, reason = "starts nothing")]
    let _missing = std::process::Command::new(format!("/line/{at}")).spawn();
}

/// Ends all processes: as the first one, every orphan is ours, and so is all that still runs when the time is up.
fn until_all_are_gone() {
    let (gone, over) = channel();
    let watchdog = std::thread::spawn(move || {
        if over.recv_timeout(LONGEST).is_err() {
            // The group of process 1, written as a signal's target, is every process but the first.
            let _none = rustix::process::kill_process_group(Pid::INIT, Signal::KILL);
        }
    });
    while !matches!(rustix::process::wait(WaitOptions::empty()), Err(rustix::io::Errno::CHILD)) {}
    let _late = gone.send(());
    let _ended = watchdog.join();
}

/// Prepares a folder with a few files, a script that only a shell can run, and nothing of the last line.
fn prepare() {
    let work = Path::new(WORK);
    for entry in fs::read_dir(work).into_iter().flatten().flatten() {
        let path = entry.path();
        let _gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
    for folder in ["src", "build"] {
        let _there = fs::create_dir(work.join(folder));
    }
    for (name, text) in
        [("f", "a\nb\n"), ("a b", ""), ("src/a.rs", ""), ("evil.sh", "drift\n"), ("evil", "drift\n")]
    {
        let _there = fs::write(work.join(name), text);
    }
}
