//! Runs that try to control Postern, and the audit of such tries.

use postern_tests::{Agent, Arena, postern};
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

/// Returns a script that daemonizes a `postern` command, so that its run has ended and its parent is gone.
fn daemon(arena: &Arena, agent: &str) -> String {
    let (data, postern) = (arena.data().display(), postern().display());
    format!(
        "#!/bin/sh\nexport POSTERN_DATA={data}\n\
         setsid sh -c 'sleep 1; {postern} agents set {agent} security=full ask=off --yes; touch done' >/dev/null 2>&1 </dev/null &\n\
         echo tests passed\n"
    )
}

#[test]
fn a_pause_holds_for_what_was_allowed_and_is_still_being_opened() {
    let Some(arena) = Arena::open_own() else { return };
    let mut agent = arena.agent("main", &[]);
    // What was changed in the future is read each time. That is more than an agent may read at once, so it takes seconds.
    agent.sh(
        "for f in a b; do printf 'touch ran\nexit\n' > $f.sh; truncate -s 350M $f.sh; touch -d 2037-01-01 $f.sh; done",
    );
    let watcher = arena.watch();
    let posted = agent.post(json!({ "shell": "sh a.sh; sh b.sh" }));
    assert_eq!(arena.approve(&watcher.question(), &[]).code, 0);
    arena.ok(&["pause", "1h"]);
    let end = agent.end(&posted);
    assert_eq!(
        (&end["method"], &end["params"]["reason"]),
        (&json!("exec.denied"), &json!("paused")),
        "{end}"
    );
    assert!(!agent.project().join("ran").exists());
}

/// Returns true if a process is held before its first instruction.
fn holds_a_process(host: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{host}/task")).unwrap().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<String> =
        lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let is_held = |child: &String| {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('t'))
    };
    children.iter().any(is_held)
}

#[test]
fn a_pause_holds_for_what_is_held_while_its_files_are_read_again() {
    let Some(mut arena) = Arena::open_own() else { return };
    let host = arena.host().pid();
    let mut agent = arena.agent("main", &[]);
    agent.sh(
        "for f in a b; do printf 'touch ran\nexit\n' > $f.sh; truncate -s 350M $f.sh; touch -d 2037-01-01 $f.sh; done",
    );
    let watcher = arena.watch();
    let posted = agent.post(json!({ "shell": "sh a.sh; sh b.sh" }));
    assert_eq!(arena.approve(&watcher.question(), &[]).code, 0);
    let patience = Instant::now() + Duration::from_mins(2);
    while !holds_a_process(host) {
        assert!(Instant::now() < patience, "it is held for as long as its files are read");
        std::thread::sleep(Duration::from_millis(5));
    }
    arena.ok(&["pause", "1h"]);
    let end = agent.end(&posted);
    assert_eq!(end["params"]["reason"], "paused", "{end}");
    assert!(!agent.project().join("ran").exists());
}

#[test]
fn an_orphan_of_a_run_changes_no_setting() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    agent.write("ctl.sh", &daemon(&arena, agent.id()), 0o755);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "command": ["./ctl.sh"] }));
    arena.approve(&watcher.question(), &[]);
    assert_eq!(agent.end(&posted)["params"]["exitCode"], 0, "the script itself ran");
    agent.sh("until [ -e done ]; do sleep 0.1; done");
    let policy = agent.policy();
    assert_eq!(policy, json!({ "security": "allowlist", "ask": "on-miss" }), "nothing of it changed");
}

/// Returns a script that leaves four kinds of processes behind. Each waits for the file `go` and then tries
/// to widen what may run.
fn remains(arena: &Arena, agent: &str) -> String {
    let (data, postern) = (arena.data().display(), postern().display());
    let tries = |name: &str| {
        format!(
            "until [ -e go ]; do sleep 0.1; done; {postern} agents set {agent} security=full ask=off --yes >{name}.log 2>&1; touch {name}"
        )
    };
    format!(
        "#!/bin/sh\nexport POSTERN_DATA={data}\n\
         setsid sh -c 'setsid sh -c \"{}\" &' >/dev/null 2>&1 </dev/null &\n\
         nohup sh -c '{}' >/dev/null 2>&1 </dev/null &\n\
         (({}) >/dev/null 2>&1 </dev/null &) &\n\
         setsid sh -c 'until [ -e serve ]; do sleep 0.1; done; {postern} serve >served.log 2>&1; touch served' >/dev/null 2>&1 </dev/null &\n\
         echo tests passed\n",
        tries("twice-forked"),
        tries("nohup"),
        tries("loop"),
    )
}

const TRIED: &str = "until [ -e twice-forked ] && [ -e nohup ] && [ -e loop ]; do sleep 0.1; done; cat *.log";

fn leave_behind(arena: &Arena, agent: &mut Agent) {
    agent.write("remains.sh", &remains(arena, agent.id()), 0o755);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "command": ["./remains.sh"] }));
    arena.approve(&watcher.question(), &[]);
    assert_eq!(agent.end(&posted)["params"]["exitCode"], 0, "the script itself ran");
}

#[test]
fn whatever_a_run_left_behind_changes_no_setting() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &[]) else { return };
    leave_behind(&arena, &mut agent);
    let refused = agent.sh(&format!("touch go serve; until [ -e served ]; do sleep 0.1; done; {TRIED}"));
    assert_eq!(refused.matches("may not control Postern").count(), 3, "{refused}");
    assert!(refused.contains("another Postern already runs"), "{refused}");
    assert_eq!(agent.policy()["security"], "allowlist");
    arena.ok(&["agents", "set", agent.id(), "ask=always"]);
    assert_eq!(agent.policy()["ask"], "always", "the person's own terminal still does");
}

#[test]
fn what_outlives_a_killed_host_neither_takes_its_place_nor_controls_the_next_one() {
    let Some(mut arena) = Arena::open_own() else { return };
    let mut agent = arena.agent("main", &[]);
    leave_behind(&arena, &mut agent);
    arena.host().crash();
    let served = agent.sh("touch serve; until [ -e served ]; do sleep 0.1; done; cat served.log");
    assert!(served.contains("may not start Postern"), "{served}");
    arena.host().start_again();
    let refused = agent.sh(&format!("touch go; {TRIED}"));
    assert_eq!(refused.matches("may not control Postern").count(), 3, "{refused}");
    assert_eq!(agent.policy()["security"], "allowlist");
}

#[test]
fn the_audit_says_who_widened_what_and_a_watching_terminal_is_told() {
    let Some((arena, agent)) = Arena::with_agent("main", &[]) else { return };
    let watcher = arena.watch();
    arena.ok(&["agents", "set", agent.id(), "security=full", "--yes"]);
    let told = watcher.until(|event| event["event"] == "widened");
    assert!(told["change"]["summary"].as_str().unwrap().contains("security allowlist → full"), "{told}");
    let audit = arena.json(&["audit", "--verify"]);
    let row = audit["rows"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&row["subject"], &row["key"], &row["widens"]),
        (&json!("agents"), &json!(agent.id()), &json!(true))
    );
    assert_eq!(row["before"]["settings"]["security"], "allowlist");
    assert_eq!(row["after"]["settings"]["security"], "full");
    assert_eq!(row["by"]["face"], "terminal");
    let program = row["by"]["program"].as_str().unwrap_or_default();
    assert!(program.ends_with("/postern") && row["by"]["pid"].is_u64(), "{row}");
    assert_eq!(audit["verified"]["problem"], json!(null), "{audit}");
    assert_eq!(audit["verified"]["strayed"], json!([]), "{audit}");
    let lines = arena.ok(&["audit"]);
    assert!(lines.contains("  more may run\n") && lines.contains("security allowlist → full\n"), "{lines}");
}

#[test]
fn a_permissions_file_that_is_changed_on_disk_is_in_the_audit() {
    let Some((arena, agent)) = Arena::with_agent("main", &[]) else { return };
    let file = arena.data().join("policy").join(agent.id()).join("permissions.jsonc");
    fs::write(&file, "{ \"*\": \"allow\" }\n").unwrap();
    let watched = || {
        arena.json(&["audit"])["rows"].as_array().unwrap().iter().any(|row| {
            row["subject"] == "permissions"
                && row["by"]["face"] == "file"
                && row["widens"] == true
                && row["key"] == agent.id()
        })
    };
    // The host hears of it from the system; asking is what waiting for it is.
    let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !watched() {
        assert!(std::time::Instant::now() < end, "{}", arena.ok(&["audit"]));
    }
}

/// Attacks on the copy that a lost record is restored from, which decides what may run.
///
/// No agent writes, moves or restores it.
#[test]
fn the_copy_of_the_record_is_out_of_reach() {
    let Some(arena) = Arena::open_own() else { return };
    let mut agent = arena.agent("main", &["security=full", "ask=off"]);
    let data = arena.data().display().to_string();
    let spare = arena.data().join("postern.db.spare");
    while !spare.exists() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let postern = postern().display();
    for command in [
        json!(["tee", format!("{data}/postern.db.spare")]),
        json!(["cp", "/etc/passwd", format!("{data}/postern.db.spare")]),
        json!(["mv", format!("{data}/postern.db.spare"), format!("{data}/elsewhere")]),
        json!(["sh", "-c", format!("echo x >> '{data}/postern.db.spare'")]),
        json!([postern.to_string(), "--data", data, "doctor", "--repair", "--yes"]),
    ] {
        let end = agent.request(json!({ "command": command }));
        assert_eq!(end["method"], "exec.denied", "{command}: {end}");
        assert_eq!(end["params"]["reason"], "core", "{command}: {end}");
    }
    assert!(std::fs::read(&spare).unwrap().starts_with(b"SQLite format 3\0"));
}
