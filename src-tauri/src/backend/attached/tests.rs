use super::{Attached, IncomingBackendEvent};
use postern_client::scripted::{ScriptedHost, Visit};
use postern_contract::ApproverNotification;
use postern_contract::methods::ControlCode;
use postern_protocol::{Socket, notification_line};
use serde_json::json;
use std::thread::JoinHandle;

/// Returns a host that lets the app in, tells something, answers one call in the middle of more news, and
/// goes away.
fn host(folder: &std::path::Path) -> JoinHandle<Vec<String>> {
    let host = ScriptedHost::listen(folder, Socket::Control).unwrap();
    std::thread::spawn(move || {
        let mut visit = host.accept().unwrap();
        let mut calls = Vec::new();
        let mut answer = |visit: &mut Visit, result: serde_json::Value| {
            let request = visit.request().unwrap();
            calls.push(request.method.clone());
            visit.answer(&request.id, &result).unwrap();
        };
        answer(&mut visit, json!({"questions": []}));
        answer(&mut visit, json!({"requests": [], "next": null}));
        visit.send(&notification_line("agents.changed", &json!({}))).unwrap();
        visit.send(&notification_line("rules.changed", &json!({}))).unwrap();
        answer(&mut visit, json!({"agents": []}));
        visit.send(&notification_line("skills.changed", &json!({}))).unwrap();
        calls
    })
}

#[tokio::test]
async fn calls_and_news_share_a_connection_until_the_host_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path());
    let (attached, mut heard) = Attached::connect(folder.path().to_owned()).await.unwrap();
    assert_eq!(attached.invoke_json("agents.list", json!({})).await.unwrap(), json!({"agents": []}));
    let mut news = Vec::new();
    loop {
        match heard.recv().await.expect("what ends is told") {
            IncomingBackendEvent::Told(told) => news.push(*told),
            IncomingBackendEvent::Missed => panic!("nothing was missed"),
            IncomingBackendEvent::Lost => break,
        }
    }
    assert_eq!(
        news,
        [
            ApproverNotification::AgentsChanged,
            ApproverNotification::RulesChanged,
            ApproverNotification::SkillsChanged
        ],
        "all of it, in order"
    );
    let late = attached.invoke_json("agents.list", json!({})).await.unwrap_err();
    assert_eq!(
        late.code,
        ControlCode::ShuttingDown,
        "a call to a host that is gone says so, and does not hang"
    );
    assert_eq!(host.join().unwrap(), ["questions.watch", "requests.watch", "agents.list"]);
}
