//! Two people for a risk, where a policy wants it; and the end of all work of agents on a host.

use crate::policy::until_in_force;
use crate::rights::{changed, with_noor};
use crate::stage::{
    AskedFromAfar, Mac, PATIENCE, Stage, invitation, joined, never_ran, ran_once, until_async, until_waiting,
    waits,
};
use crate::withheld::led;
use postern_doors::fleet::{
    AnswerReply, Asked, Elsewhere, FleetApprover, FleetChoice, FleetRisk, HostReply, Invitation, Publisher,
    Reported, RightsChange, Work,
};
use postern_host::ConnectedApproverKind;
use serde_json::json;
use tokio::time::timeout;

/// Publishes a policy by which two people approve everything, and waits until a host has it.
async fn want_two(stage: &Stage, host: &str) {
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let approvals = json!({"safe": 2, "needs-review": 2, "dangerous": 2}).as_object().unwrap().clone();
    let asked = Asked { approvals, ..Asked::default() };
    let id = publisher.hosts_of(host)[0].id.clone();
    let name = publisher.publish(&"all".parse().unwrap(), asked, vec![id]).await.unwrap();
    until_in_force(&publisher, &name, host).await;
}

/// Sets the stage, with a second person and a policy by which both approve everything on the mini.
async fn two_people() -> (Stage, Mac) {
    let (stage, noor) = with_noor().await;
    want_two(&stage, "mini").await;
    (stage, noor)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_approve_on_devices_of_their_own_or_nothing_runs() {
    let (mut stage, phone) = two_people().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    assert_eq!(mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(1));
    let again = mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    assert!(
        matches!(&again, AnswerReply::Refused(why) if why.contains("Mara approved it already")),
        "{again:?}"
    );
    // The fleet does not know the person at the mini.
    let face = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let params = json!({"questionId": asked.question.id, "digest": asked.question.digest, "answer": "once"});
    let local = stage.mini.host.call_by_name(&face.id(), "questions.answer", params).await.unwrap();
    assert_eq!(local["applied"], json!(false), "{local}");
    assert!(!file.exists(), "one person is not enough");
    let theirs = until_waiting(&noor, &asked).await;
    assert_eq!(noor.answer(&theirs, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(0));
    ran_once(run, &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_denial_of_one_person_ends_what_another_approved() {
    let (mut stage, phone) = two_people().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    noor_approved(&stage, &phone, &asked).await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let hers = until_waiting(&mara, &asked).await;
    let words = Some("not today".to_owned());
    assert_eq!(mara.answer(&hers, FleetChoice::Deny, None, words).await.unwrap(), AnswerReply::Applied(0));
    let (told, _) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(format!("{told:?}").contains("not today"), "{told:?}");
    assert!(!file.exists());
}

/// Has Noor approve, the first of two. Returns what waits for Mara.
async fn noor_approved(stage: &Stage, phone: &Mac, asked: &Elsewhere) {
    let noor = FleetApprover::connect(&phone.folder()).await.unwrap();
    let hers = until_waiting(&noor, asked).await;
    assert_eq!(noor.answer(&hers, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(1));
    let listed = stage.mini.call("questions.list", json!({})).await;
    assert!(listed.to_string().contains("Noor approved it."), "{listed}");
}

/// Checks that Mara's approval is the first of two that count, and ends the run.
async fn mara_is_the_first(stage: &Stage, asked: &Elsewhere) {
    let newest = stage.laptop.folder().pinned().unwrap().roster.version;
    until_async(async || stage.mini.folder().pinned().unwrap().roster.version == newest).await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let shown = async {
        loop {
            let one = until_waiting(&mara, asked).await;
            if serde_json::to_string(&one.question.why).unwrap().contains("does not count any more") {
                return one;
            }
        }
    };
    let shown = timeout(PATIENCE, shown).await.expect("everybody is told whose approval is gone");
    assert_eq!(mara.answer(&shown, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(1));
    stage.mini.deny_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_of_somebody_revoked_while_this_mac_was_away_counts_no_more() {
    let (mut stage, phone) = two_people().await;
    let between = led(&stage).await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    noor_approved(&stage, &phone, &asked).await;
    // The mini hears of it only with its next connection.
    between.freeze(true);
    assert_eq!(stage.owner.revoke("Noor's MacBook").await.unwrap(), 1);
    between.freeze(false);
    stage.broker.restart();
    mara_is_the_first(&stage, &asked).await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists(), "one person who counts is not enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_of_somebody_who_may_no_more_approve_this_risk_counts_no_more() {
    let (mut stage, phone) = two_people().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    noor_approved(&stage, &phone, &asked).await;
    let safe = RightsChange { risk: Some(FleetRisk::Safe), ..RightsChange::default() };
    changed(&stage, "Noor's MacBook", &safe).await;
    mara_is_the_first(&stage, &asked).await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists(), "one person who counts is not enough");
}

/// The person at the asking Mac has a key of the fleet, by which they only audit.
#[tokio::test(flavor = "multi_thread")]
async fn who_approves_nothing_in_the_fleet_is_no_second_person_at_their_own_mac() {
    let mut stage = Stage::set().await;
    let desk = Mac::start().await;
    let ada = Invitation { approver: None, auditor: true, ..invitation("desk", "Ada") };
    joined(&mut stage.owner, &stage.broker, &desk.folder(), &[true, false], ada).await;
    desk.call("doors.enable", json!({"door": "fleet"})).await;
    want_two(&stage, "desk").await;
    stage.channel = Some(desk.enrol().await);
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    let face = desk.host.add_approver(ConnectedApproverKind::Terminal);
    let file = desk.file("file");
    let run = stage.ask(&file);
    desk.asked().await;
    let listed = desk.host.call_by_name(&face.id(), "questions.list", json!({})).await.unwrap();
    let shown = &listed["questions"][0];
    let params = json!({"questionId": shown["id"], "digest": shown["digest"], "answer": "once"});
    let local = desk.host.call_by_name(&face.id(), "questions.answer", params).await.unwrap();
    assert!(local["reason"].as_str().unwrap().contains("with a key of the fleet"), "{local}");
    let first = async {
        loop {
            if let Some(one) = mara.waiting().await.unwrap_or_default().pop() {
                return one;
            }
        }
    };
    let asked = timeout(PATIENCE, first).await.unwrap();
    assert_eq!(mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(1));
    desk.deny_all().await;
    never_ran(run, &file).await;
}

/// A person at the asking Mac saves a rule, and then lets its agent do anything, while two people have to approve.
#[tokio::test(flavor = "multi_thread")]
async fn one_person_at_the_host_frees_nothing_by_a_rule_or_a_setting() {
    let mut stage = Stage::set().await;
    want_two(&stage, "mini").await;
    let AskedFromAfar { mut news, file, run, asked } = stage.watch_and_ask("file").await;
    stage.mini.call("rules.add", json!({"effect": "allow", "text": "echo *", "allowWrites": true})).await;
    let values = json!({"security": "full", "confirm": "yes"});
    stage.mini.call("agents.set", json!({"agent": "main", "values": values})).await;
    let listed = stage.mini.call("questions.list", json!({})).await;
    assert_eq!(listed["questions"][0]["id"], json!(asked.question.id), "it waits: {listed}");
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    // It shows other rules to save by then: an answer names what is on show when it is given.
    until_async(async || {
        let shown = until_waiting(&mara, &asked).await;
        mara.answer(&shown, FleetChoice::Deny, None, None).await.unwrap() == AnswerReply::Applied(0)
    })
    .await;
    stage.end(run).await;
    // What comes next needs them as well.
    let run = stage.ask(&file);
    let next = loop {
        // News of the first one may be on their way.
        let one = waits(&mut news).await;
        if one.question.id != asked.question.id {
            break one;
        }
    };
    assert_eq!(mara.answer(&next, FleetChoice::Once, None, None).await.unwrap(), AnswerReply::Applied(1));
    stage.mini.deny_all().await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists(), "nobody's rule or setting ran it");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_agents_of_a_host_are_blocked_from_elsewhere_and_work_again() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    waits(&mut news).await;
    let mara = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let did = vec![("mini".to_owned(), HostReply::Did(Reported::Done))];
    assert_eq!(mara.ask_all("mini", &Work::Block { minutes: None }).await.unwrap(), did);
    stage.end(run).await;
    assert!(!file.exists(), "what waited is denied");
    let (ended, channel) = timeout(PATIENCE, stage.ask(&file)).await.unwrap().unwrap();
    assert!(!file.exists(), "so is what comes after: {ended:?}");
    let status = stage.mini.call("status", json!({})).await;
    assert_eq!(status["mode"], json!("paused"), "{status}");
    assert_eq!(mara.ask_all("mini", &Work::Resume).await.unwrap(), did);
    assert_ne!(stage.mini.call("status", json!({})).await["mode"], json!("paused"));
    drop(channel);
}
