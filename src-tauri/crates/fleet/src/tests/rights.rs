//! Change of a member's rights: what is changed, what stays, and what is refused with what would be right.

use super::{at, following, host, id, pinned, roster, signed};
use crate::{
    AdmittedMessage, FleetRisk, Member, MemberRole, RightsChange, RightsError, Roster, admit_message,
};

fn roles(roles: &[MemberRole]) -> RightsChange {
    RightsChange { roles: Some(roles.to_vec()), ..RightsChange::default() }
}

fn groups(names: &[&str]) -> RightsChange {
    RightsChange { groups: Some(names.iter().map(|name| id(name)).collect()), ..RightsChange::default() }
}

fn member<'a>(roster: &'a Roster, name: &str) -> &'a Member {
    roster.member(&id(name)).unwrap()
}

/// Changes a member of the fleet of the tests.
fn changed(named: &str, change: &RightsChange) -> Roster {
    let mut next = roster();
    assert_eq!(next.change_rights(named, change), Ok(true), "{named}: {change:?}");
    next
}

fn refused(named: &str, change: &RightsChange) -> String {
    roster().change_rights(named, change).unwrap_err().to_string()
}

#[test]
fn what_is_named_changes_and_all_else_stays() {
    let more = RightsChange { risk: Some(FleetRisk::Dangerous), ..groups(&["laptops", "builds", "builds"]) };
    let next = changed("noor", &more);
    let limits = member(&next, "noor").approver.as_ref().unwrap();
    assert_eq!(limits.groups, [id("builds"), id("laptops")], "each once");
    assert_eq!((limits.risk, limits.once_only), (FleetRisk::Dangerous, true));
    let others = |roster: &Roster| {
        roster.members.iter().filter(|one| one.id != id("noor")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(others(&next), others(&roster()));
    let host = changed("mini's device", &groups(&["laptops"]));
    assert_eq!(member(&host, "mini").groups, [id("laptops")], "by its name as well");
    let auditor = changed("noor", &roles(&[MemberRole::Auditor]));
    assert_eq!(member(&auditor, "noor").approver, None, "who answers no more has no limits");
    let publisher = changed("pat", &roles(&[MemberRole::Publisher, MemberRole::Owner]));
    assert_eq!(member(&publisher, "pat").roles, [MemberRole::Owner, MemberRole::Publisher]);
}

#[test]
fn a_mac_s_host_and_person_change_together_by_its_name() {
    let mut two = roster();
    for member in two.members.iter_mut().filter(|one| one.id == id("noor") || one.id == id("mini")) {
        "mini".clone_into(&mut member.name);
    }
    let both = RightsChange { once_only: Some(false), ..groups(&["laptops"]) };
    let mut next = two.clone();
    // An id is looked for first.
    assert_eq!(next.change_rights("mini", &groups(&["laptops"])), Ok(true));
    assert_eq!(member(&next, "noor").approver, member(&two, "noor").approver);
    for member in two.members.iter_mut().filter(|one| one.name == "mini") {
        "Mac mini".clone_into(&mut member.name);
    }
    assert_eq!(two.change_rights("Mac mini", &both), Ok(true));
    assert_eq!(member(&two, "mini").groups, [id("laptops")]);
    let limits = member(&two, "noor").approver.as_ref().unwrap();
    assert_eq!((limits.groups.as_slice(), limits.once_only), ([id("laptops")].as_slice(), false));
}

#[test]
fn a_mac_s_host_and_person_are_one_device() {
    let mut two = roster();
    let members = two.members.len();
    assert_eq!(two.devices(|_| false).len(), members, "each has a name of its own");
    for member in two.members.iter_mut().filter(|one| one.id == id("noor") || one.id == id("mini")) {
        "Mac mini".clone_into(&mut member.name);
    }
    let devices = two.devices(|_| false);
    let both = devices.iter().find(|device| device[0].name == "Mac mini").unwrap();
    assert_eq!((both.len(), devices.len()), (2, members - 1));
    assert_eq!(two.devices(|one| one.id == id("noor")).len(), members, "one is on another Mac");
    let mut three = two.clone();
    for member in three.members.iter_mut().filter(|one| one.id == id("pat")) {
        "Mac mini".clone_into(&mut member.name);
    }
    assert_eq!(three.devices(|_| false).len(), members - 1, "a second person is on another Mac");
}

#[test]
fn what_is_so_already_changes_nothing() {
    let mut same = roster();
    let change = RightsChange {
        roles: Some(vec![MemberRole::Approver, MemberRole::Owner]),
        risk: Some(FleetRisk::Dangerous),
        once_only: Some(false),
        ..groups(&["builds"])
    };
    assert_eq!(same.change_rights("mara", &change), Ok(false), "the order of roles says nothing");
    assert_eq!(same.change_rights("mara", &RightsChange::default()), Ok(false));
    assert_eq!(same, roster());
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let says = |named: &str, change: &RightsChange, words: &str| {
        let why = refused(named, change);
        assert!(why.contains(words), "{why}");
    };
    says("nora", &roles(&[MemberRole::Owner]), "noor's device");
    says("noor", &groups(&["buids"]), "the groups are builds, laptops");
    says("noor", &groups(&[]), "at least one group");
    says("noor", &roles(&[]), "revoke it");
    says("noor", &roles(&[MemberRole::Host]), "owner, publisher, approver, auditor");
    says("noor", &roles(&[MemberRole::Approver, MemberRole::Auditor]), "either an auditor");
    says("mini", &roles(&[MemberRole::Approver]), "mini's device is a host");
    says("pat", &groups(&["builds"]), "need the role approver");
    says("pat", &roles(&[MemberRole::Approver]), "its groups, and the highest risk");
    says("noor", &RightsChange { risk: Some(FleetRisk::Safe), ..roles(&[MemberRole::Auditor]) }, "approver");
    let new = RightsChange { new_groups: true, ..groups(&["attic"]) };
    assert_eq!(member(&changed("mini", &new), "mini").groups, [id("attic")], "a new one is said to be one");
    let mut twins = roster();
    for member in &mut twins.members {
        "Mac".clone_into(&mut member.name);
    }
    let why = twins.change_rights("Mac", &groups(&["builds"])).unwrap_err();
    assert!(matches!(&why, RightsError::Several { ids, .. } if ids.contains("noor, ines")), "{why}");
}

#[test]
fn the_last_owner_stays_one() {
    let mut one = changed("ines", &roles(&[MemberRole::Approver]));
    let last = one.clone().change_rights("mara", &roles(&[MemberRole::Approver]));
    assert_eq!(last, Err(RightsError::LastOwner("mara's device".to_owned())));
    assert_eq!(one.change_rights("noor", &roles(&[MemberRole::Owner, MemberRole::Approver])), Ok(true));
    assert_eq!(one.change_rights("mara", &roles(&[MemberRole::Approver])), Ok(true), "now there is another");
}

#[test]
fn a_host_admits_the_change_of_an_owner_alone() {
    let change = |roster: &mut Roster| {
        assert_eq!(roster.change_rights("noor", &roles(&[MemberRole::Owner])), Ok(true));
    };
    let fleet = host();
    let next = following(&pinned(roster()), change);
    let by_noor = signed(next.clone(), &["noor"]).encode();
    assert!(admit_message(&fleet, &by_noor, at(1)).is_err(), "nobody gives itself a role");
    match admit_message(&fleet, &signed(next, &["mara"]).encode(), at(1)).unwrap() {
        AdmittedMessage::Roster(next) => assert!(member(&next.roster, "noor").has_role(MemberRole::Owner)),
        other => panic!("{other:?} is no roster"),
    }
}
