//! What is too much, and what is denied for now.

use crate::support::Lab;
use postern_contract::ClosedBy;
use serde_json::json;

#[tokio::test]
async fn paused_means_denied_until_resumed() {
    let mut lab = Lab::start().await;
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    let mut wire = lab.connect("main").await;
    let (_, waiting) = wire.post_run(&["dirname", "/a/b"], json!({})).await;
    lab.question().await;
    lab.control("pause", json!({})).await.unwrap();
    assert_eq!(wire.answer(waiting).await.unwrap()["reason"], "paused", "what waits is denied");
    assert_eq!(wire.run(&["basename", "/a/b"]).await["reason"], "paused", "what a rule allows as well");
    lab.control("resume", json!({})).await.unwrap();
    assert_eq!(wire.run(&["basename", "/a/b"]).await["stdout"], "b\n");
}

#[tokio::test]
async fn ten_questions_wait_and_no_more() {
    let mut lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    for number in 0..10 {
        wire.post_run(&["echo", &number.to_string()], json!({})).await;
        lab.question().await;
    }
    let denied = wire.run(&["echo", "one more"]).await;
    assert_eq!(denied["reason"], "queue-full", "{denied}");
}

#[tokio::test]
async fn questions_a_minute_are_limited() {
    let mut lab = Lab::start().await;
    lab.set("main", &[("questionsPerMinute", "1")]).await;
    let mut wire = lab.connect("main").await;
    let (_, first) = wire.post_run(&["echo", "1"], json!({})).await;
    lab.answer("once", json!({})).await;
    wire.answer(first).await.unwrap();
    let denied = wire.run(&["echo", "2"]).await;
    assert_eq!(denied["reason"], "rate-limited", "{denied}");
    assert!(denied["retryAfterMs"].as_u64().is_some_and(|left| left <= 60_000), "{denied}");
}

#[tokio::test]
async fn requests_a_second_are_limited() {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "deny"), ("requestsPerSecond", "1")]).await;
    let mut wire = lab.connect("main").await;
    let mut limited = None;
    for _ in 0..4 {
        let (_, call) = wire.post_run(&["true"], json!({})).await;
        limited = limited.or(wire.answer(call).await.err());
    }
    let error = limited.unwrap();
    assert_eq!(error["data"]["code"], "rate-limited", "{error}");
    assert!(error["data"]["retryAfterMs"].as_u64().is_some(), "it says when: {error}");
}

#[tokio::test]
async fn what_cannot_be_shown_in_full_is_not_asked() {
    let lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    let denied = wire.run(&["echo", &"x".repeat(17 * 1024)]).await;
    assert_eq!(denied["reason"], "invalid", "{denied}");
}

#[tokio::test]
async fn runs_wait_for_a_place() {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "allow"), ("maxRunning", "1")]).await;
    let mut wire = lab.connect("main").await;
    let (first, first_call) = wire.post_run(&["sleep", "600"], json!({})).await;
    wire.event("exec.started").await;
    let (second, second_call) = wire.post_run(&["basename", "/a/b"], json!({})).await;
    let status = wire.call("system.status", json!({"requestId": second})).await.unwrap();
    assert_ne!(status["state"], "running", "there is one place: {status}");
    wire.call("system.kill", json!({"requestId": first})).await.unwrap();
    assert_eq!(wire.answer(first_call).await.unwrap()["outcome"], "killed");
    assert_eq!(wire.answer(second_call).await.unwrap()["stdout"], "b\n", "then it is its turn");
}

#[tokio::test]
async fn what_is_to_end_with_its_connection_does() {
    let mut lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    let (request_id, _) = wire.post_run(&["echo", "hi"], json!({"cancelOnDisconnect": true})).await;
    lab.question().await;
    drop(wire);
    assert_eq!(lab.closed().await, ClosedBy::Withdrawn);
    let mut wire = lab.connect_after("main", Some(0)).await;
    let denied = wire.event("exec.denied").await;
    assert_eq!((&denied["requestId"], &denied["reason"]), (&json!(request_id), &json!("cancelled")));
}
