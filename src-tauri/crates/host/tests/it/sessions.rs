//! Sessions with a layer of their own, and the gate for tools.

use crate::support::Lab;
use postern_protocol::SessionKind;
use serde_json::json;
use uuid::Uuid;

#[tokio::test]
async fn a_closed_session_denies_what_waits_in_it() {
    let (mut lab, mut wire) = Lab::connected().await;
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
async fn a_question_and_the_record_say_if_a_session_is_an_id() {
    for (method, what) in [
        ("system.run", json!({"requestId": Uuid::from_u128(1), "command": ["echo", "hi"]})),
        ("tool.check", json!({"tool": "deploy"})),
    ] {
        for kind in [SessionKind::Name, SessionKind::Id] {
            let (mut lab, mut wire) = Lab::connected().await;
            let mut call = what.clone();
            (call["session"], call["sessionKind"]) = (json!("s"), json!(kind));
            wire.call(method, call).await.unwrap();
            let question = lab.question().await;
            assert_eq!(question.asker.session_kind, kind, "{method}");
            let get = json!({"id": question.requests[0], "secrets": false});
            let detail = lab.control("requests.get", get).await.unwrap();
            let said = (kind == SessionKind::Id).then_some("id");
            assert_eq!(detail["sessionKind"].as_str(), said, "{method}: {detail}");
        }
    }
}

#[tokio::test]
async fn the_person_closes_a_session_by_the_name_that_is_shown() {
    let (mut lab, mut wire) = Lab::connected().await;
    let name = "s\u{202e}x";
    wire.call("session.open", json!({"session": name})).await.unwrap();
    let (_, call) = wire.post_run(&["echo", "hi"], json!({"session": name})).await;
    lab.question().await;
    let shown = lab.control("sessions.list", json!({})).await.unwrap()["sessions"][0]["session"].clone();
    assert_ne!(shown, name, "the list shows it escaped");
    let other = json!({"agent": "main", "session": "other"});
    let error = lab.control("sessions.close", other).await.unwrap_err();
    assert!(error.contains("\"other\""), "{error}");
    let close = json!({"agent": "main", "session": shown});
    assert_eq!(lab.control("sessions.close", close.clone()).await.unwrap()["denied"], 1);
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "cancelled");
    assert_eq!(lab.control("sessions.list", json!({})).await.unwrap()["sessions"], json!([]));
    lab.control("sessions.close", close).await.unwrap_err();
    wire.call("session.open", json!({"session": name})).await.unwrap();
}

#[tokio::test]
async fn a_subagents_deny_is_final() {
    let (_lab, mut wire) = Lab::connected().await;
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
    let (mut lab, mut wire) = Lab::connected().await;
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
        let got = words.contains("The user denied it. They said: words. ");
        assert_eq!(got, decision == "deny", "for the model: {resolved}");
    }
    let allowed = wire.call("tool.check", check).await.unwrap();
    assert_eq!(allowed["decision"], "allow", "no question the second time: {allowed}");
}

#[tokio::test]
async fn tools_are_answered_by_source_fours_own_procedures() {
    let (mut lab, mut wire) = Lab::connected().await;
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
    let (_lab, mut wire) = Lab::with_rule("/usr/bin/basename").await;
    let names = json!({"names": ["basename", "dirname", "no-such-program"]});
    let found = wire.call("system.which", names).await.unwrap();
    let got: Vec<_> =
        found["programs"].as_array().unwrap().iter().map(|one| one["decision"].clone()).collect();
    assert_eq!(got, ["allow", "ask", "deny"], "{found}");
    assert_eq!(found["programs"][0]["path"], "/usr/bin/basename");
    assert_eq!(found["programs"][2]["path"], serde_json::Value::Null);
}

/// Sessions as they may be when a host ends: one with a veto, one without the host, one below it, one with *Always*.
async fn with_sessions(lab: &Lab) {
    lab.rule("allow", Some("main"), "/usr/bin/basename").await;
    lab.control(
        "permissions.set",
        json!({"agent": "main", "text": r#"{ "deploy": "ask", "*": "ask", "lint": "allow" }"#}),
    )
    .await
    .unwrap();
    let mut wire = lab.connect("main").await;
    for open in [
        json!({"session": "explore", "rules": {"*": "deny"}, "elevated": true}),
        json!({"session": "below", "parent": "explore", "elevated": true}),
        json!({"session": "off", "elevated": false}),
        json!({"session": "sub", "parent": "off"}),
        json!({"session": "s"}),
        json!({"session": "closed", "rules": {"*": "deny"}}),
    ] {
        wire.call("session.open", open).await.unwrap();
    }
    wire.call("session.close", json!({"session": "closed"})).await.unwrap();
    let asked = wire.call("tool.check", json!({"tool": "deploy", "session": "s"})).await.unwrap();
    let always = json!({"sessionId": "s", "approvalId": asked["checkId"], "always": true});
    assert_eq!(lab.control("tool.approve", always).await.unwrap()["applied"], true);
}

#[tokio::test]
async fn what_holds_in_a_session_outlives_the_host() {
    let lab = Lab::start().await;
    with_sessions(&lab).await;
    let before = lab.control("sessions.list", json!({})).await.unwrap();
    let lab = lab.restart().await;
    assert_eq!(lab.control("sessions.list", json!({})).await.unwrap(), before, "every layer is back");
    let mut wire = lab.connect("main").await;
    for (session, tool, expected) in [
        ("explore", "lint", "deny"),
        ("below", "lint", "deny"),
        ("closed", "lint", "allow"),
        ("s", "deploy", "allow"),
        ("off", "deploy", "ask"),
    ] {
        let verdict = wire.call("tool.check", json!({"tool": tool, "session": session})).await.unwrap();
        assert_eq!(verdict["decision"], expected, "{tool} in {session}: {verdict}");
    }
    for (session, runs) in [("explore", false), ("below", false), ("off", false), ("sub", false), ("s", true)]
    {
        let ran = wire.run_with(&["basename", "/a/b"], json!({"session": session})).await;
        assert_eq!(ran["reason"].is_null(), runs, "{session}: {ran}");
    }
}

#[tokio::test]
async fn a_session_that_was_open_is_opened_again_only_tighter_and_can_be_closed() {
    let lab = Lab::start().await;
    with_sessions(&lab).await;
    let lab = lab.restart().await;
    let mut wire = lab.connect("main").await;
    let again = json!({"session": "explore", "rules": {"*": "allow"}, "elevated": true});
    wire.call("session.open", again.clone()).await.unwrap();
    let verdict = wire.call("tool.check", json!({"tool": "lint", "session": "explore"})).await.unwrap();
    assert_eq!(verdict["decision"], "deny", "what was denied stays denied: {verdict}");
    wire.call("session.open", json!({"session": "off", "elevated": true})).await.unwrap();
    let ran = wire.run_with(&["basename", "/a/b"], json!({"session": "off"})).await;
    assert_eq!(ran["reason"], "policy", "it does not get the host that way: {ran}");
    let twice = wire.call("session.open", again).await.unwrap_err();
    assert_eq!(twice["data"]["code"], "invalid-params", "as ever: {twice}");
    let passed_on = json!({"session": "new", "parent": "sub", "elevated": true});
    let refused = wire.call("session.open", passed_on).await.unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("cannot pass that on"), "{refused}");
    wire.call("session.close", json!({"session": "below"})).await.unwrap();
    let lab = lab.restart().await;
    let open = lab.control("sessions.list", json!({})).await.unwrap();
    let names: Vec<_> =
        open["sessions"].as_array().unwrap().iter().map(|open| open["session"].clone()).collect();
    assert_eq!(names, ["explore", "off", "s", "sub"], "{open}");
}

#[tokio::test]
async fn a_layer_that_cannot_be_read_back_denies_everything() {
    let lab = Lab::start().await;
    with_sessions(&lab).await;
    let record = lab.folder.path().join("data/postern.db");
    let folder = lab.end().await;
    let store =
        tokio::task::spawn_blocking(move || postern_store::Store::open(&record).unwrap()).await.unwrap();
    let spoilt = store.write(|conn| {
        let text = r#"[[{"tool":"{","pattern":"*","effect":"allow"}]]"#;
        Ok(conn.execute("UPDATE sessions SET parents = ?1 WHERE session = 's'", [text])?)
    });
    assert_eq!(spoilt.await.unwrap(), 1);
    tokio::task::spawn_blocking(move || store.close()).await.unwrap();
    let lab = Lab::in_folder(folder).await;
    let mut wire = lab.connect("main").await;
    let verdict = wire.call("tool.check", json!({"tool": "lint", "session": "s"})).await.unwrap();
    assert_eq!(verdict["decision"], "deny", "{verdict}");
}
