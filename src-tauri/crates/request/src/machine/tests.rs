//! The laws of a request's life, over random sequences of events, and its diagram, arrow by arrow.

use super::{
    Approved, Exit, RecordEntry, RequestEffect, RequestEnding, RequestEvent, RequestState, RunEnd, Stop,
    Tells, step,
};
use crate::denial::{Denial, Refusal};
use crate::plan::Digest;
use postern_protocol::{AllowedBy, DenyReason, Outcome, RunState};
use proptest::prelude::*;

pub(super) fn denial(reason: DenyReason) -> Denial {
    Denial { reason, ..Refusal::Recorded("no".into()).into() }
}

pub(super) fn digest(name: &str) -> Digest {
    Digest(name.into())
}

/// Effect without the parts that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Did {
    Record(RecordEntry),
    Accept,
    Ask(Digest),
    CloseQuestion,
    Acknowledge,
    Remember,
    Start(AllowedBy, Digest),
    Stop(Stop),
    TellEnded,
}

pub(super) fn did(effect: &RequestEffect) -> Did {
    match effect {
        RequestEffect::Record(entry) => Did::Record(entry.clone()),
        RequestEffect::Accept => Did::Accept,
        RequestEffect::Ask { digest } => Did::Ask(digest.clone()),
        RequestEffect::CloseQuestion => Did::CloseQuestion,
        RequestEffect::Acknowledge => Did::Acknowledge,
        RequestEffect::Remember => Did::Remember,
        RequestEffect::Start(approved) => {
            Did::Start(Approved::allowed_by(approved), approved.digest().clone())
        }
        RequestEffect::Stop(stop) => Did::Stop(*stop),
        RequestEffect::TellEnded => Did::TellEnded,
    }
}

/// Returns the possible events, likely ones more than once. Sequences are drawn as indexes: that is fast, and
/// shrinks well.
pub(super) fn events() -> Vec<RequestEvent> {
    let ask = |name| RequestEvent::JudgedAsk { digest: digest(name) };
    let yes = |name, remember| RequestEvent::AnsweredAllow { digest: digest(name), confined: None, remember };
    vec![
        RequestEvent::JudgedQueue,
        RequestEvent::JudgedQueue,
        ask("b"),
        ask("a"),
        ask("a"),
        ask("b"),
        yes("a", false),
        yes("a", true),
        yes("b", false),
        RequestEvent::AnsweredAllow { digest: digest("a"), confined: Some(digest("c")), remember: true },
        RequestEvent::Started { pid: 5 },
        RequestEvent::Started { pid: 5 },
        RequestEvent::Started { pid: 6 },
        RequestEvent::Exited(Exit::Code(0).into()),
        RequestEvent::Exited(Exit::Signal(9).into()),
        RequestEvent::JudgedAllow { by: AllowedBy::Policy, digest: digest("a") },
        RequestEvent::JudgedAllow { by: AllowedBy::Rule(3), digest: digest("a") },
        RequestEvent::JudgedDeny(denial(DenyReason::Policy)),
        RequestEvent::Edited { digest: digest("b") },
        RequestEvent::Edited { digest: digest("c") },
        RequestEvent::AnsweredDeny(denial(DenyReason::User)),
        RequestEvent::Allowed { by: AllowedBy::Fallback, digest: digest("a") },
        RequestEvent::Allowed { by: AllowedBy::Rule(4), digest: digest("c") },
        RequestEvent::LeftToAgent,
        RequestEvent::Expired(denial(DenyReason::Expired)),
        RequestEvent::Withdrawn(denial(DenyReason::Cancelled)),
        RequestEvent::Drifted(denial(DenyReason::Drifted)),
        RequestEvent::SpawnFailed { message: "no such file".into() },
        RequestEvent::TimedOut,
        RequestEvent::Killed,
        RequestEvent::Shutdown,
    ]
}

/// Returns the digest that `event` approves in `state`; `None` if it approves nothing.
pub(super) fn yes_to<'a>(state: &RequestState, event: &'a RequestEvent) -> Option<&'a Digest> {
    match (state, event) {
        (RequestState::Received | RequestState::Queued, RequestEvent::JudgedAllow { digest, .. })
        | (RequestState::Asking { .. }, RequestEvent::Allowed { digest, .. }) => Some(digest),
        (RequestState::Asking { digest: shown }, RequestEvent::AnsweredAllow { digest, confined, .. }) => {
            (shown == digest).then_some(confined.as_ref().unwrap_or(digest))
        }
        _ => None,
    }
}

/// Effects that begin something, or say something: each needs an entry of the record before it in the same step.
fn needs_record(did: &Did) -> bool {
    match did {
        Did::Accept | Did::Ask(_) | Did::Acknowledge | Did::Remember | Did::Start(..) | Did::TellEnded => {
            true
        }
        // What only ends something never waits for the disk.
        Did::Record(_) | Did::CloseQuestion | Did::Stop(_) => false,
    }
}

#[derive(Default)]
struct Laws {
    /// True if it was judged so that its agent may do it.
    left: bool,
    yes: u32,
    starts: u32,
    started: u32,
    ended: u32,
}

impl Laws {
    fn take(&mut self, before: &RequestState, event: &RequestEvent, after: &RequestState, effects: &[Did]) {
        let yes = yes_to(before, event);
        self.yes += u32::from(yes.is_some());
        self.left |= matches!(
            (before, event),
            (RequestState::Received | RequestState::Queued, RequestEvent::LeftToAgent)
        );
        for (at, effect) in effects.iter().enumerate() {
            if needs_record(effect) {
                let recorded = effects[..at].iter().any(|effect| matches!(effect, Did::Record(_)));
                assert!(recorded, "{effect:?} before its record: {effects:?}");
            }
            match effect {
                Did::Start(_, digest) => {
                    assert_eq!(yes, Some(digest), "{event:?} in {before:?} started it");
                    self.starts += 1;
                }
                Did::Record(entry) => {
                    assert_eq!(&entry.state, after, "what is written down is where it is now");
                    self.started += u32::from(matches!(entry.tells, Some(Tells::Started { .. })));
                }
                Did::TellEnded => self.ended += 1,
                Did::Stop(_) => assert!(self.starts == 1, "a stop of what was never started"),
                Did::Accept | Did::Remember | Did::Ask(_) | Did::CloseQuestion | Did::Acknowledge => {}
            }
        }
        assert!(
            self.starts <= 1 && self.starts <= self.yes,
            "nothing starts without a yes, and at most once"
        );
        assert!(self.started <= self.starts, "told started without a start");
        assert!(self.ended <= 1, "one terminal event");
        let has_ended = matches!(after, RequestState::Ended(_));
        assert_eq!(has_ended, self.ended == 1, "a terminal state and its telling come together");
        match after {
            RequestState::Ended(RequestEnding::Denied(_) | RequestEnding::Failed { .. }) => {
                assert_eq!(self.started, 0, "denied and started exclude each other");
            }
            RequestState::Ended(RequestEnding::Allowed) => {
                assert_eq!(self.started, 0, "what its agent does itself was started");
                assert!(self.yes > 0 || self.left, "nobody let it through");
            }
            RequestState::Ended(RequestEnding::Finished { .. }) => {
                assert_eq!(self.started, 1, "finished without started");
            }
            RequestState::Running { .. } | RequestState::Stopping { .. } => {
                assert_eq!(self.started, 1, "runs untold");
            }
            RequestState::Received | RequestState::Queued | RequestState::Asking { .. } => {
                assert_eq!(self.starts, 0, "early start");
            }
            RequestState::Starting { .. } => assert_eq!(self.starts, 1, "starting without a start"),
        }
        if matches!(before, RequestState::Ended(_)) {
            assert!(before == after && effects.is_empty(), "late {event:?} changed {before:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_over_random_events(drawn in prop::collection::vec(0..30_usize, 0..24)) {
        let table = events();
        let mut laws = Laws::default();
        let mut state = RequestState::Received;
        for event in drawn.into_iter().map(|at| table[at].clone()) {
            let before = state.clone();
            let (after, effects) = step(state, event.clone());
            let effects: Vec<Did> = effects.iter().map(did).collect();
            laws.take(&before, &event, &after, &effects);
            state = after;
        }
    }
}

fn asking() -> RequestState {
    RequestState::Asking { digest: digest("a") }
}

fn starting(stop: Option<Stop>) -> RequestState {
    RequestState::Starting { by: AllowedBy::Person, stop }
}

fn record(state: &RequestState) -> Did {
    Did::Record(RecordEntry { state: state.clone(), tells: None, intends: false })
}

fn tell(state: &RequestState, tells: Tells) -> Did {
    Did::Record(RecordEntry { state: state.clone(), tells: Some(tells), intends: false })
}

fn intend(state: &RequestState) -> Did {
    Did::Record(RecordEntry { state: state.clone(), tells: None, intends: true })
}

fn ended(state: &RequestState) -> [Did; 2] {
    [tell(state, Tells::Ended), Did::TellEnded]
}

fn check(before: RequestState, event: RequestEvent, after: &RequestState, effects: &[Did]) {
    let what = format!("{before:?} + {event:?}");
    let (got, done) = step(before, event);
    assert_eq!(&got, after, "{what}");
    assert_eq!(done.iter().map(did).collect::<Vec<_>>(), effects, "{what}");
}

#[test]
fn the_way_to_a_run() {
    let ask = RequestEvent::JudgedAsk { digest: digest("a") };
    let allowed = RequestState::Starting { by: AllowedBy::Rule(7), stop: None };
    let allow = RequestEvent::JudgedAllow { by: AllowedBy::Rule(7), digest: digest("a") };
    let start = Did::Start(AllowedBy::Rule(7), digest("a"));
    let (intended, taken) = (intend(&allowed), Did::Accept);
    check(RequestState::Received, allow.clone(), &allowed, &[intended.clone(), taken.clone(), start.clone()]);
    check(RequestState::Queued, allow, &allowed, &[intended, start]);
    let asked = [record(&asking()), Did::Ask(digest("a")), tell(&asking(), Tells::Pending)];
    check(RequestState::Queued, ask.clone(), &asking(), &asked);
    let [recorded, opened, told] = asked;
    check(RequestState::Received, ask, &asking(), &[recorded, taken.clone(), opened, told]);
    check(
        RequestState::Received,
        RequestEvent::JudgedQueue,
        &RequestState::Queued,
        &[record(&RequestState::Queued), taken],
    );
    check(RequestState::Queued, RequestEvent::JudgedQueue, &RequestState::Queued, &[]);
    let yes = |remember| RequestEvent::AnsweredAllow { digest: digest("a"), confined: None, remember };
    let start = Did::Start(AllowedBy::Person, digest("a"));
    let once = [Did::CloseQuestion, intend(&starting(None)), Did::Acknowledge, start.clone()];
    check(asking(), yes(false), &starting(None), &once);
    let always = [Did::CloseQuestion, record(&starting(None)), Did::Remember, start];
    check(asking(), yes(true), &starting(None), &always);
    let running = RequestState::Running { pid: 5 };
    let told = [tell(&running, Tells::Started { pid: 5 })];
    check(starting(None), RequestEvent::Started { pid: 5 }, &running, &told);
    let end = RunEnd::from(Exit::Code(3));
    let finished = RequestState::Ended(RequestEnding::Finished { end });
    check(running, RequestEvent::Exited(end), &finished, &ended(&finished));
}

#[test]
fn every_way_to_a_denial() {
    let table = [
        (RequestState::Received, RequestEvent::JudgedDeny(denial(DenyReason::Core)), DenyReason::Core, false),
        (RequestState::Queued, RequestEvent::JudgedDeny(denial(DenyReason::Core)), DenyReason::Core, false),
        (
            RequestState::Received,
            RequestEvent::Withdrawn(denial(DenyReason::Cancelled)),
            DenyReason::Cancelled,
            false,
        ),
        (RequestState::Received, RequestEvent::Killed, DenyReason::Cancelled, false),
        (RequestState::Queued, RequestEvent::Shutdown, DenyReason::Restarted, false),
        (asking(), RequestEvent::Expired(denial(DenyReason::Expired)), DenyReason::Expired, true),
        (asking(), RequestEvent::Withdrawn(denial(DenyReason::Cancelled)), DenyReason::Cancelled, true),
        (asking(), RequestEvent::Killed, DenyReason::Cancelled, true),
        (asking(), RequestEvent::Shutdown, DenyReason::Restarted, true),
        (starting(None), RequestEvent::Drifted(denial(DenyReason::Drifted)), DenyReason::Drifted, false),
    ];
    for (before, event, reason, closes) in table {
        let what = format!("{before:?} + {event:?}");
        let (after, done) = step(before, event);
        match &after {
            RequestState::Ended(RequestEnding::Denied(denial)) => assert_eq!(denial.reason, reason, "{what}"),
            other => panic!("{what} gave {other:?}"),
        }
        let expected: Vec<Did> =
            closes.then_some(Did::CloseQuestion).into_iter().chain(ended(&after)).collect();
        assert_eq!(done.iter().map(did).collect::<Vec<_>>(), expected, "{what}");
    }
    let no = denial(DenyReason::User);
    let denied = RequestState::Ended(RequestEnding::Denied(no.clone()));
    let [recorded, told] = ended(&denied);
    let answered = [Did::CloseQuestion, recorded, Did::Acknowledge, told];
    check(asking(), RequestEvent::AnsweredDeny(no), &denied, &answered);
}

#[test]
fn what_its_agent_does_itself_ends_where_a_run_would_start() {
    let allowed = RequestState::Ended(RequestEnding::Allowed);
    let told = ended(&allowed);
    check(RequestState::Received, RequestEvent::LeftToAgent, &allowed, &told);
    check(starting(None), RequestEvent::LeftToAgent, &allowed, &told);
    check(asking(), RequestEvent::LeftToAgent, &asking(), &[]);
    check(
        RequestState::Running { pid: 5 },
        RequestEvent::LeftToAgent,
        &RequestState::Running { pid: 5 },
        &[],
    );
}

#[test]
fn a_yes_to_another_digest_is_ignored() {
    let other =
        RequestEvent::AnsweredAllow { digest: digest("b"), confined: Some(digest("a")), remember: true };
    check(asking(), other, &asking(), &[]);
}

#[test]
fn a_yes_that_confines_starts_the_confined_plan() {
    let yes =
        RequestEvent::AnsweredAllow { digest: digest("a"), confined: Some(digest("c")), remember: false };
    let start = Did::Start(AllowedBy::Person, digest("c"));
    let did = [Did::CloseQuestion, intend(&starting(None)), Did::Acknowledge, start];
    check(asking(), yes, &starting(None), &did);
}

#[test]
fn a_yes_to_what_was_shown_before_an_edit_is_ignored() {
    let edited = RequestState::Asking { digest: digest("b") };
    let event = RequestEvent::Edited { digest: digest("b") };
    check(asking(), event, &edited, &[tell(&edited, Tells::Pending)]);
    let yes = |name| RequestEvent::AnsweredAllow { digest: digest(name), confined: None, remember: false };
    check(edited.clone(), yes("a"), &edited, &[]);
    let start = Did::Start(AllowedBy::Person, digest("b"));
    let did_all = [Did::CloseQuestion, intend(&starting(None)), Did::Acknowledge, start];
    check(edited, yes("b"), &starting(None), &did_all);
}

#[test]
fn what_is_decided_is_not_edited() {
    for state in
        [RequestState::Received, RequestState::Queued, starting(None), RequestState::Running { pid: 5 }]
    {
        check(state.clone(), RequestEvent::Edited { digest: digest("b") }, &state, &[]);
    }
}

#[test]
fn a_stop_that_comes_before_the_process_is_carried_out_once_there_is_one() {
    check(starting(None), RequestEvent::Killed, &starting(Some(Stop::Killed)), &[]);
    check(starting(Some(Stop::Killed)), RequestEvent::Shutdown, &starting(Some(Stop::Killed)), &[]);
    let stopping = RequestState::Stopping { pid: 5, stop: Stop::Killed };
    let did_all = [Did::Stop(Stop::Killed), tell(&stopping, Tells::Started { pid: 5 })];
    check(starting(Some(Stop::Killed)), RequestEvent::Started { pid: 5 }, &stopping, &did_all);
}

#[test]
fn a_stopped_run_ends_with_the_reason_of_its_stop() {
    let table = [
        (RequestEvent::TimedOut, Stop::TimedOut, Outcome::Timeout),
        (RequestEvent::Killed, Stop::Killed, Outcome::Killed),
        (RequestEvent::Shutdown, Stop::Shutdown, Outcome::Killed),
    ];
    for (event, stop, outcome) in table {
        let stopping = RequestState::Stopping { pid: 5, stop };
        let stopped = [Did::Stop(stop), record(&stopping)];
        check(RequestState::Running { pid: 5 }, event, &stopping, &stopped);
        let finished = RequestState::Ended(RequestEnding::Finished {
            end: RunEnd { outcome, exit: Some(Exit::Code(0)) },
        });
        check(stopping, RequestEvent::Exited(Exit::Code(0).into()), &finished, &ended(&finished));
    }
}

#[test]
fn a_run_that_cannot_start_failed() {
    let failed = RequestState::Ended(RequestEnding::Failed { message: "exec format error".into() });
    let event = RequestEvent::SpawnFailed { message: "exec format error".into() };
    check(starting(None), event, &failed, &ended(&failed));
}

#[test]
fn an_ending_reads_and_writes_what_the_record_has_always_held() {
    let finished = |outcome, exit| RequestEnding::Finished { end: RunEnd { outcome, exit } };
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
        assert_eq!(serde_json::from_str::<RequestEnding>(&text).unwrap(), ending, "{text}");
    }
    let denied = r#"{"kind":"denied","reason":"allowlist-miss","message":"No.","advice":null,"feedback":null,"rule":7,"retryAfterMs":null}"#;
    let read: RequestEnding = serde_json::from_str(denied).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), denied.replace("\"message\"", "\"cause\""));
    assert_eq!(RunState::from(&read), RunState::Denied);
}
