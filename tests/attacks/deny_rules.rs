//! Deny rules that are walked around, and identities that are only claimed.

use postern_tests::Arena;
use serde_json::{Value, json};
use std::fs;

/// A tool of the agent's own that runs the text behind `--exec`.
const RUNS_ITS_OPTION: &str = "#!/bin/sh\nX=rm\nwhile [ $# -gt 0 ]; do\n  case $1 in\n    --exec) eval \"$2\"; shift ;;\n    --exec=*) eval \"${1#--exec=}\" ;;\n  esac\n  shift\ndone\n";

#[test]
fn no_words_of_an_argument_take_back_the_doubt_about_it() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &["security=full", "ask=off"]);
    arena.ok(&["rules", "deny", "rm *", "--agent", agent.id()]);
    agent.write("mytool", RUNS_ITS_OPTION, 0o755);
    let (tool, victim) = (agent.path("mytool"), agent.path("victim"));
    for option in ["--exec", "--exec=", "--hook"] {
        fs::write(&victim, "kept").unwrap();
        let text = format!("$X -rf '{victim}'");
        let command = match option {
            "--exec=" => json!([tool, format!("--exec={text}")]),
            "--hook" => json!([tool, "--hook", "run time", "--exec", text]),
            _ => json!([tool, option, text]),
        };
        let end = agent.request(json!({ "command": command }));
        assert_eq!(end["method"], "exec.denied", "{end}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "kept", "{end}");
    }
    let end = agent.request(json!({ "command": [tool, "--verbose", "x"] }));
    assert_eq!(end["params"]["exitCode"], 0, "what runs nothing is no doubt: {end}");
}

#[test]
fn a_name_that_only_macos_knows_leads_to_no_data() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &["security=full", "ask=off"]);
    let data = arena.data().display().to_string();
    for name in [
        format!("/.nofollow{data}/postern.db"),
        format!("/.resolve/0{data}/postern.db"),
        format!("{data}/postern.db/..namedfork/data"),
        "/.vol/16777220/123".to_owned(),
    ] {
        let end = agent.request(json!({ "command": ["tee", name] }));
        assert_eq!(end["method"], "exec.denied", "{name}: {end}");
        assert_eq!(end["params"]["reason"], "core", "{name}: {end}");
    }
}

#[test]
fn no_option_before_the_verb_lowers_the_risk() {
    let Some(arena) = Arena::open() else { return };
    let agent = arena.agent("main", &[]);
    let level = |command: &[&str]| -> Value {
        let mut args = vec!["explain", "--json", "--agent", agent.id(), "--"];
        args.extend(command);
        arena.json(&args)["risk"]["level"].clone()
    };
    for (plain, with_options) in [
        (&["npm", "publish"][..], &["npm", "--prefix", "x", "publish"][..]),
        (&["kubectl", "exec", "p", "--", "ls"], &["kubectl", "-n", "prod", "exec", "p", "--", "ls"]),
        (&["docker", "rm", "-f", "x"], &["docker", "--context", "c", "rm", "-f", "x"]),
        (&["aws", "iam", "list-users"], &["aws", "--profile", "p", "iam", "list-users"]),
    ] {
        assert_eq!(
            (level(plain), level(with_options)),
            (json!("dangerous"), json!("dangerous")),
            "{plain:?}"
        );
    }
}
