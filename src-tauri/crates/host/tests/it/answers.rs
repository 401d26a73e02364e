//! Tests of answers: the ones that count, the ones that do not, and what they mean for what waits beside
//! them.

use crate::support::{Lab, shown};
use postern_contract::methods::Presented;
use postern_contract::{Answer, AnswerParams, ClosedBy, Question};
use postern_host::ConnectedApproverKind;
use postern_policy::{NothingToSave, RiskLevel};
use serde_json::{Value, json};

#[tokio::test]
async fn an_answer_names_what_was_shown_and_counts_once() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    let other = lab.answer_to(&question, "once", json!({"digest": "0".repeat(64)})).await;
    assert_eq!(other["applied"], false, "another digest is another question: {other}");
    let first = lab.answer_to(&question, "once", json!({})).await;
    let second = lab.answer_to(&question, "deny", json!({})).await;
    assert_eq!((&first["applied"], &second["applied"]), (&json!(true), &json!(false)), "the first counts");
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n");
}

#[tokio::test]
async fn a_question_is_found_by_its_code() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (call, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    assert_eq!(question.code.len(), 4, "what people type");
    lab.answer_to(&question, "once", json!({"questionId": question.code})).await;
    assert_eq!(wire.answer(call).await.unwrap()["exitCode"], 0);
}

#[tokio::test]
async fn a_windows_yes_counts_only_when_it_was_armed() {
    let (lab, window, mut wire, call, question) =
        Lab::asking(ConnectedApproverKind::Window, &["echo", "hi"]).await;
    let gate = lab.host.gate();
    let early = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(!early.applied, "it was never shown there");
    let seen = shown(&question);
    let beginning = Presented { end_seen: false, ..seen.clone() };
    let arming = gate.presented(window.id(), beginning).await.unwrap();
    assert!(!arming.armed, "its end was not seen: {arming:?}");
    let early = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(!early.applied, "a click before arming does nothing: {early:?}");
    lab.arm(&window, &question).await;
    let armed = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(armed.applied, "{armed:?}");
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n");
}

#[tokio::test]
async fn the_same_plan_asked_twice_is_one_question() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (first, question) = lab.ask(&mut wire, &["echo", "hi"]).await;
    wire.event("exec.pending").await;
    let (_, second) = wire.post_run(&["echo", "hi"], json!({})).await;
    assert_eq!(wire.event("exec.pending").await["position"], 1, "it joins the first");
    let listed = lab.control("questions.list", json!({})).await.unwrap();
    assert_eq!(listed["questions"].as_array().unwrap().len(), 1, "{listed}");
    lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(wire.answer(first).await.unwrap()["stdout"], "hi\n", "one yes is one run");
    let rest = lab.question().await;
    assert_eq!(
        (rest.requests.len(), rest.digest == question.digest),
        (1, true),
        "the other is asked about again"
    );
    assert_ne!((&rest.id, &rest.code), (&question.id, &question.code), "as a question of its own");
    lab.answer_to(&rest, "once", json!({})).await;
    assert_eq!(wire.answer(second).await.unwrap()["stdout"], "hi\n");
}

#[tokio::test]
async fn a_yes_to_several_names_them_and_covers_nobody_else() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (first, _) = lab.ask(&mut wire, &["echo", "hi"]).await;
    let (_, second) = wire.post_run(&["echo", "hi"], json!({})).await;
    let seen = lab.changed(|question| question.requests.len() == 2).await;
    let (_, third) = wire.post_run(&["echo", "hi"], json!({})).await;
    lab.changed(|question| question.requests.len() == 3).await;
    lab.answer_to(&seen, "once", json!({"requests": seen.requests})).await;
    for call in [first, second] {
        assert_eq!(wire.answer(call).await.unwrap()["stdout"], "hi\n");
    }
    let rest = lab.question().await;
    assert!(!seen.requests.contains(&rest.requests[0]), "who came later waits");
    let nobody = lab.answer_to(&rest, "once", json!({"requests": seen.requests})).await;
    assert_eq!(nobody["applied"], false, "{nobody}");
    lab.answer_to(&rest, "deny", json!({})).await;
    assert_eq!(wire.answer(third).await.unwrap()["reason"], "user");
}

#[tokio::test]
async fn always_answers_what_waits_and_is_covered_now() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (first, question) = lab.ask(&mut wire, &["basename", "/a/b"]).await;
    let (covered, other) = lab.ask(&mut wire, &["basename", "/c/d"]).await;
    let (uncovered, still) = lab.ask(&mut wire, &["dirname", "/c/d"]).await;
    let answered = lab.answer_to(&question, "always", json!({"proposal": "path"})).await;
    assert_eq!(answered["also"], json!([other.code]), "{answered}");
    assert_eq!(wire.answer(first).await.unwrap()["stdout"], "b\n");
    assert_eq!(wire.answer(covered).await.unwrap()["stdout"], "d\n", "without another click");
    lab.answer_to(&still, "deny", json!({})).await;
    assert_eq!(wire.answer(uncovered).await.unwrap()["reason"], "user", "what is not covered still waits");
}

#[tokio::test]
async fn a_new_deny_rule_denies_what_waits() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (call, _) = lab.ask(&mut wire, &["basename", "/a/b"]).await;
    lab.rule("deny", None, "basename *").await;
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "denylist", "{denied}");
}

#[tokio::test]
async fn deny_always_saves_a_rule_and_deny_all_lasts() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (_, call) = wire.post_run(&["basename", "/a/b"], json!({})).await;
    lab.answer("deny-always", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    assert_eq!(wire.run(&["basename", "/a/b"]).await["reason"], "denylist", "nobody is asked again");

    lab.rule("allow", Some("main"), "/usr/bin/uname").await;
    let (_, call) = wire.post_run(&["dirname", "/a/b"], json!({})).await;
    lab.answer("deny-all", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    let denied = wire.run(&["uname"]).await;
    assert_eq!(denied["reason"], "user", "not even what a rule allows: {denied}");
    assert!(denied["retryAfterMs"].as_u64().is_some_and(|left| left > 0), "{denied}");
}

#[tokio::test]
async fn refusals_count_for_nothing() {
    let (mut lab, mut wire) = Lab::connected().await;
    for number in 1..=7 {
        let (_, call) = wire.post_run(&["echo", &number.to_string()], json!({})).await;
        lab.answer("deny", json!({"feedback": "use fetch instead"})).await;
        assert_eq!(wire.answer(call).await.unwrap()["reason"], "user", "question {number} was asked");
    }
}

#[tokio::test]
async fn deny_all_takes_what_waits_behind_the_questions_as_well() {
    let (mut lab, mut wire) = Lab::connected().await;
    let mut calls = Vec::new();
    for number in 0..15 {
        calls.push(wire.post_run(&["echo", &number.to_string()], json!({})).await.1);
    }
    lab.answer("deny-all", json!({})).await;
    for call in calls {
        assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
    }
}

#[tokio::test]
async fn nobody_answering_is_the_fallback() {
    let (mut lab, mut wire) = Lab::with(&[("approvalTimeout", "10s")]).await;
    let (unseen, _) = lab.ask(&mut wire, &["echo", "unseen"]).await;
    lab.set("main", &[("fallback", "full"), ("confirm", "yes")]).await;
    let denied = wire.answer(unseen).await.unwrap();
    assert_eq!(denied["reason"], "expired", "nobody could have seen it: {denied}");
    assert_eq!(lab.closed().await, ClosedBy::Expired);

    let (seen, _) = lab.ask(&mut wire, &["echo", "seen"]).await;
    lab.control("questions.list", json!({})).await.unwrap();
    let done = wire.answer(seen).await.unwrap();
    assert_eq!(done["stdout"], "seen\n", "{done}");
    assert_eq!(wire.event("exec.started").await["by"], "fallback");
}

#[tokio::test]
async fn a_question_is_kept_for_later_and_answered_then() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (call, question) = lab.ask(&mut wire, &["echo", "later"]).await;
    let kept = lab.control("questions.later", json!({"questionId": question.id})).await.unwrap();
    assert_eq!(kept["applied"], true, "{kept}");
    let half_an_hour = 30 * 60 * 1000;
    lab.changed(|question| question.expires_at == question.asked_at + half_an_hour).await;
    lab.answer_to(&question, "once", json!({})).await;
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "later\n");
    let gone = lab.control("questions.later", json!({"questionId": question.id})).await.unwrap();
    assert_eq!(gone["applied"], false, "it waits no more: {gone}");
}

#[tokio::test]
async fn what_is_not_what_was_approved_does_not_run() {
    let mut lab = Lab::start().await;
    let script = lab.home().join("script");
    std::fs::write(&script, "echo approved\n").unwrap();
    let mut wire = lab.connect("main").await;
    let (call, question) = lab.ask(&mut wire, &["/bin/bash", script.to_str().unwrap()]).await;
    std::fs::write(&script, "echo swapped\n").unwrap();
    lab.answer_to(&question, "once", json!({})).await;
    let denied = wire.answer(call).await.unwrap();
    assert_eq!(denied["reason"], "drifted", "{denied}");
}

#[tokio::test]
async fn an_offer_says_how_much_of_the_past_it_would_have_let_through() {
    let (mut lab, mut wire) = Lab::connected().await;
    for argv in [["basename", "/a/1"], ["basename", "/a/2"], ["dirname", "/a/3"]] {
        let (_, call) = wire.post_run(&argv, json!({})).await;
        lab.answer("once", json!({})).await;
        wire.answer(call).await.unwrap();
    }
    let (call, question) = lab.ask(&mut wire, &["basename", "/a/2"]).await;
    assert!(!question.proposals.is_empty(), "something can be saved");
    assert!(question.proposals.iter().all(|offer| offer.would_match.is_none()), "nobody waits for the count");
    let counted =
        lab.changed(|question| question.proposals.iter().all(|offer| offer.would_match.is_some())).await;
    let count = |id: &str| counted.proposals.iter().find(|offer| offer.id == id).unwrap().would_match;
    assert_eq!(count("exact"), Some((1, 3)), "this very command, once before");
    assert_eq!(count("path"), Some((2, 3)), "this program, twice; what waits is not of the past");
    lab.answer_to(&question, "once", json!({})).await;
    wire.answer(call).await.unwrap();
}

#[tokio::test]
async fn a_waiting_question_offers_what_a_new_rule_leaves_open() {
    let (mut lab, mut wire) = Lab::connected().await;
    let params = json!({"requestId": uuid::Uuid::new_v4(), "shell": "basename /a/b && dirname /c/d", "wait": "finished"});
    let call = wire.post("system.run", params).await;
    let question = lab.question().await;
    let steps = |question: &Question| {
        question.proposals.iter().find(|offer| offer.id == "path").map_or(0, |offer| offer.rules.len())
    };
    assert_eq!(steps(&question), 2, "one rule a step: {:?}", question.proposals);
    lab.rule("allow", Some("main"), "/usr/bin/dirname").await;
    let changed = lab.changed(|question| steps(question) == 1).await;
    assert_eq!(changed.id, question.id, "it is the same question");
    let late = lab.answer_to(&question, "always", json!({"proposal": "path"})).await;
    assert_eq!(late["applied"], false, "more would be saved than is on show: {late}");
    let answered = lab.answer_to(&changed, "always", json!({"proposal": "path"})).await;
    assert_eq!(answered["applied"], true, "{answered}");
    assert_eq!(wire.answer(call).await.unwrap()["stdout"], "b\n/c\n");
    let rules = lab.control("rules.list", json!({"agent": "main"})).await.unwrap();
    let saved: Vec<_> = rules["rules"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["from"] == "always")
        .map(|row| row["text"].clone())
        .collect();
    assert_eq!(saved, ["/usr/bin/basename"], "only what was open is saved: {rules}");
}

#[tokio::test]
async fn an_answer_says_what_it_saved_and_an_always_that_saves_nothing_says_why() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (_, allowed) = wire.post_run(&["basename", "/a/b"], json!({})).await;
    let (_, answered) = lab.answer("always", json!({"proposal": "exact"})).await;
    let saved = &answered["saved"][0];
    assert_eq!((&saved["rule"], &saved["pinned"]), (&json!("basename /a/b"), &json!(true)), "{answered}");
    assert_eq!(saved["place"]["in"], "folder", "{answered}");
    assert_eq!(wire.answer(allowed).await.unwrap()["outcome"], "exited");
    let (_, denied) = wire.post_run(&["dirname", "/a/b"], json!({})).await;
    let (_, answered) = lab.answer("deny-always", json!({})).await;
    let rule =
        json!({"rule": "dirname /a/b", "place": {"in": "anywhere"}, "pinned": false, "ownShell": false});
    assert_eq!(answered["saved"], json!([rule]), "{answered}");
    assert_eq!(wire.answer(denied).await.unwrap()["reason"], "user");
    let writing = format!("uname > {}$(id -u)", lab.home().join("out").display());
    let (_, once) = wire.post_run(&["sh", "-c", &writing], json!({})).await;
    let (question, answered) = lab.answer("always", json!({"proposal": "exact"})).await;
    assert_eq!(question.why_unsaved(), NothingToSave::Unread, "it is told before: {question:?}");
    assert_eq!((&answered["applied"], &answered["notSaved"]), (&json!(true), &json!("unread")), "{answered}");
    assert_eq!(answered["saved"], json!([]));
    assert_eq!(wire.answer(once).await.unwrap()["outcome"], "exited", "it is one run");
}

#[tokio::test]
async fn a_rule_that_allows_more_than_was_shown_is_saved_only_if_the_answer_says_so() {
    let mut lab = Lab::start().await;
    let site = lab.home().join("Projects/site");
    std::fs::create_dir_all(&site).unwrap();
    lab.set("main", &[("folders", site.to_str().unwrap())]).await;
    let mut wire = lab.connect("main").await;
    let (_, call) = wire.post_run(&["git", "push", "origin", "main"], json!({"cwd": site})).await;
    let question = lab.question().await;
    let offered: Vec<_> = question.proposals[0].folders.iter().map(|folder| folder.path.as_str()).collect();
    let projects = site.parent().unwrap().to_str().unwrap();
    assert_eq!(offered, [projects], "the home folder is no choice");
    let with = |more: &Value, answer: &str| {
        let mut params = json!({"questionId": question.id, "digest": question.digest, "answer": answer});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    for (more, added) in [
        (json!({"proposal": "exact", "edited": "git push * main"}), "send data elsewhere"),
        (json!({"proposal": "command", "edited": "git *"}), "run any program"),
        (json!({"proposal": "command", "anywhere": true}), "in every folder"),
        (json!({"proposal": "command", "folder": projects}), "in all of ~/Projects"),
        (json!({"proposal": "command", "folder": "~"}), "in all of ~"),
        (json!({"proposal": "command", "anyInput": true}), "with any input"),
    ] {
        let preview = lab.control("questions.preview", with(&more, "always")).await.unwrap();
        assert!(preview["also"].to_string().contains(added), "{more}: {preview}");
        let answered = lab.answer_to(&question, "always", more.clone()).await;
        assert_eq!(answered["applied"], false, "{more}: {answered}");
        assert!(answered["reason"].as_str().unwrap().contains("more than was shown"), "{answered}");
        assert!(!answered["added"].as_array().unwrap().is_empty(), "{answered}");
    }
    for (more, why) in [
        (json!({"proposal": "command", "edited": "git log *", "broad": true}), "would not cover"),
        (json!({"proposal": "command", "folder": "/usr/lib", "broad": true}), "would not cover"),
        (json!({"proposal": "command", "folder": "site", "broad": true}), "no folder"),
    ] {
        let answered = lab.answer_to(&question, "always", more.clone()).await;
        assert_eq!(answered["applied"], false, "{more}: {answered}");
        assert!(answered["reason"].as_str().unwrap().contains(why), "{more}: {answered}");
        let preview = lab.control("questions.preview", with(&more, "always")).await.unwrap();
        assert!(preview["problem"].as_str().unwrap().contains(why), "{more}: {preview}");
    }
    let plain =
        lab.control("questions.preview", with(&json!({"proposal": "command"}), "always")).await.unwrap();
    assert_eq!((plain.get("also"), &plain["problem"]), (None, &Value::Null), "{plain}");
    let broad = json!({"proposal": "exact", "edited": "git push * main", "broad": true});
    let answered = lab.answer_to(&question, "always", broad).await;
    assert_eq!(answered["applied"], true, "{answered}");
    wire.answer(call).await.unwrap();
    let rules = lab.control("rules.list", json!({"agent": "main", "own": true})).await.unwrap();
    let saved: Vec<_> =
        rules["rules"].as_array().unwrap().iter().filter(|row| row["from"] == "always").collect();
    assert_eq!(saved.len(), 1, "only what was meant was saved: {rules}");
    assert_eq!((&saved[0]["text"], &saved[0]["rule"]["broad"]), (&json!("git push * main"), &json!(true)));
}

#[tokio::test]
async fn a_rule_narrower_than_the_offer_needs_no_word_more_and_keeps_to_its_effects() {
    let (mut lab, mut wire) = Lab::connected().await;
    let (call, question) = lab.ask(&mut wire, &["git", "push", "origin", "main"]).await;
    let more = json!({"proposal": "exact", "edited": "git push origin *"});
    let answered = lab.answer_to(&question, "always", more).await;
    assert_eq!(answered["applied"], true, "{answered}");
    wire.answer(call).await.unwrap();
    let (_, other) = wire.post_run(&["git", "push", "origin", "other"], json!({})).await;
    assert_eq!(wire.answer(other).await.unwrap()["outcome"], "exited", "any branch");
    let (_, asked) = wire.post_run(&["git", "push", "elsewhere", "main"], json!({})).await;
    lab.answer("deny", json!({})).await;
    assert_eq!(wire.answer(asked).await.unwrap()["reason"], "user", "another remote is another effect");
}

#[tokio::test]
async fn a_terminal_that_says_what_it_shows_is_held_to_the_same_arming() {
    let (lab, terminal, mut wire, call, question) =
        Lab::asking(ConnectedApproverKind::Terminal, &["echo", "hi"]).await;
    let gate = lab.host.gate();
    // Its end was not seen: however long that is looked at, nothing arms.
    let beginning = Presented { end_seen: false, ..shown(&question) };
    for answer in [Answer::Once, Answer::Always] {
        let arming = gate.presented(terminal.id(), beginning.clone()).await.unwrap();
        assert!(!arming.armed, "{arming:?}");
        let params = AnswerParams {
            proposal: Some("exact".to_owned()),
            ..AnswerParams::for_question(&question, answer)
        };
        let early = gate.answer(params, terminal.id()).await.unwrap();
        assert!(!early.applied && early.reason.unwrap().contains("not yet"), "{answer:?} comes too early");
    }
    lab.arm(&terminal, &question).await;
    // Anything else on show starts over, however long it was looked at before.
    let hidden = Presented { visible: false, ..shown(&question) };
    assert!(!gate.presented(terminal.id(), hidden).await.unwrap().armed, "it is not to be seen any more");
    let early = lab.answer_from(&terminal, &question, Answer::Once).await;
    assert!(!early.applied, "{early:?}");
    let deny = lab.answer_from(&terminal, &question, Answer::Deny).await;
    assert!(deny.applied, "a no needs no arming: {deny:?}");
    assert_eq!(wire.answer(call).await.unwrap()["reason"], "user");
}

#[tokio::test]
async fn a_dangerous_question_arms_later_and_another_digest_not_at_all() {
    let (lab, window, mut wire, call, question) =
        Lab::asking(ConnectedApproverKind::Window, &["rm", "-r", "-f", "/opt/no-such-folder-of-a-test"])
            .await;
    assert_eq!((question.risk.level, question.arming_ms), (RiskLevel::Dangerous, 1500), "{question:?}");
    let gate = lab.host.gate();
    let seen = shown(&question);
    let arming = gate.presented(window.id(), seen.clone()).await.unwrap();
    assert_eq!(arming.remaining_ms, Some(1500), "longer than a second");
    lab.arm(&window, &question).await;
    let other = Presented { digest: "0".repeat(64), ..seen };
    assert!(!gate.presented(window.id(), other).await.unwrap().armed, "that is not what waits");
    let early = lab.answer_from(&window, &question, Answer::Once).await;
    assert!(!early.applied, "what was shown last is something else: {early:?}");
    lab.answer_from(&window, &question, Answer::Deny).await;
    wire.answer(call).await.unwrap();
}

#[tokio::test]
async fn always_for_one_agent_leaves_the_others_waiting() {
    let mut lab = Lab::start().await;
    lab.control("agents.add", json!({"agent": "other"})).await.unwrap();
    let (mut main, mut other) = (lab.connect("main").await, lab.connect("other").await);
    let (first, question) = lab.ask(&mut main, &["basename", "/a/b"]).await;
    let (second, waiting) = lab.ask(&mut other, &["basename", "/c/d"]).await;
    lab.answer_to(&question, "always", json!({"proposal": "path"})).await;
    assert_eq!(main.answer(first).await.unwrap()["stdout"], "b\n");
    let listed = lab.control("questions.list", json!({})).await.unwrap();
    assert_eq!(listed["questions"][0]["id"], waiting.id, "{listed}");
    lab.answer_to(&waiting, "deny", json!({})).await;
    assert_eq!(other.answer(second).await.unwrap()["reason"], "user");
}
