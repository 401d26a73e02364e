//! Properties that hold for any bytes and any order of events.

use super::{answer, at, fresh, host, id, open, roster, sent, signed};
use crate::{AdmittedMessage, FleetChoice, FleetId, FleetRisk, FleetState, admit_message};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::{BTreeMap, BTreeSet};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_changed_byte_of_an_answer_counts(at_byte: Index, flip in 1..=255u8) {
        let mut fleet = host();
        fleet.open_question(id("q1"), open(FleetRisk::Safe, 1));
        let bytes = sent("mara", "a1", &answer(&fleet, FleetChoice::Once));
        prop_assert!(admit_message(&fleet, &bytes, at(1)).is_ok());
        let mut changed = bytes.clone();
        changed[at_byte.index(bytes.len())] ^= flip;
        prop_assert!(admit_message(&fleet, &changed, at(1)).is_err(), "{}", String::from_utf8_lossy(&changed));
    }

    #[test]
    fn no_changed_byte_of_a_roster_counts(at_byte: Index, flip in 1..=255u8) {
        let fleet = host();
        let bytes = signed(super::following(&fleet.pinned, |_| {}), &["mara"]).encode();
        prop_assert!(admit_message(&fleet, &bytes, at(1)).is_ok());
        let mut changed = bytes.clone();
        changed[at_byte.index(bytes.len())] ^= flip;
        prop_assert!(admit_message(&fleet, &changed, at(1)).is_err());
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes: Vec<u8>) {
        prop_assert!(admit_message(&host(), &bytes, at(1)).is_err());
    }

    #[test]
    fn in_any_order_of_events_only_who_may_decides_and_once(events in prop::collection::vec(event(), 1..40)) {
        let mut world = World::new();
        for event in events {
            world.happen(&event)?;
        }
    }
}

/// Change that a host meets.
#[derive(Debug, Clone)]
enum Event {
    /// A question waits, or shows something else.
    Ask { question: u8, risk: FleetRisk, approvals: u8 },
    /// Answer on the host.
    Local { question: u8 },
    /// Somebody answers the revision that it was shown, with this answer's id.
    Answer { by: &'static str, question: u8, behind: u64, choice: FleetChoice, message: u8 },
    /// Everything that was ever sent comes again.
    Replay { index: Index },
    /// A member is revoked.
    Revoke { who: &'static str },
    /// The owner says that the roster is current.
    Fresh,
    /// Time passes.
    Wait { minutes: i64 },
}

const PEOPLE: [(&str, &str); 5] =
    [("mara", "Mara"), ("mara-phone", "Mara"), ("noor", "Noor"), ("ines", "Ines"), ("olu", "Olu")];

fn event() -> BoxedStrategy<Event> {
    let who = || select(PEOPLE.map(|(member, _)| member).to_vec());
    let risk = select(vec![FleetRisk::Safe, FleetRisk::NeedsReview, FleetRisk::Dangerous]);
    let choice = select(vec![FleetChoice::Once, FleetChoice::Always, FleetChoice::Deny]);
    prop_oneof![
        3 => (0..3u8, risk, 1..3u8).prop_map(|(question, risk, approvals)| Event::Ask { question, risk, approvals }),
        1 => (0..3u8).prop_map(|question| Event::Local { question }),
        8 => (who(), 0..3u8, 0..2u64, choice, 0..12u8).prop_map(|(by, question, behind, choice, message)| {
            Event::Answer { by, question, behind, choice, message }
        }),
        3 => any::<Index>().prop_map(|index| Event::Replay { index }),
        1 => select(vec!["noor", "ines", "mara-phone"]).prop_map(|who| Event::Revoke { who }),
        2 => Just(Event::Fresh),
        2 => select(vec![1, 10, 40, 60 * 13]).prop_map(|minutes| Event::Wait { minutes }),
    ].boxed()
}

/// The host, and what is known of the truth beside it.
struct World {
    fleet: FleetState,
    minutes: i64,
    said: i64,
    /// Revision of each question that waits, when it ends, and how many people it needs.
    open: BTreeMap<FleetId, (u64, i64, u8)>,
    revisions: u64,
    /// Approvers of the revision that waits.
    approved: BTreeMap<FleetId, BTreeSet<&'static str>>,
    /// Members with all their rights.
    members: BTreeSet<&'static str>,
    sent: Vec<(&'static str, Vec<u8>)>,
    decided: BTreeSet<(FleetId, u64)>,
}

impl World {
    fn new() -> Self {
        Self {
            fleet: host(),
            minutes: 0,
            said: 0,
            open: BTreeMap::new(),
            revisions: 0,
            approved: BTreeMap::new(),
            members: PEOPLE.map(|(member, _)| member).into(),
            sent: Vec::new(),
            decided: BTreeSet::new(),
        }
    }

    fn happen(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Ask { question, risk, approvals } => self.ask(*question, *risk, *approvals),
            Event::Local { question } => {
                let question = name(*question);
                self.fleet.settle(&question, "expired", None, None);
                self.open.remove(&question);
            }
            Event::Answer { by, question, behind, choice, message } => {
                let bytes = self.answer(by, *question, *behind, *choice, *message);
                self.sent.push((by, bytes.clone()));
                self.deliver(by, &bytes)?;
            }
            Event::Replay { index } if !self.sent.is_empty() => {
                let (by, bytes) = self.sent[index.index(self.sent.len())].clone();
                self.deliver(by, &bytes)?;
            }
            Event::Replay { .. } => {}
            Event::Revoke { who } => self.revoke(who),
            Event::Fresh => {
                let bytes = fresh(&self.fleet.pinned, self.minutes);
                if let Ok(admitted) = admit_message(&self.fleet, &bytes, at(self.minutes)) {
                    self.fleet.apply_admitted(&admitted, at(self.minutes));
                    self.said = self.minutes;
                }
            }
            Event::Wait { minutes } => self.minutes += minutes,
        }
        Ok(())
    }

    fn ask(&mut self, question: u8, risk: FleetRisk, approvals: u8) {
        self.revisions += 1;
        let (question, ends) = (name(question), self.minutes + 30);
        let mut open = open(risk, approvals);
        open.revision = self.revisions;
        open.digest = format!("d{}", self.revisions);
        open.ends = at(ends).timer;
        self.fleet.open_question(question.clone(), open);
        self.approved.remove(&question);
        self.open.insert(question, (self.revisions, ends, approvals));
    }

    fn answer(&self, by: &str, question: u8, behind: u64, choice: FleetChoice, message: u8) -> Vec<u8> {
        let question = name(question);
        let shown = self.open.get(&question).map_or(1, |(revision, ..)| revision.saturating_sub(behind));
        let mut body = answer(&self.fleet, choice);
        (body.question, body.revision, body.digest) = (question, shown, format!("d{shown}"));
        sent(by, &format!("a{message}"), &body)
    }

    fn revoke(&mut self, who: &'static str) {
        let next = super::following(&self.fleet.pinned, |roster| {
            roster.members.retain(|member| member.id != id(who));
        });
        let admitted =
            admit_message(&self.fleet, &signed(next, &["mara"]).encode(), at(self.minutes)).unwrap();
        self.fleet.apply_admitted(&admitted, at(self.minutes));
        self.members.remove(who);
        // Until somebody says that the new roster is current, no answer counts.
        self.said = i64::MIN / 2;
        let approved = PEOPLE.iter().find(|(member, _)| *member == who).unwrap().1;
        if approved != "Mara" {
            self.approved.values_mut().for_each(|people| _ = people.remove(approved));
        }
    }

    /// Holds the laws against what `admit` says.
    fn deliver(&mut self, by: &'static str, bytes: &[u8]) -> Result<(), TestCaseError> {
        let now = at(self.minutes);
        let Ok(admitted) = admit_message(&self.fleet, bytes, now) else { return Ok(()) };
        let AdmittedMessage::Answer(decided) = &admitted else {
            prop_assert!(matches!(admitted, AdmittedMessage::Repeated(_)), "{admitted:?}");
            return Ok(());
        };
        let question = decided.answer.question.clone();
        let Some((revision, ends, needed)) = self.open.get(&question).copied() else {
            return Err(TestCaseError::fail("nothing waits under that name"));
        };
        prop_assert!(self.members.contains(by) && by != "olu", "{by} may not");
        prop_assert_eq!(decided.answer.revision, revision);
        prop_assert!(self.minutes < ends, "too late");
        prop_assert!(self.minutes - self.said <= 24 * 60, "nobody said that the roster is current");
        let person = PEOPLE.iter().find(|(member, _)| *member == by).unwrap().1;
        if decided.answer.answer.allows() {
            let approved = self.approved.entry(question.clone()).or_default();
            prop_assert!(approved.insert(person) || by.starts_with("mara"), "the same person twice");
            let people = u8::try_from(approved.len()).unwrap();
            prop_assert!(decided.missing >= needed.saturating_sub(people), "too few people");
        }
        if decided.missing == 0 {
            prop_assert!(self.decided.insert((question.clone(), revision)), "decided twice");
            self.open.remove(&question);
        }
        self.fleet.apply_admitted(&admitted, now);
        Ok(())
    }
}

fn name(question: u8) -> FleetId {
    id(&format!("q{question}"))
}

#[test]
fn the_roster_of_these_tests_is_one() {
    roster().validate().unwrap();
}
