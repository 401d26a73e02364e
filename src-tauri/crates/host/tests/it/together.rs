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
