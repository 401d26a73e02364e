//! A policy of a group: judged on every host's own history, published for a canary, brought to all, rolled back.

use crate::stage::{Mac, PATIENCE, Stage, until_async};
use postern_doors::fleet::{Asked, HostReply, Publisher, Reported, RolloutReach, Work};
use serde_json::{Value, json};
use std::fs;
use tokio::time::timeout;

fn group() -> postern_doors::fleet::FleetId {
    "all".parse().unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the value where it is used")]
fn policy(rules: Value) -> Asked {
    Asked { rules: rules.as_array().unwrap().clone(), ..Asked::default() }
}

/// Returns the verdict of a Mac on a line, with its whole trace.
async fn explained(mac: &Mac, line: &str) -> Value {
    mac.call("explain", json!({"agent": "main", "shell": line, "cwd": "/"})).await
}

/// Returns what is in force on a host. One that is not connected yet is waited for.
async fn in_force(publisher: &Publisher, host: &str) -> Option<String> {
    let said = async {
        loop {
            let replies = publisher.ask_all(host, &Work::Policy).await.unwrap();
            if let HostReply::Did(Reported::Policy(states)) = &replies[0].1 {
                return states[0].in_force.clone();
            }
        }
    };
    timeout(PATIENCE, said).await.expect("it answers")
}

pub(super) async fn until_in_force(publisher: &Publisher, name: &str, host: &str) {
    until_async(async || in_force(publisher, host).await.as_deref() == Some(name)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_replayed_published_and_named_in_verdicts_and_rolled_back() {
    let mut stage = Stage::set().await;
    // History that a replay can judge.
    let file = stage.mini.file("file");
    let at_mini = stage.mini.host.add_approver(postern_host::ConnectedApproverKind::Terminal);
    let run = stage.ask(&file);
    stage.mini.asked().await;
    stage.mini.deny_all().await;
    drop(at_mini);
    timeout(PATIENCE, run).await.unwrap().unwrap();
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let rules = json!([
        {"effect": "deny", "text": "echo *", "why": "nobody echoes here"},
        {"effect": "allow", "text": "git status"}
    ]);
    assert_eq!(in_force(&publisher, "mini").await, None, "it is connected, and has no policy");
    let replay = |rules: &Value, settings: Value| Work::Replay {
        rules: rules.as_array().unwrap().clone(),
        settings: settings.as_object().unwrap().clone(),
        days: 7,
    };
    let changed = async |work: Work| match publisher.ask_all("mini", &work).await.unwrap().remove(0).1 {
        HostReply::Did(Reported::Replayed { judged, changed, .. }) => (judged, changed),
        other => panic!("{other:?}"),
    };
    assert_eq!(changed(replay(&rules, json!({}))).await, (1, 1), "what was asked about would be denied");
    let settings = || json!({"security": "deny"});
    assert_eq!(
        changed(replay(&json!([]), settings())).await,
        (1, 0),
        "this Mac lets the fleet decide no settings"
    );
    stage.let_policy_allow().await;
    until_async(async || in_force(&publisher, "mini").await.is_none()).await;
    assert_eq!(changed(replay(&json!([]), settings())).await, (1, 1), "by its settings it would be denied");
    stage.let_policy_deny().await;
    assert_eq!(in_force(&publisher, "mini").await, None);
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let name = publisher.publish(&group(), policy(rules), vec![mini]).await.unwrap();
    assert!(name.starts_with("all/1#"), "{name}");
    until_in_force(&publisher, &name, "mini").await;
    let verdict = explained(&stage.mini, "echo hello").await;
    assert_eq!(verdict["decision"], json!("deny"), "{verdict}");
    assert!(verdict.to_string().contains(&format!("policy {name}: nobody echoes here")), "{verdict}");
    let allowed = explained(&stage.mini, "git status").await;
    assert_ne!(allowed["decision"], json!("allow"), "this Mac lets the fleet deny, not allow: {allowed}");
    let trace = allowed["trace"].to_string();
    assert!(trace.contains(&name), "each verdict names the policy that it was made under: {trace}");
    assert_eq!(in_force(&publisher, "MacBook").await, None, "the canary is another host");
    assert_eq!(publisher.advance(&group(), false).await.unwrap(), (name.clone(), RolloutReach::Percent(10)));
    assert_eq!(publisher.advance(&group(), false).await.unwrap(), (name.clone(), RolloutReach::All));
    until_in_force(&publisher, &name, "MacBook").await;
    // The next one, and back.
    let second = publisher.publish(&group(), policy(json!([])), Vec::new()).await.unwrap();
    publisher.advance(&group(), true).await.unwrap();
    publisher.advance(&group(), true).await.unwrap();
    until_in_force(&publisher, &second, "mini").await;
    assert_ne!(explained(&stage.mini, "echo hello").await["decision"], json!("deny"));
    let third = publisher.roll_back(&group()).await.unwrap();
    assert!(third.starts_with("all/3#"), "versions only go up: {third}");
    until_in_force(&publisher, &third, "mini").await;
    assert_eq!(explained(&stage.mini, "echo hello").await["decision"], json!("deny"));
}

/// Lets the mini's agent write a file, and denies it there if somebody is asked. Returns what the agent is told, and the newest
/// request of the history.
async fn asked_on_record(stage: &mut Stage, is_asked: bool) -> (String, String) {
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    if is_asked {
        stage.mini.asked().await;
        stage.mini.deny_all().await;
    }
    let (told, channel) = timeout(PATIENCE, run).await.unwrap().unwrap();
    stage.channel = Some(channel);
    let rows = stage.mini.call("requests.list", json!({})).await;
    let newest = stage.mini.call("requests.get", json!({"id": rows["requests"][0]["id"]})).await;
    (format!("{told:?}"), newest.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_is_in_what_an_agent_is_told_and_in_each_request_of_the_history() {
    let mut stage = Stage::set().await;
    let _at_mini = stage.mini.host.add_approver(postern_host::ConnectedApproverKind::Terminal);
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let rules = policy(json!([{"effect": "deny", "text": "terraform *"}]));
    let first = publisher.publish(&group(), rules, vec![mini.clone()]).await.unwrap();
    until_in_force(&publisher, &first, "mini").await;
    let (_, asked) = asked_on_record(&mut stage, true).await;
    assert!(asked.contains(&first), "none of its rules fits: {asked}");
    let rules = policy(json!([{"effect": "deny", "text": "echo *", "why": "nobody echoes here"}]));
    let second = publisher.publish(&group(), rules, vec![mini]).await.unwrap();
    until_in_force(&publisher, &second, "mini").await;
    let (told, denied) = asked_on_record(&mut stage, false).await;
    assert!(told.contains(&format!("policy {second}: nobody echoes here")), "{told}");
    assert!(denied.contains(&second) && !denied.contains(&first), "{denied}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_refuses_what_it_cannot_read_and_keeps_the_last_good_one() {
    let stage = Stage::set().await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let good = json!([{"effect": "deny", "text": "echo *"}]);
    let name = publisher.publish(&group(), policy(good), vec![mini.clone()]).await.unwrap();
    until_in_force(&publisher, &name, "mini").await;
    let bad = json!([{"effect": "deny", "text": "echo ["}, {"effect": "deny", "text": ""}]);
    publisher.publish(&group(), policy(bad), vec![mini]).await.unwrap();
    let refused = async {
        loop {
            // Before that no host has it.
            let held = publisher.advance(&group(), false).await.unwrap_err().to_string();
            if !held.contains("no host that") {
                return held;
            }
        }
    };
    let refused = timeout(PATIENCE, refused).await.unwrap();
    assert!(refused.contains("mini refused all/2#"), "{refused}");
    until_in_force(&publisher, &name, "mini").await;
    assert_eq!(explained(&stage.mini, "echo hello").await["decision"], json!("deny"));
    // Over a restart of the door, and without the broker.
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    fs::remove_dir_all(stage.mini.folder().path().join("policy")).unwrap();
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    until_in_force(&publisher, &name, "mini").await;
    assert_eq!(explained(&stage.mini, "echo hello").await["decision"], json!("deny"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_publishers_do_not_overwrite_each_other_and_a_broker_cannot_go_back() {
    let mut stage = Stage::set().await;
    let (one, other) = (
        Publisher::connect(&stage.laptop.folder()).await.unwrap(),
        Publisher::connect(&stage.laptop.folder()).await.unwrap(),
    );
    let rules = |text: &str| policy(json!([{"effect": "deny", "text": text}]));
    let all = group();
    let (first, second) = tokio::join!(
        one.publish(&all, rules("echo *"), Vec::new()),
        other.publish(&all, rules("ls *"), Vec::new())
    );
    let both = [first, second];
    let versions: Vec<&String> = both.iter().filter_map(|one| one.as_ref().ok()).collect();
    let first_versions = versions.iter().filter(|name| name.starts_with("all/1#")).count();
    assert_eq!(first_versions, 1, "one version 1: {both:?}");
    let newest = one.newest_of(&group()).await.unwrap().unwrap().0;
    // The broker forgets everything: the publisher has seen a newer one.
    stage.broker.forget_all();
    drop(one);
    let owner = postern_doors::fleet::FleetOwner::connect(&stage.laptop.folder()).await.unwrap();
    let again = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let error = again.newest_of(&group()).await.unwrap_err().to_string();
    assert!(error.contains("withholds one"), "{newest}: {error}");
    drop(owner);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_no_host_put_in_force_yet_is_brought_to_no_more() {
    let stage = Stage::set().await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    stage.mini.call("doors.disable", json!({"door": "fleet"})).await;
    let rules = policy(json!([{"effect": "deny", "text": "echo *"}]));
    let name = publisher.publish(&group(), rules, vec![mini]).await.unwrap();
    let held = publisher.advance(&group(), false).await.unwrap_err().to_string();
    assert!(held.contains("no host that") && held.contains("--anyway"), "{held}");
    stage.mini.call("doors.enable", json!({"door": "fleet"})).await;
    until_in_force(&publisher, &name, "mini").await;
    assert_eq!(publisher.advance(&group(), false).await.unwrap(), (name, RolloutReach::Percent(10)));
}

/// Asks for something that a policy denies, so often that it tells.
async fn denied(stage: &mut Stage, times: usize) {
    let file = stage.mini.file("file");
    for _ in 0..times {
        let run = stage.ask(&file);
        stage.end(run).await;
    }
    assert!(!file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_under_which_denials_rose_is_held_until_its_publisher_says_so() {
    let mut stage = Stage::set().await;
    let values = json!({"requestsPerSecond": "1000"});
    stage.mini.call("agents.set", json!({"agent": "main", "values": values})).await;
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    let mini = publisher.hosts_of("mini")[0].id.clone();
    let rules = policy(json!([{"effect": "deny", "text": "echo *"}]));
    let name = publisher.publish(&group(), rules.clone(), vec![mini]).await.unwrap();
    until_in_force(&publisher, &name, "mini").await;
    denied(&mut stage, 20).await;
    let held = publisher.advance(&group(), false).await.unwrap_err().to_string();
    assert!(held.contains("denials rose on mini from 0 to 100 of 100 requests"), "{held}");
    assert_eq!(publisher.advance(&group(), true).await.unwrap(), (name, RolloutReach::Percent(10)));
    let odd = Asked { limits: json!({"runs": 5}).as_object().unwrap().clone(), ..rules };
    assert!(publisher.publish(&group(), odd, Vec::new()).await.is_err(), "no limit that nobody keeps");
}
