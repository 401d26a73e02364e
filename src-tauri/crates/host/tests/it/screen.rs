//! A screen that nobody can be in front of: what windows show there counts for nothing.

use crate::support::{Lab, shown};
use postern_contract::Answer;
use postern_host::ConnectedApproverKind;
use postern_host::session::ScreenPresence;
use serde_json::{Value, json};

#[tokio::test]
async fn a_windows_yes_does_not_count_while_the_screen_is_locked() {
    let (lab, window, mut wire, call, question) =
        Lab::asking(ConnectedApproverKind::Window, &["echo", "hi"]).await;
    let gate = lab.host.gate();
    lab.arm(&window, &question).await;
    for presence in [ScreenPresence::Locked, ScreenPresence::Away] {
        lab.screen.set(presence);
        let refused = lab.answer_from(&window, &question, Answer::Once).await;
        assert!(!refused.applied, "{presence:?}: {refused:?}");
        assert!(refused.reason.is_some_and(|why| why.contains("screen")), "{presence:?}: it says why");
        let arming = gate.presented(window.id(), shown(&question)).await.unwrap();
        assert!(
            !arming.armed && arming.remaining_ms.is_some(),
            "{presence:?}: to be asked again: {arming:?}"
        );
    }
    lab.screen.set(ScreenPresence::Present);
    let early = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(!early.applied, "what was shown before the lock does not count: {early:?}");
    lab.arm(&window, &question).await;
    let allowed = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(allowed.applied, "{allowed:?}");
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n");
}

#[tokio::test]
async fn a_lock_that_no_window_noticed_starts_arming_over() {
    let (lab, window, mut wire, call, question) =
        Lab::asking(ConnectedApproverKind::Window, &["echo", "hi"]).await;
    lab.arm(&window, &question).await;
    lab.screen.seen_as(ScreenPresence::Locked).await;
    // Answered behind the look: the gate does one thing after the other.
    lab.host.gate().counts().await.unwrap();
    lab.screen.set(ScreenPresence::Present);
    let early = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(!early.applied, "{early:?}");
    let denied = lab.answer_from(&window, &question, Answer::Deny).await;
    assert!(denied.applied, "a no needs no arming: {denied:?}");
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
}

#[tokio::test]
async fn a_question_that_waited_behind_another_one_in_the_window_has_its_time_from_first_sight() {
    let mut lab = Lab::start().await;
    lab.set("main", &[("approvalTimeout", "10s")]).await;
    lab.face = lab.host.add_approver(ConnectedApproverKind::Window);
    let mut wire = lab.connect("main").await;
    let (first_call, first) = lab.ask(&mut wire, &["echo", "first"]).await;
    let (second_call, second) = lab.ask(&mut wire, &["echo", "second"]).await;
    let gate = lab.host.gate();
    gate.presented(lab.face.id(), shown(&first)).await.unwrap();
    assert_eq!(
        wire.answer(first_call).await.unwrap()["reason"],
        "expired",
        "it was seen, and nobody answered"
    );
    gate.presented(lab.face.id(), shown(&second)).await.unwrap();
    let listed = lab.control("questions.list", json!({})).await.unwrap();
    let now = &listed["questions"][0];
    assert_eq!(now["id"], second.id.as_str(), "nobody could see it before: it waits");
    assert!(now["expiresAt"].as_i64().unwrap() > second.expires_at, "its time begins now: {now}");
    let denied = wire.answer(second_call).await.unwrap();
    assert_eq!(denied["reason"], "expired", "and ends: {denied}");
}

#[tokio::test]
async fn a_question_that_only_a_locked_screen_showed_is_denied_whatever_the_fallback() {
    let mut lab = Lab::start().await;
    lab.set("main", &[("approvalTimeout", "10s"), ("fallback", "full"), ("confirm", "yes")]).await;
    lab.face = lab.host.add_approver(ConnectedApproverKind::Window);
    let mut wire = lab.connect("main").await;
    let (unshown, first) = lab.ask(&mut wire, &["echo", "unshown"]).await;
    let (shown_before, second) = lab.ask(&mut wire, &["echo", "shown before"]).await;
    let gate = lab.host.gate();
    gate.presented(lab.face.id(), shown(&second)).await.unwrap();
    lab.screen.set(ScreenPresence::Locked);
    lab.control("questions.list", json!({})).await.unwrap();
    gate.presented(lab.face.id(), shown(&first)).await.unwrap();
    let denied = wire.answer(unshown).await.unwrap();
    assert_eq!(denied["reason"], "cannot-present", "{denied}");
    assert!(denied["message"].as_str().is_some_and(|why| why.contains("locked")), "{denied}");
    let denied = wire.answer(shown_before).await.unwrap();
    assert_eq!(denied["reason"], "expired", "the person had seen it, but was not there at the end: {denied}");
}

#[tokio::test]
async fn a_question_that_nobody_was_there_for_could_not_be_shown() {
    let (mut lab, mut wire) = Lab::with(&[("approvalTimeout", "10s")]).await;
    let (call, _) = lab.ask(&mut wire, &["echo", "hi"]).await;
    // The only face leaves.
    drop(lab.face);
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "cannot-present", "{denied}");
}

#[tokio::test]
async fn a_locked_screen_denies_at_once_unless_somebody_paired_can_answer_or_the_person_wants_otherwise() {
    let mut lab = Lab::start().await;
    let settings = lab.control("settings.get", json!({})).await.unwrap();
    assert_eq!(settings["denyWhenLocked"], true, "it is so from the start");
    lab.screen.set(ScreenPresence::Locked);
    let mut wire = lab.connect("main").await;
    let denied = wire.run(&["echo", "hi"]).await;
    assert_eq!(denied["reason"], "cannot-present", "{denied}");
    let phone = lab.host.add_approver(ConnectedApproverKind::Remote);
    let (call, question) = lab.ask(&mut wire, &["echo", "paired"]).await;
    let refused = lab.answer_from(&lab.face, &question, Answer::Once).await;
    assert!(!refused.applied, "a terminal of this screen: {refused:?}");
    let allowed = lab.answer_from(&phone, &question, Answer::Once).await;
    assert!(allowed.applied, "{allowed:?}");
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "paired\n");
    drop(phone);
    let mut wanted = settings;
    wanted["denyWhenLocked"] = false.into();
    lab.control("settings.set", wanted).await.unwrap();
    let (_, call) = wire.post_run(&["echo", "hi"], json!({})).await;
    lab.answer("once", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n", "the terminal may answer then");
}

#[tokio::test]
async fn a_window_that_could_not_show_a_question_is_named_until_one_answers() {
    let mut lab = Lab::start().await;
    lab.set("main", &[("approvalTimeout", "10s"), ("fallback", "full")]).await;
    let window = lab.host.add_approver(ConnectedApproverKind::Window);
    let gate = lab.host.gate().clone();
    let mut wire = lab.connect("main").await;
    let named = |status: &Value| {
        status["attention"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["kind"] == "window" && one["since"].is_i64())
    };
    let (_, lost) = wire.post_run(&["echo", "lost"], json!({})).await;
    let question = lab.question().await;
    lab.arm(&window, &question).await;
    gate.cannot_present(window.id(), question.id.clone(), "its page crashed".to_owned()).await.unwrap();
    lab.status(named).await;
    let denied = wire.answer(lost).await.unwrap();
    assert_eq!(denied["reason"], "cannot-present", "silence allows nothing where it was not shown: {denied}");
    let (_, call) = wire.post_run(&["echo", "seen"], json!({})).await;
    let question = lab.question().await;
    lab.arm(&window, &question).await;
    assert!(named(&lab.control("status", json!({})).await.unwrap()), "that one is shown proves nothing yet");
    assert!(lab.answer_from(&window, &question, Answer::Once).await.applied);
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "seen\n");
    lab.status(|status| !named(status)).await;
}
