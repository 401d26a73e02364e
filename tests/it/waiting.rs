//! Tests of what an agent sees while it waits, and after it waited in vain.

use postern_tests::{Answer, Postern, agent_command, start};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

fn run(channel: &Path, arguments: &[&str]) -> Answer {
    agent_command(channel, arguments).output().unwrap().into()
}

fn code_of(question: &Value) -> String {
    question["code"].as_str().unwrap().to_owned()
}

/// Leaves after a second, again and again, until a command has come so far; on a busy computer a second may be too short.
fn left_when(channel: &Path, arguments: &[&str], has_come: impl Fn(&Answer) -> bool) -> Answer {
    let tries = (0..60).map(|_| run(channel, arguments));
    let mut tries = tries.inspect(|left| assert_eq!(left.code, 75, "{left:?}"));
    tries.find(has_come).expect("it comes so far within a minute")
}

/// Returns the first line that a command says of itself, while it goes on.
fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    line
}

#[test]
fn who_asks_hears_at_once_what_it_waits_for() {
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let mut loud = agent_command(&channel, &["--", "uname"]).spawn().unwrap();
    let question = watcher.question();
    let said = first_line(&mut loud);
    let begin =
        format!("postern-run: waiting for a person to answer question {} (denied in ", code_of(&question));
    assert!(said.starts_with(&begin) && said.trim_end().ends_with(" UTC)"), "{said}");
    host.approve(&question);
    assert_eq!(Answer::from(loud.wait_with_output().unwrap()).code, 0);
    let quiet = agent_command(&channel, &["--quiet", "--", "uname", "-s"]).spawn().unwrap();
    host.approve(&watcher.question());
    let quiet = Answer::from(quiet.wait_with_output().unwrap());
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{quiet:?}");
}

#[test]
fn the_same_again_joins_what_was_left_and_asks_nobody_twice() {
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let file = host.home().join("ran");
    let line = format!("echo x >>'{}'; echo done", file.display());
    let arguments = ["--wait", "1s", "--shell", line.as_str()];
    let left = left_when(&channel, &arguments, |left| left.stderr.contains("a person can still answer"));
    let question = watcher.question();
    let code = code_of(&question);
    assert!(
        left.stderr.contains(&format!("pending: no answer yet: a person can still answer question {code}"))
    );
    assert!(left.stderr.contains("run the same line again"), "{left:?}");
    let joined = |again: &Answer| again.stderr.contains("joined the same command");
    left_when(&channel, &arguments, |again| joined(again) && again.stderr.contains(&code));
    let waiting = host.json(&["questions"]);
    let waiting = waiting.as_array().unwrap();
    assert_eq!(waiting.len(), 1, "one question: {waiting:?}");
    assert_eq!(waiting[0]["requests"].as_array().unwrap().len(), 1, "of one request: {waiting:?}");

    host.approve(&question);
    host.until(&["history", "--json"], "finished");
    let heard = run(&channel, &["--wait", "1m", "--shell", &line]);
    assert_eq!((heard.code, heard.stdout.as_str()), (0, "done\n"), "what nobody heard is told: {heard:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n", "it ran once");
    assert!(!watcher.saw_one(), "and was asked about once");

    let anew = agent_command(&channel, &["--wait", "1m", "--shell", &line]).spawn().unwrap();
    let question = watcher.question();
    host.ok(&["deny", &code_of(&question), "--feedback", "once is enough"]);
    let anew = Answer::from(anew.wait_with_output().unwrap());
    assert_eq!(anew.code, 126, "what was heard is asked for anew: {anew:?}");
}

#[test]
fn what_runs_longer_than_its_caller_waits_is_heard_later() {
    let (host, channel) = Postern::with_allowed_agent();
    let go = host.home().join("go");
    assert!(start("mkfifo").arg(&go).status().unwrap().success());
    let line = format!("echo early; cat '{}'; exit 3", go.display());
    let arguments = ["--wait", "1s", "--shell", line.as_str()];
    let left = left_when(&channel, &arguments, |left| left.stdout == "early\n");
    assert!(left.stderr.contains("pending: it still runs"), "{left:?}");
    let rest = agent_command(&channel, &["--wait", "1m", "--shell", &line]).spawn().unwrap();
    std::fs::write(&go, "late\n").unwrap();
    let rest = Answer::from(rest.wait_with_output().unwrap());
    assert_eq!((rest.code, rest.stdout.as_str()), (3, "early\nlate\n"), "all of it again: {rest:?}");
    let history = host.json(&["history"]);
    assert_eq!(history.as_array().unwrap().len(), 1, "one request: {history}");
}

#[test]
fn with_nobody_to_answer_it_ends_soon_unless_somebody_looks_or_it_is_to_wait() {
    let host = Postern::start();
    let (seen, waits, soon) = (host.enrol("seen"), host.enrol("waits"), host.enrol("soon"));
    host.ok(&["agents", "set", "waits", "unattended=wait"]);
    let mut looked_at = agent_command(&seen, &["--", "uname"]).spawn().unwrap();
    let said = first_line(&mut looked_at);
    assert!(said.contains("waiting for a person"), "{said}");
    let waiting = host.json(&["questions"]);
    let question = &waiting.as_array().unwrap()[0];
    let began = Instant::now();
    let patient = agent_command(&waits, &["--wait", "14s", "--", "uname"]).spawn().unwrap();
    let denied = run(&soon, &["--", "uname"]);
    assert_eq!(denied.code, 126, "{denied:?}");
    assert!(began.elapsed() < Duration::from_mins(1), "long before the two minutes of a question");
    for part in ["denied (cannot-present): Nobody can answer", "postern tui"] {
        assert!(denied.stderr.contains(part), "{part:?}: {denied:?}");
    }
    // Older than the one that ended; who looked at it knows of it, connected or not.
    host.approve(question);
    assert_eq!(Answer::from(looked_at.wait_with_output().unwrap()).code, 0);
    let patient = Answer::from(patient.wait_with_output().unwrap());
    assert_eq!(patient.code, 75, "its question is still there: {patient:?}");
}

#[test]
fn a_time_that_ran_out_says_how_to_ask_for_more_and_a_cut_one_says_so() {
    let (host, channel) = Postern::with_agent();
    host.ok(&["agents", "set", "main", "preset=allow", "run-timeout=300ms", "--yes"]);
    let late = run(&channel, &["--", "sleep", "60"]);
    assert_eq!(late.code, 124, "{late:?}");
    let expected = "postern-run: Timed out after 300ms. Ask for more with timeoutMs (postern-run --timeout 5m): this agent may \
                    have up to 5m. The user raises that with `postern agents set main run-timeout-cap=10m`.\n";
    assert_eq!(late.stderr, expected);
    let cut = run(&channel, &["--timeout", "10m", "--", "true"]);
    let expected = "postern-run: it may run for 5m at most, not the 10m that were asked for\n";
    assert_eq!((cut.code, cut.stderr.as_str()), (0, expected));
    let refused = host.run(&["agents", "set", "main", "run-timeout=20m"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    assert!(
        refused.stderr.contains("run-timeout=20m run-timeout-cap=20m"),
        "and it says what is right: {refused:?}"
    );
    host.ok(&["agents", "set", "main", "run-timeout=20m", "run-timeout-cap=20m"]);
}

#[test]
fn what_a_person_says_reaches_the_agent_once() {
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    let asked = agent_command(&channel, &["--", "uname"]).spawn().unwrap();
    host.ok(&["deny", &code_of(&watcher.question()), "--feedback", "no -c please"]);
    let denied = Answer::from(asked.wait_with_output().unwrap());
    let lines: Vec<&str> = denied.stderr.lines().skip(1).collect();
    let expected = [
        "postern-run: denied (user): The user denied it.", "postern-run: They said: no -c please",
        "postern-run: Do not ask for the same again: do as they say.",
    ];
    assert_eq!(lines, expected);

    host.ok(&["rules", "deny", "/usr/bin/whoami", "--agent", "main", "--why", "not your business"]);
    let ruled = run(&channel, &["--", "whoami"]);
    assert_eq!(ruled.stderr.matches("not your business").count(), 1, "{ruled:?}");
    assert!(!ruled.stderr.contains("you)"), "the agent is not the person: {ruled:?}");
}

#[test]
fn a_hook_that_is_put_in_or_taken_out_stands_in_the_audit() {
    let host = Postern::start();
    let file = host.home().join("settings.json");
    let file = file.to_str().unwrap();
    host.ok(&["hook", "install", "claude-code", "--agent", "cc", "--file", file, "--yes"]);
    let settings = std::fs::read_to_string(file).unwrap();
    assert!(settings.contains("--data"), "{settings}");
    host.ok(&["hook", "uninstall", "claude-code", "--file", file, "--yes"]);
    let audit = host.ok(&["audit"]);
    let key = format!("hook of claude-code {file}");
    for done in ["added: agent cc", "removed"] {
        let said = format!("{key} {done}");
        assert!(audit.contains(&said), "{said:?}: {audit}");
    }
}
