//! Several people have to approve, where a policy wants it: silence is none of them.

use crate::support::Lab;
use postern_contract::pieces_to_text;
use serde_json::json;

/// Starts a host with a policy that wants two people for everything of these risks, and a fallback that allows.
async fn lab(approvals: serde_json::Value, fallback: &str) -> Lab {
    let lab = Lab::start().await;
    let values = [("approvalTimeout", "10s"), ("ask", "always"), ("fallback", fallback)];
    lab.set("main", &values).await;
    lab.rule("allow", Some("main"), "echo *").await;
    let policy = json!({"version": 1, "organisation": "fleet", "approvals": approvals}).to_string();
    lab.host.adopt_policy(Some(policy)).await.unwrap();
    lab
}

/// Asks, lets nobody answer, and returns what the question said of silence with what became of the request.
async fn unanswered(mut lab: Lab) -> (String, serde_json::Value, serde_json::Value) {
    let mut wire = lab.connect("main").await;
    let (_, call) = wire.post_run(&["echo", "hi"], json!({})).await;
    let pending = wire.event("exec.pending").await;
    let question = lab.question().await;
    // The person at the terminal has seen it, and says nothing.
    lab.control("questions.list", json!({})).await.unwrap();
    (pieces_to_text(&question.at_zero), pending, wire.answer(call).await.unwrap())
}

#[tokio::test]
async fn silence_stands_in_for_nobody_where_two_people_have_to_approve() {
    let two = json!({"safe": 2, "needs-review": 2, "dangerous": 2});
    let (full, allowlist, one) = tokio::join!(
        async { unanswered(lab(two.clone(), "full").await).await },
        async { unanswered(lab(two.clone(), "allowlist").await).await },
        async { unanswered(lab(json!({"dangerous": 2}), "full").await).await },
    );
    for (shown, pending, denied) in [full, allowlist] {
        assert_eq!(shown, "Denied", "the question says so");
        assert_eq!(pending["atExpiry"], json!("deny"), "so does what its agent reads: {pending}");
        assert_eq!(denied["reason"], json!("expired"), "{denied}");
        let message = denied["message"].as_str().unwrap();
        assert!(message.contains("2 people have to approve it, and 0 did"), "{message}");
    }
    let (shown, _, ran) = one;
    assert_eq!((shown.as_str(), &ran["stdout"]), ("Allowed", &json!("hi\n")), "one person is enough: {ran}");
}

/// Puts a policy in force that wants two people for everything but what its rules allow.
async fn want_two(lab: &Lab, rules: serde_json::Value) {
    let two = json!({"safe": 2, "needs-review": 2, "dangerous": 2});
    let policy = json!({"version": 1, "organisation": "fleet", "approvals": two, "rules": rules}).to_string();
    lab.host.adopt_policy(Some(policy)).await.unwrap();
}

async fn waiting(lab: &Lab) -> usize {
    lab.control("questions.list", json!({})).await.unwrap()["questions"].as_array().unwrap().len()
}

#[tokio::test]
async fn nothing_that_is_saved_or_set_meanwhile_frees_what_two_people_have_to_approve() {
    let mut lab = Lab::start().await;
    want_two(&lab, json!([])).await;
    let mut wire = lab.connect("main").await;
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    lab.rule("allow", Some("main"), "echo *").await;
    assert_eq!(waiting(&lab).await, 1, "a rule of the person at the host");
    lab.set("main", &[("security", "full")]).await;
    assert_eq!(waiting(&lab).await, 1, "a setting");
    want_two(&lab, json!([{"effect": "allow", "text": "echo *"}])).await;
    assert_eq!(waiting(&lab).await, 1, "a rule of the fleet: it is for what comes next");
    lab.host.adopt_policy(None).await.unwrap();
    assert_eq!(waiting(&lab).await, 1, "the end of the policy");
    let one = lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(one["applied"], json!(false), "{one}");
    lab.rule("deny", None, "echo *").await;
    assert_eq!(waiting(&lab).await, 0, "what denies it still does");
    assert_eq!(wire.answer(call).await.unwrap()["reason"], json!("denylist"));
}

#[tokio::test]
async fn a_rule_of_one_person_stands_in_for_no_second_one_and_a_rule_of_the_policy_does() {
    let mut lab = Lab::start().await;
    lab.rule("allow", Some("main"), "echo *").await;
    want_two(&lab, json!([])).await;
    let mut wire = lab.connect("main").await;
    let explain = json!({"agent": "main", "argv": ["echo", "hi"]});
    let explained = lab.control("explain", explain).await.unwrap();
    assert_eq!(explained["decision"], json!("ask"), "{explained}");
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    lab.answer_to(&question, "deny", json!({})).await;
    wire.answer(call).await.unwrap();
    want_two(&lab, json!([{"effect": "allow", "text": "echo *"}])).await;
    assert_eq!(wire.run(&["echo", "hi"]).await["stdout"], json!("hi\n"));
}

#[tokio::test]
async fn what_two_people_approve_is_joined_by_no_later_request() {
    let mut lab = Lab::start().await;
    want_two(&lab, json!([])).await;
    let mut wire = lab.connect("main").await;
    for _ in 0..2 {
        wire.post_run(&["echo", "hi"], json!({})).await;
        lab.question().await;
    }
    assert_eq!(waiting(&lab).await, 2, "each is approved by itself");
}
