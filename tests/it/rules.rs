//! Rules as a person keeps them: adding, files of them, an organization's, looking them over.

use postern_tests::{Answer, Postern, agent_command, copy_program, postern, repository, start};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Runs a command on the host for an agent, outside of any sandbox.
fn agent_runs(channel: &Path, command: &[&str]) -> Answer {
    agent_command(channel, &[&["--"], command].concat()).output().unwrap().into()
}

fn own_rules(host: &Postern) -> Vec<Value> {
    own_rules_of(host, "main")
}

fn own_rules_of(host: &Postern, agent: &str) -> Vec<Value> {
    let rules = host.json(&["rules", "list", "--agent", agent]);
    let own = |row: &&Value| row["rule"]["id"].as_i64().is_some_and(|id| id > 0);
    rules.as_array().unwrap().iter().filter(own).cloned().collect()
}

#[test]
fn a_rule_says_whose_it_is_what_it_means_and_what_it_would_have_done() {
    let (host, channel) = Postern::with_agent();
    let nobody = host.run(&["rules", "allow", "id"]);
    assert_eq!(nobody.code, 2, "{nobody:?}");
    assert!(nobody.stderr.contains("--agent") && nobody.stderr.contains("--everyone"), "{nobody:?}");
    host.ok(&["agents", "set", "main", "ask=off"]);
    assert_eq!(agent_runs(&channel, &["id", "-u"]).code, 126, "no rule yet");
    let preview = host.json(&["rules", "allow", "id *", "--agent", "main", "--check"]);
    assert_eq!((&preview["matched"], &preview["changed"]), (&json!(1), &json!(1)), "{preview}");
    assert_eq!(preview["changes"], json!(["id -u"]));
    assert!(own_rules(&host).is_empty(), "looking saves nothing");
    host.fails(
        &["rules", "allow", "sudo *", "--agent", "main", "--check"],
        4,
        "every program that it can start",
    );
    let added = host.ok(&["rules", "allow", "id *", "--agent", "main"]);
    assert!(added.contains("would have let through 1"), "{added}");
    assert_eq!(agent_runs(&channel, &["id", "-u"]).code, 0);
}

#[test]
fn a_replay_tells_what_an_edit_would_change_and_changes_nothing() {
    let (host, channel) = Postern::with_agent();
    host.ok(&["agents", "set", "main", "ask=off"]);
    let program = host.scratch("bin").join("tool");
    copy_program("/usr/bin/id", &program);
    let tool = program.to_str().unwrap();
    host.ok(&["rules", "allow", tool, "--agent", "main"]);
    assert_eq!(agent_runs(&channel, &[tool, "-u"]).code, 0);
    assert_eq!(agent_runs(&channel, &["uname"]).code, 126);
    assert_eq!(host.json(&["policy", "replay"])["changes"], json!([]), "nothing was edited");
    fs::remove_file(&program).unwrap();

    let mut edited: Value = serde_json::from_str(&host.ok(&["rules", "export"])).unwrap();
    edited["rules"] = json!([{"effect": "allow", "agent": "main", "text": "uname *"}]);
    let file = host.scratch("files").join("rules.json");
    fs::write(&file, edited.to_string()).unwrap();
    let replayed = host.json(&["policy", "replay", "--since", "1h", "--with", file.to_str().unwrap()]);
    assert_eq!((&replayed["judged"], &replayed["skipped"]), (&json!(2), &json!(0)), "{replayed}");
    let told: Vec<_> = replayed["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            (change["line"].as_str().unwrap().to_owned(), change["was"].clone(), change["becomes"].clone())
        })
        .collect();
    let expected = [
        ("uname".to_owned(), json!("deny"), json!("allow")),
        (format!("{tool} -u"), json!("allow"), json!("deny")),
    ];
    assert_eq!(told, expected, "the program is gone from the disk, not from the record");
    assert_eq!(own_rules(&host)[0]["text"], tool, "the rules are as they were");

    let broken = host.scratch("files").join("permissions.jsonc");
    fs::write(&broken, "{ \"shell_exec\": \"perhaps\" }").unwrap();
    let with = ["policy", "replay", "--agent", "main", "--with", broken.to_str().unwrap()];
    let refused = host.run(&with);
    assert!(refused.code == 4 && refused.stderr.contains("line 1, column"), "{refused:?}");
}

#[test]
fn ten_thousand_rules_come_in_whole_or_not_at_all() {
    let (host, _) = Postern::with_agent();
    let rule = |at: u32| json!({"effect": "allow", "agent": "main", "text": format!("tool{at} sub *")});
    let mut all: Vec<Value> = (0..10_000).map(rule).collect();
    let file = host.scratch("files").join("rules.json");
    let path = file.to_str().unwrap();
    all[7_000]["text"] = "/x/../y".into();
    all[9_000]["text"] = "env *".into();
    fs::write(&file, json!({"version": 1, "rules": all}).to_string()).unwrap();
    let refused = host.run(&["rules", "import", path]);
    assert_eq!(refused.code, 1, "{refused:?}");
    for named in ["/x/../y", "env *", "nothing was saved", "9998"] {
        assert!(refused.stderr.contains(named), "{named}: {refused:?}");
    }
    assert!(own_rules(&host).is_empty());
    all[7_000]["text"] = "tool7000 sub *".into();
    all[9_000]["text"] = "tool9000 sub *".into();
    fs::write(&file, json!({"version": 1, "rules": all}).to_string()).unwrap();
    let added = host.ok(&["rules", "import", path]);
    assert!(added.contains("10000 added"), "{added}");
    assert_eq!(own_rules(&host).len(), 10_000, "a list is as long as it is");
    assert!(host.ok(&["rules", "import", path]).contains("0 added, 10000 there already"));
}

#[test]
fn the_settings_of_a_profile_go_in_and_out() {
    let (host, _) = Postern::with_agent();
    let file = host.scratch("files").join("config.json");
    let path = file.to_str().unwrap();
    let write = |settings: Value| {
        fs::write(&file, json!({"execApproval": settings, "name": "a profile"}).to_string()).unwrap();
    };
    let import = ["rules", "import", path, "--format", "exec-approval", "--agent", "main"];
    for (settings, field) in [
        (json!({"timeoutMs": "soon"}), "execApproval.timeoutMs"),
        (json!({"timeoutMs": 5}), "approval-timeout is between 10s and 30m"),
        (
            json!({"allowlist": [{"pattern": "git **"}, {"pattern": "git *"}]}),
            "execApproval.allowlist[1].pattern",
        ),
        (json!({"allowlist": [{"pattern": "bash **"}]}), "execApproval.allowlist[0].pattern"),
    ] {
        write(settings);
        let refused = host.run(&import);
        assert!(refused.code != 0 && refused.stderr.contains(field), "{field}: {refused:?}");
        assert!(own_rules(&host).is_empty(), "{field}: nothing is saved");
    }
    let full = json!({"security": "allowlist", "ask": "always", "timeoutMs": 90_000, "askFallback": "full",
        "allowlist": [{"pattern": "git **"}, {"pattern": "npm run build"}]});
    write(full.clone());
    let warned = host.run(&import);
    assert!(warned.code == 4, "{warned:?}");
    assert!(warned.stderr.contains("--yes"), "{warned:?}");
    assert!(warned.stderr.contains("warning"), "{warned:?}");
    let mut yes = import.to_vec();
    yes.push("--yes");
    host.ok(&yes);
    let settings = &host.json(&["agents", "show", "main"])["settings"];
    assert_eq!((&settings["ask"], &settings["fallback"]), (&json!("always"), &json!("full")));
    let out = host.ok(&["rules", "export", "--format", "exec-approval", "--agent", "main"]);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["execApproval"], full, "what went in comes out");
    host.ok(&["agents", "set", "main", "ask=on-miss"]);
    let shell = host.json(&["explain", "--agent", "main", "--shell", "git log | sh"]);
    assert_eq!(shell["decision"], "ask", "what cannot be read is asked about: {shell}");
}

#[test]
fn an_organisation_decides_as_long_as_its_file_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("managed.jsonc");
    let host = Postern::start_with(&[("POSTERN_MANAGED", file.to_str().unwrap())]);
    let channel = host.enrol_allowed("main");
    assert_eq!(agent_runs(&channel, &["id", "-u"]).code, 0);
    let text = json!({"version": 1, "organisation": "ACME", "settings": {"maxRunning": 2},
        "rules": [{"effect": "deny", "text": "id", "why": "company policy"}]});
    fs::write(&file, text.to_string()).unwrap();
    host.until(&["status"], "ACME");
    let denied = agent_runs(&channel, &["id", "-u"]);
    assert!(denied.code == 126 && denied.stderr.contains("company policy"), "{denied:?}");
    let listed = host.json(&["rules", "list"]);
    let managed =
        listed.as_array().unwrap().iter().find(|row| row["from"] == "managed").expect("it is listed");
    host.fails(&["rules", "remove", &managed["rule"]["id"].to_string()], 4, "read-only");
    let locked = host.run(&["agents", "set", "main", "max-running=9"]);
    let words = ["ACME", "max-running is decided"];
    assert!(locked.code == 4 && words.iter().all(|word| locked.stderr.contains(word)), "{locked:?}");
    assert_eq!(host.json(&["agents", "show", "main"])["locked"], json!(["maxRunning"]));

    fs::write(&file, "{ \"version\": 1,\n  \"rules\": [ { \"effect\": \"deny\" } ] }").unwrap();
    host.until(&["status"], "line 2, column");
    let denied = agent_runs(&channel, &["uname"]);
    assert!(
        denied.code == 126 && denied.stderr.contains("Postern can’t read the organization’s rules"),
        "what it denies is not known: {denied:?}"
    );
    let doctor = host.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("line 2, column"), "{doctor:?}");

    fs::remove_file(&file).unwrap();
    host.until_not(&["status"], "organization");
    assert_eq!(agent_runs(&channel, &["id", "-u"]).code, 0, "without it, the person decides again");
    assert_eq!(host.json(&["agents", "show", "main"])["settings"]["maxRunning"], 4, "as it was set before");
}

#[test]
fn lint_names_what_is_wrong_and_exits_with_it() {
    let (host, _) = Postern::with_agent();
    assert_eq!(host.run(&["policy", "lint"]).code, 0, "what a new agent has is in order");
    for rule in [
        ["deny", "git push", "--everyone", ""],
        ["allow", "git push origin", "--agent", "main"],
        ["allow", "/bin/bash", "--agent", "main"],
        ["allow", "nohup git status", "--agent", "main"],
        ["deny", "/nowhere/tool", "--agent", "main"],
    ] {
        let words: Vec<&str> = ["rules"].into_iter().chain(rule).filter(|word| !word.is_empty()).collect();
        host.ok(&words);
    }
    let told = host.run(&["policy", "lint", "--json"]);
    assert_eq!(told.code, 1, "{told:?}");
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    for (kind, pattern) in [
        ("shadowed", "git push origin"),
        ("too-broad", "/bin/bash"),
        ("never-matches", "nohup git status"),
        ("missing", "/nowhere/tool"),
    ] {
        let found = told["findings"].as_array().unwrap().iter();
        let found = found.filter(|finding| finding["kind"] == kind && finding["pattern"] == pattern);
        assert_eq!(found.count(), 1, "{kind} {pattern}: {told}");
    }
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let folder = tempfile::tempdir().unwrap();
    let made = start(postern()).args(["man", "--all"]).arg(folder.path()).env("HOME", "/").status().unwrap();
    assert!(made.success());
    for page in
        ["postern", "postern-rules", "postern-rules-import", "postern-policy-replay", "postern-explain"]
    {
        let text = fs::read_to_string(folder.path().join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    let one = start(postern()).args(["man", "rules", "import"]).env("HOME", "/").output().unwrap();
    assert!(String::from_utf8_lossy(&one.stdout).contains("postern\\-rules\\-import"));
    assert!(repository().join("docs/POLICY.md").exists());
}

/// Returns a document as OpenClaw keeps it, with one agent's security.
fn openclaws(security: &str) -> String {
    let hash = format!("sha256:cwd-argv:v1:{}", "ab".repeat(32));
    json!({
        "version": 1,
        "socket": {"path": "/tmp/x.sock", "token": "secret"},
        "defaults": {"ask": "always"},
        "agents": {
            "*": {"allowlist": ["uname"]},
            "main": {"security": security, "autoAllowSkills": true, "allowlist": [
                {"pattern": "/usr/bin/printf", "id": "1", "lastUsedAt": 5},
                {"pattern": "git", "argPattern": "^(status|diff)( .*)?$"},
                {"pattern": "/usr/bin/git", "argPattern": hash, "source": "allow-always", "lastUsedCommand": "git push"},
                {"pattern": "/usr/bin/git", "argPattern": "sha256:argv:00ff", "lastUsedCommand": "git pull"},
                {"pattern": "/usr/bin/sed", "argPattern": "-n"},
                "bash",
            ]},
            "other": {"allowlist": ["/bin/sh"]},
        },
    })
    .to_string()
}

#[test]
fn openclaws_document_comes_in_as_far_as_it_can_be_said() {
    let host = Postern::start();
    host.enrol("claw");
    let file = host.scratch("files").join("approvals.json");
    let path = file.to_str().unwrap();
    let import = ["rules", "import", path, "--format", "openclaw", "--agent", "claw"];
    let main = [&import[..], &["--of", "main"]].concat();
    fs::write(&file, openclaws("full")).unwrap();
    let which = host.run(&import);
    assert!(which.code != 0, "{which:?}");
    assert!(which.stderr.contains("main, other"), "{which:?}");
    assert!(which.stderr.contains("--of"), "{which:?}");
    let warned = host.run(&main);
    assert!(warned.code == 4 && warned.stderr.contains("security is full"), "{warned:?}");
    fs::write(&file, openclaws("allowlist")).unwrap();
    let shown = host.ok(&[&main[..], &["--check"]].concat());
    for part in [
        "uname *", "/usr/bin/printf", "git status *; git diff *",
        "/usr/bin/git --args sha256:cwd-argv:v1:abab", "hash of an old form", "last used for: git pull",
        "what they begin with", "[5]  bash", "5 would be added",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("left out").count(), 3, "{shown}");
    assert!(!shown.contains("secret") && !shown.contains("/bin/sh"), "{shown}");
    assert!(own_rules_of(&host, "claw").is_empty(), "it only looked");
    host.ok(&main);
    assert_eq!(own_rules_of(&host, "claw").len(), 5);
    let settings = &host.json(&["agents", "show", "claw"])["settings"];
    assert_eq!(
        (&settings["security"], &settings["ask"], &settings["fallback"], &settings["allowSkills"]),
        (&json!("allowlist"), &json!("always"), &json!("deny"), &json!(true)),
        "what is not said there stays: {settings}"
    );
}

#[test]
fn openclaws_document_goes_out_and_comes_back() {
    let host = Postern::start();
    host.enrol("claw");
    for rule in ["/usr/bin/printf", "git status *", "rg *"] {
        host.ok(&["rules", "allow", rule, "--agent", "claw"]);
    }
    host.ok(&["rules", "deny", "rm *", "--agent", "claw"]);
    host.ok(&["agents", "set", "claw", "ask=always"]);
    let export = host.run(&["rules", "export", "--format", "openclaw", "--agent", "claw"]);
    assert!(export.stderr.contains("left out: deny rm *: there are no deny rules there"), "{export:?}");
    let out: Value = serde_json::from_str(&export.stdout).unwrap();
    let said = &out["agents"]["claw"];
    assert_eq!(
        (&out["version"], &said["ask"], &said["security"]),
        (&json!(1), &json!("always"), &json!("allowlist"))
    );
    let entries = said["allowlist"].as_array().unwrap();
    let expected = [
        json!({"pattern": "git", "argPattern": "^status( .*)?$"}),
        json!({"pattern": "/usr/bin/printf"}),
        json!({"pattern": "rg"}),
    ];
    assert!(entries.len() == 3 && expected.iter().all(|entry| entries.contains(entry)), "{entries:?}");
    let file = host.scratch("files").join("approvals.json");
    fs::write(&file, out.to_string()).unwrap();
    let import = ["rules", "import", file.to_str().unwrap(), "--format", "openclaw", "--agent", "claw"];
    let again = host.json(&import);
    assert_eq!((&again["done"]["count"], &again["done"]["same"]), (&json!(0), &json!(3)), "{again}");
}
