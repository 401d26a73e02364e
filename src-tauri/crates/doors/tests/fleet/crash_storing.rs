//! `kill -9` of the broker, of who signs alone, and of an approver, while a roster or a policy is stored.
//!
//! The same command again brings about what was wanted, once, and nobody is left behind.

use crate::administrator::refused_kinds;
use crate::between::{Between, Fate, Passing};
use crate::crash::{Crashes, approve_by, question_of, shared_id, strike};
use crate::crash_signing::{Signing, is_last};
use crate::insiders::whole_fleet;
use crate::policy::until_in_force;
use crate::proposals::{denies, once_only, version};
use crate::stage::{PATIENCE, until_async};
use postern_doors::fleet::{Folder, Publisher, change_rights};
use serde_json::json;
use std::fs;
use tokio::time::timeout;

/// Entries of the bucket that a change of the roster stores where one owner signs, in their order.
const ROSTER: &[&str] = &["roster", "fresh"];
/// Entries that a policy stores where one publisher signs.
const POLICY: &[&str] = &["bundle", "stage"];

/// Moments of a kill: the number of entries that were on their way by then, and whether the broker got the last of them.
const MOMENTS: [(usize, bool); 4] = [(1, false), (1, true), (2, false), (2, true)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KilledProcess {
    Broker,
    Signer,
}

impl Signing {
    /// Runs a command of Ines until the last of these entries is on its way, and kills the broker or her.
    async fn kill(
        &mut self,
        killed: KilledProcess,
        command: &[&str],
        (entries, after): (&'static [&'static str], bool),
    ) {
        if killed == KilledProcess::Signer {
            return self.kill_at(command, entries, after).await;
        }
        let process = shared_id(self.stage.broker.process());
        let struck = strike(&self.between, is_last(entries), after, &process);
        let mut child = self.ines.command(command).spawn().unwrap();
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        child.wait().unwrap();
        self.between.play(|_| Fate::Pass);
        self.stage.broker.restart();
    }
}

/// Changes the roster as Ines alone, with a kill at each step, and again.
async fn roster_counts_once(killed: KilledProcess) {
    let mut signing = Signing::set_alone().await;
    let (laptop, mini) = (signing.stage.laptop.folder(), signing.stage.mini.folder());
    for (nth, (entries, after)) in MOMENTS.into_iter().enumerate() {
        let at = format!("{killed:?} killed at {:?}, after: {after}", &ROSTER[..entries]);
        let before = laptop.pinned().unwrap().roster;
        let set = ["fleet", "members", "set", "Noor's MacBook", "--once-only", ["yes", "no"][nth % 2]];
        signing.kill(killed, &set, (&ROSTER[..entries], after)).await;
        signing.ines.ok(&set);
        // Mara's Mac follows as it connects.
        drop(Publisher::connect(&laptop).await.unwrap());
        signing.check_roster(&before, &at).await;
        assert_eq!(version(&laptop), before.version + 1, "{at}");
        let newest = laptop.pinned().unwrap().hash;
        // Without that word no answer from elsewhere counts.
        until_async(async || mini.read_fresh().unwrap().is_some_and(|said| said.roster == newest)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roster_whose_broker_is_killed_while_it_stores_it_counts_once() {
    Box::pin(roster_counts_once(KilledProcess::Broker)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roster_whose_only_signer_is_killed_while_it_is_stored_counts_once() {
    Box::pin(roster_counts_once(KilledProcess::Signer)).await;
}

/// Publishes as Ines alone, with a kill at each step, and again.
async fn policy_is_in_force(killed: KilledProcess) {
    let mut signing = Signing::set_alone().await;
    let laptop = signing.stage.laptop.folder();
    let file = signing.ines.scratch("policy").join("policy.json");
    let publish =
        ["fleet", "policy", "publish", file.to_str().unwrap(), "--group", "all", "--canary", "mini", "--yes"];
    let mut last = 0;
    for (entries, after) in MOMENTS {
        let at = format!("{killed:?} killed at {:?}, after: {after}", &POLICY[..entries]);
        let word = format!("never-{entries}-{after}");
        let rules = denies(&format!("echo {word} *")).rules;
        fs::write(&file, json!({ "rules": rules }).to_string()).unwrap();
        signing.kill(killed, &publish, (&POLICY[..entries], after)).await;
        signing.ines.ok(&publish);
        let mara = Publisher::connect(&laptop).await.unwrap();
        let (name, _) = mara.newest_of(&whole_fleet()).await.unwrap().unwrap();
        let number = name.strip_prefix("all/").and_then(|rest| rest.split('#').next()).unwrap();
        let number: u64 = number.parse().unwrap();
        assert!(number > last, "{at}: {name} after {last}");
        last = number;
        until_in_force(&mara, &name, "mini").await;
        let line = json!({"agent": "main", "shell": format!("echo {word} x"), "cwd": "/"});
        let verdict = signing.stage.mini.call("explain", line).await;
        assert_eq!(verdict["decision"], json!("deny"), "{at}: {verdict}");
    }
    let refused = refused_kinds(&signing.stage.mini).await;
    assert!(!refused.contains("fork"), "no two policies of one number: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_whose_broker_is_killed_while_it_stores_it_is_in_force_after() {
    Box::pin(policy_is_in_force(KilledProcess::Broker)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_whose_only_publisher_is_killed_while_it_is_stored_is_in_force_after() {
    Box::pin(policy_is_in_force(KilledProcess::Signer)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_who_is_killed_while_a_roster_reaches_them_follows_it_and_answers() {
    let mut crashes = Crashes::set().await;
    let (laptop, builder) = (crashes.stage.laptop.folder(), Folder::from_data_folder(&crashes.host.data()));
    let (mut noor, folder) = crashes.noor_joins().await;
    let before_noor = Between::start(&laptop).await;
    before_noor.lead(&folder);
    noor.ok(&["doors", "enable", "fleet"]);
    let there = crashes.host.watch();
    for after in [false, true] {
        let at = format!("killed after: {after}");
        let process = shared_id(noor.pid());
        let is_roster = |passing: &Passing| passing.to_member && passing.entry_kind() == Some("roster");
        let struck = strike(&before_noor, is_roster, after, &process);
        assert!(change_rights(&laptop, "Noor's MacBook", &once_only(!after)).await.unwrap(), "{at}");
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        noor.crash();
        before_noor.play(|_| Fate::Pass);
        noor.start_again();
        until_async(async || version(&folder) == version(&laptop)).await;
        let newest = laptop.pinned().unwrap().hash;
        until_async(async || builder.read_fresh().unwrap().is_some_and(|said| said.roster == newest)).await;
        let (id, asking) = crashes.ask();
        let one = timeout(PATIENCE, question_of(&laptop, id)).await.unwrap();
        let said = approve_by(&noor, &one).output().unwrap();
        assert!(String::from_utf8_lossy(&said.stdout).contains("allowed once"), "{at}: {said:?}");
        asking.join().unwrap();
        assert_eq!(crashes.check_end(id, &at).await, 1, "{at}");
    }
    drop(there);
}
