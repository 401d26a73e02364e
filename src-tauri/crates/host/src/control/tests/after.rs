//! Tests of what a person does with the history: run again, make a rule of it, look at the whole, clean up.

use super::Running;
use postern_contract::ApproverNotification;
use postern_contract::RequestDetail;
use postern_contract::methods::{
    AddRule, ControlCode, GetInsights, GetRequest, ImportRules, ListDoors, ListRequests, ListRules,
    OfferRules, PutRules, RequestAgain, SuggestRules, TestAgent,
};
use postern_policy::Rule;
use postern_protocol::{Decided, RunState};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

/// Waits until a request has ended, and gives it whole.
async fn ended(running: &Running, told: &mut Receiver<ApproverNotification>, id: &str) -> RequestDetail {
    loop {
        let detail = running.call::<GetRequest>(json!({"id": id})).await.unwrap();
        if detail.row.state.has_ended() {
            return detail;
        }
        told.recv().await.expect("the host lives");
    }
}

/// Waits for a question and answers it.
async fn answer(running: &Running, told: &mut Receiver<ApproverNotification>, answer: &str) {
    loop {
        let ApproverNotification::QuestionOpened(question) = told.recv().await.unwrap() else { continue };
        running.raw("questions.list", json!({})).await.unwrap();
        let params = json!({"questionId": question.id, "digest": question.digest, "answer": answer});
        let answered = running.raw("questions.answer", params).await.unwrap();
        assert_eq!(answered["applied"], true, "{answered}");
        return;
    }
}

async fn allow(running: &Running, text: &str) -> Rule {
    running.call::<AddRule>(json!({"effect": "allow", "agent": "main", "text": text})).await.unwrap().rule
}

#[tokio::test]
async fn a_channel_is_tested_from_end_to_end_and_asks_like_anybody() {
    let running = Running::with_agent().await;
    let mut told = running.host.subscribe();
    let sent = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
    answer(&running, &mut told, "once").await;
    let asked = ended(&running, &mut told, &sent.id).await;
    assert_eq!((asked.row.state, asked.row.exit_code), (RunState::Finished, Some(0)), "{asked:?}");
    assert_eq!(asked.row.decided, Some(Decided::YouAllowed));
    assert!(asked.stdout.is_some_and(|text| !text.trim().is_empty()), "it really ran");
    running.raw("agents.set", json!({"agent": "main", "values": {"preset": "deny"}})).await.unwrap();
    let sent = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
    let refused = ended(&running, &mut told, &sent.id).await;
    assert_eq!(refused.row.state, RunState::Denied, "a test is no way around the policy");
    let missing = running.call::<TestAgent>(json!({"agent": "nobody"})).await.unwrap_err();
    assert_eq!(missing.code, ControlCode::NotFound);
}

#[tokio::test]
async fn run_again_is_a_new_request_that_is_judged_anew() {
    let running = Running::with_agent().await;
    let mut told = running.host.subscribe();
    let rule = allow(&running, "uname *").await;
    let first = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
    let first = ended(&running, &mut told, &first.id).await;
    assert_eq!((first.row.decided, first.row.rule), (Some(Decided::RuleAllowed), Some(rule.id)));
    let again = running.call::<RequestAgain>(json!({"id": first.row.id})).await.unwrap();
    assert_ne!(again.id, first.row.id, "it has a number of its own");
    assert_eq!(ended(&running, &mut told, &again.id).await.row.state, RunState::Finished);
    running.raw("rules.add", json!({"effect": "deny", "agent": "main", "text": "uname *"})).await.unwrap();
    let again = running.call::<RequestAgain>(json!({"id": first.row.id})).await.unwrap();
    let denied = ended(&running, &mut told, &again.id).await;
    assert_eq!(denied.row.decided, Some(Decided::RuleDenied), "what it was once allowed by does not count");
}

#[tokio::test]
async fn what_was_asked_about_can_be_allowed_after_the_fact_and_is_suggested() {
    let running = Running::with_agent().await;
    let mut told = running.host.subscribe();
    let mut last = String::new();
    for _ in 0..3 {
        let sent = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
        answer(&running, &mut told, "once").await;
        ended(&running, &mut told, &sent.id).await;
        last = sent.id;
    }
    let offers = running.call::<OfferRules>(json!({"id": last})).await.unwrap();
    let ids: Vec<&str> = offers.offers.iter().map(|offer| offer.id.as_str()).collect();
    assert_eq!((ids, offers.why), (vec!["command", "exact", "path"], None));
    let found = running.call::<SuggestRules>(json!({"days": 7})).await.unwrap();
    assert_eq!((found.asked, found.suggestions.len()), (3, 1), "{found:?}");
    let suggestion = &found.suggestions[0];
    assert_eq!((suggestion.spares, suggestion.offer.id.as_str()), (3, "command"));
    let put = json!({"put": suggestion.offer.rules});
    let saved = running.call::<PutRules>(put).await.unwrap();
    assert!(saved.rules[0].rule.pin.is_some(), "bound to the program that was looked up");
    let offers = running.call::<OfferRules>(json!({"id": last})).await.unwrap();
    assert!(offers.offers.is_empty() && offers.why.is_some(), "it would be allowed now: {offers:?}");
    let found = running.call::<SuggestRules>(json!({"days": 7})).await.unwrap();
    assert_eq!(found.suggestions, [], "what is allowed by now is not suggested");
    let again = running.call::<RequestAgain>(json!({"id": last})).await.unwrap();
    assert_eq!(ended(&running, &mut told, &again.id).await.row.rule, Some(saved.rules[0].rule.id));
}

#[tokio::test]
async fn what_the_person_denied_is_not_suggested() {
    let running = Running::with_agent().await;
    let mut told = running.host.subscribe();
    for word in ["once", "deny"] {
        let sent = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
        answer(&running, &mut told, word).await;
        ended(&running, &mut told, &sent.id).await;
    }
    let found = running.call::<SuggestRules>(json!({"days": 1, "agent": "main"})).await.unwrap();
    assert_eq!((found.asked, found.suggestions.len()), (2, 0), "{found:?}");
    let page = running.call::<ListRequests>(json!({"decided": "you-denied"})).await.unwrap();
    assert_eq!(page.requests.len(), 1, "and is found by how it was decided");
    let wrong = running.call::<ListRequests>(json!({"decided": "somehow"})).await.unwrap_err();
    assert_eq!(wrong.code, ControlCode::InvalidParams);
}

#[tokio::test]
async fn days_and_rules_are_summed_up() {
    let running = Running::with_agent().await;
    let mut told = running.host.subscribe();
    let rule = allow(&running, "uname *").await;
    let sent = running.call::<TestAgent>(json!({"agent": "main"})).await.unwrap();
    ended(&running, &mut told, &sent.id).await;
    running.record().write(postern_store::search::index_all).await.unwrap();
    let found = running.call::<GetInsights>(json!({"days": 30})).await.unwrap();
    assert_eq!((found.days.len(), found.total.rule_allowed), (30, 1));
    assert_eq!(found.days.last().unwrap().counts, found.total, "it happened today");
    assert_eq!((found.rules[0].id, found.rules[0].allowed), (rule.id, 1));
    assert!(found.rules[0].rule.is_some());
    let [place] = found.folders.as_slice() else { panic!("{:?}", found.folders) };
    assert_eq!((place.text.as_str(), place.counts), ("~", found.total), "it ran in the home folder");
    for (folder, count) in [(place.folder.as_str(), 1), ("/", 0)] {
        let listed = running.call::<ListRequests>(json!({"folder": folder})).await.unwrap().requests;
        assert_eq!(listed.len(), count, "{folder}");
    }
    running.raw("rules.remove", json!({"id": rule.id})).await.unwrap();
    let found = running.call::<GetInsights>(json!({"days": 1})).await.unwrap();
    assert!(found.rules[0].rule.is_none(), "what it did is known after it is gone");
    assert!(running.call::<GetInsights>(json!({"days": 0})).await.is_err());
}

#[tokio::test]
async fn a_change_of_rules_is_undone_whole() {
    let running = Running::with_agent().await;
    let rule = allow(&running, "uname *").await;
    let list = async || {
        let listed = running.call::<ListRules>(json!({"agent": "main", "own": true})).await.unwrap();
        listed.rules.into_iter().map(|row| row.rule).filter(|rule| rule.id > 0).collect::<Vec<_>>()
    };
    running.call::<PutRules>(json!({"remove": [rule.id]})).await.unwrap();
    assert_eq!(list().await, []);
    running.call::<PutRules>(json!({"put": [rule]})).await.unwrap();
    assert_eq!(list().await, std::slice::from_ref(&rule), "under its own number, as it was");
    let refused = async |change: Value| running.call::<PutRules>(change).await.unwrap_err().code;
    let broad = json!({"put": [Rule { id: 0, pattern: postern_policy::Pattern::Command("sh *".into()), ..rule.clone() }]});
    assert_ne!(refused(broad).await, ControlCode::Internal, "what could not be added is not put either");
    let managed = json!({"put": [Rule { source: postern_policy::Source::Managed, ..rule.clone() }]});
    refused(managed).await;
    refused(json!({"remove": [-3]})).await;
    assert_eq!(list().await, [rule], "nothing of what was refused happened");
}

/// Of an import this long only the first are told back: the rest is found in the list, as the window finds it.
#[tokio::test]
async fn an_import_of_thousands_of_rules_is_undone_and_done_again_whole() {
    let running = Running::with_agent().await;
    let own = allow(&running, "uname *").await;
    let drafts: Vec<Value> =
        (0..2500).map(|number| json!({"effect": "deny", "text": format!("uname x{number}")})).collect();
    let file = json!({"version": 1, "rules": drafts});
    let import = json!({"file": file, "agent": "main", "write": "add"});
    let done = running.call::<ImportRules>(import).await.unwrap();
    assert_eq!((done.count, done.added.len()), (2500, 1000), "the first of them are told back");
    let list = async || {
        let (mut found, mut seen): (Vec<Rule>, _) = (Vec::new(), 0);
        loop {
            let page = json!({"agent": "main", "own": true, "skip": seen, "limit": 2000});
            let rows = running.call::<ListRules>(page).await.unwrap().rules;
            let last = rows.len() < 2000;
            seen += rows.len();
            found.extend(rows.into_iter().map(|row| row.rule).filter(|rule| rule.id > 0));
            if last {
                found.sort_unstable_by_key(|rule| rule.id);
                return found;
            }
        }
    };
    let imported: Vec<Rule> = list().await.into_iter().filter(|rule| rule.id != own.id).collect();
    assert_eq!(imported.len(), 2500);
    let ids: Vec<_> = imported.iter().map(|rule| rule.id).collect();
    running.call::<PutRules>(json!({"remove": ids})).await.unwrap();
    assert_eq!(list().await, std::slice::from_ref(&own), "what was there before is left as it was");
    running.call::<PutRules>(json!({"put": imported})).await.unwrap();
    let again = list().await;
    assert_eq!(again.len(), 2501);
    assert!(imported.iter().all(|rule| again.contains(rule)), "each under its own number, as it was");
}

#[tokio::test]
async fn who_is_there_is_listed() {
    let running = Running::with_agent().await;
    let doors = running.call::<ListDoors>(json!({})).await.unwrap();
    let kinds: Vec<&str> = doors.approvers.iter().map(|face| face.kind.as_str()).collect();
    assert_eq!((kinds, doors.clients), (vec!["terminal"], vec![]));
}
