//! Two agents: what one may, sees and ends is its own.

use crate::support::Lab;
use serde_json::json;

#[tokio::test]
async fn an_agent_neither_sees_nor_ends_what_is_another_ones() {
    let lab = Lab::start().await;
    lab.control("agents.add", json!({"agent": "other"})).await.unwrap();
    for agent in ["main", "other"] {
        lab.set(agent, &[("preset", "allow")]).await;
    }
    let mut main = lab.connect("main").await;
    let mut other = lab.connect("other").await;
    let (request_id, call) = main.post_run(&["sleep", "600"], json!({})).await;
    main.event("exec.started").await;
    for method in ["system.status", "system.kill", "system.output", "system.input"] {
        let error = other.call(method, json!({"requestId": request_id})).await.unwrap_err();
        assert_eq!(error["data"]["code"], "unknown-request", "{method}: {error}");
    }
    let status = main.call("system.status", json!({"requestId": request_id})).await.unwrap();
    assert_eq!(status["state"], "running", "it goes on: {status}");
    assert!(other.notices.is_empty(), "the other one hears nothing of it: {:?}", other.notices);
    main.call("system.kill", json!({"requestId": request_id})).await.unwrap();
    assert_eq!(main.answer(call).await.unwrap()["outcome"], "killed");
}

#[tokio::test]
async fn the_same_id_of_two_agents_is_two_requests() {
    let lab = Lab::start().await;
    lab.control("agents.add", json!({"agent": "other"})).await.unwrap();
    for agent in ["main", "other"] {
        lab.set(agent, &[("preset", "allow")]).await;
    }
    let id = uuid::Uuid::new_v4().to_string();
    for (agent, word) in [("main", "one"), ("other", "two")] {
        let mut wire = lab.connect(agent).await;
        let params = json!({"requestId": id, "command": ["basename", word], "wait": "finished"});
        let done = wire.call("system.run", params).await.unwrap();
        assert_eq!(done["stdout"], format!("{word}\n"), "{agent}");
    }
}
