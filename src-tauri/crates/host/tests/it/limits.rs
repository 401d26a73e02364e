//! Tests of limits, and of what is denied for now.

use crate::support::Lab;
use postern_contract::ClosedBy;
use serde_json::json;

#[tokio::test]
async fn paused_means_denied_until_resumed() {
    let (mut lab, mut wire) = Lab::with_rule("/usr/bin/basename").await;
    let (waiting, _) = lab.ask(&mut wire, &["dirname", "/a/b"]).await;
    lab.control("pause", json!({})).await.unwrap();
    assert_eq!(wire.answer(waiting).await.unwrap()["reason"], "paused", "what waits is denied");
    assert_eq!(wire.run(&["basename", "/a/b"]).await["reason"], "paused", "what a rule allows as well");
    lab.control("resume", json!({})).await.unwrap();
    assert_eq!(wire.run(&["basename", "/a/b"]).await["stdout"], "b\n");
}

#[tokio::test]
async fn ten_questions_open_and_the_rest_wait_their_turn() {
    let (mut lab, mut wire) = Lab::connected().await;
    let mut calls = Vec::new();
    for number in 0..30 {
        calls.push(wire.post_run(&["basename", &format!("/x/{number}")], json!({})).await.1);
    }
    for _ in 0..30 {
        let (question, _) = lab.answer("once", json!({})).await;
        assert!(question.queued <= 20, "ten are open: {question:?}");
    }
    for (number, call) in calls.into_iter().enumerate() {
        assert_eq!(
            wire.answer(call).await.unwrap()["stdout"],
            format!("{number}\n"),
            "every one was asked about"
        );
    }
}

#[tokio::test]
async fn what_waits_is_bounded_and_says_that_nobody_said_no() {
    let (mut lab, mut wire) = Lab::connected().await;
    for number in 0..80 {
        wire.post_run(&["echo", &number.to_string()], json!({})).await;
    }
    lab.question().await;
    // Ten are open and 64 wait behind them.
    for _ in 74..80 {
        let denied = wire.event("exec.denied").await;
        assert_eq!(denied["reason"], "queue-full", "{denied}");
        assert!(denied["message"].as_str().unwrap().contains("Nobody said no"), "{denied}");
        assert_eq!(denied["retryAfterMs"], 30_000, "{denied}");
    }
    assert_eq!(lab.control("status", json!({})).await.unwrap()["waiting"], 74);
}

#[tokio::test]
async fn beyond_so_many_a_minute_questions_come_one_after_the_other() {
    let (mut lab, mut wire) = Lab::with(&[("questionsPerMinute", "1")]).await;
    let (first, question) = lab.ask(&mut wire, &["basename", "/x/1"]).await;
    let (_, second) = wire.post_run(&["basename", "/x/2"], json!({})).await;
    while lab.control("status", json!({})).await.unwrap()["waiting"] != 2 {
        tokio::task::yield_now().await;
    }
    let listed = lab.control("questions.list", json!({})).await.unwrap();
    let got = listed["questions"].as_array().unwrap().len();
    assert_eq!(got, 1, "the second waits behind the first: {listed}");
    assert_eq!(listed["questions"][0]["queued"], 1, "{listed}");
    lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(wire.answer(first).await.unwrap()["stdout"], "1\n");
    lab.answer("once", json!({})).await;
    assert_eq!(
        wire.answer(second).await.unwrap()["stdout"],
        "2\n",
        "it was asked about at once, in the same minute"
    );
}

#[tokio::test]
async fn an_agent_that_has_no_question_open_always_gets_one() {
    let mut lab = Lab::start().await;
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut wires = Vec::new();
    for name in names {
        lab.control("agents.add", json!({"agent": name})).await.unwrap();
        lab.set(name, &[("questionsPerMinute", "100")]).await;
        let mut wire = lab.connect(name).await;
        for number in 0..12 {
            wire.post_run(&["echo", &number.to_string()], json!({})).await;
        }
        wires.push(wire);
    }
    let mut last = lab.connect("main").await;
    last.post_run(&["echo", "me too"], json!({})).await;
    while lab.question().await.asker.agent.as_str() != "main" {}
}

#[tokio::test]
async fn a_rule_frees_what_waits_its_turn_and_a_pause_denies_it() {
    let (mut lab, mut wire) = Lab::with(&[("questionsPerMinute", "1")]).await;
    wire.post_run(&["uname"], json!({})).await;
    lab.question().await;
    let (_, freed) = wire.post_run(&["basename", "/x/1"], json!({})).await;
    let (_, paused) = wire.post_run(&["dirname", "/x/2"], json!({})).await;
    while lab.control("status", json!({})).await.unwrap()["waiting"] != 3 {
        tokio::task::yield_now().await;
    }
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    assert_eq!(wire.answer(freed).await.unwrap()["stdout"], "1\n");
    lab.control("pause", json!({})).await.unwrap();
    assert_eq!(wire.answer(paused).await.unwrap()["reason"], "paused");
}

#[tokio::test]
async fn requests_a_second_are_limited() {
    let (_lab, mut wire) = Lab::with(&[("preset", "deny"), ("requestsPerSecond", "1")]).await;
    // Sent at once, and more than come back in the time that their answers may take.
    let mut calls = Vec::new();
    for _ in 0..20 {
        calls.push(wire.post_run(&["true"], json!({})).await.1);
    }
    let mut limited = None;
    for call in calls {
        limited = limited.or(wire.answer(call).await.err());
    }
    let error = limited.unwrap();
    assert_eq!(error["data"]["code"], "rate-limited", "{error}");
    assert!(error["data"]["retryAfterMs"].as_u64().is_some(), "it says when: {error}");
}

#[tokio::test]
async fn what_cannot_be_shown_in_full_is_not_asked() {
    let (_lab, mut wire) = Lab::connected().await;
    let denied = wire.run(&["echo", &"x".repeat(17 * 1024)]).await;
    assert_eq!(denied["reason"], "invalid", "{denied}");
}

#[tokio::test]
async fn runs_wait_for_a_place() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow"), ("maxRunning", "1")]).await;
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
    let (mut lab, mut wire) = Lab::connected().await;
    let (request_id, _) = wire.post_run(&["echo", "hi"], json!({"cancelOnDisconnect": true})).await;
    lab.question().await;
    drop(wire);
    assert_eq!(lab.closed().await, ClosedBy::Withdrawn);
    let mut wire = lab.connect_after("main", Some(0)).await;
    let denied = wire.event("exec.denied").await;
    assert_eq!((&denied["requestId"], &denied["reason"]), (&json!(request_id), &json!("cancelled")));
}
