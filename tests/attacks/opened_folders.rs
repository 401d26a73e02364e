//! Attacks on rules that let an agent read a folder besides its own: what looks around reads that folder, and nothing behind it.

use postern_tests::{Agent, Arena};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SECRET: &str = "THE-PERSONS-KEY";

/// A folder of the person's with notes, beside one with a key. It lies in no temporary folder, which no rule opens.
struct Person {
    folder: TempDir,
}

impl Person {
    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn keys(&self) -> PathBuf {
        self.folder.path().join("keys")
    }
}

/// Starts an agent that may look around in a folder of its own.
fn reader() -> Option<(Arena, Agent, Person)> {
    let arena = Arena::open_own()?;
    let folders = format!("folders={}", arena.outside().join("project-main").display());
    let agent = arena.agent("main", &["look=allow", &folders]);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap();
    let person = Person { folder: TempDir::new_in(place).unwrap() };
    fs::create_dir(person.keys()).unwrap();
    fs::write(person.keys().join("id_rsa"), SECRET).unwrap();
    fs::create_dir(person.notes()).unwrap();
    fs::write(person.notes().join("plan.md"), "the plan\n").unwrap();
    Some((arena, agent, person))
}

fn open(arena: &Arena, agent: &Agent, folder: &str) {
    let saved = arena.ok(&["rules", "allow", "--read", folder, "--agent", agent.id()]);
    assert!(saved.contains("may look around in"), "{saved}");
}

/// Requests a line, withdraws it if it is asked about, and returns its start and its output.
fn tried(agent: &mut Agent, line: &str) -> Option<(Value, String)> {
    let posted = agent.post(json!({ "shell": line }));
    if posted["state"] == "asking" {
        agent.call("system.kill", &json!({ "requestId": posted["requestId"] }));
        return None;
    }
    let started = agent.event(&["exec.started", "exec.denied"], &posted);
    if started["method"] != "exec.started" {
        return Some((started, String::new()));
    }
    let end = agent.end(&posted);
    let text = |name: &str| end["params"][name].as_str().unwrap_or_default().to_owned();
    Some((started, text("stdout") + &text("stderr")))
}

#[test]
fn an_opened_folder_is_read_confined_and_no_link_leads_out_of_it() {
    let Some((arena, mut agent, person)) = reader() else { return };
    let notes = person.notes();
    let plan = notes.join("plan.md").display().to_string();
    assert!(tried(&mut agent, &format!("cat {plan}")).is_none(), "it is asked about without the rule");
    open(&arena, &agent, &notes.display().to_string());
    let (started, said) = tried(&mut agent, &format!("cat {plan}")).expect("the rule opens it");
    assert_eq!((started["params"]["profile"].as_str(), said.trim()), (Some("look"), "the plan"), "{started}");
    let explained =
        arena.ok(&["explain", "--agent", agent.id(), "--cwd", &agent.path(""), "--", "cat", &plan]);
    assert!(explained.contains(&notes.display().to_string()), "{explained}");
    assert!(arena.ok(&["rules", "list"]).contains("allow read"));
    let used = arena.json(&["rules", "list", "--agent", agent.id()]);
    let rule = used.as_array().unwrap().iter().find(|row| row["rule"]["pattern"]["kind"] == "read").unwrap();
    assert_eq!(rule["rule"]["usage"]["count"], 1, "{rule}");

    symlink(person.keys().join("id_rsa"), notes.join("key")).unwrap();
    symlink(person.keys(), notes.join("keys")).unwrap();
    symlink(person.folder.path(), notes.join("home")).unwrap();
    let at = notes.display();
    for line in [
        format!("cat {at}/key"),
        format!("cat {at}/keys/id_rsa"),
        format!("cat {at}/home/keys/id_rsa"),
        format!("cat {at}/*"),
        format!("cat {at}/*/*"),
        format!("grep -R . {at}"),
        format!("cd {at}/keys && cat id_rsa"),
        format!("for f in {at}/*; do cat \"$f\"; done"),
        format!("cat {at}/../keys/id_rsa"),
        format!("find -L {at} -name id_rsa"),
    ] {
        let said = tried(&mut agent, &line).map_or_else(String::new, |(_, said)| said);
        assert!(!said.contains(SECRET), "{line}: {said}");
    }
    let (_, listed) = tried(&mut agent, &format!("grep -r plan {at}")).expect("reading on is no question");
    assert!(listed.contains("the plan"), "{listed}");
    for line in [format!("touch {at}/x"), format!("cat {at}/plan.md > {at}/copy"), format!("rm {at}/plan.md")]
    {
        assert!(tried(&mut agent, &line).is_none(), "{line}");
    }
    assert!(!notes.join("x").exists() && !notes.join("copy").exists() && notes.join("plan.md").exists());
}

#[test]
fn a_folder_that_was_exchanged_for_a_link_opens_nothing() {
    let Some((arena, mut agent, person)) = reader() else { return };
    let notes = person.notes();
    open(&arena, &agent, &notes.display().to_string());
    let at = notes.display().to_string();
    fs::rename(&notes, person.folder.path().join("old")).unwrap();
    for target in [person.keys(), person.folder.path().to_owned(), arena.data().to_owned()] {
        symlink(&target, &notes).unwrap();
        for line in [format!("cat {at}/id_rsa"), format!("grep -R . {at}"), format!("cd {at} && cat id_rsa")]
        {
            let said = tried(&mut agent, &line).map_or_else(String::new, |(_, said)| said);
            assert!(!said.contains(SECRET), "{line} through {}: {said}", target.display());
        }
        fs::remove_file(&notes).unwrap();
    }
    // A folder that is gone keeps nothing from running.
    agent.write("own.md", "mine\n", 0o644);
    let (_, said) = tried(&mut agent, "cat own.md").expect("its own folder is still read");
    assert_eq!(said.trim(), "mine");
}

#[test]
fn no_rule_opens_keys_or_what_holds_them() {
    let Some((arena, agent, person)) = reader() else { return };
    let (notes, innocent) = (person.notes(), person.folder.path().join("innocent"));
    symlink(arena.data(), &innocent).unwrap();
    let data = arena.data().display().to_string();
    let folders = [
        "~",
        "~/.ssh",
        "~/.config",
        "/",
        "/run",
        "/srv",
        "/tmp/x",
        data.as_str(),
        innocent.to_str().unwrap(),
    ];
    for folder in folders {
        let refused = arena.run(&["rules", "allow", "--read", folder, "--agent", agent.id()]);
        assert!(refused.code != 0, "{folder}: {refused:?}");
    }
    let file = arena.outside().join("rules.json");
    let rules = json!({"version": 1, "rules": [{"effect": "allow", "kind": "read", "text": "~"}]});
    fs::write(&file, rules.to_string()).unwrap();
    let imported = arena.run(&["rules", "import", &file.display().to_string(), "--agent", agent.id()]);
    assert!(imported.code != 0, "{imported:?}");
    let listed = arena.json(&["rules", "list", "--agent", agent.id()]).to_string();
    assert!(!listed.contains("\"read\""), "{listed}");
    open(&arena, &agent, &notes.display().to_string());
    let exported = arena.ok(&["rules", "export", "--agent", agent.id()]);
    fs::write(&file, &exported).unwrap();
    let again = arena.ok(&["rules", "import", &file.display().to_string(), "--agent", agent.id()]);
    assert!(exported.contains("\"kind\": \"read\""), "{exported} {again}");
    assert!(again.contains("1 there already"), "{exported} {again}");
}

#[test]
fn always_opens_the_folder_that_was_shown_and_the_run_is_confined() {
    let Some((arena, mut agent, person)) = reader() else { return };
    let notes = person.notes();
    let line = format!("cat {}", notes.join("plan.md").display());
    let watcher = arena.watch();
    let posted = agent.post(json!({ "shell": line }));
    let question = watcher.question();
    let first = &question["proposals"][0];
    assert_eq!(first["id"], "read", "{question}");
    assert!(first["label"].to_string().contains("read files in"), "{first}");
    let saved = arena.approve(&question, &["--always", "read"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    let started = agent.event(&["exec.started", "exec.denied"], &posted);
    assert_eq!(started["params"]["profile"], "look", "{started}");
    assert!(agent.end(&posted).to_string().contains("the plan"));
    fs::write(notes.join("other.md"), "another\n").unwrap();
    let (started, said) = tried(&mut agent, &format!("head -1 {}", notes.join("other.md").display()))
        .expect("the rule is kept");
    assert_eq!((started["params"]["profile"].as_str(), said.trim()), (Some("look"), "another"), "{started}");
}
