//! `kill -9` of the owner's host, of the one that joins, and of the broker, at each step of joining.
//!
//! Afterwards the device has joined, or joins when it is invited again, without leaving first; the roster names no device that has no keys, and nobody
//! joins whose digits were not compared.

use crate::between::{Between, Fate, Passing};
use crate::crash::{shared_id, strike};
use crate::rights::noor_joined;
use crate::stage::{self, Broker, Mac, PATIENCE, Stage, joined, until_async};
use postern_client::Control;
use postern_contract::methods::{
    FleetInvite, FleetJoin, FleetMember, FleetMemberRef, FleetOverview, FleetPair, FleetPairingState,
    GetFleet, InviteMember, JoinFleet, LeaveFleet, Method, Nothing, PairMember, RevokeMember,
};
use postern_doors::fleet::{Folder, InvitationCode, has_joined};
use postern_tests::{Postern, free_port};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Host that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Owner,
    Joiner,
}

/// A fleet of one host, and another that joins it through a malicious broker.
struct Joinings {
    owner: Postern,
    joiner: Postern,
    between: Between,
    broker: Broker,
}

/// Calls a method of a host; `None` if it is refused or the host is killed.
async fn call<M: Method>(host: &Path, params: M::Params) -> Option<M::Result> {
    let data = host.to_owned();
    let called = move || match Control::connect(&data) {
        // What is refused helps to understand a test that fails.
        Ok(mut control) => {
            control.call_method::<M>(&params).inspect_err(|error| println!("{}: {error}", M::NAME)).ok()
        }
        Err(_) => None,
    };
    spawn_blocking(called).await.unwrap()
}

async fn overview(host: &Path) -> Option<FleetOverview> {
    call::<GetFleet>(host, Nothing {}).await
}

/// Returns the members of the device that joins, as a host knows them.
async fn members(host: &Path) -> Vec<FleetMember> {
    let fleet = overview(host).await.unwrap().fleet;
    let all = fleet.map(|fleet| fleet.members).unwrap_or_default();
    all.into_iter().filter(|member| member.name == "studio").collect()
}

async fn ends_pairing(host: &Path) {
    // One that was accepted ends by itself.
    until_async(async || {
        call::<PairMember>(host, FleetPair { digits: None }).await.is_some_and(|now| now.pairing.is_none())
    })
    .await;
}

fn invitation() -> FleetInvite {
    let approves = json!({"groups": ["all"], "risk": "dangerous", "onceOnly": false});
    let invited = json!({"name": "studio", "person": "Mara", "approves": approves, "publisher": false, "auditor": false});
    serde_json::from_value(invited).unwrap()
}

fn joining(code: &str) -> FleetJoin {
    let consent = json!({"policyAllows": false, "readable": false, "auditable": false});
    let join = json!({"code": code, "credentials": null, "asks": true, "answers": true, "consent": consent});
    serde_json::from_value(join).unwrap()
}

/// Lets the device join as two people do who compare the digits. `None` if it went no further.
async fn join(owner: &Path, joiner: &Path, compared: &AtomicBool) -> Option<()> {
    let code = call::<InviteMember>(owner, invitation()).await?.pairing?.code?;
    let digits = call::<JoinFleet>(joiner, joining(&code)).await?.pairing?.digits?;
    let seen = loop {
        let pairing = overview(owner).await?.pairing?;
        match pairing.state {
            FleetPairingState::Waiting => {}
            FleetPairingState::Comparing => break pairing.digits?,
            _ => return None,
        }
    };
    assert_eq!(seen, digits, "both screens show the same");
    compared.store(true, Ordering::Relaxed);
    call::<PairMember>(owner, FleetPair { digits: Some(digits) }).await?;
    for host in [owner, joiner] {
        loop {
            match overview(host).await?.pairing?.state {
                FleetPairingState::Joined => break,
                FleetPairingState::Failed => {
                    println!("{:?}", overview(host).await?.pairing?.problem);
                    return None;
                }
                _ => {}
            }
        }
    }
    Some(())
}

impl Joinings {
    async fn set() -> Self {
        let (owner, joiner) = (Postern::start(), Postern::start());
        let port = free_port();
        let listen = format!("127.0.0.1:{port}");
        let start = ["fleet", "start", "--yes", "--before-2-10", "--name", "MacBook", "--person", "Mara"];
        owner.ok(&[&start[..], &["--listen", &listen]].concat());
        let folder = Folder::from_data_folder(&owner.data());
        let broker = Broker::start(&folder.broker());
        let between = Between::start(&folder).await;
        between.lead(&folder);
        owner.ok(&["doors", "disable", "fleet"]);
        owner.ok(&["doors", "enable", "fleet"]);
        Self { owner, joiner, between, broker }
    }

    fn data(&self) -> (std::path::PathBuf, std::path::PathBuf) {
        (self.owner.data(), self.joiner.data())
    }

    /// Kills a host once a message of joining came, and starts it again. Returns true if the digits had been compared.
    async fn kill_at(
        &mut self,
        victim: Victim,
        is_it: impl FnMut(&Passing) -> bool + Send + 'static,
        after: bool,
    ) -> bool {
        let (owner, joiner) = self.data();
        let host = if victim == Victim::Owner { &mut self.owner } else { &mut self.joiner };
        let struck = strike(&self.between, is_it, after, &shared_id(host.pid()));
        let compared = Arc::new(AtomicBool::new(false));
        {
            let mut struck = Box::pin(timeout(PATIENCE, struck));
            tokio::select! {
                killed = &mut struck => killed.expect("it is killed").unwrap(),
                _ = join(&owner, &joiner, &compared) => struck.await.expect("it is killed").unwrap(),
            }
        }
        host.crash();
        self.between.play(|_| Fate::Pass);
        host.start_again();
        ends_pairing(&owner).await;
        ends_pairing(&joiner).await;
        compared.load(Ordering::Relaxed)
    }

    /// Kills the broker once a message of joining came, and starts it again. Returns true if the digits had been compared.
    async fn kill_broker_at(
        &mut self,
        is_it: impl FnMut(&Passing) -> bool + Send + 'static,
        after: bool,
    ) -> bool {
        let (owner, joiner) = self.data();
        let struck = strike(&self.between, is_it, after, &shared_id(self.broker.process()));
        let compared = AtomicBool::new(false);
        {
            let mut joining = Box::pin(join(&owner, &joiner, &compared));
            let mut struck = Box::pin(timeout(PATIENCE, struck));
            let has_ended = tokio::select! {
                killed = &mut struck => { killed.expect("it is killed").unwrap(); false },
                _ = &mut joining => { struck.await.expect("it is killed").unwrap(); true },
            };
            self.between.play(|_| Fate::Pass);
            self.broker.restart();
            if !has_ended {
                // It goes on, or both sides see that it ended.
                _ = timeout(PATIENCE, joining).await;
            }
        }
        ends_pairing(&owner).await;
        ends_pairing(&joiner).await;
        compared.load(Ordering::Relaxed)
    }

    /// Checks that the device has joined, or joins when it is invited again.
    async fn check_end(&self, compared: bool, at: &str) {
        let (owner, joiner) = self.data();
        let there = members(&owner).await;
        assert!(compared || there.is_empty(), "{at}: digits that nobody compared let it in: {there:?}");
        let knows = overview(&joiner).await.unwrap().fleet.is_some();
        assert!(compared || !knows, "{at}: it takes itself for a member");
        if knows && self.has_joined().await {
            return;
        }
        // It need not leave first, though it may take itself for a member.
        let again = AtomicBool::new(false);
        assert_eq!(join(&owner, &joiner, &again).await, Some(()), "{at}: it joins when it is invited again");
        ends_pairing(&owner).await;
        ends_pairing(&joiner).await;
        assert!(self.has_joined().await, "{at}: {:?}", members(&owner).await);
    }

    /// Returns true if the roster names the device with the keys that it has, and false if it does not name it.
    async fn has_joined(&self) -> bool {
        let (owner, joiner) = self.data();
        // The owner's next step settles what a crash left.
        let nobody = FleetMemberRef { member: "nobody".to_owned() };
        assert!(call::<RevokeMember>(&owner, nobody).await.is_none());
        let ids = |all: Vec<FleetMember>| all.into_iter().map(|one| one.id).collect::<Vec<_>>();
        let named = ids(members(&owner).await);
        let own: Vec<FleetMember> = members(&joiner).await.into_iter().filter(|one| one.own).collect();
        if named.is_empty() {
            return false;
        }
        assert_eq!((named.len(), &named), (2, &ids(own)), "a host and its person, and no other keys");
        until_async(async || overview(&joiner).await.unwrap().fleet.unwrap().connected).await;
        true
    }

    /// Takes the device out of the fleet again.
    async fn part(&self) {
        let (owner, joiner) = self.data();
        call::<LeaveFleet>(&joiner, Nothing {}).await.unwrap();
        call::<RevokeMember>(&owner, FleetMemberRef { member: "studio".to_owned() }).await.unwrap();
        assert!(members(&owner).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_joining_left_that_never_ended_is_none_of_the_next_fleet_s() {
    let (mut first, mut second) = (Stage::set().await, Stage::set().await);
    drop(noor_joined(&mut first).await);
    let mac = Mac::start().await;
    let folder = mac.folder();
    let invited = || stage::invitation("studio", "Mara");
    joined(&mut first.owner, &first.broker, &folder, &[false], invited()).await;
    // Killed before the last file was written: its roster is of a later version than the other fleet's.
    std::fs::remove_file(folder.path().join("member.json")).unwrap();
    joined(&mut second.owner, &second.broker, &folder, &[false], invited()).await;
    assert_eq!(folder.pinned().unwrap(), second.laptop.folder().pinned().unwrap());
    assert_eq!(std::fs::read_dir(folder.path().join("keys")).unwrap().count(), 1, "no keys of the other one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_whose_confirmation_was_lost_joins_again_without_leaving() {
    let mut stage = Stage::set().await;
    let mac = Mac::start().await;
    let (folder, invited) = (mac.folder(), || stage::invitation("studio", "Mara"));
    joined(&mut stage.owner, &stage.broker, &folder, &[false], invited()).await;
    let code = stage.owner.invite().unwrap();
    let refused =
        async |code: &InvitationCode| has_joined(&folder, code, None).await.unwrap_err().to_string();
    assert!(refused(&code).await.contains("leave it first"), "the owner said that it knows");
    // As if that had been lost.
    std::fs::write(folder.path().join("unconfirmed"), "").unwrap();
    assert!(has_joined(&folder, &code, None).await.unwrap(), "the roster names it");
    assert!(!folder.is_unconfirmed(), "and its owner would have put it out");
    std::fs::write(folder.path().join("unconfirmed"), "").unwrap();
    let other = InvitationCode { fleet: "other".parse().unwrap(), ..code.clone() };
    let elsewhere = InvitationCode { server: "tls://127.0.0.1:1".to_owned(), ..code };
    for code in [&other, &elsewhere] {
        assert!(refused(code).await.contains("leave it first"), "another fleet, or another broker");
    }
    let first = folder.membership().unwrap().members[0].id.clone();
    assert_eq!(stage.owner.revoke("studio").await.unwrap(), 1);
    let code = stage.owner.invite().unwrap();
    assert!(!has_joined(&folder, &code, None).await.unwrap(), "the roster is not sealed for it");
    stage.broker.reload();
    assert!(!has_joined(&folder, &code, None).await.unwrap(), "the broker does not let it in");
    joined(&mut stage.owner, &stage.broker, &folder, &[false], invited()).await;
    let own = folder.membership().unwrap().members[0].id.clone();
    let pinned = folder.pinned().unwrap();
    assert!(own != first && pinned.roster.member(&own).is_some() && pinned.roster.member(&first).is_none());
    assert_eq!(std::fs::read_dir(folder.path().join("keys")).unwrap().count(), 1, "its new keys alone");
    assert!(!folder.is_unconfirmed());
}

/// Recognizes a message of joining by its number: from the device, and the replies of the owner.
fn is_nth(nth: usize) -> impl FnMut(&Passing) -> bool + Send + 'static {
    let mut seen = 0;
    move |passing: &Passing| {
        let joins = passing.is_about("join") || passing.subject.starts_with("_INBOX_join-");
        seen += usize::from(joins && !passing.to_member);
        joins && !passing.to_member && seen == nth
    }
}

/// Messages of joining: commitments, reveals, three times that the device waits for a verdict, that it keeps it, and that the
/// owner knows.
const MESSAGES: usize = 12;

fn stores_roster(passing: &Passing) -> bool {
    passing.subject.ends_with(".roster") && passing.is_stored()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_killed_while_it_joins_has_joined_or_joins_again() {
    let mut joinings = Joinings::set().await;
    // Those after which it does something: it met the owner, was accepted, is welcome, and said that it keeps it.
    for nth in [2, 4, 6, 10, 11, MESSAGES] {
        let compared = joinings.kill_at(Victim::Joiner, is_nth(nth), true).await;
        joinings.check_end(compared, &format!("the device, after message {nth}")).await;
        joinings.part().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_is_killed_while_a_device_joins_lets_it_in_whole_or_again() {
    let mut joinings = Joinings::set().await;
    for nth in 1..=MESSAGES {
        let compared = joinings.kill_at(Victim::Owner, is_nth(nth), true).await;
        joinings.check_end(compared, &format!("the owner, after message {nth}")).await;
        joinings.part().await;
    }
    for after in [false, true] {
        let compared = joinings.kill_at(Victim::Owner, stores_roster, after).await;
        assert!(compared, "no roster is signed before");
        joinings.check_end(compared, &format!("the owner, at the roster, after: {after}")).await;
        joinings.part().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_whose_broker_is_killed_while_it_joins_has_joined_or_joins_again() {
    let mut joinings = Joinings::set().await;
    for nth in [1, 4, 6, 10, 11, MESSAGES] {
        let compared = joinings.kill_broker_at(is_nth(nth), true).await;
        joinings.check_end(compared, &format!("the broker, after message {nth}")).await;
        joinings.part().await;
    }
    for after in [false, true] {
        let compared = joinings.kill_broker_at(stores_roster, after).await;
        assert!(compared, "no roster is signed before");
        joinings.check_end(compared, &format!("the broker, at the roster, after: {after}")).await;
        joinings.part().await;
    }
}
