//! `kill -9` of an owner, who publishes as well, at each step of a change that two people sign.
//!
//! Afterwards one change alone took effect and nothing waits, whichever of the two looks first.

use crate::between::{Between, Fate, Passing};
use crate::crash::{shared_id, strike};
use crate::insiders::{Insider, whole_fleet};
use crate::policy::until_in_force;
use crate::proposals::{
    denies, nothing_waits, once_only, owner_let_in, proposed, two_owners, version, waiting, want_two,
};
use crate::rights::noor_joined;
use crate::stage::{Mac, PATIENCE, Stage, invitation, joined, until_async};
use postern_doors::fleet::{
    FleetOwner, Folder, Hash, ProposedContent, Publisher, Roster, RosterChange, WaitingProposal,
    change_rights, list_proposals, sign_proposal,
};
use postern_tests::Postern;
use serde_json::json;
use std::fs;
use std::sync::atomic::Ordering;
use tokio::time::timeout;

/// Entries of the bucket that the last signature on a roster stores, in their order.
const ROSTER: &[&str] = &["proposal", "roster", "fresh", "proposal"];
/// Entries that the last signature on a policy stores.
const POLICY: &[&str] = &["proposal", "bundle", "stage", "proposal"];

/// Moments at which the second of the two is killed, and whether she looks first afterwards.
///
/// Each is the number of entries that were on their way by then, and whether the broker got the last of them.
const MOMENTS: [(usize, bool, bool); 9] = [
    (1, false, true),
    (1, true, false),
    (2, false, true),
    (2, false, false),
    (2, true, false),
    (3, false, true),
    (3, true, false),
    (4, false, true),
    (4, true, false),
];

/// Recognizes the last of these entries, once those before it were stored.
pub(super) fn is_last(entries: &'static [&'static str]) -> impl FnMut(&Passing) -> bool + Send + 'static {
    let mut left = entries;
    move |passing: &Passing| {
        let Some((next, rest)) = left.split_first() else { return false };
        if !passing.is_stored() || passing.entry_kind() != Some(*next) {
            return false;
        }
        left = rest;
        left.is_empty()
    }
}

/// A fleet in which Mara and Ines sign. Her commands are processes of their own, behind a malicious broker.
pub(super) struct Signing {
    pub(super) stage: Stage,
    pub(super) ines: Postern,
    folder: Folder,
    pub(super) between: Between,
}

impl Signing {
    async fn set() -> Self {
        let signing = Box::pin(Self::set_alone()).await;
        want_two(&signing.stage).await;
        signing
    }

    /// Sets up the same fleet, where the signature of one of them is enough.
    pub(super) async fn set_alone() -> Self {
        let mut stage = Stage::set().await;
        drop(noor_joined(&mut stage).await);
        let ines = Postern::start();
        let folder = Folder::from_data_folder(&ines.data());
        owner_let_in(&mut stage, &folder, ("Ines's MacBook", "Ines")).await;
        let between = Between::start(&stage.laptop.folder()).await;
        between.lead(&folder);
        Self { stage, ines, folder, between }
    }

    /// Runs a command of Ines, and kills it at the last of these entries, before the broker has it or after.
    pub(super) async fn kill_at(&self, command: &[&str], entries: &'static [&'static str], after: bool) {
        let process = shared_id(0);
        let struck = strike(&self.between, is_last(entries), after, &process);
        let mut child = self.ines.command(command).spawn().unwrap();
        process.store(i32::try_from(child.id()).unwrap(), Ordering::Relaxed);
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        child.wait().unwrap();
        self.between.play(|_| Fate::Pass);
    }

    /// Kills Ines while she signs what Mara proposed.
    async fn kill_signing(&self, entries: &'static [&'static str], after: bool) {
        let id = waiting(&self.stage.laptop).await.id;
        self.kill_at(&["fleet", "sign", &id, "--yes"], entries, after).await;
    }

    /// Waits until Mara is shown what was proposed, or checks that nothing was.
    async fn check_proposed(&self, is_there: bool, at: &str) {
        if is_there {
            until_async(async || !nothing_waits(&self.stage.laptop).await).await;
        } else {
            assert!(nothing_waits(&self.stage.laptop).await, "{at}: the broker has nothing");
        }
    }

    /// Has both look and sign what they can, and checks that nothing waits afterwards.
    async fn sign_what_waits(&self, ines_first: bool, at: &str) {
        let laptop = self.stage.laptop.folder();
        let mut both = [&self.folder, &laptop];
        if !ines_first {
            both.reverse();
        }
        for folder in both {
            for one in list_proposals(folder).await.unwrap() {
                if one.shown.as_ref().is_ok_and(|shown| shown.own) {
                    sign_proposal(folder, &one).await.unwrap();
                }
            }
        }
        for folder in both {
            let left = list_proposals(folder).await.unwrap();
            assert!(left.is_empty(), "{at}: {left:?}");
        }
    }

    /// Checks that one member changed since a roster and nothing else, everywhere.
    pub(super) async fn check_roster(&self, before: &Roster, at: &str) {
        let after = self.stage.laptop.folder().pinned().unwrap().roster;
        let changes = before.changes_to(&after);
        assert!(matches!(changes.as_slice(), [RosterChange::Changed { .. }]), "{at}: {changes:?}");
        assert_eq!(version(&self.folder), after.version, "{at}");
        until_async(async || version(&self.stage.mini.folder()) == after.version).await;
        assert!(!self.folder.path().join("pending-roster.json").exists(), "{at}: it is done with it");
    }

    /// Checks that the newest policy is in force, and that it follows so many others.
    async fn check_policy(&self, mara: &Publisher, number: usize, at: &str) {
        let (name, _) = mara.newest_of(&whole_fleet()).await.unwrap().unwrap();
        assert!(name.starts_with(&format!("all/{number}#")), "{at}: {name}");
        until_in_force(mara, &name, "mini").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_is_killed_while_she_signs_changes_the_roster_once() {
    let signing = Signing::set().await;
    let laptop = signing.stage.laptop.folder();
    for (nth, (entries, after, ines_first)) in MOMENTS.into_iter().enumerate() {
        let at = format!("{:?}, after: {after}, she looks first: {ines_first}", &ROSTER[..entries]);
        let before = laptop.pinned().unwrap().roster;
        proposed(change_rights(&laptop, "Noor's MacBook", &once_only(nth % 2 == 0)).await);
        signing.kill_signing(&ROSTER[..entries], after).await;
        signing.sign_what_waits(ines_first, &at).await;
        signing.check_roster(&before, &at).await;
        assert_eq!(version(&laptop), before.version + 1, "{at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_who_is_killed_while_she_signs_publishes_once() {
    let signing = Signing::set().await;
    let mara = Publisher::connect(&signing.stage.laptop.folder()).await.unwrap();
    let mini = mara.hosts_of("mini")[0].id.clone();
    for (nth, (entries, after, ines_first)) in MOMENTS.into_iter().enumerate() {
        let at = format!("{:?}, after: {after}, she looks first: {ines_first}", &POLICY[..entries]);
        let rules = denies(&format!("never-{nth} *"));
        proposed(mara.publish(&whole_fleet(), rules, vec![mini.clone()]).await);
        signing.kill_signing(&POLICY[..entries], after).await;
        signing.sign_what_waits(ines_first, &at).await;
        signing.check_policy(&mara, nth + 1, &at).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_killed_while_she_proposes_has_proposed_it_or_proposes_it_again() {
    let signing = Signing::set().await;
    let laptop = signing.stage.laptop.folder();
    let file = signing.ines.scratch("policy").join("policy.json");
    let publish =
        ["fleet", "policy", "publish", file.to_str().unwrap(), "--group", "all", "--canary", "mini", "--yes"];
    let mara = Publisher::connect(&laptop).await.unwrap();
    let mini = mara.hosts_of("mini")[0].id.clone();
    for after in [false, true] {
        let at = format!("after: {after}");
        let before = laptop.pinned().unwrap().roster;
        let set = ["fleet", "members", "set", "Noor's MacBook", "--once-only"];
        let set = [&set[..], &[if after { "no" } else { "yes" }]].concat();
        signing.kill_at(&set, &ROSTER[..1], after).await;
        signing.check_proposed(after, &at).await;
        let again = change_rights(&signing.folder, "Noor's MacBook", &once_only(!after)).await;
        if after {
            assert!(again.unwrap_err().to_string().contains("another change waits"), "{at}");
        } else {
            proposed(again);
        }
        signing.sign_what_waits(false, &at).await;
        signing.check_roster(&before, &at).await;

        let rules = denies(&format!("never-{after} *"));
        fs::write(&file, json!({ "rules": rules.rules }).to_string()).unwrap();
        signing.kill_at(&publish, &POLICY[..1], after).await;
        signing.check_proposed(after, &at).await;
        let ines = Publisher::connect(&signing.folder).await.unwrap();
        let again = ines.publish(&whole_fleet(), rules, vec![mini.clone()]).await;
        if after {
            assert!(again.unwrap_err().to_string().contains("another change waits"), "{at}");
        } else {
            proposed(again);
        }
        signing.sign_what_waits(false, &at).await;
        // A number that she signed for nothing is passed over, with the one after it.
        let mara = Publisher::connect(&laptop).await.unwrap();
        signing.check_policy(&mara, if after { 4 } else { 3 }, &at).await;
    }
}

/// Lets a device join until Ines is shown that it waits, and ends the owner's side then.
async fn ended_while_it_waits(stage: &mut Stage, ines: &Mac, late: &Mac) -> WaitingProposal {
    let (ines, late) = (ines.folder(), late.folder());
    let joins = joined(&mut stage.owner, &stage.broker, &late, &[false], invitation("late", "Olu"));
    let shown = async {
        loop {
            if let Some(one) = list_proposals(&ines).await.unwrap().pop() {
                return one;
            }
        }
    };
    tokio::select! {
        () = joins => panic!("nobody else signed"),
        shown = timeout(PATIENCE, shown) => shown.expect("a device waits"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_ends_while_another_has_to_sign_for_a_device_lets_it_in_no_more() {
    let (mut stage, ines) = two_owners().await;
    let (laptop, late) = (stage.laptop.folder(), Mac::start().await);
    let names_it =
        |folder: &Folder| folder.pinned().unwrap().roster.members.iter().any(|member| member.name == "late");
    stage.owner = FleetOwner::connect(&laptop).await.unwrap();
    let shown = Box::pin(ended_while_it_waits(&mut stage, &ines, &late)).await;
    // The owner's next command withdraws it: nobody signs it any more.
    stage.owner = FleetOwner::connect(&laptop).await.unwrap();
    assert!(nothing_waits(&ines).await);
    sign_proposal(&ines.folder(), &shown).await.unwrap_err();
    assert!(nothing_waits(&stage.laptop).await && !names_it(&laptop));

    // Signed before that command: it proposes that the device leaves again.
    let shown = Box::pin(ended_while_it_waits(&mut stage, &ines, &late)).await;
    sign_proposal(&ines.folder(), &shown).await.unwrap();
    assert!(names_it(&ines.folder()));
    stage.owner = FleetOwner::connect(&laptop).await.unwrap();
    let gone = waiting(&ines).await;
    let content = &gone.shown.as_ref().unwrap().content;
    let ProposedContent::Roster { before, after } = content else { panic!("{content:?}") };
    let changes = before.changes_to(after);
    assert!(matches!(changes.as_slice(), [RosterChange::Removed(one)] if one.name == "late"), "{changes:?}");
    sign_proposal(&ines.folder(), &gone).await.unwrap();
    assert!(nothing_waits(&stage.laptop).await && !names_it(&laptop));
}

/// Her Mac says it in her place, at once: without that word no answer from elsewhere counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_roster_whose_owner_ended_before_the_word_of_it_is_said_to_be_current() {
    let stage = Stage::set().await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let mara = Insider::of(&stage, &stage.laptop, false).await;
    let pinned = stage.laptop.folder().pinned().unwrap();
    let mut roster = pinned.roster.clone();
    (roster.version, roster.previous) = (roster.version + 1, Some(pinned.hash));
    let envelope = mara.header().sign_body(roster, &[&mara.keys.sign]);
    mara.write_stored("roster", mara.sealed("roster", &envelope.encode())).await;
    let hash = Hash::of_bytes(&envelope.payload);
    let mini = stage.mini.folder();
    until_async(async || mini.read_fresh().unwrap().is_some_and(|said| said.roster == hash)).await;
}
