use super::{Desk, ShownArming};
use postern_contract::methods::Arming;
use postern_contract::{Answer, AnswerParams, Question};
use serde_json::json;

pub(crate) fn question(id: &str, digest: &str) -> Question {
    serde_json::from_value(json!({
        "id": id, "code": "9f3a", "digest": digest, "requests": ["r"],
        "asker": {"agent": "builder", "name": [], "color": "#7a5af8", "knownBy": [], "session": null, "says": null},
        "command": [], "line": "git push", "argv": null, "shell": false, "steps": [], "programs": [], "cwd": [], "env": [],
        "stdin": null, "headline": [], "why": [], "rule": null, "policy": [],
        "risk": {"level": "safe", "reasons": []}, "proposals": [], "askedAt": 0, "expiresAt": 120_000,
        "atZero": [], "armingMs": 1000, "waiting": 0
    }))
    .unwrap()
}

/// A desk whose question is laid out, visible, seen to its end and armed.
fn armed() -> Desk {
    let mut desk = Desk::default();
    assert!(desk.waiting(Some(question("q1", "d1"))), "the first question is another one than none");
    desk.laid_out();
    desk.set_visible(true);
    desk.end_seen();
    let report = desk.report().unwrap();
    assert!(report.visible && report.end_seen, "what was shown is reported");
    desk.armed(&report, Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
    assert_eq!(desk.showing().arming, ShownArming::Armed);
    desk
}

#[test]
fn a_hidden_window_has_shown_no_end() {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")));
    desk.laid_out();
    desk.end_seen();
    assert!(!desk.report().unwrap().end_seen, "nobody saw a window that was not on the screen");
}

#[test]
fn every_change_starts_arming_over() {
    type Change = fn(&mut Desk);
    let changes: [(&str, Change); 4] = [
        ("moved, resized or focus changed", Desk::changed),
        ("hidden and shown again", |desk| {
            desk.set_visible(false);
            desk.set_visible(true);
        }),
        ("other content", |desk| {
            desk.waiting(Some(Question {
                policy: postern_contract::shown("Ask always"),
                ..question("q1", "d1")
            }));
        }),
        ("another question", |desk| {
            desk.waiting(Some(question("q2", "d2")));
        }),
    ];
    for (what, change) in changes {
        let mut desk = armed();
        let before = desk.report().unwrap().change;
        change(&mut desk);
        assert_ne!(desk.showing().arming, ShownArming::Armed, "{what}: Allow is dead again");
        assert!(desk.report().unwrap().change > before, "{what}: the host hears of it");
    }
}

#[test]
fn more_that_wait_change_nothing() {
    let mut desk = armed();
    let other = desk.waiting(Some(Question {
        waiting: 7,
        requests: vec!["r".into(), "s".into()],
        ..question("q1", "d1")
    }));
    assert!(!other, "it is the same question");
    assert_eq!(desk.showing().arming, ShownArming::Armed, "an agent cannot keep Allow dead by asking on");
}

#[test]
fn another_question_has_to_be_seen_anew() {
    let mut desk = armed();
    assert!(desk.waiting(Some(question("q1", "d2"))), "the same id with another digest is another question");
    let report = desk.report().unwrap();
    assert!(!report.visible && !report.end_seen, "its page has not laid it out yet");
}

#[test]
fn an_old_word_from_the_host_arms_nothing() {
    let mut desk = armed();
    let old = desk.report().unwrap();
    desk.changed();
    desk.armed(&old, Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
    assert_eq!(desk.showing().arming, ShownArming::Unseen, "it was about what was on show before the change");
}

#[test]
fn an_answer_names_what_is_on_show() {
    let desk = armed();
    let answer = |id: &str, digest: &str| AnswerParams::new(id, digest, Answer::Once);
    assert!(desk.answers(&answer("q1", "d1")));
    assert!(!desk.answers(&answer("q1", "d2")), "another digest was not shown");
    assert!(!desk.answers(&answer("q2", "d1")), "another question was not shown");
}

#[test]
fn an_offer_is_of_the_question_on_show() {
    let mut desk = Desk::default();
    let rule =
        json!({"pattern": {"kind": "command", "value": "git push *"}, "text": "git push *", "pinned": false});
    let proposals = json!([{"id": "command", "label": [], "rules": [rule], "wouldMatch": null}]);
    let proposals = serde_json::from_value(proposals).unwrap();
    desk.waiting(Some(Question { proposals, ..question("q1", "d1") }));
    let offer = |digest: &str, edited: Option<&str>, scope: &str| {
        let offer = json!({"questionId": "q1", "digest": digest, "proposal": "command", "edited": edited, "scope": scope});
        desk.draft_of(&serde_json::from_value(offer).unwrap())
    };
    let draft = offer("d1", None, "agent").unwrap();
    assert_eq!((draft.text.as_str(), draft.agent.is_some()), ("git push *", true));
    let edited = offer("d1", Some("git push origin *"), "everyone").unwrap();
    assert_eq!((edited.text.as_str(), edited.agent, edited.kind), ("git push origin *", None, None));
    assert_eq!(offer("d2", None, "agent"), None, "another question was not shown");
}
