//! Runs that reach for Postern's own controls, and what the audit tells of it.

use postern_tests::{Arena, postern};
use serde_json::json;

/// A script that daemonises a command line of Postern's: by then its run has ended, and its parent is gone.
fn daemon(arena: &Arena, agent: &str) -> String {
    let (data, postern) = (arena.data().display(), postern().display());
    format!(
        "#!/bin/sh\nexport POSTERN_DATA={data}\n\
         setsid sh -c 'sleep 1; {postern} agents set {agent} security=full ask=off; touch done' >/dev/null 2>&1 </dev/null &\n\
         echo tests passed\n"
    )
}

#[test]
fn an_orphan_of_a_run_changes_no_setting() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &[]);
    agent.write("ctl.sh", &daemon(&arena, agent.id()), 0o755);
    let watcher = arena.watch();
    let posted = agent.post(json!({ "command": ["./ctl.sh"] }));
    arena.approve(&watcher.question(), &[]);
    assert_eq!(agent.end(&posted)["params"]["exitCode"], 0, "the script itself ran");
    agent.sh("until [ -e done ]; do sleep 0.1; done");
    let policy = agent.policy();
    assert_eq!(policy, json!({ "security": "allowlist", "ask": "on-miss" }), "nothing of it changed");
}
