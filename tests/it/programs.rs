//! `postern programs`, and a program that is added while Postern runs.

use postern_tests::{Postern, postern, repository, start};
use serde_json::Value;

const SHIPIT: &str = include_str!("shipit.toml");

#[test]
fn a_file_is_checked_with_its_examples() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("programs");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("shipit.toml");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = start(postern());
        command.arg("--data").arg(data.path()).args(["programs", "check", "--json"]).arg(&file);
        let output = command.env("HOME", "/").output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
        (output.status.code(), report["problems"][0].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(check(SHIPIT), (Some(0), String::new()));
    for (from, to, says) in [
        ("does = \"sends\"", "does = \"sendz\"", "unknown variant `sendz`, expected one of `runs`"),
        ("-e prod deploy", "status deploy", "`shipit status deploy` shows none, and not sends"),
        ("\"shipit -e prod deploy\" = \"sends\"", "", "no example shows `when = \"deploy\"`"),
        ("options", "mild = true\noptions", "a file of your own has only"),
    ] {
        let (code, said) = check(&SHIPIT.replace(from, to));
        assert!(code == Some(1) && said.contains(says), "{to}: {said}");
    }
    for file in ["npm", "docker", "podman"] {
        let built_in = repository().join(format!("src-tauri/crates/command/programs/{file}.toml"));
        let output =
            start(postern()).args(["programs", "check"]).arg(built_in).env("HOME", "/").output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn what_is_known_is_shown() {
    let run = |args: &[&str]| {
        let output = start(postern()).arg("programs").args(args).env("HOME", "/").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, npm) = run(&["show", "npm"]);
    assert!(code == Some(0) && npm.contains("npm: built in") && npm.contains("npm-publish(1)"), "{npm}");
    assert_eq!(run(&["show", "no-such-program"]).0, Some(1));
    let (_, json) = run(&["show", "/usr/bin/python3.12", "--json"]);
    let known: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&known[0]["kind"], &known[0]["names"][0]), (&"interpreter".into(), &"python".into()));
    let (_, list) = run(&["list", "--json"]);
    let files = std::fs::read_dir(repository().join("src-tauri/crates/command/programs")).unwrap().count();
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list.as_array().unwrap().len(), files);
}

#[test]
fn a_program_that_is_added_while_postern_runs_is_judged_by_its_file() {
    const ID: &str = "names = [\"id\"]\n[[effect]]\nwhen = \"-u\"\ndoes = \"sends\"\nsource = \"id(1)\"\n";
    let host = Postern::start();
    host.ok(&["agents", "add", "main"]);
    host.ok(&["rules", "allow", "--agent", "main", "/usr/bin/id"]);
    let explain = ["explain", "--agent", "main", "--cwd", "/", "--shell", "id -u"];
    let as_json = [&explain[..], &["--json"]].concat();
    assert_eq!(host.json(&explain)["decision"], "allow");
    let folder = host.data().join("programs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("id.toml"), ID).unwrap();
    host.until(&as_json, "\"decision\": \"ask\"");
    std::fs::write(folder.join("id.toml"), "names = 3").unwrap();
    let doctor = host.run(&["doctor"]);
    assert!(doctor.stdout.contains("postern programs check"), "{}", doctor.stdout);
    assert_eq!(host.json(&explain)["decision"], "ask", "a slip takes no effect away");
    std::fs::remove_file(folder.join("id.toml")).unwrap();
    host.until(&as_json, "\"decision\": \"allow\"");
}
