//! Tests of changing a command before allowing it.
//!
//! It is another plan, with a digest, an arming and a judgment of its own, and the agent is told what ran
//! instead.

use crate::support::{Lab, Wire, shown};
use postern_contract::{Answer, Question, pieces_to_text};
use postern_host::ConnectedApproverKind;
use serde_json::{Value, json};

async fn edit(lab: &Lab, question: &Question, text: &str) -> Value {
    let params = json!({"questionId": question.id, "digest": question.digest, "text": text});
    lab.control("questions.edit", params).await.unwrap()
}

fn line(question: &Question) -> String {
    question.command.iter().flat_map(|part| &part.text).map(|piece| piece.text.as_str()).collect()
}

/// Returns an agent that waits for `echo asked`, and its question.
async fn asked(lab: &mut Lab) -> (Wire, String, i64, Question) {
    let mut wire = lab.connect("main").await;
    let (id, call) = wire.post_run(&["echo", "asked"], json!({})).await;
    let question = lab.question().await;
    (wire, id, call, question)
}

#[tokio::test]
async fn what_the_person_made_of_it_runs_and_the_agent_is_told() {
    let mut lab = Lab::start().await;
    let (mut wire, id, call, question) = asked(&mut lab).await;
    assert_eq!(question.editable.as_deref(), Some("echo asked"));
    assert_eq!(edit(&lab, &question, "echo changed").await, json!({"applied": true, "reason": null}));
    let changed = lab.changed(|question| question.edited.is_some()).await;
    assert_ne!(changed.digest, question.digest, "another plan");
    assert_eq!((changed.id.as_str(), line(&changed).as_str()), (question.id.as_str(), "echo changed"));
    let before: String = changed.edited.iter().flatten().map(|piece| piece.text.as_str()).collect();
    assert_eq!(before, "echo asked", "what the agent asked for is shown beside it");

    let old = lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(old["applied"], false, "a yes to what was shown before is none: {old}");
    let new = lab.answer_to(&changed, "once", json!({})).await;
    assert_eq!(new["applied"], true, "{new}");
    let started = wire.event("exec.started").await;
    assert_eq!((&started["edited"], &started["argv"]), (&json!("echo changed"), &json!(["echo", "changed"])));
    let finished = wire.answer(call).await.unwrap();
    assert_eq!((&finished["stdout"], &finished["edited"]), (&json!("changed\n"), &json!("echo changed")));

    let again = json!({"requestId": id, "command": ["echo", "asked"], "wait": "finished"});
    let again = wire.call("system.run", again).await.unwrap();
    assert_eq!(again["edited"], "echo changed", "told again from the record: {again}");
    let rows = lab.control("requests.list", json!({"search": "changed"})).await.unwrap();
    assert_eq!(rows["requests"][0]["line"], "echo changed", "the history has what ran: {rows}");
    let detail = lab.control("requests.get", json!({"id": rows["requests"][0]["id"]})).await.unwrap();
    assert_eq!(detail["asked"], "echo asked", "{detail}");
}

#[tokio::test]
async fn what_would_be_denied_is_not_shown() {
    let mut lab = Lab::start().await;
    lab.rule("deny", None, "dirname *").await;
    let (mut wire, _, call, question) = asked(&mut lab).await;
    let table = [
        ("rm -rf /", "never allowed"),
        ("dirname /a/b", "never allowed"),
        ("no-such-program-anywhere", "would be denied"),
        ("  ", "no command"),
        ("echo asked", "same command"),
    ];
    for (text, why) in table {
        let edited = edit(&lab, &question, text).await;
        assert_eq!(edited["applied"], false, "{text}: {edited}");
        assert!(edited["reason"].to_string().contains(why), "{text}: {edited}");
    }
    let yes = lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(yes["applied"], true, "the question is as it was: {yes}");
    let finished = wire.answer(call).await.unwrap();
    assert_eq!((&finished["stdout"], finished.get("edited")), (&json!("asked\n"), None));
}

#[tokio::test]
async fn an_edit_names_what_was_on_show() {
    let mut lab = Lab::start().await;
    let (mut wire, _, call, question) = asked(&mut lab).await;
    assert_eq!(edit(&lab, &question, "echo first").await["applied"], true);
    let late = edit(&lab, &question, "echo second").await;
    assert_eq!(late["applied"], false, "that was about what is not on show any more: {late}");
    let changed = lab.changed(|question| question.edited.is_some()).await;
    lab.answer_to(&changed, "deny", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    let ended = edit(&lab, &changed, "echo third").await;
    assert_eq!(ended["applied"], false, "{ended}");
}

#[tokio::test]
async fn an_edit_arms_anew() {
    let mut lab = Lab::start().await;
    let window = lab.host.add_approver(ConnectedApproverKind::Window);
    let (mut wire, _, call, question) = asked(&mut lab).await;
    lab.arm(&window, &question).await;
    assert_eq!(edit(&lab, &question, "echo changed").await["applied"], true);
    let changed = lab.changed(|question| question.edited.is_some()).await;
    let early = lab.answer_from(&window, &changed, Answer::Once).await;
    assert!(!early.applied, "the window did not show it yet: {early:?}");
    let arming = lab.host.gate().presented(window.id(), shown(&changed)).await.unwrap();
    assert!(!arming.armed && arming.remaining_ms.is_some(), "{arming:?}");
    lab.answer_to(&changed, "deny", json!({})).await;
    wire.answer(call).await.unwrap();
}

/// A rule for what the person wrote is no yes of the agent's wish, and neither is the fallback.
#[tokio::test]
async fn an_edited_command_starts_by_a_persons_yes_only() {
    let mut lab = Lab::start().await;
    let fallback = [("fallback", "full"), ("confirm", "yes"), ("approvalTimeout", "10s")];
    lab.set("main", &fallback).await;
    let (mut wire, _, call, question) = asked(&mut lab).await;
    assert_eq!(pieces_to_text(&question.at_zero), "Allowed");
    assert_eq!(edit(&lab, &question, "basename /a/b").await["applied"], true);
    let changed = lab.changed(|question| question.edited.is_some()).await;
    assert_eq!(pieces_to_text(&changed.at_zero), "Denied");
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    let listed = lab.control("questions.list", json!({})).await.unwrap();
    assert_eq!(listed["questions"][0]["id"], json!(question.id), "it still waits: {listed}");
    let ended = wire.answer(call).await.unwrap();
    assert_eq!(ended["reason"], "expired", "{ended}");
}

#[tokio::test]
async fn everybody_who_waits_for_it_gets_what_the_person_made_of_it() {
    let mut lab = Lab::start().await;
    let (mut wire, _, first, question) = asked(&mut lab).await;
    wire.event("exec.pending").await;
    let (_, second) = wire.post_run(&["echo", "asked"], json!({})).await;
    wire.event("exec.pending").await;
    assert_eq!(edit(&lab, &question, "printf '%s' changed | cat").await["applied"], true);
    let changed = lab.changed(|question| question.edited.is_some()).await;
    assert_eq!((changed.requests.len(), changed.shell), (2, true));
    lab.answer_to(&changed, "once", json!({"requests": changed.requests})).await;
    for call in [first, second] {
        assert_eq!(wire.answer(call).await.unwrap()["stdout"], "changed");
    }
}

#[tokio::test]
async fn a_question_shows_what_its_session_asked_before() {
    let (mut lab, mut wire) = Lab::connected().await;
    for (session, argv, answer) in
        [("one", ["echo", "a"], "once"), ("two", ["echo", "b"], "once"), ("one", ["echo", "c"], "deny")]
    {
        let (_, call) = wire.post_run(&argv, json!({"session": session})).await;
        lab.answer(answer, json!({})).await;
        wire.answer(call).await.unwrap();
    }
    let (_, call) = wire.post_run(&["echo", "d"], json!({"session": "one"})).await;
    let question = lab.question().await;
    let recent =
        question.recent.iter().map(|past| (past.line[0].text.as_str(), pieces_to_text(&past.outcome)));
    let expected = [("echo c", "denied by you".to_owned()), ("echo a", "exit 0".to_owned())];
    assert_eq!(recent.collect::<Vec<_>>(), expected, "newest first, its own session's only");
    lab.answer_to(&question, "once", json!({})).await;
    wire.answer(call).await.unwrap();
}
