//! Answers: which one counts.

use super::{
    HOUR, answer, approver, at, device, following, fresh, host, id, open, pinned, roster, sent, signed,
};
use crate::{
    AdmittedAnswer, AdmittedMessage, FleetChoice, FleetReceipt, FleetRefusal, FleetRights, FleetRisk,
    FleetState, Hash, Now, SealError, Seed, SignedEnvelope, admit_message,
};
use std::time::Duration;

fn asking(risk: FleetRisk, approvals: u8) -> FleetState {
    let mut fleet = host();
    fleet.open_question(id("q1"), open(risk, approvals));
    fleet
}

fn decided(result: Result<AdmittedMessage, FleetRefusal>) -> AdmittedAnswer {
    match result.unwrap() {
        AdmittedMessage::Answer(decided) => decided,
        other => panic!("{other:?} is no answer"),
    }
}

/// Sends an answer and applies it if it counts.
fn give(
    fleet: &mut FleetState,
    by: &str,
    message: &str,
    choice: FleetChoice,
    minutes: i64,
) -> Result<AdmittedMessage, FleetRefusal> {
    let bytes = sent(by, message, &answer(fleet, choice));
    let admitted = admit_message(fleet, &bytes, at(minutes))?;
    fleet.apply_admitted(&admitted, at(minutes));
    Ok(admitted)
}

#[test]
fn the_first_answer_counts_and_later_ones_learn_whose_it_was() {
    let mut fleet = asking(FleetRisk::NeedsReview, 1);
    let first = decided(give(&mut fleet, "mara", "a1", FleetChoice::Once, 1));
    assert_eq!((first.missing, first.person.as_str()), (0, "Mara"));
    let closed = FleetRefusal::Closed {
        outcome: Some("allowed".to_owned()),
        by: Some("Mara".to_owned()),
        place: Some("mara's device".to_owned()),
    };
    assert_eq!(give(&mut fleet, "noor", "a2", FleetChoice::Deny, 1), Err(closed));
}

#[test]
fn sending_again_is_idempotent() {
    let mut fleet = asking(FleetRisk::NeedsReview, 1);
    give(&mut fleet, "mara", "a1", FleetChoice::Once, 1).unwrap();
    let again = give(&mut fleet, "mara", "a1", FleetChoice::Once, 2);
    assert_eq!(again, Ok(AdmittedMessage::Repeated(FleetReceipt::Applied { answer: id("a1"), missing: 0 })));
    // The same id for another question is no repetition.
    fleet.open_question(id("q2"), open(FleetRisk::Safe, 1));
    let mut other = answer(&fleet, FleetChoice::Once);
    other.question = id("q2");
    assert_eq!(admit_message(&fleet, &sent("mara", "a1", &other), at(3)), Err(FleetRefusal::Used));
}

#[test]
fn who_may_not_answer_is_refused() {
    let mut fleet = asking(FleetRisk::Dangerous, 1);
    let refusal = |by: &str, choice| {
        admit_message(&fleet, &sent(by, "a1", &answer(&fleet, choice)), at(1)).unwrap_err()
    };
    assert_eq!(refusal("olu", FleetChoice::Once), FleetRefusal::Group(id("olu")));
    let rights = [FleetRights::AsAsked, FleetRights::Project].map(FleetChoice::Confine);
    for choice in [FleetChoice::Once].into_iter().chain(rights) {
        assert_eq!(refusal("noor", choice), FleetRefusal::Risk(id("noor")), "{choice:?}");
    }
    assert_eq!(refusal("pat", FleetChoice::Deny), FleetRefusal::Role(id("pat"), "answer"));
    let got = refusal("mini", FleetChoice::Once);
    assert_eq!(got, FleetRefusal::Role(id("mini"), "answer"), "a host's key never answers");
    assert_eq!(refusal("eve", FleetChoice::Once), FleetRefusal::Stranger(id("eve")));
    fleet.open_question(id("q1"), open(FleetRisk::NeedsReview, 1));
    let always = sent("noor", "a1", &answer(&fleet, FleetChoice::Always));
    assert_eq!(admit_message(&fleet, &always, at(1)), Err(FleetRefusal::OnceOnly(id("noor"))));
}

#[test]
fn an_approver_below_the_risk_may_still_deny_and_confine() {
    let mut fleet = asking(FleetRisk::Dangerous, 2);
    let confine = answer(&fleet, FleetChoice::Confine(FleetRights::Look));
    assert!(admit_message(&fleet, &sent("noor", "a0", &confine), at(1)).is_ok());
    assert_eq!(decided(give(&mut fleet, "noor", "a1", FleetChoice::Deny, 1)).missing, 0);
}

#[test]
fn a_member_that_signs_in_another_s_name_is_refused() {
    let fleet = asking(FleetRisk::NeedsReview, 1);
    let (noor, mut seed) = (device("noor"), Seed::new([1; 32]));
    let to = [device("mini").open.sealer()];
    let forged =
        device("mara").header("a1").seal_body(&answer(&fleet, FleetChoice::Once), &to, &noor.sign, &mut seed);
    assert_eq!(
        admit_message(&fleet, &forged.unwrap().encode(), at(1)),
        Err(FleetRefusal::Signature(id("mara")))
    );
}

#[test]
fn an_answer_to_something_else_than_what_is_on_show_is_refused() {
    let fleet = asking(FleetRisk::Safe, 1);
    let refused = |change: fn(&mut crate::FleetAnswer), refusal: FleetRefusal| {
        let mut answer = answer(&fleet, FleetChoice::Once);
        change(&mut answer);
        assert_eq!(admit_message(&fleet, &sent("mara", "a1", &answer), at(1)), Err(refusal));
    };
    refused(|answer| answer.revision = 2, FleetRefusal::Changed);
    refused(|answer| answer.digest = "d2".to_owned(), FleetRefusal::Changed);
    refused(|answer| answer.question = id("q9"), FleetRefusal::NoQuestion);
    refused(|answer| answer.roster = Hash::of_bytes(b"other"), FleetRefusal::OtherRoster);
}

#[test]
fn an_answer_for_another_host_is_refused() {
    let fleet = asking(FleetRisk::Safe, 1);
    let (mara, other) = (device("mara"), device("mini-2").open.sealer());
    let bytes = mara
        .header("a1")
        .seal_body(&answer(&fleet, FleetChoice::Once), &[other], &mara.sign, &mut Seed::new([1; 32]))
        .unwrap()
        .encode();
    assert_eq!(admit_message(&fleet, &bytes, at(1)), Err(FleetRefusal::Sealed(SealError::NotForUs)));
}

#[test]
fn a_late_answer_is_refused_by_the_timer_whatever_the_clock_says() {
    let fleet = asking(FleetRisk::Safe, 1);
    let bytes = sent("mara", "a1", &answer(&fleet, FleetChoice::Once));
    let late = Now { wall: at(0).wall, timer: at(30).timer };
    let got = admit_message(&fleet, &bytes, late);
    assert_eq!(got, Err(FleetRefusal::Closed { outcome: Some("expired".to_owned()), by: None, place: None }));
    let early = Now { wall: at(60).wall, timer: at(29).timer };
    assert!(admit_message(&fleet, &bytes, early).is_ok());
}

#[test]
fn two_people_approve_and_two_devices_of_one_person_are_one() {
    let mut fleet = asking(FleetRisk::Dangerous, 2);
    assert_eq!(decided(give(&mut fleet, "mara", "a1", FleetChoice::Once, 1)).missing, 1);
    let same = give(&mut fleet, "mara-phone", "a2", FleetChoice::Once, 1);
    assert_eq!(same, Err(FleetRefusal::SamePerson("Mara".to_owned())));
    let again = give(&mut fleet, "mara", "a1", FleetChoice::Once, 1);
    assert_eq!(again, Ok(AdmittedMessage::Repeated(FleetReceipt::Applied { answer: id("a1"), missing: 1 })));
    assert_eq!(decided(give(&mut fleet, "ines", "a3", FleetChoice::Once, 2)).missing, 0);
    assert_eq!(fleet.waiting().count(), 0);
}

#[test]
fn a_changed_question_forgets_what_was_approved_before() {
    let mut fleet = asking(FleetRisk::Dangerous, 2);
    give(&mut fleet, "mara", "a1", FleetChoice::Once, 1).unwrap();
    let mut changed = open(FleetRisk::Dangerous, 2);
    (changed.revision, changed.digest) = (2, "d2".to_owned());
    fleet.open_question(id("q1"), changed);
    let mut answer = answer(&fleet, FleetChoice::Once);
    (answer.revision, answer.digest) = (2, "d2".to_owned());
    let other = decided(admit_message(&fleet, &sent("ines", "a2", &answer), at(2)));
    assert_eq!(other.missing, 1, "nobody approved what is on show now");
}

#[test]
fn a_revoked_approver_is_refused_and_what_it_approved_counts_no_more() {
    let mut fleet = asking(FleetRisk::Dangerous, 2);
    give(&mut fleet, "ines", "a1", FleetChoice::Once, 1).unwrap();
    let next = following(&fleet.pinned, |roster| roster.members.retain(|member| member.id != id("ines")));
    let admitted = admit_message(&fleet, &signed(next, &["mara"]).encode(), at(2)).unwrap();
    fleet.apply_admitted(&admitted, at(2));
    let current = fresh(&fleet.pinned, 2);
    fleet.apply_admitted(&admit_message(&fleet, &current, at(2)).unwrap(), at(2));
    assert_eq!(give(&mut fleet, "ines", "a2", FleetChoice::Once, 3), Err(FleetRefusal::Stranger(id("ines"))));
    assert_eq!(decided(give(&mut fleet, "mara", "a3", FleetChoice::Once, 3)).missing, 1);
}

#[test]
fn a_lowered_approver_counts_no_more_for_what_is_too_risky_now() {
    let mut fleet = asking(FleetRisk::Dangerous, 2);
    give(&mut fleet, "ines", "a1", FleetChoice::Once, 1).unwrap();
    let next = following(&fleet.pinned, |roster| {
        let ines = roster.members.iter_mut().find(|member| member.id == id("ines")).unwrap();
        ines.approver = Some(approver(&["builds"], FleetRisk::Safe, false));
    });
    let admitted = admit_message(&fleet, &signed(next, &["mara"]).encode(), at(2)).unwrap();
    fleet.apply_admitted(&admitted, at(2));
    assert!(fleet.waiting().all(|(_, open)| open.given.is_empty()));
}

#[test]
fn a_withheld_revocation_ends_with_fresh() {
    // The broker hides the roster that revokes Ines. Word that there is a newer one ends her answers at once...
    let mut fleet = asking(FleetRisk::Safe, 1);
    let newer = pinned(following(&fleet.pinned, |roster| roster.members.retain(|m| m.id != id("ines"))));
    let word = admit_message(&fleet, &fresh(&newer, 5), at(5)).unwrap();
    let mut told = asking(FleetRisk::Safe, 1);
    told.apply_admitted(&word, at(5));
    assert_eq!(give(&mut told, "ines", "a1", FleetChoice::Once, 6), Err(FleetRefusal::Stale));
    // ... and where that is hidden as well, they end when the last word is a day old.
    let mut kept = open(FleetRisk::Safe, 1);
    kept.ends = at(30 * 60).timer;
    fleet.open_question(id("q1"), kept);
    let last = admit_message(&fleet, &sent("ines", "a1", &answer(&fleet, FleetChoice::Once)), at(24 * 60));
    assert!(last.is_ok(), "a day is not over");
    assert_eq!(give(&mut fleet, "ines", "a1", FleetChoice::Once, 24 * 60 + 1), Err(FleetRefusal::Stale));
}

#[test]
fn a_clock_that_is_set_back_makes_nothing_fresh() {
    let mut fleet = asking(FleetRisk::Safe, 1);
    let mut kept = open(FleetRisk::Safe, 1);
    kept.ends = Duration::MAX;
    fleet.open_question(id("q1"), kept);
    let bytes = sent("mara", "a1", &answer(&fleet, FleetChoice::Once));
    let later = Duration::from_hours(25);
    let set_back = Now { wall: at(0).wall, timer: at(0).timer + later };
    assert_eq!(admit_message(&fleet, &bytes, set_back), Err(FleetRefusal::Stale), "the timer knows better");
    let hour_back = Now { wall: at(0).wall - HOUR, timer: at(1).timer };
    let got = admit_message(&fleet, &bytes, hour_back);
    assert_eq!(got, Err(FleetRefusal::Stale), "word from the future is doubted");
}

#[test]
fn an_oversized_answer_is_not_even_opened() {
    let fleet = asking(FleetRisk::Safe, 1);
    let mut long = answer(&fleet, FleetChoice::Deny);
    long.feedback = Some("x".repeat(8000));
    let refusal = admit_message(&fleet, &sent("mara", "a1", &long), at(1)).unwrap_err();
    assert!(matches!(refusal, FleetRefusal::Envelope(crate::EnvelopeError::TooLong { most: 8192, .. })));
}

#[test]
fn what_a_host_does_not_admit_is_refused_by_its_kind() {
    let (fleet, mara) = (host(), device("mara"));
    let presence = crate::FleetPresence { at: 1, roster: fleet.roster(), policy: None, blocked: None };
    let bytes = mara.header("m1").sign_body(presence, &[&mara.sign]).encode();
    assert_eq!(admit_message(&fleet, &bytes, at(1)), Err(FleetRefusal::Kind));
    let unknown = SignedEnvelope::sign("text/plain", b"x".to_vec(), &[&mara.sign]);
    assert_eq!(admit_message(&fleet, &unknown.encode(), at(1)), Err(FleetRefusal::Kind));
    assert!(roster().validate().is_ok());
}
