//! Anchors of the hosts' audit, and what is found when the broker's administrator takes some away or makes some up.

use crate::stage::{Stage, admin, until_async};
use postern_doors::fleet::{FleetApprover, Verified};
use serde_json::json;

async fn verified(approver: &FleetApprover) -> Verified {
    approver.verify_audit(Some("mini")).await.unwrap().remove(0)
}

/// Lets the mini write more of its audit, and waits until that is anchored.
async fn anchored_more(stage: &Stage, approver: &FleetApprover, rule: &str) {
    let before = verified(approver).await.last.map_or(0, |last| last.seq);
    stage.mini.call("rules.add", json!({"effect": "deny", "text": rule})).await;
    // A new connection anchors at once.
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    until_async(async || verified(approver).await.last.is_some_and(|last| last.seq > before)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_is_anchored_and_a_log_that_was_cut_or_forked_is_found() {
    let mut stage = Stage::set().await;
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || verified(&approver).await.last.is_some()).await;
    anchored_more(&stage, &approver, "echo a").await;
    let whole = verified(&approver).await;
    assert!(whole.findings.is_empty(), "{whole:?}");
    let seen = whole.last.unwrap();
    assert!(seen.seq >= 2 && seen.count > 0);
    // The administrator adds an anchor that the host did not sign, and repeats an old one.
    let evil = admin(&stage).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let (subject, stream) = (format!("pf.{fleet}.audit.{}", whole.host), format!("pf-{fleet}-a"));
    evil.publish(subject.clone(), "{}".into()).await.unwrap();
    evil.flush().await.unwrap();
    until_async(async || !verified(&approver).await.findings.is_empty()).await;
    let found = verified(&approver).await.findings;
    assert!(found[0].to_string().contains("is not an anchor that this host signed"), "{found:?}");
    // It deletes the stream: everything that was seen is missed.
    stage.broker.forget_all();
    drop((evil, stream));
    let owner = postern_doors::fleet::FleetOwner::connect(&stage.laptop.folder()).await.unwrap();
    let approver = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let cut = verified(&approver).await;
    let words: Vec<String> = cut.findings.iter().map(ToString::to_string).collect();
    assert!(
        words.iter().any(|words| words.contains(&format!("anchor {} was seen before", seen.seq)))
            || words.iter().any(|words| words.contains("are missing")),
        "{words:?}"
    );
    drop(owner);
}
