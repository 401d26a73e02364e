//! Methods within the process.

use super::Running;
use postern_contract::Mode;
use postern_contract::methods::{
    AddAgent, AddRule, ControlCode, ExportRules, GetAgent, GetPermissions, GetRequest, GetSettings,
    GetStatus, ImportRules, ListAgents, ListRequests, ListRules, METHODS, PauseAll, PendingTools,
    PreviewRule, RemoveAgent, ResumeAll, RotateKey, SetAgent, SetPermissions, SetSettings, StageRules,
};
use postern_policy::Preset;
use postern_request::{Denial, RequestEnding};
use postern_store::requests::{self, NewRequest, RequestChange};
use serde_json::json;
use std::os::unix::fs::FileTypeExt as _;
use uuid::Uuid;

#[tokio::test]
async fn every_method_is_known_and_names_what_is_wrong_with_its_params() {
    let running = Running::start().await;
    for method in METHODS {
        let error = running.raw(method, json!({"noSuchField": 1})).await.unwrap_err();
        assert_eq!(error.code, ControlCode::InvalidParams, "{method}: {error}");
    }
    let unknown = running.raw("agents.explode", json!({})).await.unwrap_err();
    assert_eq!(unknown.code, ControlCode::UnknownMethod);
}

#[tokio::test]
async fn an_agent_lives_from_enrolment_to_removal() {
    let running = Running::start().await;
    let row = running.call::<AddAgent>(json!({"agent": "main", "preset": "deny"})).await.unwrap();
    assert_eq!((row.preset, row.connected), (Some(Preset::Deny), false));
    let kind = std::fs::symlink_metadata(&row.socket).unwrap().file_type();
    assert!(kind.is_socket(), "its channel is open when it is enrolled");
    let key = std::fs::read_to_string(&row.key_file).unwrap();
    running.call::<RotateKey>(json!({"agent": "main"})).await.unwrap();
    assert_ne!(std::fs::read_to_string(&row.key_file).unwrap(), key);
    let set = running
        .call::<SetAgent>(json!({"agent": "main", "values": {"preset": "ask", "name": "Builder"}}))
        .await
        .unwrap();
    assert_eq!((set.preset, set.name.as_str()), (Some(Preset::Ask), "Builder"));
    assert_eq!(running.call::<ListAgents>(json!({})).await.unwrap().agents, [set]);
    let again = running.call::<AddAgent>(json!({"agent": "main"})).await.unwrap_err();
    assert_eq!(again.code, ControlCode::Conflict);
    let bad = running.call::<AddAgent>(json!({"agent": "../evil"})).await.unwrap_err();
    assert_eq!(bad.code, ControlCode::InvalidParams, "a name is also a folder");
    running.call::<RemoveAgent>(json!({"agent": "main"})).await.unwrap();
    assert!(!std::path::Path::new(&row.socket).exists(), "its channel is closed");
    let gone = running.call::<RemoveAgent>(json!({"agent": "main"})).await.unwrap_err();
    assert_eq!(gone.code, ControlCode::NotFound);
}

#[tokio::test]
async fn running_what_nobody_answered_needs_a_second_word() {
    let running = Running::with_agent().await;
    let set = |values| running.call::<SetAgent>(json!({"agent": "main", "values": values}));
    let refused = set(json!({"fallback": "full"})).await.unwrap_err();
    assert!(refused.to_string().contains("--yes"), "it says what is missing: {refused:?}");
    set(json!({"fallback": "full", "confirm": "yes"})).await.unwrap();
    set(json!({"ask": "always"})).await.unwrap();
    let row = set(json!({"deniedUntil": "10m"})).await.unwrap();
    assert!(row.denied_until.is_some(), "denied for a while: {row:?}");
    let row = set(json!({"deniedUntil": "none"})).await.unwrap();
    assert!(row.denied_until.is_none(), "and no more: {row:?}");
}

#[tokio::test]
async fn rules_are_exported_and_imported_once() {
    let running = Running::with_agent().await;
    running
        .call::<AddRule>(json!({"effect": "allow", "agent": "main", "text": "git push *", "why": "mine"}))
        .await
        .unwrap();
    running.call::<AddRule>(json!({"effect": "deny", "text": "rm *"})).await.unwrap();
    let folder = running.home().join("site");
    let placed = json!({"effect": "allow", "agent": "main", "text": "make *", "folder": folder});
    let placed = running.call::<AddRule>(placed).await.unwrap();
    assert_eq!(placed.place.as_deref().map(postern_contract::pieces_to_text).as_deref(), Some("~/site"));
    running.raw("rules.remove", json!({"id": placed.rule.id})).await.unwrap();
    let file = running.call::<ExportRules>(json!({})).await.unwrap();
    assert_eq!(file.rules.len(), 2, "files' and skills' rules are not exported: {file:?}");
    let import = |file, write| json!({"file": file, "agent": "main", "write": write});
    let mut wider = serde_json::to_value(&file).unwrap();
    wider["rules"].as_array_mut().unwrap().push(json!({"effect": "allow", "text": "sh *"}));
    let checked = running.call::<ImportRules>(import(wider.clone(), "check")).await.unwrap();
    assert_eq!((checked.added.len(), checked.same, checked.refused.len()), (1, 1, 1), "{checked:?}");
    let rules = running.call::<ListRules>(json!({"agent": "main", "own": true})).await.unwrap().rules;
    assert_eq!(rules.iter().filter(|row| row.rule.id > 0).count(), 1, "checking saves nothing");
    let refused = running.call::<ImportRules>(import(wider.clone(), "add")).await.unwrap();
    let got = (refused.added.len(), refused.count, refused.refused.len());
    assert_eq!(got, (0, 0, 1), "one is refused: none is saved");
    assert_eq!(refused.refused[0].text, "sh *");
    wider["rules"].as_array_mut().unwrap().pop();
    let once = running.call::<ImportRules>(import(wider.clone(), "add")).await.unwrap();
    assert_eq!((once.count, once.same), (1, 1));
    let twice = running.call::<ImportRules>(import(wider, "add")).await.unwrap();
    assert_eq!((twice.added.len(), twice.same), (0, 2), "what is there is there");
}

#[tokio::test]
async fn a_long_file_of_rules_comes_in_parts_and_is_saved_at_once() {
    let running = Running::with_agent().await;
    let part = |from: u32| {
        let rule = |at: u32| json!({"effect": "allow", "agent": "main", "text": format!("tool{at} *")});
        (from..from + 100).map(rule).collect::<Vec<_>>()
    };
    let first = running.call::<StageRules>(json!({"rules": part(0)})).await.unwrap();
    let both = running.call::<StageRules>(json!({"batch": first.batch, "rules": part(100)})).await.unwrap();
    assert_eq!(both.held, 200);
    let own = async |running: &Running| {
        let rules = running.call::<ListRules>(json!({"agent": "main", "own": true})).await.unwrap().rules;
        rules.into_iter().filter(|row| row.rule.id > 0).count()
    };
    assert_eq!(own(&running).await, 0, "until it is taken up, nothing is saved");
    let take = json!({"file": {"version": 1, "rules": []}, "batch": both.batch});
    assert_eq!(running.call::<ImportRules>(take.clone()).await.unwrap().count, 200);
    assert_eq!(own(&running).await, 200);
    assert!(running.call::<ImportRules>(take).await.is_err(), "a batch is taken up once");
    let page =
        running.call::<ListRules>(json!({"agent": "main", "skip": 150, "limit": 20})).await.unwrap().rules;
    let texts: Vec<&str> = page.iter().map(|row| row.text.as_str()).collect();
    assert_eq!((texts.len(), texts[0]), (20, "tool150 *"), "a page of a long list");
}

#[tokio::test]
async fn settings_that_come_with_rules_hold_with_them_or_not_at_all() {
    let running = Running::with_agent().await;
    let import = |fallback: &str, confirmed: bool, text: &str| {
        let settings = json!({"security": "allowlist", "ask": "always", "fallback": fallback,
            "approvalTimeoutMs": 60_000, "confirmed": confirmed});
        json!({"file": {"version": 1, "rules": [{"effect": "allow", "text": text}]}, "agent": "main",
            "settings": settings})
    };
    let asks = async |running: &Running| {
        running.call::<GetAgent>(json!({"agent": "main"})).await.unwrap().settings.ask
    };
    let refused = running.call::<ImportRules>(import("full", false, "ls")).await.unwrap_err();
    assert!(refused.message.contains("fallback=full"), "{}", refused.message);
    running.call::<ImportRules>(import("deny", false, "sh *")).await.unwrap();
    assert_eq!(asks(&running).await, postern_policy::Ask::OnMiss, "a rule was refused: the settings stay");
    running.call::<ImportRules>(import("full", true, "ls")).await.unwrap();
    assert_eq!(asks(&running).await, postern_policy::Ask::Always);
}

#[tokio::test]
async fn a_preview_says_what_is_wrong_before_it_is_saved() {
    let running = Running::with_agent().await;
    let bad = running.call::<PreviewRule>(json!({"effect": "allow", "text": "sh *"})).await.unwrap();
    assert!(bad.problem.is_some(), "{bad:?}");
    write_requests(&running, 3).await;
    let good = running
        .call::<PreviewRule>(json!({"effect": "allow", "agent": "main", "text": "uname *"}))
        .await
        .unwrap();
    assert_eq!((good.problem, good.matched, good.of), (None, 3, 3), "every one of them was a uname");
    assert_eq!(good.examples.len(), 3, "{:?}", good.examples);
}

#[tokio::test]
async fn permissions_are_shown_and_written_only_where_they_can_be_read() {
    let running = Running::with_agent().await;
    let shown = running.call::<GetPermissions>(json!({"agent": "main"})).await.unwrap();
    assert!(shown.text.contains("read_file") && shown.problem.is_none(), "the default file");
    let broken =
        running.call::<SetPermissions>(json!({"agent": "main", "text": "{\n  oops\n}"})).await.unwrap_err();
    assert_eq!(broken.code, ControlCode::InvalidParams);
    assert!(broken.message.contains("line 2"), "{broken}");
    std::fs::write(&shown.path, "{\n  oops\n}").unwrap();
    let problem = running.call::<GetPermissions>(json!({"agent": "main"})).await.unwrap().problem.unwrap();
    assert_eq!(problem.line, 2, "edited elsewhere: read as it is now");
}

#[tokio::test]
async fn a_pause_is_told_and_ended() {
    let running = Running::start().await;
    let paused = running.call::<PauseAll>(json!({"forMs": 60_000})).await.unwrap();
    assert_eq!(paused.mode, Mode::Paused);
    assert!(paused.paused_until.is_some());
    assert_eq!(running.call::<ResumeAll>(json!({})).await.unwrap().mode, Mode::Listening);
    assert!(running.call::<PauseAll>(json!({"forMs": 0})).await.is_err());
    assert_eq!(running.call::<GetStatus>(json!({})).await.unwrap().faces, ["terminal"]);
}

#[tokio::test]
async fn settings_of_the_whole_are_kept_within_their_limits() {
    let running = Running::start().await;
    let mut settings = running.call::<GetSettings>(json!({})).await.unwrap();
    settings.keep_days = 7;
    settings.new_agent.apply_preset(Preset::Deny);
    running.call::<SetSettings>(serde_json::to_value(&settings).unwrap()).await.unwrap();
    let agent = running.call::<AddAgent>(json!({"agent": "new"})).await.unwrap();
    assert_eq!(agent.preset, Some(Preset::Deny), "new agents begin as the person said");
    assert!(running.call::<SetSettings>(json!({"keepDays": 0})).await.is_err());
}

#[tokio::test]
async fn the_history_is_read_page_by_page() {
    let running = Running::with_agent().await;
    let written = write_requests(&running, 5).await;
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = running.call::<ListRequests>(json!({"limit": 2, "before": before})).await.unwrap();
        assert!(page.requests.len() <= 2);
        seen.extend(page.requests.into_iter().map(|row| row.id));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    let newest_first: Vec<String> = written.iter().rev().map(Uuid::to_string).collect();
    assert_eq!(seen, newest_first, "each once, newest first");
    let found = running.call::<ListRequests>(json!({"search": "uname n3", "state": "denied"})).await.unwrap();
    assert_eq!(found.requests.len(), 1, "found by its words");
    let detail = running.call::<GetRequest>(json!({"id": written[0].to_string()})).await.unwrap();
    assert_eq!(detail.message.as_deref(), Some("You denied it."), "{detail:?}");
    assert_eq!(detail.timeline.len(), 2, "came in, denied: {:?}", detail.timeline);
    let missing = running.call::<GetRequest>(json!({"id": "nonsense"})).await.unwrap_err();
    assert_eq!(missing.code, ControlCode::NotFound);
    for wrong in [json!({"limit": 0}), json!({"limit": 5000}), json!({"state": "sleeping"})] {
        assert_eq!(running.call::<ListRequests>(wrong).await.unwrap_err().code, ControlCode::InvalidParams);
    }
}

#[tokio::test]
async fn tools_that_wait_are_listed_and_others_answered_in_vain() {
    let running = Running::start().await;
    assert_eq!(running.call::<PendingTools>(json!({})).await.unwrap().tools, []);
    let params = json!({"sessionId": "s", "approvalId": "a"});
    for method in ["tool.approve", "tool.deny"] {
        assert_eq!(running.raw(method, params.clone()).await.unwrap(), json!({"applied": false}), "{method}");
    }
}

/// Requests of `main` that were denied, oldest first: `uname n0`, `uname n1`, …
async fn write_requests(running: &Running, count: i64) -> Vec<Uuid> {
    let store = running.record();
    let written = store.write(move |conn| {
        let mut ids = Vec::new();
        for number in 0..count {
            let id = Uuid::now_v7();
            let new = NewRequest {
                id,
                agent: postern_policy::AgentId::new("main").unwrap(),
                request_id: Uuid::new_v4().to_string(),
                content: [0; 32],
                origin: postern_policy::Origin::Host,
                session: None,
                line: format!("uname n{number}"),
                asked: json!({"command": ["uname", format!("n{number}")]}).to_string(),
                at: 1000 + number,
            };
            requests::record_request(conn, &new)?;
            let denial = Denial::by_person(None);
            requests::change(conn, id, &RequestChange::from_ending(&RequestEnding::Denied(denial), 2000)?)?;
            ids.push(id);
        }
        Ok(ids)
    });
    written.await.unwrap()
}
