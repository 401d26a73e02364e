//! Anchors of the hosts' audit, and what is found when the broker's administrator takes some away or makes some up.

use crate::stage::{Mac, PATIENCE, Stage, admin, invitation, joined, until_async};
use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use postern_doors::fleet::{FleetApprover, Invitation, SentAuditRow, Verified};
use serde_json::json;
use tokio::time::timeout;

pub(super) async fn verified(approver: &FleetApprover) -> Verified {
    approver.verify_audit(Some("mini")).await.unwrap().remove(0)
}

/// Lets the mini write more of its audit, and waits until that is anchored.
pub(super) async fn anchored_more(stage: &Stage, approver: &FleetApprover, rule: &str) {
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

/// A word of a rule that nothing else has.
pub(super) const WORD: &str = "hummingbird";

/// Lets an auditor join, and the mini send its rows.
pub(super) async fn audited(stage: &mut Stage) -> (Mac, FleetApprover) {
    let desk = Mac::start().await;
    let invited = Invitation { approver: None, auditor: true, ..invitation("Ada's MacBook", "Ada") };
    joined(&mut stage.owner, &stage.broker, &desk.folder(), &[false], invited).await;
    stage.rejoin(|membership| membership.auditable = true).await;
    let ada = FleetApprover::connect_to_audit(&desk.folder()).await.unwrap();
    (desk, ada)
}

/// Returns true if the auditor reads a rule with this word.
pub(super) fn has_word(verified: &Verified) -> bool {
    let has = |row: &SentAuditRow| matches!(row, SentAuditRow::Content(content) if content.contains(WORD));
    verified.rows.rows.values().any(|(_, row)| has(row))
}

/// Deletes everything from the broker, and puts back one message.
async fn put_back(stage: &mut Stage, evil: &Client, message: Message) {
    stage.broker.forget_all();
    stage.owner = postern_doors::fleet::FleetOwner::connect(&stage.laptop.folder()).await.unwrap();
    evil.publish(message.subject, message.payload).await.unwrap();
    evil.flush().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_sealed_for_auditors_and_what_is_missing_of_them_is_found() {
    let mut stage = Stage::set().await;
    let (desk, ada) = audited(&mut stage).await;
    until_async(async || !verified(&ada).await.rows.rows.is_empty()).await;
    let evil = admin(&stage).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let mut seen = evil.subscribe(format!("pf.{fleet}.rows.*")).await.unwrap();
    evil.flush().await.unwrap();
    anchored_more(&stage, &ada, WORD).await;
    anchored_more(&stage, &ada, "periwinkle").await;
    let whole = verified(&ada).await;
    assert!(whole.problems().is_empty() && has_word(&whole), "{whole:?}");
    assert_eq!(whole.rows.head().map(|head| head.number), whole.last.map(|last| last.count), "every row");
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let others = verified(&mara).await;
    assert!(others.problems().is_empty() && others.rows.rows.is_empty(), "an approver opens none");
    let stored = stage.broker.stored();
    assert!(!stored.windows(WORD.len()).any(|part| part == WORD.as_bytes()), "the broker stores it sealed");
    let _first = timeout(PATIENCE, seen.next()).await.unwrap().unwrap();
    let second = timeout(PATIENCE, seen.next()).await.unwrap().unwrap();
    put_back(&mut stage, &evil, second).await;
    let ada = FleetApprover::connect_to_audit(&desk.folder()).await.unwrap();
    let cut = verified(&ada).await.problems();
    assert!(cut.iter().any(|problem| problem.starts_with("rows 1 to ")), "{cut:?}");
}
