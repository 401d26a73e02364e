use super::{
    AuditEntry, ChainFault, ChangeAuthor, entries_after, hash, note_change, note_state, verify,
    widens::widens, with_author,
};
use crate::tables::{agents, rules, settings, skills};
use crate::testing::{agent_id, allow_rule, identity, open_temp_store, sample_agent};
use crate::{Error, Store};
use postern_policy::{Access, Effect, Pattern, Rule, Security, Settings};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::sync::Arc;

fn rows(store: &Store) -> Vec<AuditEntry> {
    store.read(|conn| entries_after(conn, 0, 0, 1000)).unwrap()
}

fn told(store: &Store) -> Vec<(String, String, bool)> {
    rows(store).into_iter().map(|row| (row.subject, row.key, row.widens)).collect()
}

/// Opens the database without Postern.
fn past_postern(store: &Store, sql: &str) {
    let conn = Connection::open(store.path()).unwrap();
    conn.execute_batch(sql).unwrap();
}

fn broken(store: &Store) -> Option<ChainFault> {
    store.verify_audit().unwrap().broken
}

/// Returns a store with this many audit rows.
fn filled(count: usize) -> (tempfile::TempDir, Store) {
    let (folder, store) = open_temp_store();
    for number in 0..count {
        let name = format!("agent-{number}");
        store.write_durable(move |conn| agents::insert_agent(conn, &sample_agent(&name))).wait().unwrap();
    }
    assert_eq!(rows(&store).len(), count);
    (folder, store)
}

#[test]
fn whatever_decides_is_recorded_and_what_does_not_is_not() {
    let (_folder, store) = open_temp_store();
    store.write_now(|conn| {
        agents::insert_agent(conn, &sample_agent("main"))?;
        let number = rules::insert_rule(conn, &allow_rule(Some("main"), "ls *"))?;
        rules::update_rule(conn, &Rule { id: number, ..allow_rule(Some("main"), "ls -l *") })?;
        let deny = Rule::new(Effect::Deny, Pattern::Command("rm *".into()));
        let deny = rules::insert_rule(conn, &deny)?;
        rules::remove(conn, deny)?;
        settings::set_value(conn, settings::PAUSE, &json!({ "until": 5 }))?;
        settings::set_value(conn, settings::PAUSE, &json!({ "until": null }))?;
        settings::set_value(conn, settings::PAUSE, &json!({ "until": 9 }))?;
        settings::remove(conn, settings::PAUSE)?;
        settings::set_value(conn, "door.otel", &json!(7))?;
        agents::mark_seen(conn, &agent_id("main"), 5)?;
        agents::remove(conn, &agent_id("main"))
    });
    let expected = [
        ("agents", "main", true),
        ("rules", "1", true),
        ("rules", "1", true),
        ("rules", "2", false),
        ("rules", "2", true),
        ("settings", settings::PAUSE, false),
        ("settings", settings::PAUSE, false),
        ("settings", settings::PAUSE, true),
        ("settings", settings::PAUSE, true),
        // Its rules go with it.
        ("agents", "main", false),
        ("rules", "1", false),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(subject, key, widens)| ((*subject).into(), (*key).into(), *widens)).collect();
    let mut found = told(&store);
    found[9..].sort();
    assert_eq!(found, expected);
    assert_eq!(broken(&store), None);
    assert_eq!(store.verify_audit().unwrap().strayed, []);
}

#[test]
fn a_change_that_is_not_made_is_not_recorded_and_one_that_changes_nothing_neither() {
    let (_folder, store) = open_temp_store();
    let refused = store.write(|conn| {
        agents::insert_agent(conn, &sample_agent("main"))?;
        Err::<(), _>(Error::Refused("no".to_owned()))
    });
    assert!(refused.wait().is_err());
    store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
    store.write_now(|conn| agents::update_agent(conn, &sample_agent("main")));
    assert_eq!(told(&store), [("agents".into(), "main".into(), true)]);
}

#[tokio::test]
async fn it_says_who_did_it() {
    let (_folder, store) = open_temp_store();
    let who = ChangeAuthor {
        face: "terminal".to_owned(),
        pid: Some(7),
        user: Some(1000),
        ..ChangeAuthor::default()
    };
    with_author(Arc::new(who.clone()), store.write(|conn| agents::insert_agent(conn, &sample_agent("main"))))
        .await
        .unwrap();
    store.write(|conn| agents::insert_agent(conn, &sample_agent("other"))).await.unwrap();
    let [named, own] = &rows(&store)[..] else { panic!("two rows") };
    // The work was handed over before anybody was named.
    assert_eq!(serde_json::from_str::<ChangeAuthor>(&named.who).unwrap(), ChangeAuthor::postern());
    assert_eq!(serde_json::from_str::<ChangeAuthor>(&own.who).unwrap(), ChangeAuthor::postern());
    let work = async { store.write(|conn| agents::insert_agent(conn, &sample_agent("third"))).await };
    with_author(Arc::new(who.clone()), work).await.unwrap();
    assert_eq!(serde_json::from_str::<ChangeAuthor>(&rows(&store)[2].who).unwrap(), who);
}

#[test]
fn a_skill_that_is_approved_is_recorded_and_one_that_is_found_is_not() {
    let (_folder, store) = open_temp_store();
    let cli = skills::StoredSkillCli {
        name: "bird".into(),
        path: Some("/bin/bird".into()),
        seen: None,
        approved: None,
        approved_at: None,
        rule: None,
    };
    let skill = skills::Skill {
        folder: "/skills/bird".into(),
        name: "bird".into(),
        description: String::new(),
        problem: None,
        clis: vec![cli],
    };
    store.write_now(move |conn| skills::save_skill(conn, &skill));
    assert_eq!(told(&store), []);
    let identity = identity("00");
    store.write_now(move |conn| skills::approve(conn, "/skills/bird", "bird", (&identity, None), 3));
    assert_eq!(told(&store), [("skill_clis".into(), "/skills/bird bird".into(), true)]);
}

#[test]
fn what_is_in_no_table_is_recorded_when_it_is_another() {
    let (_folder, store) = open_temp_store();
    let set = |text: &str| {
        let now = json!({ "sha256": text });
        store.write_now(move |conn| note_state(conn, "permissions", "main", &now, |before| before.is_some()))
    };
    assert!(set("1"));
    assert!(!set("1"), "it is as it was");
    assert!(set("2"));
    let gone = store.write_now(|conn| note_state(conn, "hooks", "codex", &Value::Null, |_| true));
    assert!(!gone, "what never was there is not removed");
    store.write_now(|conn| note_change(conn, "keys", "main", (None, Some(&json!({ "new": 1 }))), true));
    let subjects: Vec<_> = told(&store).into_iter().map(|(subject, _, widens)| (subject, widens)).collect();
    let expected = [("permissions", false), ("permissions", true), ("keys", true)];
    assert_eq!(subjects, expected.map(|(subject, widens)| (subject.to_owned(), widens)));
    assert_eq!(rows(&store)[1].before.as_deref(), Some(r#"{"sha256":"1"}"#));
}

#[test]
fn a_secret_in_a_doors_setting_is_recorded_as_its_hash_and_what_changes_by_itself_is_passed_over() {
    let (_folder, store) = open_temp_store();
    let set = |value: Value| {
        store.write_now(move |conn| settings::set_value(conn, "door.doors", &value));
    };
    set(
        json!({ "webhook": { "enabled": true, "values": { "url": "https://u:p4ss@x/", "secret": "hunter2" } } }),
    );
    set(
        json!({ "webhook": { "enabled": true, "values": { "url": "https://u:p4ss@x/", "secret": "hunter3" } } }),
    );
    set(
        json!({ "webhook": { "enabled": false, "values": { "url": "https://u:p4ss@x/", "secret": "hunter3" } } }),
    );
    let seen = |at: u64| json!([{ "id": "a", "name": "phone", "seenAt": at }]);
    store.write_now(move |conn| settings::set_value(conn, "door.websocket", &seen(1)));
    store.write_now(move |conn| settings::set_value(conn, "door.websocket", &seen(2)));
    let rows = rows(&store);
    let widens: Vec<bool> = rows.iter().map(|row| row.widens).collect();
    assert_eq!(widens, [true, true, false, true], "opened, changed, closed; paired once");
    let all: Vec<String> = rows.iter().map(|row| format!("{:?}{:?}", row.before, row.after)).collect();
    let all = all.concat();
    assert!(!all.contains("hunter") && !all.contains("p4ss"), "{all}");
    assert_eq!(store.verify_audit().unwrap().strayed, []);
}

#[test]
fn a_setting_widens_where_more_may_run_and_in_doubt() {
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        json!({ "name": "n", "uids": [], "denied_until": null, "settings": settings })
    };
    let plain = with(&|_| {});
    let full = with(&|settings| settings.security = Security::Full);
    let none = with(&|settings| settings.security = Security::Deny);
    let looks = with(&|settings| settings.look = Access::Allow);
    let no_secrets = with(&|settings| settings.secrets = Access::Deny);
    let passed = with(&|settings| settings.env_pass = vec!["HOME_X".into()]);
    let folders = with(&|settings| settings.folders = vec!["~/a".into()]);
    let uncapped = with(&|settings| settings.run_timeout_cap_ms = None);
    let path = with(&|settings| settings.search_path.reverse());
    let slower = with(&|settings| settings.requests_per_second = 1);
    let later = with(&|settings| settings.approval_timeout_ms += 1000);
    let mut denied = plain.clone();
    denied["denied_until"] = json!(5);
    let mut unknown = plain.clone();
    unknown["settings"]["somethingNew"] = json!("x");
    let cases = [
        (&plain, &full, true),
        (&full, &plain, false),
        (&plain, &none, false),
        (&plain, &looks, true),
        (&looks, &plain, false),
        (&plain, &no_secrets, false),
        (&no_secrets, &plain, true),
        (&plain, &passed, true),
        (&passed, &plain, false),
        (&folders, &plain, true),
        (&plain, &uncapped, true),
        (&plain, &path, !Settings::default().search_path.is_empty()),
        (&plain, &slower, false),
        (&plain, &later, false),
        (&denied, &plain, true),
        (&plain, &denied, false),
        (&plain, &unknown, true),
    ];
    for (before, after, expected) in cases {
        assert_eq!(widens("agents", "main", Some(before), Some(after)), expected, "{before} -> {after}");
    }
}

#[test]
fn rows_that_are_taken_away_are_noticed_also_at_the_next_start() {
    let (_folder, store) = filled(5);
    past_postern(&store, "DELETE FROM audit WHERE number = 3");
    assert_eq!(broken(&store), Some(ChainFault::Missing(3)));
    let (_folder, store) = filled(5);
    past_postern(&store, "DELETE FROM audit WHERE number > 3");
    assert_eq!(broken(&store), Some(ChainFault::Shortened { kept: 5, found: 3 }));
    let path = store.path().to_owned();
    store.close();
    let store = Store::open(&path).unwrap();
    assert_eq!(broken(&store), Some(ChainFault::Recorded(4)), "what follows does not hide it");
    store.write_durable(|conn| agents::insert_agent(conn, &sample_agent("later"))).wait().unwrap();
    assert_eq!(broken(&store), Some(ChainFault::Recorded(4)));
}

#[test]
fn a_head_that_is_gone_or_of_another_chain_is_noticed() {
    let (_folder, store) = filled(2);
    std::fs::remove_file(format!("{}.audit", store.path().display())).unwrap();
    assert_eq!(broken(&store), Some(ChainFault::NoHead));
    let (_folder, store) = filled(2);
    // The last row is rewritten with a matching hash.
    let mut rows = rows(&store);
    let mut last = rows.pop().unwrap();
    last.after = None;
    let hash = postern_protocol::encode_hex(&hash::row_hash(&rows.pop().unwrap().hash, &last));
    past_postern(&store, &format!("UPDATE audit SET after = NULL, hash = x'{hash}' WHERE number = 2"));
    assert_eq!(broken(&store), Some(ChainFault::Replaced(2)));
}

#[test]
fn what_is_changed_past_postern_is_named() {
    let (_folder, store) = filled(2);
    for text in ["rm *", "dd *", "kill *"] {
        let deny = Rule::new(Effect::Deny, Pattern::Command(text.into()));
        store.write_now(move |conn| rules::insert_rule(conn, &deny));
    }
    assert_eq!(store.verify_audit().unwrap().strayed, [], "rows are found by their numbers as well");
    past_postern(
        &store,
        "UPDATE rules SET effect = 'allow' WHERE id = 1;
         DELETE FROM rules WHERE id = 2;
         UPDATE agents SET settings = json_set(settings, '$.security', 'full') WHERE id = 'agent-1';
         INSERT INTO settings VALUES ('gate.pause', 'null');
         DELETE FROM agents WHERE id = 'agent-0';",
    );
    let found = store.verify_audit().unwrap();
    let expected = [
        ("agents", "agent-1"),
        ("agents", "agent-0"),
        ("rules", "1"),
        ("rules", "2"),
        ("settings", settings::PAUSE),
    ];
    let expected = expected.map(|(subject, key)| (subject.to_owned(), key.to_owned()));
    assert_eq!((found.broken, found.strayed), (None, expected.to_vec()));
}

#[test]
fn a_record_of_before_begins_with_what_it_holds() {
    let (_folder, store) = filled(2);
    let path = store.path().to_owned();
    past_postern(&store, "DELETE FROM audit");
    store.close();
    std::fs::remove_file(format!("{}.audit", path.display())).unwrap();
    let store = Store::open(&path).unwrap();
    let expected = ["agent-0", "agent-1"].map(|key| ("agents".to_owned(), key.to_owned(), false));
    assert_eq!(told(&store), expected, "nothing of it is news");
    assert_eq!(broken(&store), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Any change of any column of any row is found, and the first row that it touches is named.
    #[test]
    fn any_change_of_any_row_is_found(row in 1_i64..=6, column in 0_usize..9, word in "[a-z0-9{}\":,]{0,12}", number in any::<i64>()) {
        let (_folder, store) = filled(6);
        let name = ["number", "at", "who", "subject", "key", "before", "after", "widens", "hash"][column];
        let conn = Connection::open(store.path()).unwrap();
        let before: Vec<AuditEntry> = rows(&store);
        let changed = match name {
            "number" => conn.execute("UPDATE OR IGNORE audit SET number = ?1 WHERE number = ?2", (number, row)),
            "at" | "widens" => conn.execute(&format!("UPDATE audit SET {name} = ?1 WHERE number = ?2"), (number, row)),
            "hash" => conn.execute("UPDATE audit SET hash = CAST(?1 AS BLOB) WHERE number = ?2", (&word, row)),
            _ => conn.execute(&format!("UPDATE audit SET {name} = ?1 WHERE number = ?2"), (&word, row)),
        };
        changed.unwrap();
        drop(conn);
        let after = store.read(|conn| super::entries_after(conn, i64::MIN, i64::MIN, 100));
        let same = after.is_ok_and(|after| after == before);
        let found = store.verify_audit().unwrap().broken;
        prop_assert_eq!(found.is_none(), same, "{} of row {}: {:?}", name, row, &found);
        match found {
            None => {}
            Some(ChainFault::Changed(at) | ChainFault::Missing(at)) => prop_assert!(at <= row, "{at}"),
            Some(other) => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn an_empty_chain_is_whole() {
    let (_folder, store) = open_temp_store();
    let found = store.read(|conn| verify(conn, store.path())).unwrap();
    assert_eq!((found.rows, found.head.as_str(), found.broken), (0, "", None));
}
