//! A member that asks a host for work without end.

use crate::administrator::refused_kinds;
use crate::insiders::{Insider, random_bytes};
use crate::rights::with_noor;
use crate::stage::{PATIENCE, until_async};
use async_nats::Request;
use postern_doors::fleet::{HostPart, HostReply, Member, Publisher, Reported, Work};
use postern_fleet::{Hash, Job, Seed, Subjects};
use serde_json::json;

/// Jobs that are asked for in all, and before the reply to one of them is waited for.
const MANY: i64 = 1600;
const AT_A_TIME: i64 = 200;

/// Has a member ask a host to read its history, again and again.
async fn flood(noor: &Insider, host: &Member, roster: Hash) {
    let subject = Subjects::for_fleet(&noor.fleet).jobs(host.id.as_str());
    let (inbox, begins) = (noor.client.new_inbox(), postern_host::now_millis() - 2 * MANY);
    for number in 1..=MANY {
        // Each is one of its own, or the host takes it for a repetition.
        let work = Work::Read { what: HostPart::History, filter: json!({}) };
        let job = Job { at: begins + number, roster, work };
        let mut seed = Seed::new(random_bytes());
        let sealed = noor.header().seal_body(&job, &[host.seal], &noor.keys.sign, &mut seed).unwrap();
        let (to, bytes) = (subject.clone(), sealed.encode().into());
        if number % AT_A_TIME == 0 {
            // All before it were read, and none was dropped on its way.
            let request = Request::new().payload(bytes).timeout(Some(PATIENCE));
            noor.client.send_request(to, request).await.unwrap();
        } else {
            noor.client.publish_with_reply(to, inbox.clone(), bytes).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_asks_without_end_is_refused_and_others_are_not() {
    let (stage, phone) = with_noor().await;
    let pinned = phone.folder().pinned().unwrap();
    until_async(async || stage.mini.folder().pinned().unwrap().hash == pinned.hash).await;
    let counts = async || stage.mini.call("fleet.get", json!({})).await["fleet"]["work"].take();
    assert_eq!(counts().await, json!({"running": 0, "begun": 0, "refused": 0}));
    let noor = Insider::of(&stage, &phone, false).await;
    let mini = pinned.roster.members.iter().find(|member| member.name == "mini").unwrap();
    flood(&noor, mini, pinned.hash).await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let said = mara.ask_all("mini", &Work::Policy).await.unwrap().remove(0).1;
    assert!(matches!(said, HostReply::Did(Reported::Policy(_))), "a share of her own: {said:?}");
    let now = counts().await;
    assert!(now["running"].as_u64().unwrap() <= 4 && now["refused"].as_u64().unwrap() > 0, "{now}");
    assert!(refused_kinds(&stage.mini).await.contains("busy"));
    // What reading took is no reason to refuse a block.
    let noor = Publisher::connect(&phone.folder()).await.unwrap();
    let said = noor.ask_all("mini", &Work::Block { minutes: Some(1) }).await.unwrap().remove(0).1;
    assert_eq!(said, HostReply::Did(Reported::Done));
}
