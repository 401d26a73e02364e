//! The roster's chain: who may change it, and what can't be a roster.

use super::{at, device, following, host, id, pinned, roster, signed};
use crate::{
    AdmittedMessage, FleetRefusal, Hash, MemberRole, PinnedRoster, Roster, RosterError, admit_message,
};

fn admitted(change: impl FnOnce(&mut Roster), by: &[&str]) -> Result<PinnedRoster, FleetRefusal> {
    let fleet = host();
    let next = following(&fleet.pinned, change);
    match admit_message(&fleet, &signed(next, by).encode(), at(1))? {
        AdmittedMessage::Roster(pinned) => Ok(*pinned),
        other => panic!("{other:?} is no roster"),
    }
}

#[test]
fn owners_of_the_version_before_sign_the_next() {
    assert_eq!(admitted(|_| {}, &["ines"]).unwrap().roster.version, 2);
    let none = FleetRefusal::TooFew { have: 0, need: 1 };
    assert_eq!(admitted(|_| {}, &["noor"]), Err(none.clone()));
    // One who makes itself an owner in the version that it signs.
    let promote = |roster: &mut Roster| {
        let noor = roster.members.iter_mut().find(|member| member.id == id("noor")).unwrap();
        noor.roles.push(MemberRole::Owner);
    };
    assert_eq!(admitted(promote, &["noor"]), Err(none));
}

#[test]
fn where_two_owners_are_needed_two_people_sign() {
    let first = pinned({
        let mut roster = roster();
        roster.owners_needed = 2;
        let phone = roster.members.iter_mut().find(|member| member.id == id("mara-phone")).unwrap();
        phone.roles.push(MemberRole::Owner);
        roster
    });
    let next = following(&first, |_| {});
    let by = |names: &[&str]| first.verify_next(&signed(next.clone(), names), &id("fleet-1")).map(drop);
    let one = Err(FleetRefusal::TooFew { have: 1, need: 2 });
    assert_eq!(by(&["mara"]), one);
    assert_eq!(by(&["mara", "mara"]), one, "one key twice");
    assert_eq!(by(&["mara", "mara-phone"]), one, "two devices of one person");
    assert_eq!(by(&["mara", "ines"]), Ok(()));
}

#[test]
fn a_roster_never_goes_back_skips_or_forks() {
    let first = pinned(roster());
    let second = first.verify_next(&signed(following(&first, |_| {}), &["mara"]), &id("fleet-1")).unwrap();
    let onto = |pinned: &PinnedRoster, roster: Roster| {
        pinned.verify_next(&signed(roster, &["mara"]), &id("fleet-1"))
    };
    assert_eq!(onto(&second, super::roster()), Err(FleetRefusal::Older));
    let same = signed(following(&first, |_| {}), &["mara"]);
    assert_eq!(second.verify_next(&same, &id("fleet-1")), Err(FleetRefusal::Known));
    let other = following(&first, |roster| roster.fresh_for = 2 * super::HOUR);
    assert!(matches!(onto(&second, other.clone()), Err(FleetRefusal::Fork { version: 2, .. })));
    let mut third = following(&second, |_| {});
    third.version = 4;
    let skipped = RosterError::NotNext { ours: 2, theirs: 4 };
    assert_eq!(onto(&second, third.clone()), Err(skipped.into()));
    (third.version, third.previous) = (3, Some(Hash::of_bytes(b"a version nobody saw")));
    assert_eq!(onto(&second, third), Err(RosterError::OtherPrevious.into()));
}

#[test]
fn an_owner_knows_what_a_broker_has_in_the_place_of_the_newest_roster() {
    let (fleet, mara) = (id("fleet-1"), id("mara"));
    let mut roster_of_one = roster();
    roster_of_one.members.retain(|member| member.id != id("ines"));
    for (first, is_alone) in [(pinned(roster_of_one), true), (pinned(roster()), false)] {
        let newest = signed(following(&first, |_| {}), &["mara"]);
        let ours = first.verify_next(&newest, &fleet).unwrap();
        let replaced =
            |stored: Roster, by: &str| ours.is_replaced_by(Some(&signed(stored, &[by])), &fleet, &mara);
        assert!(!ours.is_replaced_by(Some(&newest), &fleet, &mara), "it is the one that counts");
        assert!(!replaced(following(&ours, |_| {}), "mara"), "it comes after that one");
        assert!(replaced(first.roster.clone(), "mara"), "it is older");
        // With another owner, these may be a roster that puts out who looks at it.
        assert_eq!(replaced(following(&ours, |_| {}), "noor"), is_alone, "no owner that is known signed it");
        assert_eq!(ours.is_replaced_by(None, &fleet, &mara), is_alone, "it cannot be opened");
    }
}

/// A host that was away does not see the versions between.
#[test]
fn a_later_roster_counts_if_owners_of_ours_signed_it() {
    let first = pinned(roster());
    let later = |version: u64, by: &[&str]| {
        let mut roster = following(&first, |_| {});
        (roster.version, roster.previous) = (version, Some(Hash::of_bytes(b"a version nobody here saw")));
        first.verify_later(&signed(roster, by), &id("fleet-1")).map(|pinned| pinned.roster.version)
    };
    assert_eq!(later(9, &["ines"]), Ok(9));
    let others = RosterError::NotNext { ours: 1, theirs: 9 };
    assert_eq!(later(9, &["noor"]), Err(others.into()), "noor may own the fleet by now: nobody here saw it");
    assert_eq!(later(2, &["ines"]), Err(RosterError::OtherPrevious.into()), "the next one names ours");
    let got = later(u64::MAX, &["ines"]);
    assert_eq!(got, Err(FleetRefusal::TooFar(u64::MAX)), "nobody takes the last number");
    assert_eq!(later(0, &["ines"]), Err(FleetRefusal::Older));
}

#[test]
fn the_first_roster_is_the_one_that_the_code_names() {
    let envelope = signed(roster(), &["mara"]);
    let first = |hash| PinnedRoster::pin_first(&envelope, &id("fleet-1"), hash).map(drop);
    assert_eq!(first(Hash::of_bytes(&envelope.payload)), Ok(()));
    assert_eq!(first(Hash::of_bytes(b"another")), Err(RosterError::OtherFirst.into()));
    let unsigned = signed(roster(), &["noor"]);
    let hash = Hash::of_bytes(&unsigned.payload);
    assert!(matches!(
        PinnedRoster::pin_first(&unsigned, &id("fleet-1"), hash),
        Err(FleetRefusal::TooFew { .. })
    ));
}

#[test]
fn what_no_fleet_can_be_run_with_is_refused() {
    let wrong = |change: fn(&mut Roster), says: &str| {
        let mut roster = roster();
        change(&mut roster);
        let error = roster.validate().unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    let host_that_answers = |roster: &mut Roster| {
        let mini = roster.members.iter_mut().find(|member| member.id == id("mini")).unwrap();
        mini.roles.push(MemberRole::Owner);
    };
    wrong(host_that_answers, "a host's key never answers");
    wrong(
        |roster| roster.members.retain(|member| !member.has_role(MemberRole::Owner)),
        "owners have to sign",
    );
    wrong(|roster| roster.owners_needed = 0, "owners have to sign");
    wrong(|roster| roster.owners_needed = 3, "owners have to sign");
    wrong(|roster| roster.publishers_needed = 2, "publishers have to sign");
    wrong(|roster| roster.fresh_for = 60_000, "1 hour to 7 days");
    wrong(|roster| roster.members.push(roster.members[0].clone()), "one id");
    let shared = |roster: &mut Roster| roster.members[1].sign = roster.members[0].nkey;
    wrong(shared, "one key");
    let unlimited = |roster: &mut Roster| roster.members[0].approver = None;
    wrong(unlimited, "may approve");
    let crowded = |roster: &mut Roster| {
        for number in 0..crate::seal::RECIPIENTS {
            roster.members.push(device(&format!("m{number}")).member("", &[MemberRole::Host]));
        }
    };
    wrong(crowded, "at most 1280");
}
