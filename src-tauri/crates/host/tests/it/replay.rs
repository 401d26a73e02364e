//! At most once, and nothing is missed: duplicates, reconnects, restarts.

use crate::support::Lab;
use postern_protocol::limits::SLOW_MS;
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

#[tokio::test]
async fn the_same_id_runs_once_and_other_content_is_an_error() {
    let lab = Lab::start().await;
    lab.set("main", &[("preset", "allow")]).await;
    let mark = lab.home().join("mark");
    let text = format!("echo ran >> {}", mark.display());
    let id = Uuid::new_v4();
    let params = json!({"requestId": id, "shell": text, "wait": "finished"});
    let mut wire = lab.connect("main").await;
    let first = wire.call("system.run", params.clone()).await.unwrap();
    let again = wire.call("system.run", params).await.unwrap();
    assert_eq!(first["outcome"], "exited", "{first}");
    assert_eq!((&again["outcome"], &again["exitCode"]), (&first["outcome"], &first["exitCode"]));
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "ran\n", "it ran once");
    let other = json!({"requestId": id, "shell": "echo other", "wait": "finished"});
    let error = wire.call("system.run", other).await.unwrap_err();
    assert_eq!(error["data"]["code"], "duplicate-request", "{error}");
}

#[tokio::test]
async fn what_would_be_denied_now_is_told_as_it_ended_then() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let ran = json!({"requestId": Uuid::new_v4(), "command": ["echo", "hi"], "wait": "finished"});
    let first = wire.call("system.run", ran.clone()).await.unwrap();
    assert!(first["sequence"].is_u64(), "{first}");
    lab.set("main", &[("preset", "deny")]).await;
    let again = wire.call("system.run", ran).await.unwrap();
    assert_eq!((&again["outcome"], &again["sequence"]), (&first["outcome"], &first["sequence"]), "{again}");
    let denied = Uuid::new_v4();
    let params = json!({"requestId": denied, "command": ["echo", "no"], "wait": "finished"});
    let first = wire.call("system.run", params.clone()).await.unwrap();
    assert_eq!(first["reason"], "policy", "{first}");
    lab.set("main", &[("preset", "allow")]).await;
    let again = wire.call("system.run", params).await.unwrap();
    assert_eq!((&again["reason"], &again["sequence"]), (&first["reason"], &first["sequence"]), "{again}");
    lab.set("main", &[("preset", "deny")]).await;
    let other = json!({"requestId": denied, "command": ["echo", "other"], "wait": "finished"});
    let error = wire.call("system.run", other).await.unwrap_err();
    assert_eq!(error["data"]["code"], "duplicate-request", "{error}");
}

#[tokio::test]
async fn the_same_id_joins_what_is_live() {
    let mut lab = Lab::start().await;
    let id = Uuid::new_v4();
    let params = json!({"requestId": id, "command": ["echo", "hi"], "wait": "finished"});
    let mut wire = lab.connect("main").await;
    let first = wire.post("system.run", params.clone()).await;
    let question = lab.question().await;
    let mut other = lab.connect("main").await;
    let second = other.post("system.run", params).await;
    let status = other.call("system.status", json!({"requestId": id})).await.unwrap();
    assert_eq!(status["state"], "asking", "{status}");
    lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(wire.answer(first).await.unwrap()["stdout"], "hi\n");
    assert_eq!(other.answer(second).await.unwrap()["stdout"], "hi\n", "one run, two who waited");
}

#[tokio::test]
async fn what_was_missed_is_told_again_without_gaps() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    for word in ["a", "b"] {
        let (_, call) = wire.post_run(&["basename", word], json!({"stream": true})).await;
        wire.answer(call).await.unwrap();
    }
    let last = wire.event("exec.finished").await["sequence"].as_u64().unwrap();
    drop(wire);
    let lab = lab.restart().await;
    let mut wire = lab.connect_after("main", Some(0)).await;
    let newest = wire.welcome["sequence"].as_u64().unwrap();
    assert!(newest >= last, "numbers go on after a restart");
    let mut names = Vec::new();
    for expected in 1..=newest {
        let told = wire.read().await.unwrap();
        assert_eq!(told["params"]["sequence"], expected, "no gap: {told}");
        if told["method"] == "exec.output" {
            assert!(["a\n", "b\n"].contains(&told["params"]["data"].as_str().unwrap()), "{told}");
        }
        names.push(told["method"].as_str().unwrap().to_owned());
    }
    let once = ["exec.started", "exec.output", "exec.finished"];
    assert_eq!(names, [once, once].concat(), "everything, in order");
    let more = wire.call("events.after", json!({"sequence": newest - 1})).await.unwrap();
    assert_eq!((&more["sequence"], &more["replaying"]), (&json!(newest), &json!(1)));
    assert_eq!(wire.event("exec.finished").await["sequence"], newest);
}

#[tokio::test]
async fn a_restart_ends_what_waited_and_says_so() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (request_id, _) = wire.post_run(&["echo", "hi"], json!({})).await;
    lab.question().await;
    wire.event("exec.pending").await;
    drop(wire);
    let lab = lab.restart().await;
    let mut wire = lab.connect_after("main", Some(0)).await;
    let denied = wire.event("exec.denied").await;
    assert_eq!((&denied["requestId"], &denied["reason"]), (&json!(request_id), &json!("restarted")));
    let params = json!({"requestId": request_id, "command": ["echo", "hi"], "wait": "finished"});
    let again = wire.call("system.run", params).await.unwrap();
    assert_eq!(again["reason"], "restarted", "the stored outcome, and no second question: {again}");
}

#[tokio::test]
async fn a_host_that_ends_ends_what_runs() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let (_, call) = wire.post_run(&["sleep", "600"], json!({})).await;
    wire.event("exec.started").await;
    let ending = tokio::spawn(async move { lab.restart().await });
    assert_eq!(wire.answer(call).await.unwrap()["outcome"], "killed", "it does not outlive its host");
    ending.await.unwrap();
}

#[tokio::test]
async fn a_stored_outcome_is_the_event_that_was_told() {
    let lab = Lab::start().await;
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    lab.rule("deny", Some("main"), "/usr/bin/dirname").await;
    let mut wire = lab.connect("main").await;
    for (argv, method) in [(["basename", "/a/b"], "exec.finished"), (["dirname", "/a/b"], "exec.denied")] {
        let id = Uuid::new_v4();
        let params = json!({"requestId": id, "command": argv, "wait": "finished"});
        let first = wire.call("system.run", params.clone()).await.unwrap();
        let told = wire.event(method).await;
        let again = wire.call("system.run", params).await.unwrap();
        assert_eq!(first, again, "the same answer, its number and times included");
        for member in ["sequence", "at", "durationMs", "reason"] {
            assert_eq!(again.get(member), told.get(member), "{member}: {again}");
        }
        let status = wire.call("system.status", json!({"requestId": id})).await.unwrap();
        assert_eq!(status["ending"]["sequence"], told["sequence"], "{status}");
        if method == "exec.denied" {
            let verdict = &status["verdict"];
            assert_eq!(verdict["decision"], "deny", "{status}");
            assert_eq!(verdict["reason"], "denylist", "{status}");
            assert!(verdict["rule"].is_number(), "{status}");
            assert!(!verdict["message"].as_str().unwrap().is_empty(), "{status}");
        }
    }
}

#[tokio::test]
async fn clients_that_do_not_read_keep_nobody_else_of_their_agent_waiting() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let line = "x".repeat(200);
    for _ in 0..4 {
        let text = format!("i=0; while [ $i -lt 200 ]; do echo {line}; i=$((i+1)); done");
        let (_, call) = wire.post_run(&["sh", "-c", &text], json!({"stream": true})).await;
        wire.answer(call).await.unwrap();
    }
    let mut stuck = Vec::new();
    for _ in 0..8 {
        let mut one = lab.connect("main").await;
        for _ in 0..40 {
            one.post("events.after", json!({"sequence": 0})).await;
        }
        stuck.push(one);
    }
    let started = std::time::Instant::now();
    let mut other = lab.connect("main").await;
    let (_, call) = other.post_run(&["basename", "hi"], json!({})).await;
    assert_eq!(other.answer(call).await.unwrap()["stdout"], "hi\n");
    assert_eq!(other.event("exec.finished").await["outcome"], "exited");
    // Before one that does not read is cut off.
    assert!(started.elapsed() < Duration::from_millis(SLOW_MS), "{:?}", started.elapsed());
}

#[tokio::test]
async fn what_happens_while_a_connection_catches_up_is_told_behind_it() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    for word in ["a", "b"] {
        let (_, call) = wire.post_run(&["basename", word], json!({})).await;
        wire.answer(call).await.unwrap();
    }
    let mut late = lab.connect_after("main", Some(0)).await;
    let again = late.post("events.after", json!({"sequence": 0})).await;
    let (_, call) = wire.post_run(&["basename", "c"], json!({})).await;
    wire.answer(call).await.unwrap();
    late.answer(again).await.unwrap();
    let mut heard = Vec::new();
    // Twice what was there, and once what came meanwhile.
    while heard.len() < 6 || heard.last() != Some(&6) {
        let told = match late.notices.pop_front() {
            Some(told) => told,
            None => late.read().await.unwrap(),
        };
        heard.push(told["params"]["sequence"].as_u64().unwrap());
    }
    assert_eq!(heard[..4], [1, 2, 3, 4], "{heard:?}");
    let new: Vec<_> = heard.iter().filter(|sequence| **sequence > 4).collect();
    assert!(
        new == [&5, &6] || new == [&5, &6, &5, &6],
        "in order, and never one without the other: {heard:?}"
    );
}
