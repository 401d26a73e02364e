//! Ways around deny rules, and identities that are only claimed.

use postern_tests::{Agent, Arena, put_program};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A tool of the agent that runs the text after `--exec`.
const RUNS_ITS_OPTION: &str = "#!/bin/sh\nX=rm\nwhile [ $# -gt 0 ]; do\n  case $1 in\n    --exec) eval \"$2\"; shift ;;\n    --exec=*) eval \"${1#--exec=}\" ;;\n  esac\n  shift\ndone\n";

#[test]
fn no_words_of_an_argument_take_back_the_doubt_about_it() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &["security=full", "ask=off"]) else { return };
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
    let Some((arena, mut agent)) = Arena::with_agent("main", &["security=full", "ask=off"]) else { return };
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
    let Some((arena, agent)) = Arena::with_agent("main", &[]) else { return };
    let level = |command: &[&str]| -> Value {
        let mut args = vec!["explain", "--json", "--agent", agent.id(), "--"];
        args.extend(command);
        arena.json(&args)["risk"]["level"].clone()
    };
    for (plain, with_options) in [
        (&["npm", "publish"][..], &["npm", "--prefix", "x", "publish"][..]),
        (&["kubectl", "exec", "p", "--", "ls"], &["kubectl", "-n", "prod", "exec", "p", "--", "ls"]),
        (&["docker", "rm", "-f", "x"], &["docker", "--context", "c", "rm", "-f", "x"]),
        (&["aws", "iam", "create-user"], &["aws", "--profile", "p", "iam", "create-user"]),
    ] {
        assert_eq!(
            (level(plain), level(with_options)),
            (json!("dangerous"), json!("dangerous")),
            "{plain:?}"
        );
    }
}

/// Settings of an agent that may run everything that no deny rule names, and is never asked about.
const ALLOW: [&str; 2] = ["security=full", "ask=off"];

fn denied(agent: &mut Agent, command: &Value) -> Value {
    let end = agent.request(command.clone());
    assert_eq!(end["method"], "exec.denied", "{command}: {end}");
    end
}

fn runs(agent: &mut Agent, command: &Value) -> Value {
    let end = agent.request(command.clone());
    assert_eq!(end["method"], "exec.finished", "{command}: {end}");
    end
}

#[test]
fn a_denied_program_is_denied_as_a_copy_that_cannot_be_opened_or_identified() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &ALLOW);
    arena.ok(&["rules", "deny", "/usr/bin/touch", "--agent", agent.id()]);
    agent.sh("for name in copy unreadable padded; do cp /usr/bin/touch $name; done; chmod 0111 unreadable");
    agent.sh("truncate -s 600M padded; ln -s /usr/bin/touch link; mkfifo -m 0777 fifo; mkdir sub");
    agent.sh("printf '#!/nowhere/sh\\n' > lost; chmod 0755 lost");
    for name in ["copy", "unreadable", "padded", "link", "fifo", "lost", "missing"] {
        for command in [
            json!({ "shell": format!("./{name} touched; true") }),
            json!({ "shell": format!("nohup ./{name} touched || true") }),
            json!({ "shell": format!("cd \"$PWD\"; ./{name} touched") }),
            json!({ "command": [format!("./{name}"), "touched"] }),
        ] {
            denied(&mut agent, &command);
        }
    }
    denied(&mut agent, &json!({ "shell": "cp /usr/bin/touch made; ./made touched" }));
    denied(&mut agent, &json!({ "command": ["/usr/bin/touch", "touched"] }));
    assert!(!Path::new(&agent.path("touched")).exists());
    runs(&mut agent, &json!({ "shell": "ls; true" }));
}

#[test]
fn what_cannot_be_identified_is_asked_about_where_somebody_is_asked() {
    let Some((arena, mut agent)) = Arena::with_agent("main", &["security=full", "ask=on-miss"]) else {
        return;
    };
    arena.ok(&["rules", "deny", "/usr/bin/touch", "--agent", agent.id()]);
    agent.sh("mkfifo -m 0777 fifo");
    let watcher = arena.watch();
    agent.post(json!({ "shell": "./fifo touched; true" }));
    let question = watcher.question();
    assert_eq!(question["rule"]["pattern"], "/usr/bin/touch", "{question}");
}

#[test]
fn an_alias_of_the_repository_does_not_stand_for_what_is_denied() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &ALLOW);
    arena.ok(&["rules", "deny", "git push *", "--agent", agent.id()]);
    agent.sh("git init -q . && git config alias.p push && git config alias.f '!git push' && cp $(command -v git) g");
    for command in [
        json!({ "command": ["git", "p"] }),
        json!({ "command": ["git", "-C", ".", "f"] }),
        json!({ "shell": "cd . && git p origin" }),
        json!({ "shell": "git -c alias.q=push q" }),
        json!({ "command": ["git", "q"], "env": { "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "alias.q", "GIT_CONFIG_VALUE_0": "push" } }),
        json!({ "command": ["./g", "push"] }),
        json!({ "shell": "./g p; true" }),
    ] {
        let end = agent.request(command.clone());
        assert!(end["method"] == "exec.denied" || end["error"].is_string(), "{command}: {end}");
    }
    runs(&mut agent, &json!({ "command": ["git", "status"] }));
    runs(&mut agent, &json!({ "command": ["./g", "status"] }));
}

#[test]
fn a_deny_rule_that_is_written_with_the_home_folder_holds() {
    let Some(arena) = Arena::open() else { return };
    let mut agent = arena.agent("main", &ALLOW);
    arena.ok(&["rules", "deny", "cat ~/postern-attack/*", "--agent", agent.id()]);
    arena.ok(&["rules", "deny", "head -n 1 $HOME/postern-attack", "--exact", "--agent", agent.id()]);
    arena.ok(&["rules", "deny", "/usr/bin/wc", "--args", "~/postern-attack/x", "--agent", agent.id()]);
    for line in [
        "cat ~/postern-attack/x", "cat $HOME/postern-attack/x", "cat \"${HOME}/postern-attack/x\"",
        "true; head -n 1 ~/postern-attack", "wc ~/postern-attack/x",
    ] {
        let end = denied(&mut agent, &json!({ "shell": line }));
        assert_eq!(end["params"]["reason"], "denylist", "{line}: {end}");
    }
    runs(&mut agent, &json!({ "shell": "cat '~/postern-attack/x' || true" }));
}

#[test]
fn a_deny_rule_on_one_of_many_names_of_a_file_is_about_that_name() {
    let Some(arena) = Arena::open() else { return };
    // Outside every temporary folder, where agents can write.
    let system = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = |name: &str| system.path().join(name).display().to_string();
    put_program(&system.path().join("git9"), "#!/bin/sh\necho \"as ${0##*/}\"\n");
    for name in ["python9", "python9.1", "clang9"] {
        fs::hard_link(at("git9"), at(name)).unwrap();
    }
    let mut agent = arena.agent("main", &ALLOW);
    arena.ok(&["rules", "deny", &at("python9"), "--agent", agent.id()]);
    for name in ["git9", "clang9"] {
        let end = runs(&mut agent, &json!({ "command": [at(name)] }));
        assert_eq!(end["params"]["stdout"], format!("as {name}\n"), "{end}");
    }
    denied(&mut agent, &json!({ "command": [at("python9")] }));
    denied(&mut agent, &json!({ "command": [at("python9.1")] }));
    let copy = fs::read_to_string(at("git9")).unwrap();
    agent.write("git9", &copy, 0o755);
    agent.sh(&format!("ln -s '{}' clang9", at("clang9")));
    denied(&mut agent, &json!({ "command": ["./git9"] }));
    denied(&mut agent, &json!({ "command": ["./clang9"] }));
    denied(&mut agent, &json!({ "shell": "true; ./clang9" }));
}
