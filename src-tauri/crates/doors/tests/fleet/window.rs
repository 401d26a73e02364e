//! A fleet's life by the control methods that the window calls: planned, started, joined, blocked, revoked, left.

use crate::stage::{Broker, Mac, until_async};
use postern_host::ConnectedApproverKind;
use postern_tests::free_port;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Mac {
    /// Calls a method that is refused, and returns why.
    pub(super) async fn refused(&self, method: &str, params: Value) -> String {
        let face = self.host.named_face(ConnectedApproverKind::Remote, "test");
        self.host.call_by_name(&face.id(), method, params).await.unwrap_err().message
    }

    pub(super) async fn pairing(&self) -> Value {
        self.call("fleet.get", json!({})).await["pairing"].take()
    }

    /// Waits until the device that joins is in this state.
    pub(super) async fn until_pairing(&self, state: &str) -> Value {
        until_async(async || {
            let pairing = self.pairing().await;
            assert!(state == "failed" || pairing["state"] != json!("failed"), "{pairing}");
            pairing["state"] == json!(state)
        })
        .await;
        self.pairing().await
    }
}

fn start(listen: &str) -> Value {
    let broker = json!({"own": {"listen": listen, "before210": true}});
    let consent = json!({"policyAllows": false, "readable": false, "auditable": false});
    json!({"name": "MacBook", "person": "Mara", "group": "all", "broker": broker, "consent": consent})
}

fn invite(group: &str) -> Value {
    let approves = json!({"groups": [group], "risk": "dangerous", "onceOnly": false});
    json!({"name": "mini", "person": "Mara", "approves": approves, "publisher": false, "auditor": false})
}

fn join(code: &Value) -> Value {
    let consent = json!({"policyAllows": false, "readable": false, "auditable": false});
    json!({"code": code, "credentials": null, "asks": true, "answers": true, "consent": consent})
}

/// Starts a fleet on the laptop, as it is shown before.
async fn started(laptop: &Mac) -> Broker {
    assert_eq!(laptop.call("fleet.get", json!({})).await["fleet"], Value::Null);
    let odd = laptop.refused("fleet.plan", start("mini.local")).await;
    assert!(odd.contains("192.168.1.2:7720"), "it says what would be right: {odd}");
    let port = free_port();
    let plan = laptop.call("fleet.plan", start(&format!("127.0.0.1:{port}"))).await;
    assert_eq!(plan["onlyHere"], json!(true));
    assert!(!laptop.folder().broker().join("broker.conf").exists(), "nothing is written before it was shown");
    let named = json!({"id": plan["id"]});
    let fleet = laptop.call("fleet.start", named.clone()).await["fleet"].take();
    assert_eq!((&fleet["owner"], fleet["members"].as_array().unwrap().len()), (&json!(true), 2));
    let written = std::fs::read_to_string(laptop.folder().broker().join("broker.conf")).unwrap();
    assert_eq!(plan["files"][0]["text"], json!(written), "the files are those that were shown");
    assert!(laptop.refused("fleet.start", named).await.contains("was not shown last"));
    let broker = Broker::start(&laptop.folder().broker());
    until_async(async || laptop.call("fleet.get", json!({})).await["fleet"]["connected"] == json!(true))
        .await;
    broker
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_is_started_joined_blocked_and_left_by_the_window() {
    let (laptop, mini) = (Mac::start().await, Mac::start().await);
    let _broker = started(&laptop).await;
    let odd = laptop.refused("fleet.invite", invite("My Macs")).await;
    assert!(odd.contains("a-z"), "it says what a group is called: {odd}");

    let ended = laptop.call("fleet.invite", invite("all")).await["pairing"]["code"].take();
    assert!(laptop.refused("fleet.invite", invite("all")).await.contains("already"));
    assert_eq!(laptop.call("fleet.pair", json!({"digits": null})).await["pairing"], Value::Null);
    mini.refused("fleet.join", join(&ended)).await;

    let code = laptop.call("fleet.invite", invite("all")).await["pairing"]["code"].take();
    assert!(mini.refused("fleet.join", join(&json!("pf2.x"))).await.contains("pf1."));
    let digits = mini.call("fleet.join", join(&code)).await["pairing"]["digits"].take();
    assert_eq!(laptop.until_pairing("comparing").await["digits"], digits, "both screens show the same");
    assert!(laptop.refused("fleet.pair", json!({"digits": "x"})).await.contains("no Mac with these digits"));
    laptop.call("fleet.pair", json!({"digits": digits})).await;
    mini.until_pairing("joined").await;
    let fleet = laptop.until_pairing("joined").await;
    assert_eq!(
        (&fleet["code"], &fleet["asks"], &fleet["answers"]),
        (&Value::Null, &json!(true), &json!(true))
    );
    until_async(async || mini.call("fleet.get", json!({})).await["fleet"]["connected"] == json!(true)).await;
    let joined = mini.call("fleet.get", json!({})).await["fleet"].take();
    assert_eq!(joined["unconfirmed"], json!(false), "the owner's Mac knows");
    let members = joined["members"].as_array().unwrap();
    let devices: BTreeSet<&str> = members.iter().filter_map(|one| one["device"].as_str()).collect();
    assert_eq!((members.len(), devices.len()), (4, 2), "a Mac's host and person are one device: {members:?}");
    std::fs::write(mini.folder().path().join("unconfirmed"), "").unwrap();
    let unsure = mini.call("fleet.get", json!({})).await["fleet"].take();
    assert_eq!(unsure["unconfirmed"], json!(true), "as if that word had been lost");

    blocked(&laptop, &mini).await;
    changed(&laptop).await;
    assert!(laptop.refused("fleet.revoke", json!({"member": "nobody"})).await.contains("nobody"));
    let left = laptop.call("fleet.revoke", json!({"member": "mini"})).await["fleet"]["members"].take();
    assert_eq!(left.as_array().unwrap().len(), 2);
    assert_eq!(mini.call("fleet.leave", json!({})).await["fleet"], Value::Null);
    assert!(mini.folder().membership().is_err(), "its keys are forgotten");
}

/// Blocks all agents of the mini from the laptop, and lets them work again.
async fn blocked(laptop: &Mac, mini: &Mac) {
    let block = |end| json!({"hosts": "mini", "minutes": 60, "end": end});
    let done =
        async |end| laptop.call("fleet.block", block(end)).await["hosts"][0]["outcome"] == json!("done");
    until_async(async || done(false).await).await;
    assert_eq!(mini.call("status", json!({})).await["mode"], json!("paused"));
    until_async(async || done(true).await).await;
    assert_eq!(mini.call("status", json!({})).await["mode"], json!("listening"));
    let nobody = json!({"hosts": "nobody", "minutes": null, "end": false});
    assert!(laptop.refused("fleet.block", nobody).await.contains("no such host"));
}

/// Changes what the mini may do, as its owner.
async fn changed(laptop: &Mac) {
    let change = |groups: Value, risk: Value, new: bool| json!({"member": "mini", "roles": null, "groups": groups, "risk": risk, "onceOnly": true, "newGroups": new});
    let odd = laptop.refused("fleet.change", change(json!(["builds"]), Value::Null, false)).await;
    assert!(odd.contains("the groups are all"), "it says which groups there are: {odd}");
    let wanted = change(json!(["builds"]), json!("needs-review"), true);
    let fleet = laptop.call("fleet.change", wanted.clone()).await["fleet"].take();
    let minis: Vec<&Value> =
        fleet["members"].as_array().unwrap().iter().filter(|one| one["name"] == json!("mini")).collect();
    let limits = json!({"groups": ["builds"], "risk": "needs-review", "onceOnly": true});
    assert!(minis.iter().any(|one| one["approves"] == limits), "{minis:?}");
    assert!(minis.iter().any(|one| one["groups"] == json!(["builds"])), "{minis:?}");
    let again = laptop.call("fleet.change", wanted).await["fleet"].take();
    assert_eq!(again["roster"], fleet["roster"], "what is so already is no new roster");
}
