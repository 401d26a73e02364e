//! The roster at the broker, where a member had it overwritten or the broker lost it: its owner's Mac stores it again.

use crate::insiders::Insider;
use crate::rights::with_noor;
use crate::stage::{Stage, until_async};
use async_nats::jetstream;
use postern_fleet::{Hash, SignedEnvelope, Subjects, open_document};
use serde_json::json;

/// Returns the revision of the newest roster that the broker has, and its hash if this member can open it.
async fn newest_roster(member: &Insider) -> Option<(u64, Option<Hash>)> {
    let context = jetstream::new(member.client.clone());
    let bucket = context.get_key_value(Subjects::for_fleet(&member.fleet).bucket()).await.ok()?;
    let entry = bucket.entry("roster").await.ok()??;
    let opened = open_document((&member.fleet, "roster"), &entry.value, &member.keys.open).ok();
    let roster = opened.and_then(|bytes| SignedEnvelope::decode(&bytes, bytes.len()).ok());
    Some((entry.revision, roster.map(|signed| Hash::of_bytes(&signed.payload))))
}

/// NATS writes what replies to a request wherever the request says, past what its sender may write.
#[tokio::test(flavor = "multi_thread")]
async fn a_roster_that_a_member_has_the_broker_overwrite_is_stored_again() {
    let (stage, phone) = with_noor().await;
    let noor = Insider::of(&stage, &phone, false).await;
    let ours = stage.laptop.folder().pinned().unwrap().hash;
    let (before, known) = newest_roster(&noor).await.unwrap();
    assert_eq!(known, Some(ours));
    let names = Subjects::for_fleet(&noor.fleet);
    let request = format!("$JS.API.STREAM.INFO.{}", names.bucket_stream());
    // As many as the broker keeps of it: no version of before is left.
    for _ in 0..10 {
        noor.client
            .publish_with_reply(request.clone(), names.key_subject("roster"), "".into())
            .await
            .unwrap();
    }
    let overwritten = async || {
        let newest = newest_roster(&noor).await;
        newest.is_some_and(|(revision, known)| revision >= before + 10 && known.is_none())
    };
    until_async(overwritten).await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    until_async(async || newest_roster(&noor).await.is_some_and(|(_, known)| known == Some(ours))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_lost_everything_has_the_roster_again() {
    let mut stage = Stage::set().await;
    let mini = Insider::of(&stage, &stage.mini, true).await;
    let ours = stage.laptop.folder().pinned().unwrap().hash;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    stage.broker.forget_all();
    until_async(async || newest_roster(&mini).await.is_some_and(|(_, known)| known == Some(ours))).await;
}
