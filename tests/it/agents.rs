//! Two agents: one's rules, requests and questions are never the other's.

use postern_tests::{Answer, answer_args, host_for_sandbox, in_sandbox, postern_run, start};

#[test]
fn a_rule_serves_its_own_agent_and_everyones_rule_serves_all() {
    let Some(host) = host_for_sandbox() else { return };
    let (one, two) = (host.enrol("one"), host.enrol("two"));
    host.ok(&["agents", "set", "two", "ask=off"]);
    host.ok(&["rules", "allow", "/usr/bin/uname", "--agent", "one"]);
    assert_eq!(in_sandbox(&one, "postern-run --cwd / -- uname").end().code, 0, "one has a rule for it");
    let answer = in_sandbox(&two, "postern-run --cwd / -- uname").end();
    assert_eq!(answer.code, 126, "one's rule is not two's: {answer:?}");
    assert!(answer.stderr.contains("allowlist-miss"), "{answer:?}");

    host.ok(&["rules", "allow", "/usr/bin/id", "--everyone"]);
    for channel in [&one, &two] {
        let answer = in_sandbox(channel, "postern-run --cwd / -- id -u").end();
        assert_eq!(answer.code, 0, "everyone's rule serves both: {answer:?}");
    }
    let used = host.json(&["rules", "list", "--agent", "one"]);
    let rule =
        used.as_array().unwrap().iter().find(|row| row["text"] == "/usr/bin/uname").expect("it is listed");
    assert_eq!(rule["rule"]["usage"]["count"], 1, "its use is counted: {rule}");
    assert_eq!(rule["rule"]["usage"]["lastCommand"], "uname");
}

#[test]
fn a_deny_rule_follows_the_program() {
    let Some(host) = host_for_sandbox() else { return };
    let channel = host.enrol_allowed("main");
    host.ok(&["rules", "deny", "/usr/bin/whoami", "--agent", "main", "--why", "not your business"]);
    let spellings = [
        "-- whoami", "-- /usr/bin/whoami", "-- env whoami", "--shell 'true && wh\"oa\"mi'",
        "--shell 'echo $(whoami)'", "-- sh -c whoami",
    ];
    for spelling in spellings {
        let answer = in_sandbox(&channel, &format!("postern-run --cwd / {spelling}")).end();
        assert_eq!(answer.code, 126, "{spelling}: {answer:?}");
        assert!(answer.stderr.contains("denylist"), "{spelling}: {answer:?}");
        assert!(answer.stderr.contains("not your business"), "{spelling}: {answer:?}");
    }
    let got = in_sandbox(&channel, "postern-run --cwd / -- id -u").end().code;
    assert_eq!(got, 0, "everything else still runs");
}

#[test]
fn a_wrong_key_and_a_removed_agent_are_refused_clearly() {
    let Some(host) = host_for_sandbox() else { return };
    let (one, two) = (host.enrol("one"), host.enrol("two"));
    let key = std::fs::read(two.join("agent.key")).unwrap();
    let stolen = format!(
        "printf %s '{}' >/tmp/key; POSTERN_KEY_FILE=/tmp/key postern-run --cwd / -- id",
        String::from_utf8(key).unwrap().trim()
    );
    let answer = in_sandbox(&one, &stolen).end();
    assert_eq!(answer.code, 125, "another agent's key opens nothing here: {answer:?}");
    assert!(answer.stderr.contains("key"), "and it says so: {answer:?}");

    host.ok(&["agents", "remove", "one", "--yes"]);
    assert!(!one.join("agent.sock").exists(), "a removed agent has no door");
}

#[test]
fn the_printed_lines_work_as_they_are() {
    let Some(host) = host_for_sandbox() else { return };
    host.enrol("main");
    host.ok(&["rules", "allow", "/usr/bin/pwd", "--agent", "main"]);
    let project = host.scratch("a project");
    let programs = postern_run().parent().unwrap().to_str().unwrap();
    for kind in ["bwrap", "plain"] {
        let lines = host.ok(&["agents", "channel", "main", "--for", kind]);
        let lines = lines.replace("postern-run -- uname -a", "postern-run -- /usr/bin/pwd");
        let mut shell = start("/bin/sh");
        shell.args(["-c", &lines]).current_dir(&project).stdin(std::process::Stdio::null());
        let shell = shell.env("PATH", format!("{programs}:/usr/bin:/bin"));
        let answer: Answer = shell.output().expect("a shell").into();
        assert_eq!(answer.code, 0, "{kind}: {answer:?}\n{lines}");
        assert_eq!(answer.stdout.trim(), project.to_str().unwrap(), "{kind}: it ran in the same folder");
    }
}

#[test]
fn an_answer_for_everyone_answers_what_waits_of_every_agent() {
    let Some(host) = host_for_sandbox() else { return };
    let (one, two) = (host.enrol("one"), host.enrol("two"));
    let watcher = host.watch();
    for (program, answer, how, expected) in [
        ("uname", "approve", &["--everyone", "--always", "path"][..], 0),
        ("whoami", "deny", &["--everyone", "--always"][..], 126),
    ] {
        let ask = format!("postern-run --cwd / -- {program}");
        let asking = [in_sandbox(&one, &ask), in_sandbox(&two, &ask)];
        let (first, second) = (watcher.question(), watcher.question());
        assert_ne!(first["id"], second["id"], "each agent's is a question of its own");
        host.ok(&answer_args(answer, &first, how));
        for asked in asking {
            let ended = asked.end();
            assert_eq!(ended.code, expected, "{program}: {ended:?}");
        }
        assert_eq!(host.json(&["questions"]), serde_json::json!([]));
    }
}
