//! Rights that change after joining: a person's roles and limits, a host's groups, and a second owner.

use crate::stage::{
    AskedFromAfar, Mac, PATIENCE, Stage, invitation, joined, ran_once, until_async, until_waiting,
};
use postern_doors::fleet::{
    AnswerReply, Asked, FleetApprover, FleetChoice, FleetError, FleetRisk, Folder, HostReply, MemberRole,
    Publisher, Reported, RightsChange, Work, change_rights,
};
use serde_json::json;
use std::fs;
use tokio::time::timeout;

/// Lets Noor's device join, to answer alone.
pub(super) async fn noor_joined(stage: &mut Stage) -> Mac {
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], invitation("Noor's MacBook", "Noor"))
        .await;
    phone
}

/// Sets the stage, with an approver on a Mac of their own.
pub(super) async fn with_noor() -> (Stage, Mac) {
    let mut stage = Stage::set().await;
    let noor = noor_joined(&mut stage).await;
    (stage, noor)
}

fn roles(roles: &[MemberRole]) -> RightsChange {
    RightsChange { roles: Some(roles.to_vec()), ..RightsChange::default() }
}

/// Changes rights as the owner on the laptop.
pub(super) async fn changed(stage: &Stage, named: &str, change: &RightsChange) {
    assert!(change_rights(&stage.laptop.folder(), named, change).await.unwrap(), "{named}: {change:?}");
}

fn version(folder: &Folder) -> u64 {
    folder.pinned().unwrap().roster.version
}

/// Returns what a member may publish at the broker, as its configuration says.
fn publishes(stage: &Stage, name: &str) -> String {
    let folder = stage.laptop.folder();
    let pinned = folder.pinned().unwrap();
    let member = pinned.roster.members.iter().find(|member| member.name == name).unwrap();
    let text = fs::read_to_string(folder.broker().join("broker.conf")).unwrap();
    let account = text.split(&member.nkey.public_nkey()).nth(1).expect("it is let in");
    account.lines().find(|line| line.contains("publish:")).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_may_answer_changes_after_joining() {
    let (mut stage, phone) = with_noor().await;
    let once = RightsChange { once_only: Some(true), ..RightsChange::default() };
    changed(&stage, "Noor's MacBook", &once).await;
    let before = version(&stage.laptop.folder());
    assert!(!change_rights(&stage.laptop.folder(), "Noor's MacBook", &once).await.unwrap());
    assert_eq!(version(&stage.laptop.folder()), before, "what is so already is no new roster");

    let _news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    stage.mini.asked().await;
    let asked = async {
        loop {
            if let Some(one) = noor.waiting().await.unwrap_or_default().pop() {
                return one;
            }
        }
    };
    let asked = timeout(PATIENCE, asked).await.unwrap();
    let offer = asked.question.proposals.first().map(|offer| offer.id.clone());
    let always = noor.answer(&asked, FleetChoice::Always, offer, None).await.unwrap();
    assert!(matches!(&always, AnswerReply::Refused(why) if why.contains("once, not always")), "{always:?}");

    assert!(publishes(&stage, "Noor's MacBook").contains(".ans."));
    changed(&stage, "Noor's MacBook", &roles(&[MemberRole::Auditor])).await;
    assert!(!publishes(&stage, "Noor's MacBook").contains(".ans."), "the broker lets it answer no more");
    assert!(matches!(FleetApprover::connect(&phone.folder()).await, Err(FleetError::NoApprover)));

    let limits = RightsChange {
        groups: Some(vec!["all".parse().unwrap()]),
        risk: Some(FleetRisk::Dangerous),
        ..roles(&[MemberRole::Approver])
    };
    changed(&stage, "Noor's MacBook", &limits).await;
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    let asked = until_waiting(&noor, &asked).await;
    let answered = async {
        // The mini may not have the new roster yet.
        while noor.answer(&asked, FleetChoice::Once, None, None).await.unwrap() != AnswerReply::Applied(0) {}
    };
    timeout(PATIENCE, answered).await.unwrap();
    ran_once(run, &file).await;
}

async fn in_force(publisher: &Publisher) -> Vec<String> {
    match publisher.ask_all("mini", &Work::Policy).await.unwrap().pop() {
        Some((_, HostReply::Did(Reported::Policy(states)))) => {
            states.into_iter().filter_map(|state| state.in_force).collect()
        }
        _ => Vec::new(),
    }
}

async fn until_in_force(stage: &Stage, wanted: &[String]) {
    // Each connection has the newest roster, which a job names.
    until_async(async || {
        let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
        in_force(&publisher).await == wanted
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_leaves_the_policy_of_a_group_with_the_group() {
    let mut stage = Stage::set().await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let asked = Asked { rules: vec![json!({"effect": "deny", "text": "echo *"})], ..Asked::default() };
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let all = publisher.publish(&"all".parse().unwrap(), asked, vec![mini]).await.unwrap();
    until_in_force(&stage, std::slice::from_ref(&all)).await;
    let builds = |names: &[&str]| RightsChange {
        groups: Some(names.iter().map(|name| name.parse().unwrap()).collect()),
        ..RightsChange::default()
    };
    let typo = change_rights(&stage.laptop.folder(), "mini", &builds(&["builds"])).await.unwrap_err();
    assert!(typo.to_string().contains("the groups are all"), "{typo}");
    let new = RightsChange { new_groups: true, ..builds(&["builds"]) };
    changed(&stage, "mini", &new).await;
    let both = RightsChange { groups: Some(vec!["builds".parse().unwrap()]), ..RightsChange::default() };
    let mara = stage.laptop.folder().membership().unwrap().own_member_id(false).unwrap().to_string();
    changed(&stage, &mara, &both).await;
    until_in_force(&stage, &[]).await;

    // What the group's policy denied waits for a person now, who answers for the new group.
    let AskedFromAfar { news: _news, run, asked, .. } = stage.watch_and_ask("file").await;
    assert_eq!(asked.groups, ["builds".parse().unwrap()]);
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    assert_eq!(mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(0));
    timeout(PATIENCE, run).await.unwrap().unwrap();
    changed(&stage, "mini", &builds(&["all", "builds"])).await;
    until_in_force(&stage, &[all]).await;
}

/// Ten versions of the roster are kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_was_away_for_a_dozen_rosters_follows() {
    let (mut stage, _phone) = with_noor().await;
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    let before = version(&stage.mini.folder());
    for round in 0..12 {
        let once = RightsChange { once_only: Some(round % 2 == 0), ..RightsChange::default() };
        changed(&stage, "Noor's MacBook", &once).await;
    }
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    until_async(async || version(&stage.mini.folder()) == before + 12).await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    assert_eq!(mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(0));
    ran_once(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_owner_changes_rights_and_the_broker_follows() {
    let (mut stage, phone) = with_noor().await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let mara = stage.laptop.folder().membership().unwrap().own_member_id(false).unwrap().to_string();
    let last = change_rights(&stage.laptop.folder(), &mara, &roles(&[MemberRole::Approver])).await;
    assert!(last.unwrap_err().to_string().contains("is the last owner"));
    let stranger = change_rights(&phone.folder(), &mara, &roles(&[MemberRole::Approver])).await;
    assert!(matches!(stranger, Err(FleetError::NoOwner)), "{stranger:?}");

    // An invitation that waits meanwhile ends well: the device follows every roster since its code.
    let late = Mac::start().await;
    let code = stage.owner.invite().unwrap();
    stage.broker.reload();
    let waiting = stage.owner.await_device(code.clone()).await.unwrap();
    changed(&stage, "Noor's MacBook", &roles(&[MemberRole::Owner, MemberRole::Approver])).await;
    late_joined(&mut stage, waiting, code, &late.folder()).await;

    let own = change_rights(&stage.laptop.folder(), &mara, &roles(&[MemberRole::Approver])).await;
    assert!(own.unwrap_err().to_string().contains("you stay an owner"));
    assert!(!publishes(&stage, "late").contains(".ans."));
    let limits = RightsChange {
        groups: Some(vec!["all".parse().unwrap()]),
        risk: Some(FleetRisk::Safe),
        ..roles(&[MemberRole::Approver])
    };
    assert!(change_rights(&phone.folder(), "late", &limits).await.unwrap());
    until_async(async || publishes(&stage, "late").contains(".ans.")).await;
}

/// Lets a device in that audits, with a code of before.
async fn late_joined(
    stage: &mut Stage,
    waiting: postern_doors::fleet::Inviting,
    code: postern_doors::fleet::InvitationCode,
    folder: &Folder,
) {
    let device = folder.clone();
    let joining = tokio::spawn(async move {
        let joining = postern_doors::fleet::Joining::meet_owner(code, None, &[false]).await.unwrap();
        joining.welcomed(&device, postern_doors::fleet::HostConsent::default()).await.unwrap()
    });
    let met = timeout(PATIENCE, waiting.meet_device()).await.unwrap().unwrap();
    let asked =
        postern_doors::fleet::Invitation { approver: None, auditor: true, ..invitation("late", "Ada") };
    stage.owner.welcome(met, &asked).await.unwrap();
    let (_, pinned) = timeout(PATIENCE, joining).await.unwrap().unwrap();
    assert_eq!(pinned.roster.version, version(&stage.laptop.folder()));
    stage.broker.reload();
}
