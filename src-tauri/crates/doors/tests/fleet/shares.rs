//! Hosts that never stop writing at the broker, or write as much as they can: each loses what is its own.

use crate::audit::{WORD, anchored_more, audited, has_word, verified};
use crate::insiders::{Insider, another_host};
use crate::stage::{AskedFromAfar, PATIENCE, Stage, until_async};
use async_nats::HeaderMap;
use postern_doors::fleet::FleetApprover;
use postern_fleet::{RowFinding, Subjects};
use tokio::time::timeout;

/// Largest question or message with rows, and largest anchor, with room for headers.
const QUESTION: usize = 65 << 10;
const ANCHOR: usize = 5 << 10;

/// Sends the same very often. Returns once the broker stored the last.
async fn flood(bad: &Insider, subject: &str, bytes: usize, times: usize) {
    for number in 1..=times {
        let message = vec![b'x'; bytes];
        // Newer servers drop what waits for their disk beyond some thousand.
        if number % 100 == 0 || number == times {
            bad.store_bytes(subject.to_owned(), message).await;
        } else {
            bad.client.publish(subject.to_owned(), message.into()).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_never_stop_asking_push_out_no_question_of_another() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { news: _news, run, asked, .. } = stage.watch_and_ask("file").await;
    for name in ["one", "two", "three", "four"] {
        let (_mac, bad) = another_host(&mut stage, name, "all").await;
        let own = Subjects::for_fleet(&bad.fleet).questions(&bad.me);
        // Four hosts with 128 messages of this size took all the space there was.
        assert!(!bad.send_stored(own.clone(), vec![b'x'; 1_000_000], HeaderMap::new()).await);
        assert!(!bad.send_stored(own.clone(), vec![b'x'; QUESTION], HeaderMap::new()).await);
        flood(&bad, &own, 60 << 10, 150).await;
    }
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let waiting = mara.waiting().await.unwrap();
    let of: Vec<&str> = waiting.iter().map(|one| one.question.id.as_str()).collect();
    assert_eq!(of, [asked.question.id.as_str()]);
    stage.mini.deny_all().await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_fills_the_audit_loses_anchors_of_its_own_alone() {
    let mut stage = Stage::set().await;
    let (_mac, bad) = another_host(&mut stage, "bad", "all").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || verified(&mara).await.last.is_some()).await;
    let anchors = Subjects::for_fleet(&bad.fleet).audit(bad.me.as_str());
    assert!(!bad.send_stored(anchors.clone(), vec![b'x'; ANCHOR], HeaderMap::new()).await);
    flood(&bad, &anchors, 1, 10_100).await;
    let found = mara.verify_audit(Some("bad")).await.unwrap().remove(0);
    assert_eq!(found.findings.len(), 10_000, "the newest are kept, and found to be none");
    let all = mara.verify_audit(None).await.unwrap();
    let spoiled = all.iter().filter(|one| !one.findings.is_empty()).map(|one| one.name.as_str());
    assert_eq!(spoiled.collect::<Vec<_>>(), ["bad"], "and nobody else's");
    anchored_more(&stage, &mara, "echo *").await;
    let whole = verified(&mara).await;
    assert!(whole.problems().is_empty() && whole.last.is_some_and(|last| last.seq >= 2), "{whole:?}");
}

/// Reads what the broker has of a host's rows, none of which are its own. Returns their number.
async fn junk_rows(auditor: &FleetApprover, host: &str) -> usize {
    let found = auditor.verify_audit(Some(host)).await.unwrap().remove(0);
    assert!(found.rows.findings.iter().all(|finding| matches!(finding, RowFinding::Foreign(_))), "{found:?}");
    found.rows.findings.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_fills_the_rows_loses_rows_of_its_own_alone() {
    let mut stage = Stage::set().await;
    let (_mac, bad) = another_host(&mut stage, "bad", "all").await;
    let (_desk, ada) = audited(&mut stage).await;
    until_async(async || !verified(&ada).await.rows.rows.is_empty()).await;
    let rows = Subjects::for_fleet(&bad.fleet).audit_rows(bad.me.as_str());
    // As many of these as there was room for kept the rows of all others waiting.
    assert!(!bad.send_stored(rows.clone(), vec![b'x'; 1_000_000], HeaderMap::new()).await);
    assert!(!bad.send_stored(rows.clone(), vec![b'x'; QUESTION], HeaderMap::new()).await);
    flood(&bad, &rows, 60 << 10, 100).await;
    assert_eq!(junk_rows(&ada, "bad").await, 100);
    flood(&bad, &rows, 1, 6_000).await;
    let kept = junk_rows(&ada, "bad").await;
    assert!((1_000..6_000).contains(&kept), "a share of its own, and no more: {kept}");
    anchored_more(&stage, &ada, WORD).await;
    let whole = verified(&ada).await;
    assert!(whole.problems().is_empty() && has_word(&whole), "{whole:?}");
    assert_eq!(whole.rows.head().map(|head| head.number), whole.last.map(|last| last.count), "every row");
}
