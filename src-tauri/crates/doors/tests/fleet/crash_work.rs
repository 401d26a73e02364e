//! `kill -9` of a real host while a roster, a policy, a job or its rows for an auditor pass.
//!
//! The broker is killed at these rows, too.
//! Once it runs again it follows what counts, does no job by itself, and its auditor has every row once.

use crate::between::Passing;
use crate::crash::{Crashes, shared_id, strike};
use crate::policy::until_in_force;
use crate::stage::{Mac, PATIENCE, invitation, joined, until_async};
use postern_doors::fleet::{
    Asked, FleetApprover, FleetId, Folder, HostReply, Invitation, Publisher, Reported, RightsChange, Work,
    change_rights,
};
use serde_json::json;
use tokio::time::timeout;

/// Recognizes the entry of the bucket that begins like this on its way to a host.
fn is_entry(kind: &'static str) -> impl Fn(&Passing) -> bool + Send + 'static {
    move |passing| passing.to_member && passing.entry_kind() == Some(kind)
}

impl Crashes {
    fn folder(&self) -> Folder {
        Folder::from_data_folder(&self.host.data())
    }

    /// Kills the host when a message comes that this brings about, before it passes or after it, and starts it again.
    async fn kill_at<T>(
        &mut self,
        is_it: impl FnMut(&Passing) -> bool + Send + 'static,
        after: bool,
        brings: impl Future<Output = T>,
    ) -> T {
        let process = shared_id(self.host.pid());
        let struck = strike(&self.between, is_it, after, &process);
        let (killed, said) = tokio::join!(timeout(PATIENCE, struck), brings);
        killed.expect("it is killed").unwrap();
        self.start_over();
        said
    }

    /// Asks the host for work until it says what became of it.
    async fn do_work(&self, publisher: &Publisher, work: &Work) -> Reported {
        let said = async {
            loop {
                if let HostReply::Did(said) = publisher.ask_all("builder", work).await.unwrap().remove(0).1 {
                    return said;
                }
            }
        };
        timeout(PATIENCE, said).await.expect("it does it")
    }

    fn is_blocked(&self) -> bool {
        self.host.json(&["status"])["mode"] == json!("paused")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_a_policy_reaches_it_has_it_in_force_after() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let publisher = Publisher::connect(&laptop).await.unwrap();
    let builder = publisher.hosts_of("builder")[0].id.clone();
    let group: FleetId = "all".parse().unwrap();
    for (kind, after) in ["bundle", "stage"].into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let rules = vec![json!({"effect": "deny", "text": format!("never-{kind}-{after} *")})];
        let asked = Asked { rules, ..Asked::default() };
        let publishes = Box::pin(publisher.publish(&group, asked, vec![builder.clone()]));
        let name = crashes.kill_at(is_entry(kind), after, publishes).await.unwrap();
        until_in_force(&publisher, &name, "builder").await;
        crashes.check_audit(&format!("{kind}, killed after: {after}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_a_roster_reaches_it_follows_it_after() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let version = |folder: &Folder| folder.pinned().unwrap().roster.version;
    for (nth, after) in [false, true].into_iter().enumerate() {
        let groups = ["all".to_owned(), format!("group{nth}")].map(|group| group.parse().unwrap());
        let change =
            RightsChange { groups: Some(groups.into()), new_groups: true, ..RightsChange::default() };
        let changes = Box::pin(change_rights(&laptop, "builder", &change));
        assert!(crashes.kill_at(is_entry("roster"), after, changes).await.unwrap());
        let folder = crashes.folder();
        until_async(async || version(&folder) == version(&laptop)).await;
        crashes.check_audit(&format!("killed after: {after}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_at_a_job_does_it_once_or_not_at_all() {
    let mut crashes = Crashes::set().await;
    let laptop = crashes.stage.laptop.folder();
    let publisher = Publisher::connect(&laptop).await.unwrap();
    assert!(matches!(crashes.do_work(&publisher, &Work::Resume).await, Reported::Done), "it is connected");
    for (reply, after) in [(false, false), (false, true), (true, false), (true, true)] {
        let at = format!("reply: {reply}, killed after: {after}");
        let mut came = false;
        let is_it = move |passing: &Passing| {
            let comes = passing.is_about("job") && passing.to_member;
            came |= comes;
            if reply { came && passing.is_own_reply() } else { comes }
        };
        let asks = Box::pin(async {
            let asking = Publisher::connect(&laptop).await.unwrap();
            // Nobody waits for the reply: it may not come.
            tokio::spawn(async move { asking.ask_all("builder", &Work::Block { minutes: None }).await });
        });
        crashes.kill_at(is_it, after, asks).await;
        // Killed when it had done it, or before it could begin; nothing it was sent before is done now.
        let did = crashes.is_blocked();
        assert!(did || !reply, "{at}: what it replies to is done");
        assert!(!did || reply || after, "{at}: what did not reach it is not done");
        assert!(matches!(crashes.do_work(&publisher, &Work::Resume).await, Reported::Done), "{at}");
        assert!(!crashes.is_blocked(), "{at}");
        crashes.check_audit(&at).await;
    }
}

/// Sets up a host whose rows an auditor reads, and the auditor's Mac.
async fn audited() -> (Crashes, Mac) {
    let mut crashes = Crashes::set().await;
    let desk = Mac::start().await;
    let stage = &mut crashes.stage;
    let invited = Invitation { approver: None, auditor: true, ..invitation("Ada's MacBook", "Ada") };
    joined(&mut stage.owner, &stage.broker, &desk.folder(), &[false], invited).await;
    let folder = crashes.folder();
    let mut membership = folder.membership().unwrap();
    membership.auditable = true;
    folder.keep_membership(&membership).unwrap();
    (crashes, desk)
}

/// Checks that the auditor has every row once, and one about this rule.
async fn check_rows(crashes: &Crashes, desk: &Mac, rule: &str) {
    let ada = FleetApprover::connect_to_audit(&desk.folder()).await.unwrap();
    let verified = async || ada.verify_audit(Some("builder")).await.unwrap().remove(0);
    until_async(async || {
        let seen = verified().await;
        let count = seen.last.map(|last| last.count);
        let read = seen.rows.rows.values().any(|(_, row)| format!("{row:?}").contains(rule));
        read && count.is_some() && seen.rows.head().map(|head| head.number) == count
    })
    .await;
    let whole = verified().await;
    assert!(whole.problems().is_empty(), "{whole:?}");
    let numbers: Vec<u64> = whole.rows.rows.keys().copied().collect();
    let first = numbers[0];
    assert_eq!(numbers, (first..).take(numbers.len()).collect::<Vec<_>>(), "none is missing");
    crashes.check_audit(rule).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_it_sends_rows_sends_every_row_once() {
    let (mut crashes, desk) = Box::pin(audited()).await;
    for after in [false, true] {
        let rule = format!("hummingbird-{after}");
        crashes.kill_while_it_sends("rows", after, &rule).await;
        check_rows(&crashes, &desk, &rule).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_while_it_takes_rows_has_every_row_once() {
    let (mut crashes, desk) = Box::pin(audited()).await;
    for after in [false, true] {
        let rule = format!("hummingbird-{after}");
        let process = shared_id(crashes.stage.broker.process());
        let rows = |passing: &Passing| passing.is_about("rows") && !passing.to_member;
        let struck = strike(&crashes.between, rows, after, &process);
        crashes.host.ok(&["rules", "deny", &rule, "--everyone"]);
        // A new connection sends at once.
        crashes.host.ok(&["doors", "disable", "fleet"]);
        crashes.host.ok(&["doors", "enable", "fleet"]);
        timeout(PATIENCE, struck).await.expect("it is killed").unwrap();
        crashes.stage.broker.restart();
        check_rows(&crashes, &desk, &rule).await;
    }
}
