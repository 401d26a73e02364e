//! Sessions with a layer of their own, and the gate for tools.

use crate::support::Lab;
use serde_json::json;

#[tokio::test]
async fn a_closed_session_denies_what_waits_in_it() {
    let mut lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    wire.call("session.open", json!({"session": "s"})).await.unwrap();
    let (_, call) = wire.post_run(&["echo", "hi"], json!({"session": "s"})).await;
    let question = lab.question().await;
    assert!(question.asker.session.is_some(), "the person sees which");
    let closed = wire.call("session.close", json!({"session": "s"})).await.unwrap();
    assert_eq!(closed["denied"], 1, "{closed}");
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "cancelled");
    let error = wire.call("session.close", json!({"session": "s"})).await.unwrap_err();
    assert_eq!(error["data"]["code"], "unknown-session", "{error}");
}

#[tokio::test]
async fn a_subagents_deny_is_final() {
    let lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    let rules = json!({"*": "deny"});
    wire.call("session.open", json!({"session": "explore", "rules": rules})).await.unwrap();
    wire.call("session.open", json!({"session": "child", "parent": "explore"})).await.unwrap();
    let checked =
        |session: Option<&str>| json!({"tool": "read_file", "arguments": {"path": "/a"}, "session": session});
    for (session, expected) in [(Some("explore"), "deny"), (Some("child"), "deny"), (None, "allow")] {
        let mut params = checked(session);
        if session.is_none() {
            params.as_object_mut().unwrap().remove("session");
        }
        let verdict = wire.call("tool.check", params).await.unwrap();
        assert_eq!(verdict["decision"], expected, "{session:?}: {verdict}");
    }
    let orphan = json!({"session": "x", "parent": "nobody"});
    let error = wire.call("session.open", orphan).await.unwrap_err();
    assert_eq!(error["data"]["code"], "unknown-session", "{error}");
}

#[tokio::test]
async fn a_tool_is_asked_about_answered_and_remembered() {
    let mut lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    let check = json!({"tool": "deploy", "arguments": {"to": "production"}});
    for (answer, decision, error) in
        [("deny", "deny", json!("ToolRejectedError")), ("always", "allow", serde_json::Value::Null)]
    {
        let asked = wire.call("tool.check", check.clone()).await.unwrap();
        assert_eq!(asked["decision"], "ask", "{asked}");
        let (question, answered) = lab.answer(answer, json!({"feedback": "words"})).await;
        assert_eq!(answered["applied"], true, "{answered}");
        assert!(question.line.contains("production"), "the arguments are shown: {}", question.line);
        let resolved = wire.event("tool.resolved").await;
        assert_eq!((&resolved["checkId"], &resolved["decision"]), (&asked["checkId"], &json!(decision)));
        assert_eq!(resolved["error"], error, "{resolved}");
        let words = resolved["message"].as_str().unwrap_or_default();
        assert_eq!(words.contains("They said: words"), decision == "deny", "for the model: {resolved}");
    }
    let allowed = wire.call("tool.check", check).await.unwrap();
    assert_eq!(allowed["decision"], "allow", "no question the second time: {allowed}");
}

#[tokio::test]
async fn tools_are_answered_by_source_fours_own_procedures() {
    let mut lab = Lab::start().await;
    let mut wire = lab.connect("main").await;
    let asked = wire.call("tool.check", json!({"tool": "deploy", "session": "s"})).await.unwrap();
    lab.question().await;
    let pending = lab.control("tool.pending", json!({})).await.unwrap();
    assert_eq!(pending["tools"][0]["approvalId"], asked["checkId"], "{pending}");
    let other = json!({"sessionId": "other", "approvalId": asked["checkId"]});
    assert_eq!(lab.control("tool.approve", other).await.unwrap()["applied"], false, "not that session's");
    let denied = json!({"sessionId": "s", "approvalId": asked["checkId"], "feedback": "no"});
    assert_eq!(lab.control("tool.deny", denied).await.unwrap()["applied"], true);
    assert_eq!(wire.event("tool.resolved").await["feedback"], "no");
}

#[tokio::test]
async fn which_says_where_and_what_a_bare_run_would_be() {
    let lab = Lab::start().await;
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    let mut wire = lab.connect("main").await;
    let names = json!({"names": ["basename", "dirname", "no-such-program"]});
    let found = wire.call("system.which", names).await.unwrap();
    let got: Vec<_> =
        found["programs"].as_array().unwrap().iter().map(|one| one["decision"].clone()).collect();
    assert_eq!(got, ["allow", "ask", "deny"], "{found}");
    assert_eq!(found["programs"][0]["path"], "/usr/bin/basename");
    assert_eq!(found["programs"][2]["path"], serde_json::Value::Null);
}
