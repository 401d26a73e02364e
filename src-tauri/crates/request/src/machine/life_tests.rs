//! Laws of a request's whole life, over random interleavings of events, failing writes, time, and the end of
//! the host.

use super::tests::{denial, digest, events, yes_to};
use super::{Effect, Ending, Entry, Event, Exit, Life, Refused, State, Tells, pause_after};
use crate::plan::Digest;
use postern_protocol::{By, DenyReason};
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

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = prop_oneof![
        12 => (0..events().len()).prop_map(Happening::Event),
        6 => Just(Happening::Written),
        4 => Just(Happening::NotWritten),
        1 => Just(Happening::Saved),
        1 => Just(Happening::NotSaved),
        2 => (0..6000_u16).prop_map(Happening::Pass),
        1 => Just(Happening::Crash),
    ];
    prop::collection::vec(one, 0..48)
}

/// State of the process.
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
    /// Durable entries.
    record: Vec<Entry>,
    writing: Option<Entry>,
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
    fn can_happen(&self, event: &Event) -> bool {
        match event {
            Event::Started { .. } | Event::SpawnFailed { .. } | Event::Drifted(_) => {
                self.process == Process::Coming
            }
            Event::Exited(_) | Event::TimedOut => self.process == Process::Runs,
            // An approval is handed to the agent where a process would start.
            Event::LeftToAgent if matches!(self.life.state(), State::Starting { .. }) => {
                self.process == Process::Coming
            }
            Event::AnsweredAllow { .. } | Event::AnsweredDeny(_) | Event::Edited { .. } => self.asked,
            _ => true,
        }
    }

    fn apply(&mut self, event: Event) {
        if !self.can_happen(&event) {
            return;
        }
        match &event {
            Event::Started { .. } => self.process = Process::Runs,
            Event::SpawnFailed { .. } | Event::Drifted(_) | Event::Exited(_) => self.process = Process::Gone,
            Event::LeftToAgent if self.process == Process::Coming => self.process = Process::Gone,
            _ => {}
        }
        self.said_yes.extend(yes_to(self.life.state(), &event).cloned());
        let at_once = self.life.apply(event);
        self.carry_out(at_once);
        self.proceed();
    }

    fn proceed(&mut self) {
        while let Some(effect) = self.life.next(self.now) {
            self.carry_out(vec![effect]);
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Record(entry) => {
                    assert!(self.writing.is_none() && !self.saving, "one thing is under way at a time");
                    self.writing = Some(entry);
                }
                Effect::Accept => assert!(!self.record.is_empty(), "taken, and not on record"),
                Effect::Ask { .. } => {
                    assert!(self.is_on_record(|state| matches!(state, State::Asking { .. })));
                    assert!(matches!(self.life.state(), State::Asking { .. }), "asked what is decided");
                    self.asked = true;
                }
                Effect::CloseQuestion => self.asked = false,
                Effect::Acknowledge => {
                    let decided = |state: &State| matches!(state, State::Starting { .. } | State::Ended(_));
                    assert!(self.is_on_record(decided), "acknowledged without a receipt");
                    self.acknowledged = true;
                }
                Effect::Remember => self.saving = true,
                Effect::Start(approved) => self.start(&approved),
                Effect::Stop(_) => assert_eq!(self.process, Process::Runs, "a stop of what does not run"),
                Effect::TellEnded => {
                    assert!(self.is_on_record(|state| matches!(state, State::Ended(_))), "told unwritten");
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
            self.is_on_record(|state| matches!(state, State::Starting { .. })),
            "no record of a decision"
        );
        if approved.is_intended() {
            assert!(self.record.iter().any(|entry| entry.intends), "intended, and not on record");
        } else {
            // The host writes it down before it starts, or does not start.
            let state = self.life.state().clone();
            self.record.push(Entry { state, tells: None, intends: true });
        }
        self.process = Process::Coming;
    }

    fn is_on_record(&self, wanted: impl Fn(&State) -> bool) -> bool {
        self.record.iter().any(|entry| wanted(&entry.state))
    }

    fn written(&mut self) {
        let Some(entry) = self.writing.take() else { return };
        assert!(!self.is_on_record(|state| matches!(state, State::Ended(_))), "written behind its end");
        self.record.push(entry);
        self.life.done();
        self.proceed();
    }

    fn not_written(&mut self) {
        if self.writing.take().is_none() {
            return;
        }
        match self.life.refused(self.now, denial(DenyReason::Policy)) {
            Refused::Forgotten => {
                assert!(self.record.is_empty() && self.starts == 0, "forgotten, and it happened");
                self.forgotten = true;
            }
            Refused::NotBegun(at_once) => {
                assert!(matches!(self.life.state(), State::Ended(_)), "what cannot be written ends");
                self.carry_out(at_once);
            }
            Refused::Owed => assert!(self.life.owes()),
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
            self.life.done();
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
            State::Received | State::Queued | State::Asking { .. } => assert_eq!(self.starts, 0),
            State::Starting { .. } => assert!(intended || self.starts == 0, "denied, though it may have run"),
            State::Running { .. } | State::Stopping { .. } => assert_eq!(self.starts, 1),
            State::Ended(ending) => {
                let denied = matches!(ending, Ending::Denied(_));
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
            if let Some(due) = self.life.due() {
                assert!(due <= self.now + pause_after(u32::MAX), "tried again soon");
                self.now = self.now.max(due);
                self.proceed();
            }
            match self.process {
                Process::Coming => self.apply(Event::Started { pid: 7 }),
                Process::Runs => self.apply(Event::Exited(Exit::Code(0).into())),
                Process::None | Process::Gone => self.apply(Event::Shutdown),
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
        let is_start = |entry: &Entry| matches!(entry.tells, Some(Tells::Started { .. }));
        let started = self.record.iter().filter(|entry| is_start(entry)).count();
        let Some(State::Ended(ending)) = self.record.last().map(|entry| &entry.state) else {
            panic!("something is written behind the end");
        };
        assert_eq!(
            matches!(ending, Ending::Finished { .. }),
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
    let allow = Event::JudgedAllow { by: By::Policy, digest: digest("a") };
    let write = |life: &mut Life, now| loop {
        match life.next(now) {
            Some(Effect::Record(entry)) => return entry,
            Some(_) => {}
            None => panic!("nothing is to be written"),
        }
    };
    for event in [allow, Event::Started { pid: 5 }] {
        life.apply(event);
        write(&mut life, now);
        life.done();
        while life.next(now).is_some() {}
    }
    life.apply(Event::Exited(Exit::Code(0).into()));
    let mut pauses = Vec::new();
    for _ in 0..8 {
        let entry = write(&mut life, now);
        assert_eq!(entry.tells, Some(Tells::Ended));
        assert!(matches!(life.refused(now, denial(DenyReason::Policy)), Refused::Owed));
        assert!(life.next(now).is_none(), "it waits for its time");
        let due = life.due().expect("it is tried again");
        pauses.push(due.saturating_sub(now).as_millis());
        now = due;
    }
    assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    write(&mut life, now);
    life.done();
    assert!(!life.owes() && matches!(life.next(now), Some(Effect::TellEnded)));
}

#[test]
fn what_happens_is_worth_another_try_at_once() {
    let mut life = Life::default();
    life.apply(Event::JudgedAsk { digest: digest("a") });
    let _ = life.next(Duration::ZERO);
    life.done();
    assert!(matches!(life.next(Duration::ZERO), Some(Effect::Accept)));
    assert!(matches!(life.next(Duration::ZERO), Some(Effect::Ask { .. })));
    assert!(matches!(life.next(Duration::ZERO), Some(Effect::Record(_))));
    assert!(matches!(life.refused(Duration::ZERO, denial(DenyReason::Policy)), Refused::Owed));
    assert!(life.next(Duration::ZERO).is_none());
    life.apply(Event::AnsweredDeny(denial(DenyReason::User)));
    let Some(Effect::Record(entry)) = life.next(Duration::ZERO) else {
        panic!("the answer is written at once")
    };
    assert_eq!(entry.tells, Some(Tells::Ended), "what it was asked is not told behind that");
}
