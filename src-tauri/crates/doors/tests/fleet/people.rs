//! Two people for a risk, where a policy wants it; and the end of all work of agents on a host.

use crate::stage::{Mac, PATIENCE, Stage, invitation, joined, until_async, until_waiting, waits};
use postern_doors::fleet::{
    AnswerReply, Asked, FleetApprover, FleetChoice, HostReply, Publisher, Reported, Work,
};
use postern_host::ConnectedApproverKind;
use serde_json::json;
use std::fs;
use tokio::time::timeout;

/// Publishes a policy by which two people approve everything, and waits until the mini has it.
async fn want_two(stage: &Stage) {
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let approvals = json!({"safe": 2, "needs-review": 2, "dangerous": 2}).as_object().unwrap().clone();
    let asked = Asked { approvals, ..Asked::default() };
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let name = publisher.publish(&"all".parse().unwrap(), asked, vec![mini]).await.unwrap();
    until_async(async || {
        let replies = publisher.ask_all("mini", &Work::Policy).await.unwrap();
        matches!(&replies[0].1, HostReply::Did(Reported::Policy(states)) if states[0].in_force.as_ref() == Some(&name))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_approve_on_devices_of_their_own_or_nothing_runs() {
    let mut stage = Stage::set().await;
    let phone = Mac::start().await;
    joined(&mut stage.owner, &stage.broker, &phone.folder(), &[false], invitation("Noor's MacBook", "Noor"))
        .await;
    want_two(&stage).await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
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
    timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n");
}

/// A person at the asking Mac saves a rule, and then lets its agent do anything, while two people have to approve.
#[tokio::test(flavor = "multi_thread")]
async fn one_person_at_the_host_frees_nothing_by_a_rule_or_a_setting() {
    let mut stage = Stage::set().await;
    want_two(&stage).await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
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
    let (_, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    stage.channel = Some(channel);
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
    let (_, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert!(!file.exists(), "what waited is denied");
    stage.channel = Some(channel);
    let (ended, channel) = timeout(PATIENCE, stage.ask(&file)).await.unwrap().unwrap();
    assert!(!file.exists(), "so is what comes after: {ended:?}");
    let status = stage.mini.call("status", json!({})).await;
    assert_eq!(status["mode"], json!("paused"), "{status}");
    assert_eq!(mara.ask_all("mini", &Work::Resume).await.unwrap(), did);
    assert_ne!(stage.mini.call("status", json!({})).await["mode"], json!("paused"));
    drop(channel);
}
