//! Changes that several people sign: whose signatures count, on which bytes, and what is shown before.

use super::policies::bundle;
use super::{HOUR, START, device, following, id, pinned, roster};
use crate::{
    Bundle, BundleRules, FleetProposal, FleetRefusal, FleetRisk, Hash, Member, MemberRole, PinnedRoster,
    RightsError, RolloutReach, RolloutStage, Roster, RosterChange, RosterError, SignaturesChange,
    SignedEnvelope,
};
use serde_json::json;

/// Returns the roster of the tests, whose changes two owners sign. Mara owns the fleet on two devices.
fn of_two() -> PinnedRoster {
    pinned({
        let mut roster = roster();
        (roster.owners_needed, roster.publishers_needed) = (2, 1);
        let phone = roster.members.iter_mut().find(|member| member.id == id("mara-phone")).unwrap();
        phone.roles.push(MemberRole::Owner);
        roster
    })
}

fn proposed(roster: Roster, by: &str) -> FleetProposal {
    FleetProposal::new(vec![super::signed(roster, &[by])])
}

fn signed_by(proposal: &FleetProposal, first: &PinnedRoster) -> Vec<String> {
    proposal.check_roster(first, &id("fleet-1")).unwrap().signed.into_iter().collect()
}

fn also_signed(proposal: &FleetProposal, first: &PinnedRoster, name: &str) -> FleetProposal {
    proposal.signed_with(&device(name).sign, &first.roster, MemberRole::Owner)
}

#[test]
fn a_second_person_signs_the_same_bytes_and_it_counts() {
    let first = of_two();
    let one = proposed(following(&first, |roster| roster.fresh_for = 2 * super::HOUR), "mara");
    let checked = one.check_roster(&first, &id("fleet-1")).unwrap();
    assert_eq!((checked.missing(), signed_by(&one, &first)), (1, vec!["Mara".to_owned()]));
    let two = also_signed(&one, &first, "ines");
    assert_eq!(two.documents()[0].payload, one.documents()[0].payload, "nothing is written again");
    assert_eq!(two.id(), one.id(), "who signed is no part of its name");
    assert_eq!(signed_by(&two, &first), ["Ines", "Mara"]);
    assert_eq!(two.check_roster(&first, &id("fleet-1")).unwrap().missing(), 0);
    assert!(first.verify_later(&two.documents()[0], &id("fleet-1")).is_ok());
    assert_eq!(FleetProposal::decode(&two.encode()), Some(two.clone()));
    assert_eq!(also_signed(&two, &first, "ines"), two, "a second signature of a key is none");
}

#[test]
fn two_devices_of_one_person_are_one_signature() {
    let first = of_two();
    let both = also_signed(&proposed(following(&first, |_| {}), "mara"), &first, "mara-phone");
    assert_eq!(both.documents()[0].signatures.len(), 2);
    assert_eq!(both.check_roster(&first, &id("fleet-1")).unwrap().missing(), 1);
    let refused = first.verify_later(&both.documents()[0], &id("fleet-1"));
    assert_eq!(refused.map(drop), Err(FleetRefusal::TooFew { have: 1, need: 2 }));
}

#[test]
fn what_nobody_signed_or_comes_too_late_is_no_proposal() {
    let first = of_two();
    let fleet = id("fleet-1");
    let none = Err(FleetRefusal::TooFew { have: 0, need: 2 });
    let check = |proposal: &FleetProposal| proposal.check_roster(&first, &fleet).map(drop);
    assert_eq!(check(&proposed(following(&first, |_| {}), "noor")), none, "noor owns nothing");
    let good = proposed(following(&first, |_| {}), "mara");
    let mut text = String::from_utf8(good.documents()[0].payload.clone()).unwrap();
    text = text.replace("Olu", "Eve");
    let [envelope] = good.documents() else { panic!("one") };
    let changed = SignedEnvelope { payload: text.into_bytes(), ..envelope.clone() };
    assert_eq!(check(&FleetProposal::new(vec![changed])), none, "the broker changed a name");
    let second = first.verify_later(&also_signed(&good, &first, "ines").documents()[0], &fleet).unwrap();
    let late = good.check_roster(&second, &fleet).map(drop);
    assert_eq!(late, Err(FleetRefusal::Older), "it counts already");
    let mut other = following(&first, |_| {});
    other.previous = Some(Hash::of_bytes(b"another"));
    assert_eq!(check(&proposed(other, "mara")), Err(RosterError::OtherPrevious.into()));
    let mut last = following(&first, |_| {});
    last.version = u64::MAX;
    assert_eq!(check(&proposed(last, "mara")), Err(FleetRefusal::TooFar(u64::MAX)));
    assert_eq!(FleetProposal::decode(&FleetProposal::NONE.encode()), None);
    let three = FleetProposal::new(vec![envelope.clone(), envelope.clone(), envelope.clone()]);
    assert_eq!(FleetProposal::decode(&three.encode()), None);
}

#[test]
fn junk_beside_a_signature_keeps_nobody_from_signing() {
    let first = of_two();
    let mut envelope = super::signed(following(&first, |_| {}), &["mara"]);
    let good = envelope.signatures[0].clone();
    for number in 0..15_u8 {
        let mut junk = good.clone();
        junk.sig[0] ^= number + 1;
        envelope.signatures.push(junk);
    }
    let signed = also_signed(&FleetProposal::new(vec![envelope]), &first, "ines");
    assert_eq!(signed.documents()[0].signatures.len(), 2);
    assert_eq!(signed_by(&signed, &first), ["Ines", "Mara"]);
}

/// Makes two publishers, Pat and Ines, of whom both sign; and a policy that Pat proposes.
fn policy_of_two() -> (PinnedRoster, FleetProposal) {
    let first = pinned({
        let mut roster = roster();
        roster.publishers_needed = 2;
        let ines = roster.members.iter_mut().find(|member| member.id == id("ines")).unwrap();
        ines.roles.push(MemberRole::Publisher);
        roster
    });
    let rules = BundleRules::from_values(&[json!({"deny": "git push"})]);
    let bundle = Bundle { not_before: START, rules, ..bundle(1, None) };
    let pat = device("pat");
    let bundle = pat.header("b1").sign_body(bundle, &[&pat.sign]);
    let hash = Hash::of_bytes(&bundle.payload);
    let stage = RolloutStage { group: id("builds"), number: 1, bundle: hash, reach: RolloutReach::All };
    let stage = pat.header("s1").sign_body(stage, &[&pat.sign]);
    (first, FleetProposal::new(vec![bundle, stage]))
}

#[test]
fn a_policy_counts_once_both_signed_all_of_it() {
    let (first, one) = policy_of_two();
    let fleet = id("fleet-1");
    let missing = |proposal: &FleetProposal| proposal.check_policy(&first, &fleet).unwrap().missing();
    assert_eq!(missing(&one), 1);
    let both = one.signed_with(&device("ines").sign, &first.roster, MemberRole::Publisher);
    assert_eq!(missing(&both), 0);
    for document in both.documents() {
        assert_eq!(document.signatures.len(), 2);
    }
    assert!(crate::published::<Bundle>(&first, &fleet, &both.documents()[0]).is_ok());
    assert!(crate::published::<RolloutStage>(&first, &fleet, &both.documents()[1]).is_ok());
    let half = FleetProposal::new(vec![both.documents()[0].clone(), one.documents()[1].clone()]);
    assert_eq!(missing(&half), 1, "the stage has one signature");
    let stage = device("pat").header("s2").sign_body(
        RolloutStage { group: id("builds"), number: 1, bundle: Hash::NONE, reach: RolloutReach::All },
        &[&device("pat").sign],
    );
    let other = FleetProposal::new(vec![one.documents()[0].clone(), stage]);
    assert_eq!(other.check_policy(&first, &fleet).map(drop), Err(FleetRefusal::NoBundle));
    assert_eq!(one.check_roster(&first, &fleet).map(drop), Err(FleetRefusal::Kind));
}

#[test]
fn a_revoked_publisher_s_signature_counts_no_more() {
    let (first, one) = policy_of_two();
    let both = one.signed_with(&device("ines").sign, &first.roster, MemberRole::Publisher);
    let mut roster = following(&first, |roster| roster.members.retain(|member| member.id != id("pat")));
    roster.publishers_needed = 1;
    let roster = PinnedRoster { roster, hash: Hash::NONE };
    let fleet = id("fleet-1");
    let left = both.check_policy(&roster, &fleet).unwrap().signed;
    assert_eq!(left.into_iter().collect::<Vec<_>>(), ["Ines"]);
    let none = Err(FleetRefusal::TooFew { have: 0, need: 1 });
    assert_eq!(one.check_policy(&roster, &fleet).map(drop), none);
}

#[test]
fn everything_that_a_roster_has_otherwise_is_shown() {
    let before = roster();
    assert_eq!(before.changes_to(&before), []);
    let changes = |change: &dyn Fn(&mut Roster)| {
        let mut after = roster();
        change(&mut after);
        before.changes_to(&after)
    };
    let eve = device("eve").member("Eve", &[MemberRole::Auditor]);
    assert_eq!(changes(&|after| after.members.push(eve.clone())), [RosterChange::Added(eve.clone())]);
    let gone = before.members[0].clone();
    assert_eq!(changes(&|after| drop(after.members.remove(0))), [RosterChange::Removed(gone)]);
    let others: [fn(&mut Member); 8] = [
        |member| member.name.push('x'),
        |member| member.person.push('x'),
        |member| member.roles.push(MemberRole::Publisher),
        |member| member.groups.push(id("x")),
        |member| member.approver.as_mut().unwrap().risk = FleetRisk::Safe,
        |member| member.sign = device("eve").sign.verifier(),
        |member| member.seal = device("eve").open.sealer(),
        |member| member.nkey = device("eve").nkey.verifier(),
    ];
    for other in others {
        let shown = changes(&|after| other(&mut after.members[0]));
        assert!(matches!(shown.as_slice(), [RosterChange::Changed { .. }]), "{shown:?}");
    }
    assert_eq!(changes(&|after| after.owners_needed = 2), [RosterChange::OwnersNeeded(1, 2)]);
    assert_eq!(changes(&|after| after.publishers_needed = 2), [RosterChange::PublishersNeeded(1, 2)]);
    assert_eq!(changes(&|after| after.fresh_for = 1), [RosterChange::FreshFor(24 * HOUR, 1)]);
    let fresh_by = RosterChange::FreshBy(Vec::new(), vec![id("noor")]);
    assert_eq!(changes(&|after| after.fresh_by.push(id("noor"))), [fresh_by]);
}

#[test]
fn as_many_have_to_sign_as_there_are_people_and_no_more() {
    let two = |owners, publishers| SignaturesChange { owners, publishers, fresh_for: None };
    let mut roster = roster();
    assert_eq!(roster.change_signatures(two(Some(1), None)), Ok(false));
    assert_eq!(roster.change_signatures(two(Some(2), None)), Ok(true), "Mara and Ines");
    let refused =
        |change: SignaturesChange| super::roster().change_signatures(change).unwrap_err().to_string();
    let three = refused(two(Some(3), None));
    assert!(three.contains("owner is Ines, Mara") && three.contains("--roles owner,"), "{three}");
    let publishers = refused(two(None, Some(2)));
    assert!(publishers.contains("publisher is Pat"), "{publishers}");
    assert_eq!(super::roster().change_signatures(two(Some(0), None)), Err(RightsError::Signatures));
    assert_eq!(super::roster().change_signatures(two(Some(17), None)), Err(RightsError::Signatures));
    // Who has to sign stays there.
    let change =
        crate::RightsChange { roles: Some(vec![MemberRole::Publisher]), ..crate::RightsChange::default() };
    let why = roster.change_rights("ines", &change).unwrap_err().to_string();
    assert!(why.contains("2 owners have to sign, and this leaves 1"), "{why}");
}

#[test]
fn an_owner_s_word_counts_for_an_hour_to_a_week() {
    let within = |fresh_for| SignaturesChange { fresh_for: Some(fresh_for), ..SignaturesChange::default() };
    for (wanted, changes) in [(24 * HOUR, false), (HOUR, true), (7 * 24 * HOUR, true)] {
        let mut roster = roster();
        assert_eq!(roster.change_signatures(within(wanted)), Ok(changes), "{wanted}");
        assert_eq!(roster.fresh_for, wanted);
    }
    for odd in [HOUR - 1, 7 * 24 * HOUR + 1, 0, i64::MIN, i64::MAX] {
        let why = roster().change_signatures(within(odd)).unwrap_err().to_string();
        assert!(why.contains("1 hour to 7 days"), "{odd}: {why}");
    }
}

#[test]
fn a_code_names_a_roster_that_one_owner_signed_before_two_had_to() {
    let mut two = roster();
    two.owners_needed = 2;
    let envelope = super::signed(two, &["mara"]);
    let hash = Hash::of_bytes(&envelope.payload);
    assert!(PinnedRoster::pin_first(&envelope, &id("fleet-1"), hash).is_ok());
}
