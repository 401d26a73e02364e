//! A record that is damaged, missing, shortened or exchanged: nothing runs until a person resumes, whatever is
//! restarted.

use crate::support::{Lab, Wire};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns a host whose agent may run anything but `id`.
async fn allowed() -> (Lab, Wire) {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "allow")]).await;
    lab.rule("deny", None, "/usr/bin/id").await;
    let mut wire = lab.connect("main").await;
    assert_eq!(wire.run(&["true"]).await["exitCode"], 0);
    (lab, wire)
}

fn record(folder: &Path) -> PathBuf {
    folder.join("data/postern.db")
}

/// Returns the record and what lies beside it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("postern.db")).collect()
}

async fn mode(lab: &Lab) -> (String, String) {
    let status = lab.control("status", json!({})).await.unwrap();
    let said = |one: &Value| (one["kind"] == "records").then(|| one["message"].as_str().unwrap().to_owned());
    let said = status["attention"].as_array().unwrap().iter().find_map(said);
    (status["mode"].as_str().unwrap().to_owned(), said.unwrap_or_default())
}

/// Asserts that the agent is told that nothing ran.
async fn is_refused(wire: &mut Wire, argv: &[&str]) {
    let (_, call) = wire.post_run(argv, json!({})).await;
    match wire.answer(call).await {
        Ok(ended) => assert_eq!(ended["reason"], "paused", "{ended}"),
        Err(error) => assert!(error.to_string().contains("nothing was run"), "{error}"),
    }
}

/// Asserts that everything is denied, and stays so until a person resumes: also after two restarts, and not
/// longer.
async fn denies_until_resumed(folder: TempDir, why: &str) {
    let lab = Lab::in_folder(folder).await;
    for _ in 0..2 {
        let (mode, said) = mode(&lab).await;
        assert_eq!(mode, "deny-all", "{said}");
        assert!(said.contains(why), "{said}");
    }
    let lab = lab.restart().await;
    let (now, said) = mode(&lab).await;
    assert_eq!(now, "deny-all", "a restart is no answer: {said}");
    assert!(said.contains(why), "{said}");
    let agents = lab.control("agents.list", json!({})).await.unwrap();
    if agents["agents"].as_array().unwrap().is_empty() {
        lab.control("agents.add", json!({"agent": "main"})).await.unwrap();
        lab.set("main", &[("preset", "allow")]).await;
    }
    let mut wire = lab.connect("main").await;
    let refused = wire.run(&["true"]).await;
    assert_eq!(refused["reason"], "paused", "{refused}");
    lab.control("resume", json!({})).await.unwrap();
    assert_eq!(mode(&lab).await, ("listening".to_owned(), String::new()));
    assert_eq!(wire.run(&["true"]).await["exitCode"], 0);
    let lab = lab.restart().await;
    assert_eq!(mode(&lab).await, ("listening".to_owned(), String::new()), "the person has seen it");
}

#[tokio::test]
async fn a_damaged_record_denies_until_a_person_resumes() {
    let (lab, _wire) = allowed().await;
    let folder = lab.end().await;
    let file = fs::OpenOptions::new().write(true).open(record(folder.path())).unwrap();
    file.write_all_at(&[0x5a; 100], 0).unwrap();
    denies_until_resumed(folder, "damaged").await;
}

#[tokio::test]
async fn a_record_that_is_gone_or_empty_denies_until_a_person_resumes() {
    let (lab, _wire) = allowed().await;
    let folder = lab.end().await;
    for file in files(folder.path()) {
        fs::remove_file(file).unwrap();
    }
    denies_until_resumed(folder, "is gone or empty").await;

    let (lab, _wire) = allowed().await;
    let folder = lab.end().await;
    fs::write(record(folder.path()), "").unwrap();
    denies_until_resumed(folder, "is gone or empty").await;
}

#[tokio::test]
async fn an_older_copy_of_the_record_denies_until_a_person_resumes() {
    let (lab, _wire) = allowed().await;
    let lab = lab.restart().await;
    let folder = lab.end().await;
    let older = fs::read(record(folder.path())).unwrap();
    let lab = Lab::in_folder(folder).await;
    lab.rule("deny", None, "/usr/bin/who").await;
    let folder = lab.end().await;
    fs::write(record(folder.path()), older).unwrap();
    denies_until_resumed(folder, "older").await;
}

#[tokio::test]
async fn a_record_that_is_removed_or_exchanged_meanwhile_denies_at_once() {
    for exchanged in [false, true] {
        let (lab, mut wire) = allowed().await;
        let place = record(lab.folder.path());
        if exchanged {
            let other = lab.home().join("other.db");
            fs::copy(&place, &other).unwrap();
            fs::rename(other, &place).unwrap();
        } else {
            for file in files(lab.folder.path()) {
                fs::remove_file(file).unwrap();
            }
        }
        let marks = lab.home().join("marks");
        let line = format!("echo x >> '{}'", marks.display());
        is_refused(&mut wire, &["sh", "-c", &line]).await;
        let draft = json!({"effect": "deny", "agent": null, "text": "/usr/bin/who"});
        let kept = lab.control("rules.add", draft).await.unwrap_err();
        assert!(kept.contains("is no longer where it was opened"), "{kept}");
        assert_eq!(mode(&lab).await.0, "deny-all");
        let resumed = lab.control("resume", json!({})).await.unwrap_err();
        assert!(resumed.contains("Restart Postern"), "{resumed}");
        let (now, said) = mode(&lab).await;
        assert_eq!(now, "deny-all");
        assert!(said.contains("until you restart Postern"), "{said}");
        assert!(!marks.exists(), "nothing ran");
        denies_until_resumed(lab.end().await, "was exchanged or removed while Postern ran").await;
    }
}

#[tokio::test]
async fn a_doubt_that_cannot_be_settled_is_told_as_it_is() {
    // A record that can be written: what is doubted is where its rules are.
    let (lab, _wire) = allowed().await;
    let folder = lab.end().await;
    fs::write(record(folder.path()), "").unwrap();
    let lab = Lab::in_folder(folder).await;
    assert_eq!(mode(&lab).await.0, "deny-all");
    lab.control("agents.add", json!({"agent": "main"})).await.unwrap();
    lab.set("main", &[("preset", "allow")]).await;
    let mut wire = lab.connect("main").await;
    // The mark cannot be removed while a folder is in its place.
    let mark = record(lab.folder.path()).with_file_name("postern.db.doubt");
    fs::remove_file(&mark).unwrap();
    fs::create_dir(&mark).unwrap();
    let resumed = lab.control("resume", json!({})).await.unwrap_err();
    assert!(resumed.contains("all requests are still denied"), "{resumed}");
    assert_eq!(mode(&lab).await.0, "deny-all");
    is_refused(&mut wire, &["true"]).await;
    fs::remove_dir(&mark).unwrap();
    lab.control("resume", json!({})).await.unwrap();
    assert_eq!(mode(&lab).await.0, "listening");
}

#[tokio::test]
async fn damage_that_shows_while_postern_runs_denies_at_once() {
    let (lab, mut wire) = allowed().await;
    let log = record(lab.folder.path()).with_file_name("postern.db-wal");
    fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(0).unwrap();
    let draft = json!({"effect": "deny", "agent": null, "text": "/usr/bin/who"});
    lab.control("rules.add", draft).await.unwrap_err();
    is_refused(&mut wire, &["true"]).await;
    assert_eq!(mode(&lab).await.0, "deny-all");
    denies_until_resumed(lab.end().await, "damaged").await;
}
