//! The laws of a request's life, over random sequences of events, and its diagram, arrow by arrow.

use super::{Approved, Denial, Effect, Ending, Event, Exit, RunEnd, State, Stop, step};
use crate::plan::Digest;
use postern_protocol::{By, DenyReason, Outcome, RunState};
use proptest::prelude::*;

fn denial(reason: DenyReason) -> Denial {
    Denial { reason, message: "no".into(), advice: None, feedback: None, rule: None, retry_after_ms: None }
}

fn digest(name: &str) -> Digest {
    Digest(name.into())
}

/// What an effect is, without the parts that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Did {
    Record,
    Resolve,
    Ask(Digest),
    CloseQuestion,
    Remember,
    Start(By),
    Stop(Stop),
    TellStarted(u32),
    TellEnded,
}

fn did(effect: &Effect) -> Did {
    match effect {
        Effect::Record => Did::Record,
        Effect::Resolve => Did::Resolve,
        Effect::Ask { digest } => Did::Ask(digest.clone()),
        Effect::CloseQuestion => Did::CloseQuestion,
        Effect::Remember => Did::Remember,
        Effect::Start(approved) => Did::Start(Approved::by(approved).clone()),
        Effect::Stop(stop) => Did::Stop(*stop),
        Effect::TellStarted { pid } => Did::TellStarted(*pid),
        Effect::TellEnded => Did::TellEnded,
    }
}

/// What can happen, likely things more than once. Sequences are drawn as indexes: that is fast, and shrinks well.
fn events() -> Vec<Event> {
    let ask = |name| Event::JudgedAsk { digest: digest(name) };
    let yes = |name, remember| Event::AnsweredAllow { digest: digest(name), remember };
    vec![
        Event::LookedUp,
        Event::LookedUp,
        Event::LookedUp,
        ask("a"),
        ask("a"),
        ask("b"),
        yes("a", false),
        yes("a", true),
        yes("b", false),
        Event::Started { pid: 5 },
        Event::Started { pid: 5 },
        Event::Started { pid: 6 },
        Event::Exited(Exit::Code(0).into()),
        Event::Exited(Exit::Signal(9).into()),
        Event::JudgedAllow(By::Policy),
        Event::JudgedAllow(By::Rule(3)),
        Event::JudgedDeny(denial(DenyReason::Policy)),
        Event::Edited { digest: digest("b") },
        Event::Edited { digest: digest("c") },
        Event::AnsweredDeny(denial(DenyReason::User)),
        Event::Allowed(By::Fallback),
        Event::Allowed(By::Rule(4)),
        Event::Expired(denial(DenyReason::Expired)),
        Event::Withdrawn(denial(DenyReason::Cancelled)),
        Event::Drifted(denial(DenyReason::Drifted)),
        Event::SpawnFailed { message: "no such file".into() },
        Event::TimedOut,
        Event::Killed,
        Event::Shutdown,
    ]
}

/// Whether `event` is a yes to a request in `state`.
fn is_yes(state: &State, event: &Event) -> bool {
    match (state, event) {
        (State::Resolving, Event::JudgedAllow(_)) | (State::Asking { .. }, Event::Allowed(_)) => true,
        (State::Asking { digest: shown }, Event::AnsweredAllow { digest, .. }) => shown == digest,
        _ => false,
    }
}

/// Effects that begin something, or say something: each needs a record before it in the same step.
fn needs_record(did: &Did) -> bool {
    match did {
        Did::Ask(_)
        | Did::CloseQuestion
        | Did::Remember
        | Did::Start(_)
        | Did::TellStarted(_)
        | Did::TellEnded => true,
        // Judging does nothing; a stop never waits for the disk.
        Did::Record | Did::Resolve | Did::Stop(_) => false,
    }
}

#[derive(Default)]
struct Life {
    yes: u32,
    starts: u32,
    started: u32,
    ended: u32,
}

impl Life {
    fn take(&mut self, before: &State, event: &Event, after: &State, effects: &[Did]) {
        let yes = is_yes(before, event);
        self.yes += u32::from(yes);
        for (at, effect) in effects.iter().enumerate() {
            if needs_record(effect) {
                assert!(effects[..at].contains(&Did::Record), "{effect:?} before its record: {effects:?}");
            }
            match effect {
                Did::Start(_) => {
                    assert!(yes, "{event:?} in {before:?} started it, and is no yes");
                    self.starts += 1;
                }
                Did::TellStarted(_) => self.started += 1,
                Did::TellEnded => self.ended += 1,
                Did::Stop(_) => assert!(self.starts == 1, "a stop of what was never started"),
                Did::Record | Did::Resolve | Did::Ask(_) | Did::CloseQuestion | Did::Remember => {}
            }
        }
        assert!(
            self.starts <= 1 && self.starts <= self.yes,
            "nothing starts without a yes, and at most once"
        );
        assert!(self.started <= self.starts, "told started without a start");
        assert!(self.ended <= 1, "one terminal event");
        let has_ended = matches!(after, State::Ended(_));
        assert_eq!(has_ended, self.ended == 1, "a terminal state and its telling come together");
        match after {
            State::Ended(Ending::Denied(_) | Ending::Failed { .. }) => {
                assert_eq!(self.started, 0, "denied and started exclude each other");
            }
            State::Ended(Ending::Finished { .. }) => assert_eq!(self.started, 1, "finished without started"),
            State::Running { .. } | State::Stopping { .. } => assert_eq!(self.started, 1, "runs untold"),
            State::Received | State::Resolving | State::Asking { .. } => {
                assert_eq!(self.starts, 0, "early start");
            }
            State::Starting { .. } => assert_eq!(self.starts, 1, "starting without a start"),
        }
        if matches!(before, State::Ended(_)) {
            assert!(before == after && effects.is_empty(), "late {event:?} changed {before:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_over_random_events(drawn in prop::collection::vec(0..29_usize, 0..24)) {
        let table = events();
        let mut life = Life::default();
        let mut state = State::Received;
        for event in drawn.into_iter().map(|at| table[at].clone()) {
            let before = state.clone();
            let (after, effects) = step(state, event.clone());
            let effects: Vec<Did> = effects.iter().map(did).collect();
            life.take(&before, &event, &after, &effects);
            state = after;
        }
    }
}

fn asking() -> State {
    State::Asking { digest: digest("a") }
}

fn starting(stop: Option<Stop>) -> State {
    State::Starting { by: By::Person, stop }
}

fn check(before: State, event: Event, after: &State, effects: &[Did]) {
    let what = format!("{before:?} + {event:?}");
    let (got, done) = step(before, event);
    assert_eq!(&got, after, "{what}");
    assert_eq!(done.iter().map(did).collect::<Vec<_>>(), effects, "{what}");
}

#[test]
fn the_way_to_a_run() {
    let ask = Event::JudgedAsk { digest: digest("a") };
    check(State::Received, Event::LookedUp, &State::Resolving, &[Did::Resolve]);
    let allowed = State::Starting { by: By::Rule(7), stop: None };
    check(
        State::Resolving,
        Event::JudgedAllow(By::Rule(7)),
        &allowed,
        &[Did::Record, Did::Start(By::Rule(7))],
    );
    check(State::Resolving, ask, &asking(), &[Did::Record, Did::Ask(digest("a"))]);
    let yes = |remember| Event::AnsweredAllow { digest: digest("a"), remember };
    let start = Did::Start(By::Person);
    check(asking(), yes(false), &starting(None), &[Did::Record, Did::CloseQuestion, start.clone()]);
    check(asking(), yes(true), &starting(None), &[Did::Record, Did::CloseQuestion, Did::Remember, start]);
    let told = [Did::Record, Did::TellStarted(5)];
    check(starting(None), Event::Started { pid: 5 }, &State::Running { pid: 5 }, &told);
    let end = RunEnd::from(Exit::Code(3));
    let finished = State::Ended(Ending::Finished { end });
    check(State::Running { pid: 5 }, Event::Exited(end), &finished, &[Did::Record, Did::TellEnded]);
}

#[test]
fn every_way_to_a_denial() {
    let told = vec![Did::Record, Did::TellEnded];
    let closed = vec![Did::Record, Did::CloseQuestion, Did::TellEnded];
    let table = [
        (State::Resolving, Event::JudgedDeny(denial(DenyReason::Core)), DenyReason::Core, &told),
        (State::Resolving, Event::Withdrawn(denial(DenyReason::Cancelled)), DenyReason::Cancelled, &told),
        (State::Received, Event::Killed, DenyReason::Cancelled, &told),
        (State::Resolving, Event::Shutdown, DenyReason::Restarted, &told),
        (asking(), Event::AnsweredDeny(denial(DenyReason::User)), DenyReason::User, &closed),
        (asking(), Event::Expired(denial(DenyReason::Expired)), DenyReason::Expired, &closed),
        (asking(), Event::Withdrawn(denial(DenyReason::Cancelled)), DenyReason::Cancelled, &closed),
        (asking(), Event::Killed, DenyReason::Cancelled, &closed),
        (asking(), Event::Shutdown, DenyReason::Restarted, &closed),
        (starting(None), Event::Drifted(denial(DenyReason::Drifted)), DenyReason::Drifted, &told),
    ];
    for (before, event, reason, effects) in table {
        let what = format!("{before:?} + {event:?}");
        let (after, done) = step(before, event);
        match after {
            State::Ended(Ending::Denied(denial)) => assert_eq!(denial.reason, reason, "{what}"),
            other => panic!("{what} gave {other:?}"),
        }
        assert_eq!(&done.iter().map(did).collect::<Vec<_>>(), effects, "{what}");
    }
}

#[test]
fn a_yes_to_another_digest_is_ignored() {
    let other = Event::AnsweredAllow { digest: digest("b"), remember: true };
    check(asking(), other, &asking(), &[]);
}

#[test]
fn a_yes_to_what_was_shown_before_an_edit_is_ignored() {
    let edited = State::Asking { digest: digest("b") };
    check(asking(), Event::Edited { digest: digest("b") }, &edited, &[Did::Record]);
    let yes = |name| Event::AnsweredAllow { digest: digest(name), remember: false };
    check(edited.clone(), yes("a"), &edited, &[]);
    let did_all = [Did::Record, Did::CloseQuestion, Did::Start(By::Person)];
    check(edited, yes("b"), &starting(None), &did_all);
}

#[test]
fn what_is_decided_is_not_edited() {
    for state in [State::Received, State::Resolving, starting(None), State::Running { pid: 5 }] {
        check(state.clone(), Event::Edited { digest: digest("b") }, &state, &[]);
    }
}

#[test]
fn a_stop_that_comes_before_the_process_is_carried_out_once_there_is_one() {
    check(starting(None), Event::Killed, &starting(Some(Stop::Killed)), &[]);
    check(starting(Some(Stop::Killed)), Event::Shutdown, &starting(Some(Stop::Killed)), &[]);
    let stopping = State::Stopping { pid: 5, stop: Stop::Killed };
    let did_all = [Did::Stop(Stop::Killed), Did::Record, Did::TellStarted(5)];
    check(starting(Some(Stop::Killed)), Event::Started { pid: 5 }, &stopping, &did_all);
}

#[test]
fn a_stopped_run_ends_with_the_reason_of_its_stop() {
    let table = [
        (Event::TimedOut, Stop::TimedOut, Outcome::Timeout),
        (Event::Killed, Stop::Killed, Outcome::Killed),
        (Event::Shutdown, Stop::Shutdown, Outcome::Killed),
    ];
    for (event, stop, outcome) in table {
        let stopping = State::Stopping { pid: 5, stop };
        check(State::Running { pid: 5 }, event, &stopping, &[Did::Stop(stop), Did::Record]);
        let finished = State::Ended(Ending::Finished { end: RunEnd { outcome, exit: Some(Exit::Code(0)) } });
        check(stopping, Event::Exited(Exit::Code(0).into()), &finished, &[Did::Record, Did::TellEnded]);
    }
}

#[test]
fn a_run_that_cannot_start_failed() {
    let failed = State::Ended(Ending::Failed { message: "exec format error".into() });
    let event = Event::SpawnFailed { message: "exec format error".into() };
    check(starting(None), event, &failed, &[Did::Record, Did::TellEnded]);
}

#[test]
fn an_ending_reads_and_writes_what_the_record_has_always_held() {
    let finished = |outcome, exit| Ending::Finished { end: RunEnd { outcome, exit } };
    let table = [
        (finished(Outcome::Exited, Some(Exit::Code(3))), r#"{"kind":"exited","code":3}"#),
        (finished(Outcome::Signalled, Some(Exit::Signal(9))), r#"{"kind":"signalled","signal":9}"#),
        (finished(Outcome::Timeout, None), r#"{"kind":"timeout"}"#),
        (finished(Outcome::Killed, None), r#"{"kind":"killed"}"#),
        (finished(Outcome::Lost, None), r#"{"kind":"lost"}"#),
        (finished(Outcome::Unknown, None), r#"{"kind":"unknown"}"#),
        (finished(Outcome::Killed, Some(Exit::Signal(15))), r#"{"kind":"killed","signal":15}"#),
    ];
    for (ending, outcome) in table {
        let text = format!(r#"{{"kind":"finished","outcome":{outcome}}}"#);
        assert_eq!(serde_json::to_string(&ending).unwrap(), text);
        assert_eq!(serde_json::from_str::<Ending>(&text).unwrap(), ending, "{text}");
    }
    let denied = r#"{"kind":"denied","reason":"allowlist-miss","message":"No.","advice":null,"feedback":null,"rule":7,"retryAfterMs":null}"#;
    let read: Ending = serde_json::from_str(denied).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), denied);
    assert_eq!(RunState::from(&read), RunState::Denied);
}
