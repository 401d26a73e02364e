use super::{Desk, HOLD, ShownArming};
use postern_contract::methods::Arming;
use postern_contract::{Answer, AnswerParams, NotApplied, Question, QuestionName, SETTLE};
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

/// Returns the host's word that a question is armed.
fn armed_report() -> Arming {
    Arming { armed: true, remaining_ms: Some(0), missing: String::new() }
}

/// Reports what is shown, of which the host says that it is armed.
fn arm_again(desk: &mut Desk) {
    let report = desk.reports();
    desk.update_arming(&report, vec![armed_report()]);
}

/// Returns a desk whose question is laid out, visible, seen to its end and armed.
fn armed() -> Desk {
    let mut desk = Desk::default();
    assert!(
        desk.waiting(Some(question("q1", "d1")), Vec::new()),
        "the first question is another one than none"
    );
    desk.laid_out(false, Instant::now());
    desk.set_visible(true, Instant::now());
    desk.end_seen();
    let report = desk.reports();
    assert!(report[0].visible && report[0].end_seen, "what was shown is reported");
    desk.update_arming(&report, vec![armed_report()]);
    assert_eq!(desk.arming(), ShownArming::Armed);
    desk
}

#[test]
fn a_hidden_window_has_shown_no_end() {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")), Vec::new());
    desk.laid_out(false, Instant::now());
    desk.end_seen();
    assert!(!desk.reports()[0].end_seen, "nobody saw a window that was not on the screen");
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
            desk.waiting(
                Some(Question { policy: postern_contract::to_pieces("Ask always"), ..question("q1", "d1") }),
                Vec::new(),
            );
        }),
        ("another question", |desk| {
            desk.waiting(Some(question("q2", "d2")), Vec::new());
        }),
    ];
    for (what, change) in changes {
        let mut desk = armed();
        let before = desk.reports()[0].change;
        change(&mut desk);
        assert_ne!(desk.arming(), ShownArming::Armed, "{what}: Allow is dead again");
        assert!(desk.reports()[0].change > before, "{what}: the host hears of it");
    }
}

#[test]
fn more_that_wait_change_nothing() {
    let mut desk = armed();
    let other = desk.waiting(
        Some(Question { waiting: 7, requests: vec!["r".into(), "s".into()], ..question("q1", "d1") }),
        Vec::new(),
    );
    assert!(!other, "it is the same question");
    assert_eq!(desk.arming(), ShownArming::Armed, "an agent cannot keep Allow dead by asking on");
}

#[test]
fn another_question_has_to_be_seen_anew() {
    let mut desk = armed();
    assert!(
        desk.waiting(Some(question("q1", "d2")), Vec::new()),
        "the same id with another digest is another question"
    );
    let report = desk.reports();
    assert!(!report[0].visible && !report[0].end_seen, "its page has not laid it out yet");
}

#[test]
fn an_old_word_from_the_host_arms_nothing() {
    let mut desk = armed();
    let old = desk.reports();
    desk.changed();
    desk.update_arming(&old, vec![armed_report()]);
    assert_eq!(desk.arming(), ShownArming::Unseen, "it was about what was on show before the change");
}

#[test]
fn an_answer_names_what_is_on_show() {
    let desk = armed();
    let answer = |id: &str, digest: &str| AnswerParams::new(id, digest, Answer::Once);
    assert!(desk.answers(&answer("q1", "d1"), &[]));
    assert!(!desk.answers(&answer("q1", "d2"), &[]), "another digest was not shown");
    assert!(!desk.answers(&answer("q2", "d1"), &[]), "another question was not shown");
}

/// Makes a desk with two questions that are shown as one, seen to their end.
fn two() -> Desk {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")), vec![question("q2", "d2")]);
    desk.laid_out(false, Instant::now());
    desk.set_visible(true, Instant::now());
    desk.end_seen();
    desk
}

fn name(id: &str, digest: &str) -> QuestionName {
    QuestionName { question_id: id.to_owned(), digest: digest.to_owned() }
}

#[test]
fn an_answer_to_several_names_each_with_its_digest() {
    let desk = two();
    let (once, always) =
        (AnswerParams::new("q1", "d1", Answer::Once), AnswerParams::new("q1", "d1", Answer::Always));
    assert!(desk.answers(&once, &[name("q2", "d2")]));
    for others in
        [vec![], vec![name("q2", "d1")], vec![name("q3", "d2")], vec![name("q2", "d2"), name("q3", "d3")]]
    {
        assert!(!desk.answers(&once, &others), "{others:?}");
    }
    assert!(desk.answers(&always, &[]), "a rule is about the first");
    assert!(!desk.answers(&always, &[name("q2", "d2")]));
}

#[test]
fn several_are_armed_only_together() {
    let waits = |remaining_ms| Arming { armed: false, remaining_ms, missing: String::new() };
    for (answers, expected) in [
        (vec![armed_report(), armed_report()], ShownArming::Armed),
        (vec![armed_report(), waits(Some(300))], ShownArming::Counting { left_ms: 300 }),
        (vec![waits(Some(700)), waits(Some(300))], ShownArming::Counting { left_ms: 700 }),
        (vec![waits(None), armed_report()], ShownArming::Unseen),
    ] {
        let mut desk = two();
        let reports = desk.reports();
        assert_eq!(reports.len(), 2, "the host hears of each");
        desk.update_arming(&reports, answers);
        assert_eq!(desk.arming(), expected);
    }
}

#[test]
fn several_that_become_fewer_or_more_are_seen_anew() {
    for others in [vec![], vec![question("q2", "d2"), question("q3", "d3")], vec![question("q2", "e2")]] {
        let mut desk = two();
        let reports = desk.reports();
        desk.update_arming(&reports, vec![armed_report(); 2]);
        assert!(desk.waiting(Some(question("q1", "d1")), others), "it is something else to judge");
        assert_eq!(desk.arming(), ShownArming::Unseen);
        assert!(!desk.reports()[0].end_seen, "its end is another one");
    }
}

#[test]
fn no_answer_counts_in_the_first_moment_that_a_question_is_on_show() {
    let mut desk = Desk::default();
    desk.waiting(Some(question("q1", "d1")), Vec::new());
    let (start, deny) = (Instant::now(), AnswerParams::new("q1", "d1", Answer::Deny));
    assert_eq!(desk.check_answer(&deny, &[], false, start), Err(NotApplied::TooSoon), "nobody has seen it");
    desk.laid_out(false, start);
    desk.set_visible(true, start);
    let early = start + SETTLE.checked_sub(Duration::from_millis(1)).unwrap();
    let got = desk.check_answer(&deny, &[], false, early);
    assert_eq!(got, Err(NotApplied::TooSoon), "the key was meant for another question");
    assert_eq!(desk.check_answer(&deny, &[], false, start + SETTLE), Ok(()));
    desk.laid_out(true, start + SETTLE);
    let got = desk.check_answer(&deny, &[], false, start + SETTLE);
    assert_eq!(got, Ok(()), "it is the same question at another height");
    desk.waiting(Some(question("q2", "d2")), Vec::new());
    desk.laid_out(false, start + SETTLE);
    let next = AnswerParams::new("q2", "d2", Answer::Deny);
    let got = desk.check_answer(&next, &[], false, start + SETTLE);
    assert_eq!(got, Err(NotApplied::TooSoon), "the next one starts over");
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
    assert_eq!(desk.check_answer(&yes, &[], true, now), Err(NotApplied::NotHeld), "a click is not a hold");
    assert_eq!(desk.check_answer(&AnswerParams::new("q1", "d1", Answer::Deny), &[], true, now), Ok(()));
    assert!(desk.begin_hold(now));
    let early = now + HOLD.checked_sub(Duration::from_millis(1)).unwrap();
    assert_eq!(desk.check_answer(&yes, &[], true, early), Err(NotApplied::NotHeld), "a moment too early");
    assert_eq!(desk.check_answer(&yes, &[], true, now + HOLD), Ok(()));
    desk.let_go();
    assert_eq!(desk.check_answer(&yes, &[], true, now + HOLD), Err(NotApplied::NotHeld), "it was let go");
    assert!(desk.begin_hold(now));
    desk.changed();
    let got = desk.check_answer(&yes, &[], true, now + HOLD);
    assert_eq!(got, Err(NotApplied::NotHeld), "something changed meanwhile");
    assert!(!desk.begin_hold(now + HOLD), "what is not armed cannot be held");
}

#[test]
fn a_dangerous_yes_counts_at_the_second_press_once_it_is_armed_again() {
    let yes = AnswerParams::new("q1", "d1", Answer::Always);
    let (mut desk, now) = dangerous();
    assert!(desk.record_press(now));
    let got = desk.check_answer(&yes, &[], true, now);
    assert_eq!(got, Err(NotApplied::NotHeld), "two presses in a row are one");
    arm_again(&mut desk);
    assert_eq!(desk.check_answer(&yes, &[], true, now), Ok(()));
    desk.changed();
    arm_again(&mut desk);
    let got = desk.check_answer(&yes, &[], true, now);
    assert_eq!(got, Err(NotApplied::NotHeld), "a change takes the first press back");
}

#[test]
fn a_broad_rule_is_saved_at_the_second_press_once_it_is_armed_again() {
    let broad = AnswerParams { broad: true, ..AnswerParams::new("q1", "d1", Answer::Always) };
    let (mut desk, now) = dangerous();
    assert_eq!(desk.check_answer(&broad, &[], false, now), Err(NotApplied::BroadOnce), "one press is none");
    assert!(desk.record_press(now));
    let got = desk.check_answer(&broad, &[], false, now);
    assert_eq!(got, Err(NotApplied::BroadOnce), "two in a row are one");
    arm_again(&mut desk);
    assert_eq!(desk.check_answer(&broad, &[], false, now), Ok(()));
}
