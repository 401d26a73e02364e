//! The administrator of the broker, who may do everything there.

use crate::rights::noor_joined;
use crate::stage::{Mac, PATIENCE, Stage, admin, ran_once, until_async, waits};
use crate::withheld::led;
use async_nats::{Client, Request};
use futures_util::StreamExt as _;
use postern_doors::fleet::{
    AnswerReply, Asked, FleetApprover, FleetChoice, HostReply, Publisher, Reported, Work,
};
use postern_fleet::Subjects;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;
use tokio::time::timeout;

/// Subject of a message that nobody else sends.
const LAST_WORD: &str = "evil.last";

/// Returns an answer again, changed in a byte, as another kind, and two that are no messages.
fn forged(answer: &[u8]) -> [Vec<u8>; 5] {
    let mut changed = answer.to_vec();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let kind = String::from_utf8(answer.to_vec()).unwrap();
    let kind = kind.replace("fleet.answer+json", "fleet.roster+json").into_bytes();
    [answer.to_vec(), changed, kind, Vec::new(), vec![b'['; 9000]]
}

/// Sends something again, and hears what a host replies to Mara: a refusal that she alone can read, or nothing.
async fn send_again(evil: &Client, stage: &Stage, subject: String, bytes: Vec<u8>) {
    let membership = stage.laptop.folder().membership().unwrap();
    let inbox =
        format!("{}.again", Subjects::inbox_prefix(membership.own_member_id(false).unwrap().as_str()));
    let request = Request::new().payload(bytes.into()).inbox(inbox);
    _ = timeout(Duration::from_secs(2), evil.send_request(subject, request)).await;
}

/// The administrator of the broker lets itself in with every right, reads everything and repeats, moves and forges what it likes.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_broker_s_administrator_does_nothing_runs() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let folder = stage.laptop.folder();
    let membership = folder.membership().unwrap();
    let evil = admin(&stage).await;
    let mut seen = evil.subscribe(format!("pf.{}.>", membership.fleet)).await.unwrap();
    evil.flush().await.unwrap();
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let approver = FleetApprover::connect(&folder).await.unwrap();
    assert_eq!(
        approver.answer(&asked, FleetChoice::Once, None, None).await.unwrap(),
        AnswerReply::Applied(0)
    );
    let (_, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    let answers = format!("pf.{}.ans.", membership.fleet);
    let stolen = loop {
        let message = timeout(PATIENCE, seen.next()).await.unwrap().unwrap();
        if message.subject.starts_with(&answers) {
            break message;
        }
    };
    // The next question of the same words: the stolen answer is repeated, changed, and said as another kind.
    stage.channel = Some(channel);
    let run = stage.ask(&file);
    let first = asked.question.id;
    let asked = loop {
        // News of the first one may be on their way.
        let one = waits(&mut news).await;
        if one.question.id != first {
            break one;
        }
    };
    for bytes in forged(&stolen.payload) {
        send_again(&evil, &stage, stolen.subject.to_string(), bytes).await;
    }
    // Rosters and word of what is current that nobody signed, and a rollback of both.
    for key in ["roster", "fresh"] {
        evil.publish(format!("$KV.pf-{}.{key}", membership.fleet), stolen.payload.clone()).await.unwrap();
    }
    evil.flush().await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "ran\n", "only what a person answered ran");
    assert_eq!(
        approver.answer(&asked, FleetChoice::Deny, None, None).await.unwrap(),
        AnswerReply::Applied(0),
        "the host is well"
    );
    ran_once(run, &file).await;
    // Each kind of attempt is on record.
    let approver = stage.laptop.folder().membership().unwrap().own_member_id(false).unwrap().to_string();
    for who in [approver.as_str(), "roster", "fresh"] {
        until_async(async || noted(&stage).await.contains(who)).await;
    }
    audited(&stage, &approver).await;
}

/// Checks that the mini's audit has what was refused, each kind of each sender once, and that its chain is whole.
async fn audited(stage: &Stage, approver: &str) {
    let page = stage.mini.call("audit", json!({"verify": true})).await;
    assert_eq!(page["verified"]["problem"], json!(null), "{page}");
    let rows = page["rows"].as_array().unwrap().iter().filter(|row| row["subject"] == json!("refused"));
    let mut all = BTreeSet::new();
    for row in rows {
        let noted: serde_json::Value = serde_json::from_str(row["after"].as_str().unwrap()).unwrap();
        let sender = row["key"].as_str().unwrap().to_owned();
        assert_eq!(row["widens"], json!(false));
        let is_new = all.insert((sender, noted["kind"].as_str().unwrap().to_owned()));
        assert!(is_new, "each once: {row}");
    }
    let has = |sender: &str, kind: &str| all.contains(&(sender.to_owned(), kind.to_owned()));
    // The changed answer, the one that is said to be a roster, and what is no message.
    assert!(has(approver, "form") && has(approver, "kind") && has("no member", "envelope"), "{all:?}");
    let words = page["rows"].to_string();
    assert!(words.contains("refused: "), "{words}");
}

/// Returns who the mini's record names at the door of the fleet.
async fn noted(stage: &Stage) -> BTreeSet<String> {
    let page = stage.mini.call("events.next", json!({"newest": 200})).await;
    let events = page["events"].as_array().unwrap().iter();
    let at_fleet = events.filter(|event| event["door"] == json!("fleet"));
    at_fleet.filter_map(|event| event["who"].as_str().map(str::to_owned)).collect()
}

/// Jobs and policies that were right once come again, and to other hosts.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_repeats_retargets_or_goes_back_changes_nothing() {
    let stage = Stage::set().await;
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let fleet = stage.laptop.folder().membership().unwrap().fleet;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    // Both hosts are there: who hears everything would keep a job for one that is not from being *offline*.
    for host in ["mini", "MacBook"] {
        until_async(async || in_force(&publisher, host).await == Some(None)).await;
    }
    let evil = admin(&stage).await;
    let mut seen = evil.subscribe(">").await.unwrap();
    evil.flush().await.unwrap();
    let group = "all".parse().unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let rules = |text: &str| {
        let rules = vec![json!({"effect": "deny", "text": text})];
        Asked { rules, ..Asked::default() }
    };
    let old = publisher.publish(&group, rules("echo *"), vec![mini.clone()]).await.unwrap();
    until_async(async || in_force(&publisher, "mini").await == Some(Some(old.clone()))).await;
    let new = publisher.publish(&group, rules("ls *"), vec![mini]).await.unwrap();
    until_async(async || in_force(&publisher, "mini").await == Some(Some(new.clone()))).await;
    let block = publisher.ask_all("mini", &Work::Block { minutes: None }).await.unwrap();
    assert_eq!(block[0].1, HostReply::Did(Reported::Done));
    publisher.ask_all("mini", &Work::Resume).await.unwrap();
    // Everything that it saw, again, in the other order; jobs of the mini to the MacBook as well.
    let mut all = Vec::new();
    // Its own last word comes after all that the broker had by then.
    evil.publish(LAST_WORD, "".into()).await.unwrap();
    loop {
        let message = timeout(PATIENCE, seen.next()).await.unwrap().unwrap();
        let subject = message.subject.to_string();
        if subject == LAST_WORD {
            break;
        }
        if subject.contains(".job.") || subject.contains(".bundle.") || subject.contains(".stage.") {
            all.push((subject, message.payload));
        }
    }
    assert!(all.len() >= 6, "two bundles, two stages and two jobs at least: {}", all.len());
    let other = publisher.hosts_of("MacBook")[0].id.clone();
    for (subject, payload) in all.into_iter().rev() {
        if subject.contains(".job.") {
            for subject in [subject, format!("pf.{fleet}.job.{other}")] {
                send_again(&evil, &stage, subject, payload.to_vec()).await;
            }
        } else {
            evil.publish(subject, payload).await.unwrap();
        }
    }
    evil.flush().await.unwrap();
    assert_eq!(in_force(&publisher, "mini").await, Some(Some(new)), "no older policy");
    assert_eq!(in_force(&publisher, "MacBook").await, Some(None), "nor one for other hosts");
    for mac in [&stage.mini, &stage.laptop] {
        assert_ne!(mac.call("status", json!({})).await["mode"], json!("paused"), "no job counts twice");
    }
    // Each is on record where it was tried: the older policy, the job again, and the job of another host.
    assert!(
        refused_kinds(&stage.mini).await.is_superset(&["rolled-back".to_owned(), "older".to_owned()].into())
    );
    until_async(async || refused_kinds(&stage.laptop).await.contains("sealed")).await;
}

/// Returns the kinds of what a host's audit says was refused.
pub(super) async fn refused_kinds(mac: &Mac) -> BTreeSet<String> {
    let page = mac.call("audit", json!({})).await;
    let rows = page["rows"].as_array().unwrap().iter().filter(|row| row["subject"] == json!("refused"));
    let kind = |row: &serde_json::Value| {
        let noted: serde_json::Value = serde_json::from_str(row["after"].as_str().unwrap()).unwrap();
        noted["kind"].as_str().unwrap().to_owned()
    };
    rows.map(kind).collect()
}

/// A broker that is set back to a copy of before gives out an older policy and an older roster.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_goes_back_to_an_older_copy_is_named() {
    let mut stage = Stage::set().await;
    let between = led(&stage).await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let group = "all".parse().unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let mut names = Vec::new();
    for text in ["echo *", "ls *"] {
        let asked = Asked { rules: vec![json!({"effect": "deny", "text": text})], ..Asked::default() };
        let name = publisher.publish(&group, asked, vec![mini.clone()]).await.unwrap();
        until_async(async || in_force(&publisher, "mini").await == Some(Some(name.clone()))).await;
        names.push(name);
        // What was shown by now is what it goes back to.
        if names.len() == 1 {
            between.remember();
        }
    }
    let _phone = noor_joined(&mut stage).await;
    let newest = stage.owner.roster().version;
    until_async(async || stage.mini.folder().pinned().unwrap().roster.version == newest).await;
    between.go_back();
    stage.broker.restart();
    until_async(async || refused_kinds(&stage.mini).await.contains("rolled-back")).await;
    assert_eq!(stage.mini.folder().pinned().unwrap().roster.version, newest);
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    until_async(async || in_force(&publisher, "mini").await == Some(names.last().cloned())).await;
}

/// Returns what is in force on a host, if it says so.
async fn in_force(publisher: &Publisher, host: &str) -> Option<Option<String>> {
    match &publisher.ask_all(host, &Work::Policy).await.unwrap()[0].1 {
        HostReply::Did(Reported::Policy(states)) => Some(states[0].in_force.clone()),
        _ => None,
    }
}
