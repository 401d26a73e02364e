//! History, agents and rules of a host, read from elsewhere as far as its person lets the fleet.

use crate::stage::{AskedFromAfar, PATIENCE, Stage};
use postern_doors::fleet::{FleetApprover, FleetChoice, HostPart, HostReply, Publisher, Reported, Work};
use postern_host::ConnectedApproverKind;
use serde_json::{Value, json};
use tokio::time::timeout;

/// Has the mini do some work once it is connected.
async fn done(publisher: &Publisher, work: &Work) -> Reported {
    let done = async {
        loop {
            match publisher.ask_all("mini", work).await.unwrap().remove(0).1 {
                HostReply::Did(reported) => return reported,
                // It connects again.
                HostReply::Offline | HostReply::Silent => {}
            }
        }
    };
    timeout(PATIENCE, done).await.expect("it answers")
}

async fn read(publisher: &Publisher, what: HostPart, filter: Value) -> Reported {
    done(publisher, &Work::Read { what, filter }).await
}

/// Judges the mini's history by a rule that denies what ran there. Returns how much would change, and what is shown of that.
async fn replayed(publisher: &Publisher) -> (u32, Vec<Value>) {
    let rules = vec![json!({"effect": "deny", "text": "echo *"})];
    match done(publisher, &Work::Replay { rules, settings: serde_json::Map::new(), days: 7 }).await {
        Reported::Replayed { changed, examples, .. } => (changed, examples),
        other => panic!("{other:?}"),
    }
}

fn rows(reported: Reported, list: &str) -> Vec<Value> {
    let Reported::Read(value) = reported else { panic!("{reported:?}") };
    value[list].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_read_only_where_its_person_allowed_it_and_nothing_changes() {
    let mut stage = Stage::set().await;
    let AskedFromAfar { news: _news, run, asked, .. } = stage.watch_and_ask("file").await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    timeout(PATIENCE, run).await.unwrap().unwrap();
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    for what in [HostPart::History, HostPart::Agents, HostPart::Rules] {
        let refused = read(&publisher, what, json!({})).await;
        assert!(matches!(&refused, Reported::Refused(why) if why.contains("--readable")), "{refused:?}");
    }
    assert_eq!(replayed(&publisher).await, (1, Vec::new()), "rules that fit everything read nothing either");
    stage.rejoin(|membership| membership.readable = true).await;
    let (changed, examples) = replayed(&publisher).await;
    assert_eq!((changed, examples.len()), (1, 1));
    assert!(examples[0]["line"].as_str().unwrap().starts_with("echo ran"), "{examples:?}");
    stage.mini.call("rules.add", json!({"effect": "deny", "text": "curl *"})).await;
    let history = rows(read(&publisher, HostPart::History, json!({"limit": 20})).await, "requests");
    assert_eq!(history.len(), 1, "{history:?}");
    assert!(history[0]["line"].as_str().unwrap().starts_with("echo ran"), "{history:?}");
    let agents = rows(read(&publisher, HostPart::Agents, json!({})).await, "agents");
    assert_eq!(agents[0]["id"], json!("main"));
    let rules = rows(read(&publisher, HostPart::Rules, json!({})).await, "rules");
    assert!(rules.iter().any(|rule| rule["text"] == json!("curl *")), "{rules:?}");
    // What is no filter of the contract is refused by it, and reads nothing.
    let odd = read(&publisher, HostPart::History, json!({"delete": true})).await;
    assert!(matches!(odd, Reported::Refused(_)), "{odd:?}");
}

/// Calls a method on the laptop, again while the mini connects.
async fn read_in_window(stage: &Stage, method: &str, params: Value) -> Result<Value, String> {
    let face = stage.laptop.host.add_approver(ConnectedApproverKind::Window);
    let read = async {
        loop {
            let said = stage.laptop.host.call_by_name(&face.id(), method, params.clone()).await;
            match said.map_err(|error| error.message) {
                Err(why) if why.ends_with("is offline") || why.ends_with("did not answer") => {}
                said => return said,
            }
        }
    };
    timeout(PATIENCE, read).await.expect("it answers")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_reads_another_mac_as_far_as_its_person_allowed_it() {
    let mut stage = Stage::set().await;
    let none = read_in_window(&stage, "fleet.hosts", json!({})).await.unwrap();
    assert_eq!(none["hosts"], json!([]), "the laptop's door is closed: it offers no other Mac");
    let of = |host: &Value, filter: Value| json!({"host": host, "filter": filter});
    let closed = read_in_window(&stage, "fleet.requests", of(&json!("mini"), json!({}))).await;
    let closed = closed.unwrap_err();
    assert!(
        closed.starts_with("the integration fleet is off"),
        "a closed door connects to nothing: {closed}"
    );
    stage.laptop.call("doors.enable", json!({"door": "fleet"})).await;
    let hosts = read_in_window(&stage, "fleet.hosts", json!({})).await.unwrap()["hosts"].clone();
    let names: Vec<&Value> = hosts.as_array().unwrap().iter().map(|host| &host["name"]).collect();
    assert_eq!(names, ["mini"], "the others that its person answers for, without itself: {hosts}");
    let mini = &hosts[0]["id"];
    let file = stage.mini.file("file");
    let face = stage.mini.host.add_approver(ConnectedApproverKind::Terminal);
    let run = stage.ask(&file);
    stage.mini.asked().await;
    stage.mini.deny_all().await;
    timeout(PATIENCE, run).await.unwrap().unwrap();
    drop(face);
    for (method, filter) in
        [("fleet.requests", json!({})), ("fleet.rules", json!({})), ("fleet.insights", json!({"days": 7}))]
    {
        let refused = read_in_window(&stage, method, of(mini, filter)).await.unwrap_err();
        assert!(refused.starts_with("mini shows nothing") && refused.contains("--readable"), "{refused}");
    }
    stage.rejoin(|membership| membership.readable = true).await;
    stage.mini.call("rules.add", json!({"effect": "deny", "text": "curl *"})).await;
    let found =
        read_in_window(&stage, "fleet.requests", of(mini, json!({"decided": "you-denied"}))).await.unwrap();
    assert_eq!(found["requests"].as_array().unwrap().len(), 1, "{found}");
    let found =
        read_in_window(&stage, "fleet.requests", of(mini, json!({"decided": "you-allowed"}))).await.unwrap();
    assert_eq!(found["requests"], json!([]), "the filter holds there");
    let found = read_in_window(&stage, "fleet.rules", of(mini, json!({"limit": 100}))).await.unwrap();
    assert!(found["rules"].as_array().unwrap().iter().any(|rule| rule["text"] == json!("curl *")), "{found}");
    let counted = async {
        // A request is counted when the host has indexed it.
        while read_in_window(&stage, "fleet.insights", of(mini, json!({"days": 7}))).await.unwrap()["total"]["youDenied"]
            != json!(1)
        {}
    };
    timeout(PATIENCE, counted).await.unwrap();
    let stranger = read_in_window(&stage, "fleet.requests", of(&json!("nobody"), json!({}))).await;
    assert!(stranger.unwrap_err().contains("no such host"));
    // The laptop's own history is not the mini's.
    let own = stage.laptop.call("requests.list", json!({})).await;
    assert_eq!(own["requests"], json!([]));
}
