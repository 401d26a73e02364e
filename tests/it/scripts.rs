//! The scripts, as a person calls them.

use postern_tests::{Answer, repository, start};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Runs a line of bash that has the functions of `scripts/lib.sh`.
fn with_functions(line: &str, words: &[&Path]) -> Answer {
    let script = format!("set -euo pipefail; . scripts/lib.sh; {line}");
    let mut bash = start("bash");
    bash.current_dir(repository()).args(["-c", &script, "bash"]).args(words).stdin(Stdio::null());
    bash.output().expect("bash runs").into()
}

#[test]
fn a_program_is_replaced_while_an_agent_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let (place, newer) = (folder.path().join("postern-run"), folder.path().join("newer"));
    fs::copy("/bin/cat", &place).unwrap();
    fs::write(&newer, "the newer one").unwrap();
    let mut running = start(&place).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let put = with_functions("put_program \"$1\" \"$2\"", &[&newer, &place]);
    assert_eq!(put.code, 0, "{put:?}");
    assert_eq!(fs::read_to_string(&place).unwrap(), "the newer one");
    assert!(running.try_wait().unwrap().is_none(), "who runs the older one goes on");
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing is left beside it: {left:?}");
}

#[test]
fn a_lane_that_fails_fails_the_script_and_every_lane_is_heard() {
    let logs = tempfile::tempdir().unwrap();
    let lanes = "logs=$1; lane first false; lane second echo heard; status=0; end_lanes || status=$?; exit $((status + 40))";
    let said = with_functions(lanes, &[logs.path()]);
    assert_eq!(said.code, 41, "{said:?}");
    assert!(said.stdout.contains("heard"), "{said:?}");
}
