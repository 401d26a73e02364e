//! Tests of what a person reads and types: one spelling of settings, short ids, and what is asked before
//! something is lost.

use postern_tests::{Asked, Postern};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_setting_has_one_spelling_wherever_it_is_read() {
    let (host, _) = Postern::with_agent();
    let set = |pair: &str| host.ok(&["agents", "set", "main", pair]);
    assert_eq!(set("approval-timeout=3m"), "approval-timeout: 2m → 3m\n", "what changed, and nothing else");
    let got = set("approvalTimeout=3m");
    assert_eq!(got, "main has these settings already; nothing was changed\n", "taken without a word");
    let shown = host.ok(&["agents", "show", "main"]);
    assert!(shown.contains("approval-timeout = 3m\n"), "{shown}");
    let pairs: Vec<String> = shown
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    assert!(pairs.len() > 15, "{shown}");
    let mut again = vec!["agents", "set", "main"];
    again.extend(pairs.iter().map(String::as_str));
    assert_eq!(
        host.ok(&again),
        "main has these settings already; nothing was changed\n",
        "what is shown can be typed"
    );
    let help = host.ok(&["agents", "set", "--help"]);
    for pair in &pairs {
        let key = pair.split('=').next().unwrap();
        assert!(help.contains(&format!("\n  {key} ")), "{key}: {help}");
    }
    host.fails(&["agents", "set", "main", "approvaltime=3m"], 4, "approval-timeout");
}

#[test]
fn what_runs_everything_wants_a_second_word() {
    let (host, _) = Postern::with_agent();
    for values in
        [&["preset=allow"][..], &["security=full", "ask=off"], &["security=full"], &["fallback=full"]]
    {
        let set = [&["agents", "set", "main"], values].concat();
        let refused = host.run(&set);
        assert!(refused.code == 4 && refused.stderr.contains("--yes"), "{values:?}: {refused:?}");
        assert!(!host.ok(&[&set[..], &["--yes"]].concat()).contains("nothing"), "{values:?}");
        host.ok(&["agents", "set", "main", "preset=ask", "fallback=deny"]);
    }
    host.ok(&["agents", "set", "main", "security=full", "ask=always"]);
    let off = host.run(&["agents", "set", "main", "ask=off"]);
    assert!(off.code == 4 && off.stderr.contains("security=full with ask=off"), "{off:?}");

    let file = host.scratch("files").join("config.json");
    let path = file.to_str().unwrap();
    fs::write(&file, json!({"execApproval": {"security": "full", "ask": "off"}}).to_string()).unwrap();
    let import = ["rules", "import", path, "--format", "exec-approval", "--agent", "main"];
    host.ok(&["agents", "set", "main", "preset=ask"]);
    let refused = host.run(&import);
    assert!(refused.code == 4 && refused.stderr.contains("security is full"), "{refused:?}");
    assert_eq!(host.json(&["agents", "show", "main"])["settings"]["security"], "allowlist");
    host.ok(&[&import[..], &["--yes"]].concat());
    assert_eq!(host.json(&["agents", "show", "main"])["settings"]["security"], "full");
}

#[test]
fn an_agent_with_rules_is_not_removed_by_the_way() {
    let host = Postern::start();
    let added = host.json(&["agents", "add", "new"]);
    assert_eq!(added["id"], "new");
    host.ok(&["agents", "remove", "new"]);
    let told = host.ok(&["agents", "add", "main"]);
    for hint in ["--for docker|bwrap|sandbox-exec", "postern hook install", "--for mcp"] {
        assert!(told.contains(hint), "{hint}: {told}");
    }
    host.ok(&["rules", "allow", "uname *", "--agent", "main"]);
    host.fails(&["agents", "remove", "main"], 2, "1 rule: add --yes");
    host.ok(&["agents", "remove", "main", "--yes"]);
    assert_eq!(host.json(&["agents", "list"]), json!([]));
}

#[test]
fn lists_say_what_things_are_and_nothing_that_says_nothing() {
    let (host, channel) = Postern::with_agent();
    let got = host.ok(&["rules", "list", "--agent", "main"]);
    assert_eq!(got, "no rules\n", "the lines of a new file decide nothing");
    let doctor = host.run(&["doctor"]).stdout;
    let channel = format!("channel of main {}", channel.join("agent.sock").display());
    assert!(doctor.contains(&channel), "{doctor}");
    assert_eq!(doctor.matches("control socket").count(), 1, "{doctor}");
    let help = host.ok(&["doors", "--help"]);
    for door in
        ["websocket", "openclaw", "mcp-http", "telegram", "xmpp", "forwarder", "webhook", "otel", "fleet"]
    {
        assert!(help.contains(door), "{door}: {help}");
    }
    let permissions = host.data().join("policy/main/permissions.jsonc");
    assert!(permissions.exists(), "the file of a new agent");
    fs::write(&permissions, "{\n  \"shell_exec\": { \"uname *\": \"deny\" }\n}\n").unwrap();
    host.until(&["rules", "list", "--agent", "main"], "permissions.jsonc:2");
    let explained = host.ok(&["explain", "--agent", "main", "--", "uname", "-a"]);
    assert!(explained.contains("permissions.jsonc:2: uname *"), "{explained}");
    assert!(!explained.contains("rule -"), "{explained}");
}

#[test]
fn a_skills_rule_that_works_is_not_to_be_removed() {
    let (host, _) = Postern::with_agent();
    host.ok(&["agents", "set", "main", &format!("folders={}", host.scratch("project").display())]);
    // Where no agent can change it.
    let bin = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::set_permissions(bin.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let bird = bin.path().join("bird");
    fs::copy("/usr/bin/true", &bird).unwrap();
    let skill = bin.path().join("skills/bird");
    fs::create_dir_all(&skill).unwrap();
    let text = format!("---\nname: bird\ndescription: sings\nclis: [{}]\n---\n", bird.display());
    fs::write(skill.join("SKILL.md"), text).unwrap();
    host.ok(&["skills", "add-folder", skill.parent().unwrap().to_str().unwrap()]);
    host.until(&["skills", "list"], "bird");
    host.ok(&["skills", "approve", "bird"]);
    host.until(&["rules", "list"], "skill bird");
    let lint = host.run(&["policy", "lint"]);
    assert!(!lint.stdout.contains("never-matches"), "{lint:?}");
}

#[test]
fn a_request_is_named_by_its_beginning_or_as_the_last() {
    let (host, channel) = Postern::with_agent();
    let none = host.run(&["show", "last"]);
    assert!(none.code == 4 && none.stderr.contains("there is no request yet"), "{none:?}");
    host.ok(&["rules", "allow", "uname *", "--agent", "main"]);
    assert_eq!(Asked::new(&channel, &["uname"]).end().code, 0);
    let id = host.json(&["history"])[0]["id"].as_str().unwrap().to_owned();
    let listed = host.ok(&["history"]);
    let row = listed.lines().find(|line| line.contains("uname")).expect("it is listed");
    assert!(row.contains(&id[..13]) && !row.contains(&id), "short: {listed}");
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    for name in [&id[..13], &id[..8], &id, "last"] {
        assert_eq!(host.json(&["show", name])["row"]["id"], id.as_str(), "{name}");
    }
    for name in ["zzzz", "01", "ffffffff"] {
        host.fails(&["show", name], 4, "there is no request");
    }
    let shown = host.ok(&["show", &id]);
    let repeats = shown.contains("\n  why ") || shown.contains("\n  by ");
    assert!(shown.contains("rule 1 (you): uname *") && !repeats, "the rule says so once: {shown}");
    host.fails(&["kill", "last"], 1, "isn’t running");
    assert_eq!(Asked::new(&channel, &["uname", "-s"]).end().code, 0);
    host.fails(&["show", &id[..4]], 4, "more than one");
}

#[test]
fn the_one_question_needs_no_code_and_several_do() {
    let (host, channel) = Postern::with_agent();
    let watcher = host.watch();
    host.fails(&["deny"], 1, "nothing waits");
    let asked = Asked::new(&channel, &["uname", "-m"]);
    let one = watcher.question();
    let code = one["code"].as_str().unwrap();
    let told = host.ok(&["deny"]);
    assert!(
        told.contains(code) && told.contains("uname -m") && told.contains("denied"),
        "it says which: {told}"
    );
    assert_eq!(asked.end().code, 126);
    let row = host.json(&["history"])[0].clone();
    assert_eq!(row["decided"], "you-denied", "who denied it: {row}");

    let asked = [Asked::new(&channel, &["uname", "-m"]), Asked::new(&channel, &["uname", "-n"])];
    let (first, second) = (watcher.question(), watcher.question());
    let several = host.run(&["approve"]);
    assert_eq!(several.code, 2, "{several:?}");
    for question in [&first, &second] {
        assert!(several.stderr.contains(question["code"].as_str().unwrap()), "{several:?}");
    }
    let of = |question: &Value, key: &str| question[key].as_str().unwrap().to_owned();
    host.ok(&["approve", &of(&first, "id"), "--digest", &of(&first, "digest")]);
    host.ok(&["approve", "last", "--digest", &of(&second, "digest")]);
    for asked in asked {
        assert_eq!(asked.end().code, 0);
    }
}

#[test]
fn a_variable_that_takes_always_away_says_so_and_what_to_set() {
    let (host, channel) = Postern::with_agent();
    host.ok(&["agents", "set", "main", "env-set=BAR"]);
    let watcher = host.watch();
    let asked = Asked::with(&channel, &["--env", "FOO=1", "--", "uname"]);
    let question = watcher.question();
    assert_eq!(question["proposals"], json!([]), "{question}");
    assert_eq!(question["nothingToSave"]["reason"], "environment");
    assert_eq!(question["envSetting"], "BAR,FOO");
    let seen = host.ok(&["questions"]);
    assert!(seen.contains("postern agents set main env-set=BAR,FOO"), "{seen}");
    host.ok(&["deny"]);
    assert_eq!(asked.end().code, 126);
    host.ok(&["agents", "set", "main", "env-set=BAR,FOO"]);
    let asked = Asked::with(&channel, &["--env", "FOO=1", "--", "uname"]);
    let question = watcher.question();
    assert!(question["envSetting"].is_null() && question["proposals"] != json!([]), "{question}");
    host.ok(&["deny"]);
    assert_eq!(asked.end().code, 126);
}

#[test]
fn a_mistake_is_answered_with_what_was_meant() {
    let (host, _) = Postern::with_agent();
    for (args, code, said) in [
        (
            &["rules", "allow", "git", "status", "--agent", "main"][..],
            2,
            "postern rules allow 'git status' --agent main",
        ),
        (&["explain", "--agent", "main", "ls", "-la"], 2, "postern explain --agent main -- ls -la"),
        (&["explain", "--agent", "main"], 2, "--shell TEXT, or --tool NAME"),
        (&["explain"], 2, "add --agent ID, then -- and a command"),
        (&["history", "--limit", "x"], 2, "not a whole number"),
        (&["rules", "allow", "ls", "--agent", "main", "--for", "0s"], 2, "it would be over at once"),
        (&["approve", "zz"], 4, "postern questions lists those that do"),
        (&["rules", "deny", "ls", "--in", "/tmp", "--everyone"], 2, "unexpected argument '--in'"),
        (&["rules", "remove", "abc"], 2, "postern rules list"),
        (&["rules", "allow", "ls", "--in", "/nosuch", "--agent", "main"], 2, "--in: /nosuch is not there"),
        (
            &["agents", "set", "main", "folders=/nosuch"],
            4,
            "\"/nosuch\" is not there: name a folder that exists",
        ),
        (&["agents", "add", "new", "--folder", "/nosuch"], 4, "is not there"),
        (&["history", "--agent", "zz"], 4, "there is no agent zz"),
        (&["suggest", "--agent", "zz"], 4, "there is no agent zz"),
        (&["mcp", "--agent", "zz"], 4, "the user adds it with postern agents add zz"),
        (&["doors", "setup", "forwarder"], 4, "enable forwarder channels=AGENT@127.0.0.1:7719"),
        (&["doors", "enable", "webhook", "url=foo"], 4, "\"foo\" is not a URL, such as https://"),
        (&["help", "rules", "alow"], 2, "did you mean \"rules allow\"?"),
        (&["help", "patterns", "x"], 2, "patterns is a topic"),
    ] {
        let answer = host.run(args);
        assert!(answer.code == code && answer.stderr.contains(said), "{args:?}: {answer:?}");
    }
    assert_eq!(host.json(&["agents", "list"]).as_array().unwrap().len(), 1, "nothing was added");
}

#[test]
fn the_same_rule_is_saved_once() {
    let (host, _) = Postern::with_agent();
    let rule = ["rules", "deny", "--read", "**/.env", "--everyone"];
    assert_eq!(host.ok(&rule), "rule 1: no program of any agent may read **/.env\n");
    assert_eq!(host.ok(&rule), "rule 1 says the same; nothing was added\n");
    let other = host.ok(&["rules", "deny", "--read", "**/.env", "--agent", "main"]);
    assert_eq!(other, "rule 2: no program of main may read **/.env\n");
}

#[test]
fn the_audit_says_what_was_changed_in_words() {
    let (host, _) = Postern::with_agent();
    host.ok(&["rules", "allow", "git status", "--exact", "--agent", "main", "--own-shell"]);
    host.ok(&["agents", "set", "main", "run-timeout=20s"]);
    host.ok(&["hook", "uninstall", "cursor"]);
    host.ok(&["pause", "1h"]);
    host.ok(&["resume"]);
    let audit = host.ok(&["audit"]);
    for said in [
        "rule 1 added: main may run git status in its own shell\n", "agent main: run-timeout 30s → 20s\n",
        "all agents blocked\n", "agents no longer blocked\n",
    ] {
        assert!(audit.contains(said), "{said}: {audit}");
    }
    assert!(!audit.contains("hook") && !audit.contains(['{', '[']), "{audit}");
    host.ok(&["pause", "1h"]);
    host.ok(&["resume"]);
    let audit = host.json(&["audit"]);
    let rows = audit["rows"].as_array().unwrap();
    for (said, widens) in [("all agents blocked", false), ("agents no longer blocked", true)] {
        let row = rows.iter().find(|row| row["summary"] == said);
        assert_eq!(row.map(|row| row["widens"] == true), Some(widens), "{said}: {audit}");
    }
    let verified = host.ok(&["audit", "--verify"]);
    assert!(verified.starts_with("ok ") && verified.lines().count() == 2, "{verified}");
}
