//! Floods of shared resources by one agent, while the user and every other agent must be served within a
//! second.
//!
//! `POSTERN_ATTACK_ROUNDS` sets how many times the user and the other agent try during each flood.

use postern_tests::{Agent, Arena, agent_command, answer_args, postern, start};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Longest time for the user and the other agents. A flood that held them up would hold up each of their tries.
const SOON: Duration = Duration::from_secs(1);
/// Longest time of any try: programs that have nothing to do with the flood may take the processor from one.
const LATEST: Duration = Duration::from_secs(10);

/// Returns the number of rounds during a flood.
fn rounds() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a test asks its environment how long it is to try")]
    let rounds = std::env::var("POSTERN_ATTACK_ROUNDS").ok();
    rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(5)
}

/// Returns the longest time of a flood; it normally ends with the test.
fn flood_ms() -> u64 {
    20_000 + 6_000 * u64::try_from(rounds()).unwrap_or(1_000)
}

/// Durations by action.
#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Times {
    fn take<T>(&mut self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.0.push((what, start.elapsed()));
        done
    }

    /// Checks that each action took less than a second, in most of its tries, and prints the figures.
    fn all_soon(mut self, flood: &str) {
        let mut names: Vec<&str> = self.0.iter().map(|(what, _)| *what).collect();
        names.sort_unstable();
        names.dedup();
        self.0.sort_unstable_by_key(|(_, took)| *took);
        let mut late = Vec::new();
        for name in names {
            let took: Vec<Duration> =
                self.0.iter().filter(|(what, _)| *what == name).map(|(_, took)| *took).collect();
            let (half, last) = (took[took.len() / 2], took[took.len() - 1]);
            eprintln!("{flood}: {name} {} times, half within {half:.0?}, the longest {last:.0?}", took.len());
            if half > SOON || last > LATEST {
                late.push((name, took));
            }
        }
        assert!(late.is_empty(), "{flood}: these took too long: {late:.0?}");
    }
}

/// Time for which a flood grows before the measurement.
const GROWS: Duration = Duration::from_secs(6);

/// Runs the user's commands and another agent's request, round by round, once the flood has grown.
fn serve(arena: &Arena, bad: &Agent, good: &mut Agent, flood: &str) {
    let grown = Instant::now() + GROWS;
    while Instant::now() < grown {
        good.request(json!({ "command": ["/usr/bin/true"] }));
    }
    let mut times = Times::default();
    for _ in 0..rounds() {
        times.take("status", || arena.ok(&["status"]));
        times.take("pause", || arena.ok(&["pause"]));
        times.take("resume", || arena.ok(&["resume"]));
        times.take("deny-all", || arena.ok(&["agents", "stop", bad.id(), "--for", "1m"]));
        times.take("allow-again", || arena.ok(&["agents", "allow-again", bad.id()]));
        let end =
            times.take("another agent's request", || good.request(json!({ "command": ["/usr/bin/true"] })));
        assert_eq!(end["params"]["exitCode"], 0, "{flood}: the other agent: {end}");
    }
    times.all_soon(flood);
}

/// Starts a host, a hostile agent and a good one that may run anything.
fn stage() -> Option<(Arena, Agent, Agent)> {
    let arena = Arena::open()?;
    let bad = arena.agent("bad", &[]);
    let good = arena.agent("good", &["preset=allow"]);
    Some((arena, bad, good))
}

fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

fn threads(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

#[test]
fn a_flood_of_files_to_hash() {
    let Some((arena, mut bad, mut good)) = stage() else { return };
    let header = r"printf '\177ELF\002\001\001'";
    bad.sh(&format!("mkdir big; for i in $(seq 0 39); do {header} > big/f$i; chmod 755 big/f$i; truncate -s 512M big/f$i; done"));
    let names: Vec<String> = (0..40).map(|at| format!("big/f{at}")).collect();
    let rotated = |by: usize| {
        let mut names = names.clone();
        names.rotate_left(by);
        json!({ "shell": format!("{}; true {{n}}", names.join("; ")), "cwd": bad.project() })
    };
    let alone =
        names.iter().map(|name| json!({ "shell": format!("{name}; true {{n}}"), "cwd": bad.project() }));
    let requests: Vec<Value> = (0..40).map(rotated).chain(alone).collect();
    let touch: Vec<String> = names.iter().map(|name| bad.path(name)).collect();
    bad.order(&json!({ "do": "flood", "connections": 8, "requests": requests, "touch": touch, "milliseconds": flood_ms() }));
    serve(&arena, &bad, &mut good, "hashing");
}

#[test]
fn a_request_that_names_too_much_says_the_number() {
    let Some((arena, mut bad, _good)) = stage() else { return };
    bad.sh("mkdir s; for i in $(seq 1 300); do printf '#!/bin/sh\n' > s/$i; done; chmod 755 s/*");
    let line: Vec<String> = (1..=300).map(|at| format!("s/{at}")).collect();
    let end = bad.request(json!({ "shell": line.join("; ") }));
    assert_eq!(end["params"]["reason"], "invalid", "{end}");
    assert!(end["params"]["message"].as_str().unwrap().contains("more than 64 files"), "{end}");
    let watcher = arena.watch();
    bad.post(json!({ "shell": line[..60].join("; ") }));
    assert_eq!(watcher.question()["asker"]["agent"], bad.id(), "sixty are asked about");
}

#[test]
fn long_lines_that_wait_hold_nothing_open() {
    let Some(mut arena) = Arena::open_own() else { return };
    let (mut bad, mut good) = (arena.agent("bad", &[]), arena.agent("good", &["preset=allow"]));
    bad.sh("mkdir s; for i in $(seq 1 60); do printf '#!/bin/sh\n' > s/$i; done; chmod 755 s/*; sleep 2.2");
    let line: Vec<String> = (1..=60).map(|at| format!("s/{at}")).collect();
    let line = line.join("; ");
    let pid = arena.host().pid();
    let watcher = arena.watch();
    let before = descriptors(pid);
    let same: Vec<Value> = (0..64).map(|_| bad.post(json!({ "shell": line }))).collect();
    let question = watcher.question();
    for number in 0..9 {
        bad.post(json!({ "shell": format!("{line}; true {number}") }));
    }
    // Two look-ups at a time have files open; afterwards nothing has.
    let end = Instant::now() + Duration::from_mins(2);
    loop {
        let during = descriptors(pid);
        if during < before + 64 {
            break;
        }
        let waits = "while 64 requests and 9 questions wait";
        assert!(
            during < before + 64 * 3 && Instant::now() < end,
            "{before} descriptors before, {during} {waits}"
        );
    }
    serve(&arena, &bad, &mut good, "waiting");
    drop(same);
    drop(question);
}

#[test]
fn what_is_opened_again_at_the_yes_must_be_what_was_shown() {
    let Some((arena, mut bad, _good)) = stage() else { return };
    bad.write("tool", "#!/bin/sh\necho shown\n", 0o755);
    let watcher = arena.watch();
    let posted = bad.post(json!({ "command": ["./tool"] }));
    let question = watcher.question();
    bad.write("tool", "#!/bin/sh\necho swapped\n", 0o755);
    arena.approve(&question, &[]);
    let end = bad.end(&posted);
    assert_eq!(end["params"]["reason"], "drifted", "{end}");
    let posted = bad.post(json!({ "command": ["./tool"] }));
    arena.approve(&watcher.question(), &[]);
    assert_eq!(bad.end(&posted)["params"]["stdout"], "swapped\n", "what stays as it was shown runs");
}

#[test]
fn a_flood_of_denied_requests_with_long_bodies() {
    let Some((arena, mut bad, mut good)) = stage() else { return };
    let junk = "0123456789abcdef".repeat(3_000);
    let request = json!({ "command": ["no-such-program-{n}", junk, junk], "stdin": "f".repeat(120_000) });
    bad.order(&json!({ "do": "flood", "connections": 4, "requests": [request], "milliseconds": flood_ms() }));
    let size = |data: &Path| {
        let length = |name: &str| std::fs::metadata(data.join(name)).map_or(0, |file| file.len());
        length("postern.db") + length("postern.db-wal")
    };
    let (start, before) = (Instant::now(), size(arena.data()));
    serve(&arena, &bad, &mut good, "denied requests");
    let seconds = start.elapsed().as_secs() + 1;
    let grown = size(arena.data()) - before;
    // The log reaches at most 16 MiB before it is merged; each of 50 requests a second keeps about one row.
    assert!(grown < 40 * 1024 * 1024 + seconds * 50 * 16 * 1024, "{grown} bytes in {seconds} s");
    let told = arena.ok(&["history", "--agent", bad.id()]);
    assert!(told.contains("not kept") && told.contains("no-such-program"), "their beginning is kept: {told}");
}

#[test]
fn a_flood_of_connections() {
    let Some((arena, mut bad, mut good)) = stage() else { return };
    bad.order(&json!({ "do": "flood", "connections": 200, "silent": 200, "requests": [], "milliseconds": flood_ms() }));
    serve(&arena, &bad, &mut good, "connections");
}

#[test]
fn a_flood_of_output_and_clients_that_never_read() {
    let Some((arena, mut bad, mut good)) = stage() else { return };
    arena.ok(&["rules", "allow", "/usr/bin/yes", "--agent", bad.id()]);
    let yes = json!({ "command": ["/usr/bin/yes", "{n}"], "stream": true, "timeoutMs": 300_000 });
    bad.order(&json!({ "do": "flood", "connections": 4, "reads": false, "requests": [yes], "milliseconds": flood_ms() }));
    bad.order(&json!({ "do": "flood", "connections": 4, "requests": [yes], "milliseconds": flood_ms() }));
    serve(&arena, &bad, &mut good, "output");
}

#[test]
fn a_flood_of_questions_and_of_calls() {
    let Some((arena, mut bad, mut good)) = stage() else { return };
    let asks = json!({ "command": ["/usr/bin/touch", "x{n}"] });
    let same = json!({ "command": ["/usr/bin/touch", "x"] });
    bad.order(
        &json!({ "do": "flood", "connections": 32, "requests": [asks, same], "milliseconds": flood_ms() }),
    );
    serve(&arena, &bad, &mut good, "questions");
}

#[test]
fn threads_of_the_host_do_not_grow_with_what_one_agent_asks() {
    let Some(mut arena) = Arena::open_own() else { return };
    let (mut bad, mut good) = (arena.agent("bad", &[]), arena.agent("good", &["preset=allow"]));
    let pid = arena.host().pid();
    good.request(json!({ "command": ["/usr/bin/true"] }));
    let before = threads(pid);
    let asks = json!({ "shell": "touch x{n}; git status" });
    bad.order(&json!({ "do": "flood", "connections": 64, "requests": [asks], "milliseconds": 60_000 }));
    let mut most = 0;
    for _ in 0..30 {
        good.request(json!({ "command": ["/usr/bin/true"] }));
        most = most.max(threads(pid));
    }
    assert!(most < before + 24, "{before} threads before, {most} during the flood");
}

#[test]
fn what_is_too_much_at_once_waits_and_is_never_denied() {
    let Some((arena, mut bad, _good)) = stage() else { return };
    let watcher = arena.watch();
    let posted: Vec<Value> =
        (0..20).map(|at| bad.post(json!({ "command": ["/usr/bin/touch", format!("x{at}")] }))).collect();
    for one in &posted {
        assert!(one["error"].is_null(), "none is refused: {one}");
        let status = bad.call("system.status", &json!({ "requestId": one["requestId"] }));
        assert!(status["state"] == "asking" || status["state"] == "resolving", "none is denied: {status}");
    }
    let listed = arena.ok(&["questions"]);
    assert!(listed.contains("of them from"), "the person sees that more wait: {listed}");
    for (at, one) in posted.iter().enumerate() {
        arena.approve(&watcher.question(), &[]);
        let end = bad.end(one);
        assert_eq!(end["params"]["exitCode"], 0, "request {at} is asked about in its turn: {end}");
    }
}

#[test]
fn no_number_of_refusals_locks_an_agent_out() {
    let Some((arena, mut bad, _good)) = stage() else { return };
    let watcher = arena.watch();
    let mut ask = |nth: usize| {
        let posted = bad.post(json!({ "command": ["/usr/bin/touch", format!("y{nth}")] }));
        (posted, watcher.question())
    };
    for nth in 0..10 {
        let (posted, question) = ask(nth);
        arena.ok(&answer_args("deny", &question, &[]));
        drop(posted);
    }
    let (_, question) = ask(10);
    assert_eq!(question["asker"]["agent"], bad.id(), "the eleventh is asked about like the first");
}

#[test]
fn only_the_person_stops_an_agent_and_one_command_ends_it() {
    let Some((arena, mut bad, _good)) = stage() else { return };
    let watcher = arena.watch();
    for at in 0..15 {
        bad.post(json!({ "command": ["/usr/bin/touch", format!("z{at}")] }));
    }
    watcher.question();
    arena.ok(&["agents", "stop", bad.id(), "--for", "10m"]);
    let denied = bad.request(json!({ "command": ["/usr/bin/touch", "w"] }));
    assert_eq!(denied["params"]["reason"], "user", "{denied}");
    assert!(
        !arena.ok(&["questions"]).contains(bad.id()),
        "what waited is denied with it, and what was behind it"
    );
    let again = format!("postern agents allow-again {}", bad.id());
    for told in [arena.ok(&["status"]), arena.run(&["doctor"]).stdout] {
        let left = told.contains("is stopped for another 9:");
        assert!(told.contains(&again) && left, "how long still, and what ends it: {told}");
    }
    assert!(arena.ok(&["agents", "list"]).contains("stopped for 9:"), "the list shows it");
    arena.ok(&["agents", "allow-again", bad.id()]);
    assert!(!arena.ok(&["status"]).contains("stopped"), "it is over");
    while watcher.saw_one() {}
    bad.post(json!({ "command": ["/usr/bin/touch", "w"] }));
    assert_eq!(watcher.question()["asker"]["agent"], bad.id(), "it is asked about again");
}

/// Starts a host with few files, as from a desktop on a Mac, and checks what a run inherits.
#[test]
fn the_limit_of_open_files_is_raised_and_runs_find_the_old_one() {
    let folder = tempfile::Builder::new().prefix("pst").tempdir_in("/tmp").unwrap();
    let data = folder.path().join("data");
    let mut host = start("/bin/sh")
        .args(["-c", "ulimit -Sn 256; exec \"$0\" serve"])
        .arg(postern())
        .env("POSTERN_DATA", &data)
        .env("HOME", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", host.id())).unwrap();
    let person = |args: &[&str]| {
        let mut command = start(postern());
        command.args(args).env("POSTERN_DATA", &data).env("HOME", folder.path());
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    person(&["agents", "add", "good"]);
    person(&["agents", "set", "good", "preset=allow", "--yes"]);
    let channel = data.join("agents/good");
    let found = agent_command(&channel, &["--shell", "ulimit -Sn"]).output().unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let soft: u64 = line.split_whitespace().nth(3).unwrap().parse().unwrap_or(u64::MAX);
    let hard = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum.unwrap_or(u64::MAX);
    assert!(soft >= hard.min(10_240), "{line}");
    assert_eq!(String::from_utf8_lossy(&found.stdout), "256\n", "{found:?}");
}
