//! Hosts that never stop writing at the broker, or write as much as they can: each loses what is its own.

use crate::audit::{anchored_more, verified};
use crate::insiders::{Insider, another_host};
use crate::stage::{AskedFromAfar, PATIENCE, Stage, until_async};
use async_nats::HeaderMap;
use postern_doors::fleet::FleetApprover;
use postern_fleet::Subjects;
use tokio::time::timeout;

/// Largest question, and largest anchor, with room for headers.
const QUESTION: usize = 65 << 10;
const ANCHOR: usize = 5 << 10;

/// Sends the same very often. Returns once the broker stored the last.
async fn flood(bad: &Insider, subject: &str, bytes: usize, times: usize) {
    for number in 1..=times {
        let message = vec![b'x'; bytes];
        // Newer servers drop what waits for their disk beyond some thousand.
        if number % 100 == 0 || number == times {
            assert!(bad.send_stored(subject.to_owned(), message, HeaderMap::new()).await);
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
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || verified(&mara).await.last.is_some()).await;
    let (_mac, bad) = another_host(&mut stage, "bad", "all").await;
    let names = Subjects::for_fleet(&bad.fleet);
    let (anchors, rows) = (names.audit(bad.me.as_str()), names.audit_rows(bad.me.as_str()));
    assert!(!bad.send_stored(anchors.clone(), vec![b'x'; ANCHOR], HeaderMap::new()).await);
    assert!(
        bad.send_stored(rows, vec![b'x'; 1_000_000], HeaderMap::new()).await,
        "rows have their own space"
    );
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
