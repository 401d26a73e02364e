use super::{Desk, HOLD, SETTLE, ShownArming};
use postern_contract::methods::Arming;
use postern_contract::{Answer, AnswerParams, NotApplied, Question};
use postern_policy::RiskLevel;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

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

/// Returns a desk whose question is laid out, visible, seen to its end and armed.
fn armed() -> Desk {
    let mut desk = Desk::default();
    assert!(desk.waiting(Some(question("q1", "d1"))), "the first question is another one than none");
    desk.laid_out(false, Instant::now());
    desk.set_visible(true, Instant::now());
    desk.end_seen();
    let report = desk.report().unwrap();
    assert!(report.visible && report.end_seen, "what was shown is reported");
    desk.armed(&report, Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
    assert_eq!(desk.arming(), ShownArming::Armed);
    desk
}

#[test]
fn a_hidden_window_has_shown_no_end() {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")));
    desk.laid_out(false, Instant::now());
    desk.end_seen();
    assert!(!desk.report().unwrap().end_seen, "nobody saw a window that was not on the screen");
}

#[test]
fn every_change_starts_arming_over() {
    type Change = fn(&mut Desk);
    let changes: [(&str, Change); 5] = [
        ("the card for Always", |desk| desk.laid_out(true, Instant::now())),
        ("moved, resized or focus changed", Desk::changed),
        ("hidden and shown again", |desk| {
            desk.set_visible(false, Instant::now());
            desk.set_visible(true, Instant::now());
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
        assert_ne!(desk.arming(), ShownArming::Armed, "{what}: Allow is dead again");
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
    assert_eq!(desk.arming(), ShownArming::Armed, "an agent cannot keep Allow dead by asking on");
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
    assert_eq!(desk.arming(), ShownArming::Unseen, "it was about what was on show before the change");
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
fn no_answer_counts_in_the_first_moment_that_a_question_is_on_show() {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")));
    let (start, deny) = (Instant::now(), AnswerParams::new("q1", "d1", Answer::Deny));
    assert_eq!(desk.check(&deny, false, start), Err(NotApplied::TooSoon), "nobody has seen it");
    desk.laid_out(false, start);
    desk.set_visible(true, start);
    let early = start + SETTLE.checked_sub(Duration::from_millis(1)).unwrap();
    assert_eq!(
        desk.check(&deny, false, early),
        Err(NotApplied::TooSoon),
        "the key was meant for another question"
    );
    assert_eq!(desk.check(&deny, false, start + SETTLE), Ok(()));
    desk.laid_out(true, start + SETTLE);
    assert_eq!(desk.check(&deny, false, start + SETTLE), Ok(()), "it is the same question at another height");
    desk.waiting(Some(question("q2", "d2")));
    desk.laid_out(false, start + SETTLE);
    let next = AnswerParams::new("q2", "d2", Answer::Deny);
    assert_eq!(
        desk.check(&next, false, start + SETTLE),
        Err(NotApplied::TooSoon),
        "the next one starts over"
    );
}

/// Returns an armed desk with a dangerous question, and the time from which its answers count.
fn dangerous() -> (Desk, Instant) {
    let mut desk = armed();
    if let Some(question) = &mut desk.question {
        question.risk.level = RiskLevel::Dangerous;
    }
    (desk, Instant::now() + SETTLE)
}

#[test]
fn a_dangerous_yes_counts_only_after_it_was_held() {
    let yes = AnswerParams::new("q1", "d1", Answer::Once);
    let (mut desk, now) = dangerous();
    assert_eq!(desk.check(&yes, true, now), Err(NotApplied::NotHeld), "a click is not a hold");
    assert_eq!(desk.check(&AnswerParams::new("q1", "d1", Answer::Deny), true, now), Ok(()));
    assert!(desk.hold(now));
    let early = now + HOLD.checked_sub(Duration::from_millis(1)).unwrap();
    assert_eq!(desk.check(&yes, true, early), Err(NotApplied::NotHeld), "a moment too early");
    assert_eq!(desk.check(&yes, true, now + HOLD), Ok(()));
    desk.let_go();
    assert_eq!(desk.check(&yes, true, now + HOLD), Err(NotApplied::NotHeld), "it was let go");
    assert!(desk.hold(now));
    desk.changed();
    assert_eq!(desk.check(&yes, true, now + HOLD), Err(NotApplied::NotHeld), "something changed meanwhile");
    assert!(!desk.hold(now + HOLD), "what is not armed cannot be held");
}

#[test]
fn a_dangerous_yes_counts_at_the_second_press_once_it_is_armed_again() {
    let yes = AnswerParams::new("q1", "d1", Answer::Always);
    let (mut desk, now) = dangerous();
    assert!(desk.press(now));
    assert_eq!(desk.check(&yes, true, now), Err(NotApplied::NotHeld), "two presses in a row are one");
    let report = desk.report().unwrap();
    desk.armed(&report, Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
    assert_eq!(desk.check(&yes, true, now), Ok(()));
    desk.changed();
    let report = desk.report().unwrap();
    desk.armed(&report, Arming { armed: true, remaining_ms: Some(0), missing: String::new() });
    assert_eq!(desk.check(&yes, true, now), Err(NotApplied::NotHeld), "a change takes the first press back");
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
