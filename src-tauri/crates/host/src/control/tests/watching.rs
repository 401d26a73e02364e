//! Tests that changes on disk reach the verdict by themselves.

use super::Running;
use crate::watch::NET;
use postern_contract::ApproverNotification;
use postern_contract::methods::{ExplainCommand, GetAgent, ListSkills};
use postern_policy::Decision;
use serde_json::json;
use tokio::sync::broadcast::Receiver;

/// Waits for an event for less than the polling interval, because the folders are watched. A look restarts the interval.
async fn heard(told: &mut Receiver<ApproverNotification>, wanted: fn(&ApproverNotification) -> bool) {
    let hear = async { while !wanted(&told.recv().await.expect("the host is there")) {} };
    tokio::time::timeout(NET * 5 / 6, hear).await.expect("it was heard, not found in the end");
}

#[tokio::test]
async fn an_edited_permissions_file_holds_without_being_asked_for() {
    let running = Running::with_agent().await;
    let path = running.data().join("policy/main/permissions.jsonc");
    let explain = || async {
        running.call::<ExplainCommand>(json!({"agent": "main", "argv": ["uname"]})).await.unwrap()
    };
    // A file that is written in place is empty for a moment, and a look may find it so.
    let until = async |told: &mut Receiver<ApproverNotification>, decision: Decision| loop {
        heard(told, |told| matches!(told, ApproverNotification::RulesChanged)).await;
        let explained = explain().await;
        if explained.decision == decision {
            return explained;
        }
    };
    assert_eq!(explain().await.decision, Decision::Ask);
    let mut told = running.host.subscribe();
    std::fs::write(&path, "{\n  \"*\": \"ask\",\n  broken\n}\n").unwrap();
    // What it would say is not known.
    let broken = until(&mut told, Decision::Deny).await;
    let message = postern_contract::pieces_to_text(&broken.message);
    assert!(message.contains("line 3") && message.contains("column"), "{message}");

    // As editors do it: a new file in place of the old one.
    let beside = path.with_extension("swp");
    std::fs::write(&beside, "{\"shell_exec\": {\"uname\": \"allow\"}}").unwrap();
    std::fs::rename(&beside, &path).unwrap();
    until(&mut told, Decision::Allow).await;
    assert!(running.call::<GetAgent>(json!({"agent": "main"})).await.is_ok());
}

#[tokio::test]
async fn a_skill_that_appears_is_found_by_itself() {
    let running = Running::with_agent().await;
    let folder = running.home().join("skills");
    std::fs::create_dir_all(&folder).unwrap();
    running.raw("skills.addFolder", json!({"folder": "~/skills"})).await.unwrap();
    let mut told = running.host.subscribe();
    std::fs::create_dir_all(folder.join("bird")).unwrap();
    std::fs::write(folder.join("bird/SKILL.md"), "---\nname: bird\nclis: [uname, no-such-cli]\n---\n")
        .unwrap();
    heard(&mut told, |told| matches!(told, ApproverNotification::SkillsChanged)).await;
    let listed = running.call::<ListSkills>(json!({})).await.unwrap();
    let skills = listed.skills;
    let text = postern_contract::pieces_to_text;
    assert_eq!(listed.folders, [folder.display().to_string()], "whole, to be named again");
    assert_eq!(
        (text(&listed.places[0]), text(&skills[0].place)),
        ("~/skills".into(), "~/skills/bird".into())
    );
    let states: Vec<_> = skills[0].clis.iter().map(|cli| (cli.name.as_str(), cli.state.name())).collect();
    assert_eq!(states, [("no-such-cli", "missing"), ("uname", "new")]);
}
