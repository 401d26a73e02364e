//! History, agents and rules of a host, read from elsewhere as far as its person lets the fleet.

use crate::stage::{PATIENCE, Stage, waits};
use postern_doors::fleet::{FleetApprover, FleetChoice, HostPart, HostReply, Publisher, Reported, Work};
use serde_json::{Value, json};
use tokio::time::timeout;

async fn read(publisher: &Publisher, what: HostPart, filter: Value) -> Reported {
    let read = async {
        loop {
            let work = Work::Read { what, filter: filter.clone() };
            match publisher.ask_all("mini", &work).await.unwrap().remove(0).1 {
                HostReply::Did(reported) => return reported,
                // It connects again.
                HostReply::Offline | HostReply::Silent => {}
            }
        }
    };
    timeout(PATIENCE, read).await.expect("it answers")
}

fn rows(reported: Reported, list: &str) -> Vec<Value> {
    let Reported::Read(value) = reported else { panic!("{reported:?}") };
    value[list].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_read_only_where_its_person_allowed_it_and_nothing_changes() {
    let mut stage = Stage::set().await;
    let mut news = stage.watch().await;
    let file = stage.mini.file("file");
    let run = stage.ask(&file);
    let asked = waits(&mut news).await;
    let mara = FleetApprover::connect(&stage.laptop.folder()).await.unwrap();
    mara.answer(&asked, FleetChoice::Once, None, None).await.unwrap();
    timeout(PATIENCE, run).await.unwrap().unwrap();
    let publisher = Publisher::connect(&stage.laptop.folder()).await.unwrap();
    for what in [HostPart::History, HostPart::Agents, HostPart::Rules] {
        let refused = read(&publisher, what, json!({})).await;
        assert!(matches!(&refused, Reported::Refused(why) if why.contains("--readable")), "{refused:?}");
    }
    stage.rejoin(|membership| membership.readable = true).await;
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
