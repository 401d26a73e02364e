//! `permissions.jsonc` appended to and listed, sessions, and what is kept of the history.

use super::{World, id, new_agent};
use crate::book::settings::{CHECKED, DAY};
use crate::book::{NewSession, ToolRemember};
use postern_policy::{Effect, pattern_text};
use postern_request::RequestEnding;
use postern_store::{history, requests, settings};

#[tokio::test]
async fn one_list_has_the_lines_of_the_file_and_of_the_sessions_with_where_they_come_from() {
    let world = World::new().await;
    let text = "{\n  \"shell_exec\": {\"git push *\": \"deny\"},\n  \"fetch\": \"ask\"\n}\n";
    world.book.set_permissions(&id("main"), text.into()).await.unwrap();
    let rules = Some("{\"edit_file\": {\"/x/*\": \"deny\"}}".to_owned());
    let new = NewSession { session: "sub\u{202e}".into(), parent: None, rules, elevated: None };
    world.book.open_session(&id("main"), new).await.unwrap();
    let remember = ToolRemember {
        agent: id("main"),
        session: Some("s".into()),
        tool: "fetch".into(),
        patterns: vec!["https://x.example/*".into()],
    };
    world.book.remember_tool(remember).await.unwrap();
    let listed = world.book.list_rules(Some(id("main")), true).await.unwrap();
    let told: Vec<(String, String, Effect)> = listed
        .iter()
        .map(|row| (pattern_text(&row.rule.pattern), row.from.clone(), row.rule.effect))
        .collect();
    let row = |text: &str, from: &str, effect| (text.to_owned(), from.to_owned(), effect);
    for expected in [
        row("git push *", "permissions.jsonc:2", Effect::Deny),
        row("edit_file: /x/*", "session sub\\u{202e}, opened with it", Effect::Deny),
    ] {
        assert!(told.contains(&expected), "{expected:?}: {told:?}");
    }
    let fetch = told.iter().filter(|(text, ..)| text == "fetch: https://x.example/*");
    assert_eq!(fetch.count(), 1, "what is in the file is not listed for its session again: {told:?}");
    let numbers: std::collections::BTreeSet<i64> = listed.iter().map(|row| row.rule.id).collect();
    assert_eq!(numbers.len(), listed.len(), "each has a number of its own");
    let others = world.book.list_rules(Some(id("other")), true).await;
    assert!(others.is_err() || others.unwrap().is_empty(), "another agent has none of them");
}

#[tokio::test]
async fn an_agent_has_so_many_sessions_open_at_a_time() {
    let world = World::new().await;
    world.book.add_agent(new_agent("other")).await.unwrap();
    let open = async |agent: &str, nth: u32| {
        let new = NewSession { session: format!("s{nth}"), parent: None, rules: None, elevated: None };
        world.book.open_session(&id(agent), new).await.is_ok()
    };
    let mut opened = 0;
    while opened < 300 && open("main", opened).await {
        opened += 1;
    }
    assert_eq!(opened, 256);
    assert!(open("other", 0).await, "another agent has its own");
    world.book.close_session(&id("main"), "s0").await.unwrap();
    assert!(open("main", opened).await, "one that is closed gives its place back");
}

#[tokio::test]
async fn history_that_is_older_than_it_is_kept_goes() {
    let world = World::new().await;
    let write = |at: i64| {
        world.book.store().write(move |conn| {
            let id = uuid::Uuid::now_v7();
            let new = requests::NewRequest {
                id,
                agent: super::id("main"),
                request_id: id.to_string(),
                content: [0; 32],
                origin: postern_policy::Origin::Host,
                session: None,
                line: "uname".into(),
                asked: "{}".into(),
                at,
            };
            requests::record_request(conn, &new)?;
            let ending = RequestEnding::Failed { message: "no".into() };
            requests::change(conn, id, &requests::RequestChange::from_ending(&ending, at)?)?;
            Ok(id)
        })
    };
    write(1_000).await.unwrap();
    let young = write(crate::clock::now_millis()).await.unwrap();
    world.book.clear_history().await.unwrap();
    let left =
        world.book.store().read(|conn| history::list_newest(conn, &requests::Filter::default(), 10)).unwrap();
    assert_eq!(
        left.iter().map(|row| row.id).collect::<Vec<_>>(),
        [young],
        "the old one went, the young one stays"
    );
}

#[tokio::test]
async fn the_whole_record_is_checked_once_a_week() {
    let world = World::new().await;
    let store = world.book.store();
    let checked = || store.read(|conn| settings::get_value::<i64>(conn, CHECKED)).unwrap();
    world.book.check_record().await.unwrap();
    assert!(checked().is_some(), "first soon after the start");
    let now = crate::clock::now_millis();
    for (last, again) in [(now - 6 * DAY, false), (now - 8 * DAY, true), (now + DAY, true)] {
        store.write(move |conn| settings::set_value(conn, CHECKED, &last)).await.unwrap();
        world.book.check_record().await.unwrap();
        assert_eq!(checked() != Some(last), again, "{} days ago", (now - last) / DAY);
    }
}

#[test]
fn a_layer_keeps_its_order_on_the_way_in() {
    let map: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(r#"{"z":"allow","*":"deny"}"#).unwrap();
    assert_eq!(
        map.keys().collect::<Vec<_>>(),
        ["z", "*"],
        "sorted, the deny would lose to what stands before it"
    );
}
