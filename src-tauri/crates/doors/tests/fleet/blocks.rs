//! Word of a host whether all its agents are blocked, as the window of another Mac shows it.

use crate::stage::{Stage, until_async};
use postern_host::ConnectedApproverKind;
use serde_json::{Value, json};

/// Returns what the laptop knows of the mini.
async fn state(stage: &Stage) -> Value {
    let fleet = stage.laptop.call("fleet.get", json!({})).await["fleet"].take();
    let members = fleet["members"].as_array().unwrap();
    members.iter().find(|one| one["name"] == json!("mini")).unwrap()["state"].clone()
}

async fn until_state(stage: &Stage, is: impl Fn(&Value) -> bool) {
    until_async(async || is(&state(stage).await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mac_s_block_is_shown_and_ends_by_itself_there() {
    let stage = Stage::set().await;
    assert_eq!(state(&stage).await, Value::Null, "nobody heard of it");
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let _here = stage.laptop.host.add_approver(ConnectedApproverKind::Terminal);
    // If the laptop subscribes after the mini told of its block, it is told again within 30 seconds.
    stage.mini.call("pause", json!({"forMs": 3_600_000})).await;
    until_state(&stage, |state| state["blocked"] == json!(true) && state["until"].is_i64()).await;
    stage.mini.call("pause", json!({})).await;
    until_state(&stage, |state| *state == json!({"blocked": true, "until": null})).await;
    let ended = json!({"hosts": "mini", "minutes": null, "end": true});
    until_async(async || {
        let said = stage.laptop.call("fleet.block", ended.clone()).await;
        said["hosts"][0]["outcome"] == json!("done")
    })
    .await;
    until_state(&stage, |state| state["blocked"] == json!(false)).await;
    stage.laptop.call("doors.disable", json!({"door": "fleet"})).await;
    assert_eq!(state(&stage).await, Value::Null, "without a connection nobody knows");
}
