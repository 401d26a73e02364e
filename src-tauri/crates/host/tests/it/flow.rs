//! A request's way: allowed by rule, asked, answered, run, told.

use crate::support::{Lab, soon};
use postern_contract::{ApproverNotification, Status, join_pieces};
use postern_host::ConnectedApproverKind;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use uuid::Uuid;

#[tokio::test]
async fn a_rule_lets_a_command_through_and_every_event_is_told() {
    let (lab, mut wire) = Lab::with_rule("/usr/bin/printf").await;
    let done = wire.run(&["printf", "%s-%s", "a", "b"]).await;
    assert_eq!(done["outcome"], "exited", "{done}");
    assert_eq!(done["exitCode"], 0);
    assert_eq!(done["stdout"], "a-b");
    let started = wire.event("exec.started").await;
    assert_eq!(started["by"], "rule", "{started}");
    assert_eq!(started["argv"], json!(["printf", "%s-%s", "a", "b"]));
    assert_eq!(started["cwd"], lab.home().to_str().unwrap());
    let finished = wire.event("exec.finished").await;
    assert_eq!(finished["stdout"], "a-b");
    assert_eq!(finished["sequence"], started["sequence"].as_u64().unwrap() + 1, "no gap");
}

#[tokio::test]
async fn a_person_is_asked_and_once_is_once() {
    let (mut lab, mut wire) = Lab::connected().await;
    for _ in 0..2 {
        let (_, call) = wire.post_run(&["echo", "hi"], json!({"reason": "to greet"})).await;
        let (question, answered) = lab.answer("once", json!({})).await;
        assert_eq!(answered["applied"], true, "{answered}");
        assert_eq!(question.line, "echo hi");
        let says: String = question.asker.says.unwrap().into_iter().map(|piece| piece.text).collect();
        assert_eq!(says, "to greet", "its own reason is shown as its own");
        let done = wire.answer(call).await.unwrap();
        assert_eq!(done["stdout"], "hi\n");
        assert_eq!(wire.event("exec.started").await["by"], "person");
    }
}

#[tokio::test]
async fn always_is_remembered_before_the_run_and_serves_the_next() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (_, call) = wire.post_run(&["echo", "one"], json!({})).await;
    let (question, answered) = lab.answer("always", json!({"proposal": "path"})).await;
    assert_eq!(answered["applied"], true, "{answered}");
    assert!(question.proposals.iter().any(|offer| offer.id == "path"), "it was offered");
    wire.answer(call).await.unwrap();
    let done = wire.run(&["echo", "two"]).await;
    assert_eq!(done["stdout"], "two\n", "no question the second time");
    let rules = lab.control("rules.list", json!({"agent": "main"})).await.unwrap();
    assert!(rules.to_string().contains("/echo"), "the rule is in the list: {rules}");
}

#[tokio::test]
async fn a_no_reaches_the_agent_in_the_persons_words() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (_, call) = wire.post_run(&["echo", "hi"], json!({})).await;
    lab.answer("deny", json!({"feedback": "not today"})).await;
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "user", "{denied}");
    assert_eq!(denied["feedback"], "not today");
    assert_eq!(denied["state"], "denied");
    assert_eq!(wire.event("exec.denied").await["feedback"], "not today");
}

#[tokio::test]
async fn shell_text_runs_under_bash_and_a_plain_line_without_a_shell() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let cases = [
        ("echo $0", "/bin/bash\n", vec!["/bin/bash", "--noprofile", "--norc", "-c", "echo $0"]),
        ("basename /a/plain", "plain\n", vec!["basename", "/a/plain"]),
    ];
    for (text, stdout, argv) in cases {
        let params = json!({"requestId": Uuid::new_v4(), "shell": text, "wait": "finished"});
        let done = wire.call("system.run", params).await.unwrap();
        assert_eq!(done["stdout"], stdout, "{text}");
        assert_eq!(wire.event("exec.started").await["argv"], json!(argv), "{text}");
    }
}

#[tokio::test]
async fn without_waiting_the_answer_comes_when_it_was_judged() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let request_id = Uuid::new_v4().to_string();
    let accepted =
        wire.call("system.run", json!({"requestId": request_id, "command": ["true"]})).await.unwrap();
    assert_eq!(accepted["requestId"], request_id);
    assert_eq!(accepted["verdict"]["decision"], "allow", "{accepted}");
    assert_eq!(wire.event("exec.finished").await["requestId"], request_id);
    let status = wire.call("system.status", json!({"requestId": request_id})).await.unwrap();
    assert_eq!(status["state"], "finished", "{status}");
    assert_eq!(status["ending"]["exitCode"], 0, "{status}");
}

#[tokio::test]
async fn output_is_told_as_it_comes_and_input_is_fed() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let more = json!({"stdin": {"stream": true}, "stream": true});
    let (request_id, call) = wire.post_run(&["cat"], more).await;
    let input = |data: &str, eof: bool| json!({"requestId": request_id, "data": data, "eof": eof});
    let written = wire.call("system.input", input("first\n", false)).await.unwrap();
    assert_eq!(written["written"], 6, "{written}");
    let output = wire.event("exec.output").await;
    assert_eq!((&output["data"], &output["offset"]), (&json!("first\n"), &json!(0)));
    wire.call("system.input", input("second", true)).await.unwrap();
    let done = wire.answer(call).await.unwrap();
    assert_eq!(done["stdout"], "first\nsecond");
    let output = wire.event("exec.output").await;
    assert_eq!((&output["data"], &output["offset"]), (&json!("second"), &json!(6)));
    let late = wire.call("system.input", input("more", false)).await.unwrap_err();
    assert_eq!(late["data"]["code"], "not-running", "{late}");
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_ended() {
    let (_lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let (_, call) = wire.post_run(&["sleep", "600"], json!({"timeoutMs": 50})).await;
    let done = wire.answer(call).await.unwrap();
    assert_eq!(done["outcome"], "timeout", "{done}");
    assert_eq!(done["timedOut"], true);
}

#[tokio::test]
async fn a_run_is_killed_by_its_agent_and_by_the_person() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let (request_id, call) = wire.post_run(&["sleep", "600"], json!({})).await;
    wire.event("exec.started").await;
    wire.call("system.kill", json!({"requestId": request_id})).await.unwrap();
    assert_eq!(wire.answer(call).await.unwrap()["outcome"], "killed");

    let (_, call) = wire.post_run(&["sleep", "600"], json!({})).await;
    wire.event("exec.started").await;
    let running = lab.control("requests.list", json!({"state": "running"})).await.unwrap();
    let id = running["requests"][0]["id"].as_str().unwrap().to_owned();
    lab.control("requests.kill", json!({"id": id})).await.unwrap();
    assert_eq!(wire.answer(call).await.unwrap()["outcome"], "killed");
}

#[tokio::test]
async fn a_reader_that_pauses_misses_nothing() {
    let (lab, mut wire) = Lab::with(&[("preset", "allow")]).await;
    let bytes = 6_000_000;
    let params =
        json!({"requestId": Uuid::new_v4(), "shell": format!("yes | head -c {bytes}"), "stream": true});
    wire.call("system.run", params).await.unwrap();
    // Nobody reads here until the host has noticed: another connection sees it run on.
    let mut other = lab.connect("main").await;
    other.run(&["true"]).await;
    let mut heard = 0;
    assert_eq!(wire.read().await.unwrap()["method"], "exec.started", "first of all it starts");
    loop {
        let told = wire.read().await.unwrap();
        let params = &told["params"];
        match told["method"].as_str().unwrap() {
            "exec.output" => {
                assert_eq!(params["offset"], heard, "no gap");
                heard += params["data"].as_str().unwrap().len() as u64;
            }
            "exec.finished" if params["bytes"] == bytes => break,
            _ => {}
        }
    }
    assert_eq!(heard, bytes, "all of it, before its end is told");
}

#[tokio::test]
async fn only_a_decision_a_policy_and_a_start_wait_for_the_drive() {
    let mut lab = Lab::start().await;
    lab.rule("deny", None, "basename *").await;
    let mut wire = lab.connect("main").await;
    let flushes = lab.host.flushes();
    for _ in 0..3 {
        assert_eq!(wire.run(&["basename", "/a"]).await["reason"], "denylist");
    }
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    assert_eq!(lab.host.flushes(), flushes, "received, denied, asked: nothing waits for the drive");
    lab.answer_to(&question, "once", json!({})).await;
    let answered = lab.host.flushes();
    assert_eq!(answered, flushes + 1, "the yes and the start are one record, on the drive before it is told");
    wire.answer(call).await.unwrap();
    assert_eq!(lab.host.flushes(), answered, "started and finished wait for nothing");
    let (_, call) = wire.post_run(&["echo", "no"], json!({})).await;
    lab.answer("deny", json!({})).await;
    assert_eq!(lab.host.flushes(), answered + 1, "a no is on the drive before it is told");
    wire.answer(call).await.unwrap();
    lab.rule("deny", None, "dirname *").await;
    assert_eq!(lab.host.flushes(), answered + 2, "so is a rule");
}

#[tokio::test]
async fn whoever_watches_hears_what_waits_what_runs_and_who_is_there() {
    let mut lab = Lab::start().await;
    let mut told = lab.host.subscribe();
    let mut wire = lab.connect("main").await;
    heard(&mut told, |told| matches!(told, ApproverNotification::AgentsChanged)).await;
    let (call, question) = lab.ask(&mut wire, &["sleep", "600"]).await;
    status(&mut told, |status| status.waiting == 1).await;
    lab.answer_to(&question, "once", json!({})).await;
    status(&mut told, |status| status.waiting == 0 && status.running == 1).await;
    let window = lab.host.add_approver(ConnectedApproverKind::Window);
    status(&mut told, |status| status.faces == ["window", "terminal"]).await;
    drop(window);
    status(&mut told, |status| status.faces == ["terminal"]).await;
    let running = lab.control("requests.list", json!({"state": "running"})).await.unwrap();
    lab.control("requests.kill", json!({"id": running["requests"][0]["id"]})).await.unwrap();
    wire.answer(call).await.unwrap();
    status(&mut told, |status| status.running == 0).await;
    drop(wire);
    heard(&mut told, |told| matches!(told, ApproverNotification::AgentsChanged)).await;
}

#[tokio::test]
async fn who_shows_questions_alone_is_not_woken_by_each_request() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (mut all, mut questions) = (lab.host.subscribe(), lab.host.subscribe_without_requests());
    lab.rule("deny", None, "echo no").await;
    wire.run(&["echo", "no"]).await;
    let (_, call) = wire.post_run(&["echo", "hi"], json!({})).await;
    lab.answer("deny", json!({})).await;
    wire.answer(call).await.unwrap();
    let closed = |told: &ApproverNotification| matches!(told, ApproverNotification::QuestionClosed(_));
    let (mut requests, mut heard) = (0, Vec::new());
    while !heard.iter().any(closed) {
        heard.push(soon("a question's end", questions.recv()).await.unwrap());
    }
    assert!(heard.iter().any(|told| matches!(told, ApproverNotification::QuestionOpened(_))), "{heard:?}");
    assert!(!heard.iter().any(|told| matches!(told, ApproverNotification::RequestChanged(_))), "{heard:?}");
    loop {
        match soon("a question's end", all.recv()).await.unwrap() {
            told if closed(&told) => break,
            told => requests += u32::from(matches!(told, ApproverNotification::RequestChanged(_))),
        }
    }
    assert!(requests >= 2, "both requests are heard of by who watches them: {requests}");
}

async fn heard(told: &mut Receiver<ApproverNotification>, wanted: impl Fn(&ApproverNotification) -> bool) {
    while !wanted(&soon("what was waited for", told.recv()).await.unwrap()) {}
}

async fn status(told: &mut Receiver<ApproverNotification>, wanted: impl Fn(&Status) -> bool) {
    heard(told, |told| matches!(told, ApproverNotification::StatusChanged(status) if wanted(status))).await;
}

#[tokio::test]
async fn a_question_names_the_repository_and_its_branch() {
    let (mut lab, mut wire) = Lab::connected().await;
    let site = lab.home().join("site");
    std::fs::create_dir_all(site.join(".git")).unwrap();
    std::fs::create_dir_all(site.join("src")).unwrap();
    std::fs::write(site.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for (url, expected) in [("git@github.com:acme/site.git", Some("acme/site")), ("../site", None)] {
        std::fs::write(site.join(".git/config"), format!("[remote \"origin\"]\n\turl = {url}\n")).unwrap();
        let (_, call) = wire.post_run(&["echo", "hi"], json!({"cwd": site.join("src")})).await;
        let (question, _) = lab.answer("deny", json!({})).await;
        assert_eq!(question.repository.as_deref().map(join_pieces).as_deref(), expected, "{url}");
        assert_eq!(question.branch.as_deref().map(join_pieces).as_deref(), Some("main"), "{url}");
        assert!(join_pieces(&question.cwd).ends_with("site/src"), "the folder stays: {question:?}");
        wire.answer(call).await.unwrap();
    }
}

#[tokio::test]
async fn the_history_is_erased_and_the_rules_stay() {
    let (lab, mut wire) = Lab::with_rule("/usr/bin/basename").await;
    wire.run(&["basename", "/a/b"]).await;
    let before = lab.control("data.use", json!({})).await.unwrap();
    assert!(before["oldest"].is_number(), "{before}");
    assert!(before["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{before}");
    let after = lab.control("data.eraseHistory", json!({})).await.unwrap();
    assert_eq!(after["oldest"], serde_json::Value::Null, "{after}");
    assert_eq!(lab.control("requests.list", json!({})).await.unwrap()["requests"], json!([]));
    assert_eq!(wire.run(&["basename", "/c/d"]).await["stdout"], "d\n", "its rule is still there");
}
