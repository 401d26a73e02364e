//! Laws of a request's whole life, over random interleavings of events, failing writes, time, and the end of
//! the host.

use super::tests::{denial, digest, events, yes_to};
use super::{
    Exit, FailedWrite, Life, RecordEntry, RequestEffect, RequestEnding, RequestEvent, RequestState, Tells,
    pause_after,
};
use crate::plan::Digest;
use postern_protocol::{AllowedBy, DenyReason};
use proptest::prelude::*;
use std::time::Duration;

/// Happening beside the events of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Happening {
    /// An index into [`events`], if that event can happen.
    Event(usize),
    /// The write under way is durable.
    Written,
    NotWritten,
    /// The rule is saved.
    Saved,
    NotSaved,
    /// So many milliseconds pass.
    Pass(u16),
    /// The host ends with everything that is not on record, and another one finds what it left.
    Crash,
}

fn happenings() -> BoxedStrategy<Vec<Happening>> {
    let one = prop_oneof![
        12 => (0..events().len()).prop_map(Happening::Event),
        6 => Just(Happening::Written),
        4 => Just(Happening::NotWritten),
        1 => Just(Happening::Saved),
        1 => Just(Happening::NotSaved),
        2 => (0..6000_u16).prop_map(Happening::Pass),
        1 => Just(Happening::Crash),
    ];
    prop::collection::vec(one, 0..48).boxed()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    None,
    /// A start was asked for.
    Coming,
    Runs,
    Gone,
}

/// A host around one request: it carries out what is to be done, and checks each thing.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact that the test looks at by itself")]
#[derive(Debug)]
struct Host {
    life: Life,
    now: Duration,
    record: Vec<RecordEntry>,
    writing: Option<RecordEntry>,
    saving: bool,
    process: Process,
    starts: u32,
    said_yes: Vec<Digest>,
    acknowledged: bool,
    told_ended: u32,
    forgotten: bool,
    asked: bool,
}

impl Host {
    fn new() -> Self {
        Self {
            life: Life::default(),
            now: Duration::ZERO,
            record: Vec::new(),
            writing: None,
            saving: false,
            process: Process::None,
            starts: 0,
            said_yes: Vec::new(),
            acknowledged: false,
            told_ended: 0,
            forgotten: false,
            asked: false,
        }
    }

    fn is_over(&self) -> bool {
        self.forgotten || self.told_ended > 0
    }

    /// Returns true if an event can happen as things are: a process ends only where there is one.
    fn can_happen(&self, event: &RequestEvent) -> bool {
        match event {
            RequestEvent::Started { .. } | RequestEvent::SpawnFailed { .. } | RequestEvent::Drifted(_) => {
                self.process == Process::Coming
            }
            RequestEvent::Exited(_) | RequestEvent::TimedOut => self.process == Process::Runs,
            // An approval is handed to the agent where a process would start.
            RequestEvent::LeftToAgent
                if matches!(self.life.current_state(), RequestState::Starting { .. }) =>
            {
                self.process == Process::Coming
            }
            RequestEvent::AnsweredAllow { .. }
            | RequestEvent::AnsweredDeny(_)
            | RequestEvent::Edited { .. } => self.asked,
            _ => true,
        }
    }

    fn apply(&mut self, event: RequestEvent) {
        if !self.can_happen(&event) {
            return;
        }
        match &event {
            RequestEvent::Started { .. } => self.process = Process::Runs,
            RequestEvent::SpawnFailed { .. } | RequestEvent::Drifted(_) | RequestEvent::Exited(_) => {
                self.process = Process::Gone;
            }
            RequestEvent::LeftToAgent if self.process == Process::Coming => self.process = Process::Gone,
            _ => {}
        }
        self.said_yes.extend(yes_to(self.life.current_state(), &event).cloned());
        let at_once = self.life.apply_event(event);
        self.carry_out(at_once);
        self.proceed();
    }

    fn proceed(&mut self) {
        while let Some(effect) = self.life.next_effect(self.now) {
            self.carry_out(vec![effect]);
        }
    }

    fn carry_out(&mut self, effects: Vec<RequestEffect>) {
        for effect in effects {
            match effect {
                RequestEffect::Record(entry) => {
                    assert!(self.writing.is_none() && !self.saving, "one thing is under way at a time");
                    self.writing = Some(entry);
                }
                RequestEffect::Accept => assert!(!self.record.is_empty(), "taken, and not on record"),
                RequestEffect::Ask { .. } => {
                    assert!(self.is_on_record(|state| matches!(state, RequestState::Asking { .. })));
                    assert!(
                        matches!(self.life.current_state(), RequestState::Asking { .. }),
                        "asked what is decided"
                    );
                    self.asked = true;
                }
                RequestEffect::CloseQuestion => self.asked = false,
                RequestEffect::Acknowledge => {
                    let decided = |state: &RequestState| {
                        matches!(state, RequestState::Starting { .. } | RequestState::Ended(_))
                    };
                    assert!(self.is_on_record(decided), "acknowledged without a receipt");
                    self.acknowledged = true;
                }
                RequestEffect::Remember => self.saving = true,
                RequestEffect::Start(approved) => self.start(&approved),
                RequestEffect::Stop(_) => {
                    assert_eq!(self.process, Process::Runs, "a stop of what does not run");
                }
                RequestEffect::TellEnded => {
                    assert!(
                        self.is_on_record(|state| matches!(state, RequestState::Ended(_))),
                        "told unwritten"
                    );
                    self.told_ended += 1;
                }
            }
        }
    }

    fn start(&mut self, approved: &super::Approved) {
        self.starts += 1;
        assert_eq!(self.starts, 1, "started twice");
        assert!(self.said_yes.contains(approved.digest()), "nobody said yes to what starts");
        assert!(
            self.is_on_record(|state| matches!(state, RequestState::Starting { .. })),
            "no record of a decision"
        );
        if approved.is_intended() {
            assert!(self.record.iter().any(|entry| entry.intends), "intended, and not on record");
        } else {
            // The host writes it down before it starts, or does not start.
            let state = self.life.current_state().clone();
            self.record.push(RecordEntry { state, tells: None, intends: true });
        }
        self.process = Process::Coming;
    }

    fn is_on_record(&self, wanted: impl Fn(&RequestState) -> bool) -> bool {
        self.record.iter().any(|entry| wanted(&entry.state))
    }

    fn written(&mut self) {
        let Some(entry) = self.writing.take() else { return };
        assert!(
            !self.is_on_record(|state| matches!(state, RequestState::Ended(_))),
            "written behind its end"
        );
        self.record.push(entry);
        self.life.mark_done();
        self.proceed();
    }

    fn not_written(&mut self) {
        if self.writing.take().is_none() {
            return;
        }
        match self.life.refused(self.now, denial(DenyReason::Policy)) {
            FailedWrite::Forgotten => {
                assert!(self.record.is_empty() && self.starts == 0, "forgotten, and it happened");
                self.forgotten = true;
            }
            FailedWrite::NotBegun(at_once) => {
                assert!(
                    matches!(self.life.current_state(), RequestState::Ended(_)),
                    "what cannot be written ends"
                );
                self.carry_out(at_once);
            }
            FailedWrite::Owed => assert!(self.life.needs_retry()),
        }
        if !self.forgotten {
            self.proceed();
        }
    }

    fn saved(&mut self, outcome: bool) {
        if !std::mem::take(&mut self.saving) {
            return;
        }
        if outcome {
            self.life.mark_done();
        } else {
            let at_once = self.life.not_remembered(denial(DenyReason::Drifted));
            self.carry_out(at_once);
        }
        self.proceed();
    }

    /// Ends the host: the next one reads the record, and the request's fate must fit that of the process.
    fn crash(&self) {
        let Some(last) = self.record.last() else {
            assert_eq!(self.starts, 0, "it ran, and nothing is known of it");
            assert!(!self.acknowledged && self.told_ended == 0);
            return;
        };
        let intended = self.record.iter().any(|entry| entry.intends);
        match &last.state {
            RequestState::Received | RequestState::Queued | RequestState::Asking { .. } => {
                assert_eq!(self.starts, 0);
            }
            RequestState::Starting { .. } => {
                assert!(intended || self.starts == 0, "denied, though it may have run");
            }
            RequestState::Running { .. } | RequestState::Stopping { .. } => assert_eq!(self.starts, 1),
            RequestState::Ended(ending) => {
                let denied = matches!(ending, RequestEnding::Denied(_));
                assert!(!(denied && self.process == Process::Runs), "denied, though it runs");
            }
        }
    }

    /// Lets every write succeed from here on, so that the end comes.
    fn heal(&mut self) {
        for _ in 0..64 {
            if self.is_over() {
                return;
            }
            self.written();
            self.saved(true);
            if let Some(due) = self.life.retry_due() {
                assert!(due <= self.now + pause_after(u32::MAX), "tried again soon");
                self.now = self.now.max(due);
                self.proceed();
            }
            match self.process {
                Process::Coming => self.apply(RequestEvent::Started { pid: 7 }),
                Process::Runs => self.apply(RequestEvent::Exited(Exit::Code(0).into())),
                Process::None | Process::Gone => self.apply(RequestEvent::Shutdown),
            }
        }
        panic!("it never ends: {self:?}");
    }

    fn check_the_end(&self) {
        let ended = self.record.iter().filter(|entry| entry.tells == Some(Tells::Ended)).count();
        if self.forgotten {
            assert!(self.record.is_empty() && self.told_ended == 0 && self.starts == 0);
            return;
        }
        assert_eq!((ended, self.told_ended), (1, 1), "one ending for the record, and one for the agent");
        let is_start = |entry: &RecordEntry| matches!(entry.tells, Some(Tells::Started { .. }));
        let started = self.record.iter().filter(|entry| is_start(entry)).count();
        let Some(RequestState::Ended(ending)) = self.record.last().map(|entry| &entry.state) else {
            panic!("something is written behind the end");
        };
        assert_eq!(
            matches!(ending, RequestEnding::Finished { .. }),
            started == 1,
            "told started once, and finished"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn every_request_reaches_one_end_whatever_the_record_refuses(drawn in happenings()) {
        let table = events();
        let mut host = Host::new();
        for happening in drawn {
            if host.is_over() {
                break;
            }
            match happening {
                Happening::Event(at) => host.apply(table[at].clone()),
                Happening::Written => host.written(),
                Happening::NotWritten => host.not_written(),
                Happening::Saved => host.saved(true),
                Happening::NotSaved => host.saved(false),
                Happening::Pass(millis) => {
                    host.now += Duration::from_millis(u64::from(millis));
                    host.proceed();
                }
                Happening::Crash => {
                    host.crash();
                    return Ok(());
                }
            }
        }
        host.crash();
        host.heal();
        host.check_the_end();
    }
}

#[test]
fn an_ending_that_cannot_be_written_is_tried_again_ever_more_seldom() {
    let mut life = Life::default();
    let mut now = Duration::ZERO;
    let allow = RequestEvent::JudgedAllow { by: AllowedBy::Policy, digest: digest("a") };
    let write = |life: &mut Life, now| loop {
        match life.next_effect(now) {
            Some(RequestEffect::Record(entry)) => return entry,
            Some(_) => {}
            None => panic!("nothing is to be written"),
        }
    };
    for event in [allow, RequestEvent::Started { pid: 5 }] {
        life.apply_event(event);
        write(&mut life, now);
        life.mark_done();
        while life.next_effect(now).is_some() {}
    }
    life.apply_event(RequestEvent::Exited(Exit::Code(0).into()));
    let mut pauses = Vec::new();
    for _ in 0..8 {
        let entry = write(&mut life, now);
        assert_eq!(entry.tells, Some(Tells::Ended));
        assert!(matches!(life.refused(now, denial(DenyReason::Policy)), FailedWrite::Owed));
        assert!(life.next_effect(now).is_none(), "it waits for its time");
        let due = life.retry_due().expect("it is tried again");
        pauses.push(due.saturating_sub(now).as_millis());
        now = due;
    }
    assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    write(&mut life, now);
    life.mark_done();
    assert!(!life.needs_retry() && matches!(life.next_effect(now), Some(RequestEffect::TellEnded)));
}

#[test]
fn what_happens_is_worth_another_try_at_once() {
    let mut life = Life::default();
    life.apply_event(RequestEvent::JudgedAsk { digest: digest("a") });
    let _ = life.next_effect(Duration::ZERO);
    life.mark_done();
    assert!(matches!(life.next_effect(Duration::ZERO), Some(RequestEffect::Accept)));
    assert!(matches!(life.next_effect(Duration::ZERO), Some(RequestEffect::Ask { .. })));
    assert!(matches!(life.next_effect(Duration::ZERO), Some(RequestEffect::Record(_))));
    assert!(matches!(life.refused(Duration::ZERO, denial(DenyReason::Policy)), FailedWrite::Owed));
    assert!(life.next_effect(Duration::ZERO).is_none());
    life.apply_event(RequestEvent::AnsweredDeny(denial(DenyReason::User)));
    let Some(RequestEffect::Record(entry)) = life.next_effect(Duration::ZERO) else {
        panic!("the answer is written at once")
    };
    assert_eq!(entry.tells, Some(Tells::Ended), "what it was asked is not told behind that");
}
