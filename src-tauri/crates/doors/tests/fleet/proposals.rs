//! Changes that two people have to sign: one alone, with devices of their own or with the broker's help, changes nothing.

use crate::administrator::refused_kinds;
use crate::insiders::{Insider, whole_fleet};
use crate::rights::{changed, with_noor};
use crate::stage::{Mac, PATIENCE, Stage, admin, invitation, joined, until_async};
use async_nats::HeaderMap;
use futures_util::StreamExt as _;
use postern_doors::fleet::{
    Asked, FleetError, FleetOwner, Folder, HostReply, Invitation, MemberRole, ProposedContent, Publisher,
    Reported, RightsChange, RolloutReach, RosterChange, SignaturesChange, SignaturesNeeded, WaitingProposal,
    Work, change_rights, change_signatures, list_proposals, revoke_member, sign_proposal, withdraw_proposal,
};
use postern_fleet::{FleetProposal, Roster, Subjects};
use serde_json::json;
use tokio::time::timeout;

/// Lets a person join who owns the fleet and publishes.
async fn owner_joined(stage: &mut Stage, name: &str, person: &str) -> Mac {
    let mac = Mac::start().await;
    owner_let_in(stage, &mac.folder(), (name, person)).await;
    mac
}

/// Lets the person with this folder join, who owns the fleet and publishes.
pub(super) async fn owner_let_in(stage: &mut Stage, folder: &Folder, (name, person): (&str, &str)) {
    let invited = Invitation { publisher: true, ..invitation(name, person) };
    joined(&mut stage.owner, &stage.broker, folder, &[false], invited).await;
    let roles = [MemberRole::Owner, MemberRole::Publisher, MemberRole::Approver];
    changed(stage, name, &RightsChange { roles: Some(roles.to_vec()), ..RightsChange::default() }).await;
    stage.broker.reload();
}

/// Makes two owners and two publishers sign from now on.
pub(super) async fn want_two(stage: &Stage) {
    let two = SignaturesChange { owners: Some(2), publishers: Some(2), fresh_for: None };
    assert!(change_signatures(&stage.laptop.folder(), two).await.unwrap().0);
    let newest = version(&stage.laptop.folder());
    until_async(async || version(&stage.mini.folder()) == newest).await;
}

/// Sets the stage, with a second owner and publisher, where both have to sign.
pub(super) async fn two_owners() -> (Stage, Mac) {
    let mut stage = Stage::set().await;
    let ines = owner_joined(&mut stage, "Ines's MacBook", "Ines").await;
    want_two(&stage).await;
    (stage, ines)
}

pub(super) fn version(folder: &Folder) -> u64 {
    folder.pinned().unwrap().roster.version
}

pub(super) fn once_only(once_only: bool) -> RightsChange {
    RightsChange { once_only: Some(once_only), ..RightsChange::default() }
}

/// Returns what a change waits for.
pub(super) fn proposed<T: std::fmt::Debug>(done: Result<T, FleetError>) -> SignaturesNeeded {
    match done {
        Err(FleetError::Proposed(needed)) => needed,
        other => panic!("{other:?} waits for nobody"),
    }
}

/// Returns the only change that waits for a person.
pub(super) async fn waiting(mac: &Mac) -> WaitingProposal {
    let mut all = list_proposals(&mac.folder()).await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

pub(super) async fn nothing_waits(mac: &Mac) -> bool {
    list_proposals(&mac.folder()).await.unwrap().is_empty()
}

/// Returns why nobody can sign what waits.
async fn unsignable(mac: &Mac) -> String {
    let one = waiting(mac).await;
    let why = one.shown.as_ref().unwrap_err().clone();
    let signed = sign_proposal(&mac.folder(), &one).await.unwrap_err();
    assert_eq!(signed.to_string(), why, "it is not signed either");
    why
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_alone_changes_nothing_and_two_change_it_on_every_host() {
    let (mut stage, _noor) = with_noor().await;
    let few = SignaturesChange { owners: Some(2), ..SignaturesChange::default() };
    let few = change_signatures(&stage.laptop.folder(), few).await.unwrap_err().to_string();
    assert!(few.contains("owner is Mara"), "{few}");
    let ines = owner_joined(&mut stage, "Ines's MacBook", "Ines").await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    want_two(&stage).await;
    let before = version(&stage.mini.folder());
    let needed = proposed(change_rights(&stage.laptop.folder(), "Noor's MacBook", &once_only(true)).await);
    assert_eq!((needed.missing, needed.people.as_slice()), (1, ["Ines".to_owned()].as_slice()));
    let own = waiting(&stage.laptop).await;
    assert_eq!(own.id, needed.id);
    let again = sign_proposal(&stage.laptop.folder(), &own).await.unwrap_err().to_string();
    assert!(again.contains("you signed it already") && again.contains("Ines"), "{again}");
    let another = revoke_member(&stage.laptop.folder(), "Noor's MacBook").await.unwrap_err().to_string();
    assert!(another.contains("another change waits"), "{another}");
    assert_eq!(version(&stage.laptop.folder()), before);

    let shown = waiting(&ines).await;
    let content = &shown.shown.as_ref().unwrap().content;
    let ProposedContent::Roster { before: old, after } = content else { panic!("{content:?}") };
    let changes = old.changes_to(after);
    let [RosterChange::Changed { before: one, after: other }] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(one.name, "Noor's MacBook");
    assert!(!one.approver.as_ref().unwrap().once_only && other.approver.as_ref().unwrap().once_only);
    assert_eq!(version(&stage.mini.folder()), before, "nothing counts yet");
    sign_proposal(&ines.folder(), &shown).await.unwrap();
    until_async(async || version(&stage.mini.folder()) == before + 1).await;
    until_async(async || version(&stage.laptop.folder()) == before + 1).await;
    assert!(nothing_waits(&stage.laptop).await && nothing_waits(&ines).await);

    // A revocation cuts the member off at the broker once the second one signed it, on whichever Mac that is.
    let config = || std::fs::read_to_string(stage.laptop.folder().broker().join("broker.conf")).unwrap();
    let nkey = other.nkey.public_nkey();
    proposed(revoke_member(&stage.laptop.folder(), "Noor's MacBook").await);
    assert!(config().contains(&nkey));
    sign_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    until_async(async || !config().contains(&nkey)).await;
    proposed(change_rights(&ines.folder(), "MacBook", &once_only(true)).await);
    sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap();
    let newest = version(&stage.laptop.folder());
    assert_eq!(newest, before + 3);
    until_async(async || version(&stage.mini.folder()) == newest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_with_two_devices_changes_nothing() {
    let mut stage = Stage::set().await;
    let ines = owner_joined(&mut stage, "Ines's MacBook", "Ines").await;
    let second = owner_joined(&mut stage, "Mara's iMac", "Mara").await;
    want_two(&stage).await;
    let before = version(&stage.mini.folder());
    let alone = revoke_member(&stage.laptop.folder(), "Ines's MacBook").await.unwrap_err().to_string();
    assert!(alone.contains("2 owners have to sign, and this leaves 1"), "{alone}");
    proposed(change_rights(&stage.laptop.folder(), "Ines's MacBook", &once_only(true)).await);
    let shown = waiting(&second).await;
    let refused = sign_proposal(&second.folder(), &shown).await.unwrap_err().to_string();
    assert!(refused.contains("you signed it already"), "{refused}");
    // Without Postern: both keys sign, and the broker stores it.
    let mara = Insider::of(&stage, &stage.laptop, false).await;
    let other = Insider::of(&stage, &second, false).await;
    let pinned = stage.laptop.folder().pinned().unwrap();
    let mut roster: Roster = pinned.roster.clone();
    (roster.version, roster.previous) = (before + 1, Some(pinned.hash));
    roster.members.retain(|member| member.name != "Ines's MacBook");
    roster.owners_needed = 1;
    let envelope = mara.header().sign_body(roster, &[&mara.keys.sign, &other.keys.sign]);
    mara.write_stored("roster", mara.sealed("roster", &envelope.encode())).await;
    until_async(async || refused_kinds(&stage.mini).await.contains("too-few")).await;
    assert_eq!(version(&stage.mini.folder()), before);
    // It is in nobody's way.
    withdraw_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    assert!(nothing_waits(&stage.laptop).await);
    let needed = proposed(revoke_member(&ines.folder(), "Mara's iMac").await);
    assert_eq!(needed.people, ["Mara"]);
    // The number of her own change is used: nobody signs two of one.
    let refused = sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap_err();
    assert!(refused.to_string().contains("was signed here"), "{refused}");
    withdraw_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap();
    proposed(revoke_member(&stage.laptop.folder(), "Mara's iMac").await);
    sign_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    until_async(async || version(&stage.mini.folder()) == before + 3).await;
    assert!(nothing_waits(&stage.laptop).await);
    assert_eq!(version(&stage.laptop.folder()), before + 3);
}

/// Puts a value in the place of a proposal, as the broker's administrator.
async fn put_entry(evil: &async_nats::Client, stage: &Stage, key: &str, bytes: Vec<u8>) {
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let subject = Subjects::for_fleet(&fleet).key_subject(key);
    let stored = async_nats::jetstream::new(evil.clone()).publish(subject, bytes.into()).await;
    stored.unwrap().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_alters_or_repeats_a_proposal_gets_nothing_signed() {
    let (mut stage, noor) = with_noor().await;
    let ines = owner_joined(&mut stage, "Ines's MacBook", "Ines").await;
    want_two(&stage).await;
    let before = version(&stage.mini.folder());
    let evil = admin(&stage).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let key = "proposal.roster";
    let mut seen = evil.subscribe(Subjects::for_fleet(&fleet).stored(key)).await.unwrap();
    evil.flush().await.unwrap();
    proposed(change_rights(&stage.laptop.folder(), "Noor's MacBook", &once_only(true)).await);
    let stolen = timeout(PATIENCE, seen.next()).await.unwrap().unwrap().payload.to_vec();
    for at in [0, 40, stolen.len() / 2, stolen.len() - 1] {
        let mut altered = stolen.clone();
        altered[at] ^= 1;
        put_entry(&evil, &stage, key, altered).await;
        // Parts of it are for other owners: what is read is what was sealed, or nothing.
        let all = list_proposals(&ines.folder()).await.unwrap();
        assert!(all.iter().all(|one| one.shown.as_ref().unwrap().signed == ["Mara"]), "{at}: {all:?}");
    }
    put_entry(&evil, &stage, key, stolen[..stolen.len() / 2].to_vec()).await;
    assert!(nothing_waits(&ines).await);
    // A member who owns nothing makes one for the owners, and the broker puts it there.
    let insider = Insider::of(&stage, &noor, false).await;
    let pinned = stage.laptop.folder().pinned().unwrap();
    let mut roster = pinned.roster.clone();
    (roster.version, roster.previous, roster.owners_needed) = (before + 1, Some(pinned.hash), 1);
    let forged = FleetProposal::new(vec![insider.header().sign_body(roster, &[&insider.keys.sign])]);
    // Noor's own roster is one in which Ines owns nothing.
    let mara = Insider::of(&stage, &stage.laptop, false).await;
    put_entry(&evil, &stage, key, mara.sealed(key, &forged.encode())).await;
    let why = unsignable(&ines).await;
    assert!(why.contains("nobody who may sign it"), "{why}");
    // The policy's place is another one.
    let group = Subjects::for_fleet(&fleet).group_key("proposal", &whole_fleet());
    put_entry(&evil, &stage, &group, stolen.clone()).await;
    assert_eq!(waiting(&ines).await.group, None);

    put_entry(&evil, &stage, key, stolen.clone()).await;
    sign_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    until_async(async || version(&stage.mini.folder()) == before + 1).await;
    assert!(nothing_waits(&ines).await);
    put_entry(&evil, &stage, key, stolen).await;
    for owner in [&ines, &stage.laptop] {
        assert!(nothing_waits(owner).await, "it is in force");
    }
    assert_eq!(version(&stage.mini.folder()), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_owner_s_signature_on_what_waits_counts_no_more() {
    let mut stage = Stage::set().await;
    let ines = owner_joined(&mut stage, "Ines's MacBook", "Ines").await;
    let pat = owner_joined(&mut stage, "Pat's MacBook", "Pat").await;
    want_two(&stage).await;
    let evil = admin(&stage).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let names = Subjects::for_fleet(&fleet);
    let group = names.group_key("proposal", &whole_fleet());
    let mut seen = evil.subscribe(names.stored("proposal.>")).await.unwrap();
    evil.flush().await.unwrap();
    proposed(change_rights(&pat.folder(), "MacBook", &once_only(true)).await);
    let publisher = Publisher::connect(&pat.folder()).await.unwrap();
    proposed(publisher.publish(&whole_fleet(), denies("echo *"), Vec::new()).await);
    let mut stolen = Vec::new();
    while stolen.len() < 2 {
        stolen.push(timeout(PATIENCE, seen.next()).await.unwrap().unwrap().payload.to_vec());
    }
    let all = list_proposals(&stage.laptop.folder()).await.unwrap();
    withdraw_proposal(&stage.laptop.folder(), &all[0]).await.unwrap();
    proposed(revoke_member(&stage.laptop.folder(), "Pat's MacBook").await);
    let all = list_proposals(&ines.folder()).await.unwrap();
    sign_proposal(&ines.folder(), &all[0]).await.unwrap();
    let newest = version(&ines.folder());
    until_async(async || version(&stage.mini.folder()) == newest).await;
    put_entry(&evil, &stage, "proposal.roster", stolen.remove(0)).await;
    let all = list_proposals(&ines.folder()).await.unwrap();
    assert_eq!(all.len(), 2, "{all:?}");
    for (one, why) in all.iter().zip(["before the present version", "nobody who may sign it"]) {
        assert!(one.shown.as_ref().unwrap_err().contains(why), "{one:?}");
        sign_proposal(&ines.folder(), one).await.unwrap_err();
    }
    put_entry(&evil, &stage, &group, stolen.remove(0)).await;
    let all = list_proposals(&ines.folder()).await.unwrap();
    assert!(all[1].shown.as_ref().unwrap_err().contains("nobody who may sign it"), "{all:?}");
    assert_eq!(version(&ines.folder()), newest);
    // Another one takes its place.
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    proposed(mara.publish(&whole_fleet(), denies("ls *"), Vec::new()).await);
}

pub(super) fn denies(text: &str) -> Asked {
    Asked { rules: vec![json!({"effect": "deny", "text": text})], ..Asked::default() }
}

/// Returns what is in force on the mini.
async fn in_force(publisher: &Publisher) -> Option<String> {
    match publisher.ask_all("mini", &Work::Policy).await.unwrap().pop() {
        Some((_, HostReply::Did(Reported::Policy(states)))) => states[0].in_force.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_its_stages_and_its_rollback_are_signed_by_two_publishers() {
    let (stage, ines) = two_owners().await;
    let all = whole_fleet();
    let evil = admin(&stage).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let key = Subjects::for_fleet(&fleet).group_key("proposal", &all);
    let mut seen = evil.subscribe(Subjects::for_fleet(&fleet).stored(&key)).await.unwrap();
    evil.flush().await.unwrap();
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = mara.hosts_of("mini")[0].id.clone();
    let needed = proposed(mara.publish(&all, denies("echo *"), vec![mini.clone()]).await);
    let got = (needed.role, needed.people.as_slice());
    assert_eq!(got, (MemberRole::Publisher, ["Ines".to_owned()].as_slice()));
    let stolen = timeout(PATIENCE, seen.next()).await.unwrap().unwrap().payload.to_vec();
    assert_eq!(in_force(&mara).await, None, "one publisher alone changes nothing");
    let own = sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap_err();
    assert!(own.to_string().contains("you signed it already"), "{own}");
    let shown = waiting(&ines).await;
    let content = &shown.shown.as_ref().unwrap().content;
    let ProposedContent::Policy { name, before: None, after: Some(after), reach } = content else {
        panic!("{content:?}")
    };
    assert_eq!(
        (after.rules.parse_each().unwrap(), reach),
        (denies("echo *").rules, &RolloutReach::Canary(vec![mini]))
    );
    let first = name.clone();
    sign_proposal(&ines.folder(), &shown).await.unwrap();
    until_async(async || in_force(&mara).await.as_ref() == Some(&first)).await;
    let explained =
        stage.mini.call("explain", json!({"agent": "main", "shell": "echo hi", "cwd": "/"})).await;
    assert_eq!(explained["decision"], json!("deny"), "{explained}");
    assert!(nothing_waits(&stage.laptop).await && nothing_waits(&ines).await);

    // A stage, and the old policy again in its place.
    proposed(mara.advance(&all, true).await);
    put_entry(&evil, &stage, &key, stolen.clone()).await;
    assert!(nothing_waits(&ines).await, "it is in force");
    proposed(mara.advance(&all, true).await);
    let shown = waiting(&ines).await;
    let content = &shown.shown.as_ref().unwrap().content;
    assert!(matches!(content, ProposedContent::Policy { after: None, reach: RolloutReach::Percent(10), .. }));
    sign_proposal(&ines.folder(), &shown).await.unwrap();

    // The next one by the other publisher, for all, and back.
    let second = Publisher::connect(&ines.folder()).await.unwrap();
    proposed(second.publish(&all, denies("ls *"), Vec::new()).await);
    sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap();
    proposed(second.roll_back(&all).await);
    sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap();
    until_async(async || in_force(&mara).await.is_some_and(|name| name.starts_with("all/3#"))).await;
    put_entry(&evil, &stage, &key, stolen).await;
    let why = unsignable(&ines).await;
    assert!(why.contains("before the present version"), "{why}");
    let explained =
        stage.mini.call("explain", json!({"agent": "main", "shell": "echo hi", "cwd": "/"})).await;
    assert_eq!(explained["decision"], json!("deny"), "{explained}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_signs_no_two_policies_of_one_version() {
    let (stage, ines) = two_owners().await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let second = Publisher::connect(&ines.folder()).await.unwrap();
    let all = whole_fleet();
    proposed(mara.publish(&all, denies("echo *"), Vec::new()).await);
    let waits = second.publish(&all, denies("ls *"), Vec::new()).await.unwrap_err().to_string();
    assert!(waits.contains("another change waits"), "{waits}");
    withdraw_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    proposed(second.publish(&all, denies("ls *"), Vec::new()).await);
    let refused = sign_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap_err();
    assert!(refused.to_string().contains("was signed here"), "{refused}");
    withdraw_proposal(&stage.laptop.folder(), &waiting(&stage.laptop).await).await.unwrap();
    proposed(mara.publish(&all, denies("cat *"), vec![mara.hosts_of("mini")[0].id.clone()]).await);
    sign_proposal(&ines.folder(), &waiting(&ines).await).await.unwrap();
    until_async(async || in_force(&mara).await.is_some_and(|name| name.starts_with("all/3#"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_withdrawn_is_signed_by_nobody_to_whom_it_was_shown_before() {
    let (stage, ines) = two_owners().await;
    let (laptop, before) = (stage.laptop.folder(), version(&stage.laptop.folder()));
    let mara = Publisher::connect(&laptop).await.unwrap();
    for is_policy in [false, true] {
        if is_policy {
            proposed(mara.publish(&whole_fleet(), denies("echo *"), Vec::new()).await);
        } else {
            proposed(change_rights(&laptop, "Ines's MacBook", &once_only(true)).await);
        }
        let shown = waiting(&ines).await;
        withdraw_proposal(&laptop, &waiting(&stage.laptop).await).await.unwrap();
        let late = sign_proposal(&ines.folder(), &shown).await.unwrap_err().to_string();
        assert!(late.contains("look again"), "{late}");
        assert!(nothing_waits(&ines).await && nothing_waits(&stage.laptop).await);
    }
    // Both read what the broker has when they looked.
    assert_eq!([version(&laptop), version(&ines.folder())], [before; 2]);
    assert_eq!(mara.newest_of(&whole_fleet()).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_is_let_in_once_a_second_owner_signed() {
    let (mut stage, ines) = two_owners().await;
    // It writes the broker's configuration by the roster that it knows.
    stage.owner = FleetOwner::connect(&stage.laptop.folder()).await.unwrap();
    let before = version(&stage.mini.folder());
    let late = Mac::start().await;
    let signs = async {
        let waits = async {
            loop {
                if let Some(one) = list_proposals(&ines.folder()).await.unwrap().pop() {
                    return one;
                }
            }
        };
        let shown = timeout(PATIENCE, waits).await.expect("a device waits");
        assert!(late.folder().membership().is_err(), "it is no member yet");
        sign_proposal(&ines.folder(), &shown).await.unwrap();
    };
    let folder = late.folder();
    let joins = joined(&mut stage.owner, &stage.broker, &folder, &[false], invitation("late", "Olu"));
    tokio::join!(joins, signs);
    assert_eq!(version(&late.folder()), before + 1);
    until_async(async || version(&stage.mini.folder()) == before + 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_neither_owner_nor_publisher_writes_no_proposal() {
    let (mut stage, noor) = with_noor().await;
    let publishes = Mac::start().await;
    let invited = Invitation { publisher: true, ..invitation("pub", "Pat") };
    joined(&mut stage.owner, &stage.broker, &publishes.folder(), &[false], invited).await;
    let noor = Insider::of(&stage, &noor, false).await;
    let mini = Insider::of(&stage, &stage.mini, true).await;
    let pat = Insider::of(&stage, &publishes, false).await;
    let policy = Subjects::for_fleet(&noor.fleet).group_key("proposal", &whole_fleet());
    for insider in [&noor, &mini] {
        for key in ["proposal.roster", policy.as_str(), "proposal.a1"] {
            assert!(!insider.write(key, vec![0], HeaderMap::new()).await, "{key}");
        }
    }
    // A publisher proposes policy.
    pat.write_stored(&policy, vec![0]).await;
    assert!(!pat.write("proposal.roster", vec![0], HeaderMap::new()).await, "and no roster");
    let none = list_proposals(&stage.mini.folder()).await;
    assert!(none.is_err(), "{none:?}");
}

/// A proposal is for its signers alone: a host that is sent one takes nothing from it.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_passes_over_proposals() {
    let stage = Stage::set().await;
    let mara = Insider::of(&stage, &stage.laptop, false).await;
    let policy = Subjects::for_fleet(&mara.fleet).group_key("proposal", &whole_fleet());
    let pinned = stage.laptop.folder().pinned().unwrap();
    let mut roster = pinned.roster.clone();
    (roster.version, roster.previous) = (roster.version + 1, Some(pinned.hash));
    // Signed and sealed for the host as well, but proposed only.
    let envelope = mara.header().sign_body(roster, &[&mara.keys.sign]);
    for key in ["proposal.roster", policy.as_str()] {
        for bytes in [envelope.encode(), FleetProposal::new(vec![envelope.clone()]).encode()] {
            mara.write_stored(key, mara.sealed(key, &bytes)).await;
        }
    }
    // What comes after it was read after it.
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let name = publisher.publish(&whole_fleet(), denies("echo *"), vec![mini]).await.unwrap();
    until_async(async || in_force(&publisher).await.as_ref() == Some(&name)).await;
    assert_eq!(version(&stage.mini.folder()), pinned.roster.version);
    assert!(refused_kinds(&stage.mini).await.is_empty());
}
