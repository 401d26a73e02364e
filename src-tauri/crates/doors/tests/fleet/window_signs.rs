//! Changes that two people sign, by the control methods that the window calls.

use crate::proposals::{self, denies};
use crate::stage::{Mac, Stage, until_async};
use postern_contract::ApproverNotification;
use postern_doors::fleet::{FleetError, Publisher, change_lines, list_proposals};
use serde_json::{Value, json};

impl Mac {
    async fn fleet(&self) -> Value {
        self.call("fleet.get", json!({})).await["fleet"].take()
    }

    /// Waits for the only change that waits, and returns it.
    async fn until_proposed(&self) -> Value {
        until_async(async || !self.fleet().await["proposals"][0].is_null()).await;
        let mut all = self.fleet().await["proposals"].take();
        assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
        all[0].take()
    }

    /// Returns how much waits for the person's signature, as the status says.
    async fn unsigned(&self) -> usize {
        let status = self.call("status", json!({})).await;
        let concerns = status["attention"].as_array().unwrap();
        concerns.iter().filter(|one| one["kind"] == json!("signatures")).count()
    }
}

/// Starts a fleet that two owners and two publishers sign for, with the doors of both open.
async fn two_owners() -> (Stage, Mac) {
    let (stage, ines) = Box::pin(proposals::two_owners()).await;
    for mac in [&stage.laptop, &ines] {
        mac.call("doors.enable", json!({"door": "fleet"})).await;
        until_async(async || mac.fleet().await["connected"] == json!(true)).await;
    }
    (stage, ines)
}

fn change(once_only: bool) -> Value {
    json!({"member": "Ines's MacBook", "roles": null, "groups": null, "risk": null, "onceOnly": once_only, "newGroups": false})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_in_the_window_waits_for_another_owner_who_is_notified_and_signs_what_is_shown() {
    let (stage, ines) = Box::pin(two_owners()).await;
    let mut told = ines.host.subscribe();
    let before = stage.laptop.fleet().await["roster"].as_u64().unwrap();
    let fleet = stage.laptop.call("fleet.change", change(true)).await["fleet"].take();
    let own = &fleet["proposals"][0];
    assert_eq!((&fleet["roster"], &own["own"]), (&json!(before), &json!(false)), "it is proposed: {fleet}");
    assert_eq!(own["needs"], json!({"role": "owner", "missing": 1, "people": ["Ines"]}));
    assert_eq!(stage.laptop.unsigned().await, 0, "who signed it has nothing to do");

    let shown = ines.until_proposed().await;
    assert_eq!((&shown["id"], &shown["own"], &shown["problem"]), (&own["id"], &json!(true), &Value::Null));
    let read = list_proposals(&ines.folder()).await.unwrap();
    let lines = change_lines(&ines.folder(), read[0].shown.as_ref().unwrap());
    assert_eq!(shown["lines"], json!(lines), "the window shows what the command line shows");
    assert!(lines.iter().any(|line| line.starts_with("+ ") && line.contains("once only")), "{lines:?}");
    until_async(async || ines.unsigned().await == 1).await;
    let notified = async {
        while !matches!(told.recv().await.unwrap(), ApproverNotification::Attention(one) if one.message.contains("your signature"))
        {
        }
    };
    tokio::time::timeout(crate::stage::PATIENCE, notified).await.expect("it is notified");

    let id = json!({"id": shown["id"]});
    assert!(stage.laptop.refused("fleet.sign", id.clone()).await.contains("you signed it already"));
    assert!(ines.refused("fleet.sign", json!({"id": "0"})).await.contains("no such change"));
    let signed = ines.call("fleet.sign", id.clone()).await["fleet"].take();
    assert_eq!((&signed["roster"], &signed["proposals"]), (&json!(before + 1), &json!([])));
    until_async(async || stage.laptop.fleet().await["proposals"] == json!([])).await;
    assert_eq!(ines.unsigned().await, 0);
    assert!(ines.refused("fleet.sign", id).await.contains("no such change"), "it is signed once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_an_owner_withdraws_in_the_window_changes_nothing() {
    let (stage, ines) = Box::pin(two_owners()).await;
    let before = stage.laptop.fleet().await["roster"].take();
    stage.laptop.call("fleet.revoke", json!({"member": "mini"})).await;
    let shown = ines.until_proposed().await;
    let nothing = ines.call("fleet.replay", json!({"id": shown["id"]})).await;
    assert_eq!(nothing, json!({"lines": []}), "a roster has no rules");
    let left = ines.call("fleet.withdraw", json!({"id": shown["id"]})).await["fleet"].take();
    assert_eq!((&left["roster"], &left["proposals"]), (&before, &json!([])));
    until_async(async || stage.laptop.fleet().await["proposals"] == json!([])).await;
    assert_eq!(ines.unsigned().await, 0);
    // Closing the door ends what it says.
    stage.laptop.call("fleet.revoke", json!({"member": "mini"})).await;
    until_async(async || ines.unsigned().await == 1).await;
    ines.call("doors.disable", json!({"door": "fleet"})).await;
    assert_eq!(ines.unsigned().await, 0);
    let closed = ines.refused("fleet.sign", json!({"id": shown["id"]})).await;
    assert!(closed.contains("fleet"), "{closed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_replayed_before_another_publisher_signs_it_in_the_window() {
    let (stage, ines) = Box::pin(two_owners()).await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = mara.hosts_of("mini")[0].id.clone();
    let published = mara.publish(&"all".parse().unwrap(), denies("echo *"), vec![mini]).await;
    assert!(matches!(published, Err(FleetError::Proposed(_))), "{published:?}");
    let shown = ines.until_proposed().await;
    assert_eq!((&shown["group"], &shown["own"]), (&json!("all"), &json!(true)));
    let replay = ines.call("fleet.replay", json!({"id": shown["id"]})).await["lines"].take();
    assert!(replay.to_string().contains("mini: 0 of 0 requests would be judged differently"), "{replay}");
    let signed = ines.call("fleet.sign", json!({"id": shown["id"]})).await["fleet"].take();
    assert_eq!(signed["proposals"], json!([]));
    crate::policy::until_in_force(
        &mara,
        &mara.newest_of(&"all".parse().unwrap()).await.unwrap().unwrap().0,
        "mini",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_invites_in_the_window_is_told_that_a_second_owner_has_to_sign() {
    let (stage, ines) = Box::pin(two_owners()).await;
    let studio = Mac::start().await;
    let approves = json!({"groups": ["all"], "risk": "dangerous", "onceOnly": false});
    let invite = json!({"name": "studio", "person": "Mara", "approves": approves, "publisher": false, "auditor": false});
    let code = stage.laptop.call("fleet.invite", invite).await["pairing"]["code"].take();
    let consent = json!({"policyAllows": false, "readable": false, "auditable": false});
    let join = json!({"code": code, "credentials": null, "asks": true, "answers": true, "consent": consent});
    let digits = studio.call("fleet.join", join).await["pairing"]["digits"].take();
    stage.laptop.until_pairing("comparing").await;
    let accepted = stage.laptop.call("fleet.pair", json!({"digits": digits})).await["pairing"].take();
    assert_eq!(accepted["state"], json!("accepted"));
    until_async(async || !stage.laptop.pairing().await["needs"].is_null()).await;
    let needs = stage.laptop.pairing().await["needs"].take();
    assert_eq!(needs, json!({"role": "owner", "missing": 1, "people": ["Ines"]}));
    let shown = ines.until_proposed().await;
    assert!(shown["lines"].to_string().contains("+ studio"), "{shown}");
    ines.call("fleet.sign", json!({"id": shown["id"]})).await;
    studio.until_pairing("joined").await;
    assert_eq!(stage.laptop.until_pairing("joined").await["needs"], Value::Null);
}
