//! Tests of what is found on disk, and what becomes of it.

use super::OpenOutcome;
use crate::doubt::DoubtCause;
use crate::error::OpenError;
use crate::tables::requests::{self, Filter, RequestChange};
use crate::tables::{agents, events, feed, history, rules, search};
use crate::testing::{agent_id, allow_rule, new_request, sample_agent};
use crate::{Error, Store};
use postern_policy::{Effect, Pattern, Security};
use postern_protocol::RunState;
use postern_request::{Exit, RequestEnding};
use rusqlite::Connection;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Statements that take a record back to format 22.
const BACK_TO_22: &str = include_str!("fixtures/back-to-22.sql");

/// Returns a path for a record, in a folder that is not there yet.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/postern.db");
    (folder, path)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Returns a closed record with rules and requests that fill some pages.
fn filled() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = place();
    let store = Store::open(&path).unwrap();
    store.write_now(|conn| {
        agents::insert_agent(conn, &sample_agent("main"))?;
        for nth in 0..200 {
            rules::insert_rule(conn, &allow_rule(Some("main"), &format!("git log -{nth} *")))?;
            requests::record_request(conn, &new_request("main", &format!("r{nth}"), nth))?;
        }
        Ok(())
    });
    store.close();
    (folder, path)
}

/// Overwrites the first page of a table.
fn break_table(path: &Path, table: &str) {
    let conn = Connection::open(path).unwrap();
    let page: u64 = conn
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [table], |row| row.get(0))
        .unwrap();
    let size: u64 = conn.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    drop(conn);
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&[0xa5; 512], (page - 1) * size).unwrap();
}

fn aside_of(store: &Store) -> PathBuf {
    match store.opened() {
        OpenOutcome::Damaged { aside } => aside.clone(),
        other @ (OpenOutcome::Created | OpenOutcome::Existing) => {
            panic!("{other:?}: the damage was not seen")
        }
    }
}

#[test]
fn a_record_is_made_private_and_found_again() {
    let (_folder, path) = place();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Created);
    store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
    let wal = path.with_file_name("postern.db-wal");
    assert_eq!((mode(path.parent().unwrap()), mode(&path), mode(&wal)), (0o700, 0o600, 0o600));
    drop(store);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(mode(&path), 0o600, "rights of others are taken away");
    assert_eq!(store.opened(), &OpenOutcome::Existing);
    assert_eq!(store.read(agents::list_agents).unwrap(), [sample_agent("main")]);
}

#[test]
fn every_connection_is_set_up_to_be_durable_and_careful() {
    let (_folder, path) = place();
    let store = Store::open(&path).unwrap();
    let number = |conn: &Connection, name: &str| -> i64 {
        conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
    };
    let table = [
        ("synchronous", 1),
        ("fullfsync", 1),
        ("checkpoint_fullfsync", 1),
        ("foreign_keys", 1),
        ("trusted_schema", 0),
        ("cell_size_check", 1),
        ("busy_timeout", 5000),
        ("application_id", crate::migrate::APPLICATION),
        ("user_version", crate::migrate::newest()),
    ];
    store.write_now(move |conn| {
        let journal: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        assert_eq!(journal, "wal");
        for (name, expected) in table {
            assert_eq!(number(conn, name), expected, "{name}");
        }
        Ok(())
    });
    let written = store.read(|conn| Ok(conn.execute("DELETE FROM agents", [])?));
    assert!(written.is_err(), "a reader cannot write");
    let strict = store.read(|conn| {
        let mut query =
            conn.prepare(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
        )?;
        let loose: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(loose)
    });
    assert_eq!(strict.unwrap(), [] as [&str; 0], "every table of ours is STRICT");
}

#[test]
fn rules_about_files_are_in_a_format_that_earlier_versions_refuse() {
    let (_folder, path) = place();
    let store = Store::open(&path).unwrap();
    let files = [Pattern::Read("**/.env".into()), Pattern::Write("~/Documents/**".into())];
    let kept = files.clone();
    store.write_now(move |conn| {
        for pattern in kept {
            rules::insert_rule(conn, &postern_policy::Rule::new(Effect::Deny, pattern))?;
        }
        Ok(())
    });
    drop(store);
    // The format before rules about files; what is dropped here came after it.
    let old = Connection::open(&path).unwrap();
    old.execute_batch(BACK_TO_22).unwrap();
    old.execute_batch("ALTER TABLE rules DROP COLUMN confine; DROP TABLE tally_by_effect; ALTER TABLE agents DROP COLUMN icon; ALTER TABLE requests DROP COLUMN folder; ALTER TABLE requests DROP COLUMN packed; ALTER TABLE requests DROP COLUMN denied_by; DROP TABLE tally_by_folder; DROP TABLE scripts").unwrap();
    old.pragma_update(None, "user_version", crate::migrate::newest() - 9).unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    let format = store.read(|conn| Ok(crate::migrate::format_of(conn)?)).unwrap();
    assert_eq!(format, crate::migrate::newest());
    let read: Vec<Pattern> =
        store.read(rules::list_rules).unwrap().into_iter().map(|rule| rule.pattern).collect();
    assert_eq!(read, files);
}

/// Returns what is told of the agent `main` and the lists that it is in.
fn told_of_main(store: &Store) -> (Vec<feed::FeedEntry>, Vec<events::EventRow>, [Vec<i64>; 2]) {
    let main = agent_id("main");
    let numbers = |filter: Filter| {
        let listed = store.read(|conn| history::list_newest(conn, &filter, 999)).unwrap();
        listed.into_iter().map(|row| row.number).collect::<Vec<_>>()
    };
    let lists = [
        numbers(Filter { agent: Some(main.clone()), ..Filter::default() }),
        numbers(Filter { phase: Some(RunState::Finished), ..Filter::default() }),
    ];
    let (steps, _) = store.read(|conn| feed::entries_after(conn, 0, Some(&main), 999)).unwrap();
    (steps, store.read(|conn| events::events_after(conn, &main, 0, 9)).unwrap(), lists)
}

#[test]
fn a_record_of_format_22_keeps_its_feed_its_events_and_its_lists() {
    let (_folder, path) = filled();
    let store = Store::open(&path).unwrap();
    store.write_now(|conn| {
        let ending = RequestEnding::Finished { end: Exit::Code(0).into() };
        let row = requests::get_by_key(conn, &agent_id("main"), "r3")?.unwrap();
        requests::change(conn, row.summary.id, &RequestChange::from_ending(&ending, 900)?)?;
        events::append(conn, &events::NewEvent::test("main"))
    });
    let before = told_of_main(&store);
    assert_eq!((before.0.len(), before.1.len()), (201, 1));
    assert_eq!(before.2.each_ref().map(Vec::len), [200, 1]);
    let newest = store.read(feed::newest).unwrap();
    drop(store);
    Connection::open(&path).unwrap().execute_batch(BACK_TO_22).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Existing);
    assert_eq!(told_of_main(&store), before);
    store.write_now(search::index_all);
    assert_eq!(told_of_main(&store), before, "and when it is indexed again");
    store.write_now(|conn| requests::record_request(conn, &new_request("main", "new", 999)));
    assert_eq!(store.read(feed::newest).unwrap(), newest + 1, "and it goes on");
}

#[test]
fn an_old_record_is_brought_up_to_date() {
    let (_folder, path) = place();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch(include_str!("fixtures/format-1.sql")).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Existing);
    let main = store.read(|conn| agents::get_agent(conn, &agent_id("main"))).unwrap().unwrap();
    assert_eq!((main.settings.security, main.uids), (Security::Full, vec![1000]));
    let rule = store.read(|conn| rules::get_rule(conn, 7)).unwrap().unwrap();
    assert_eq!((rule.effect, rule.pattern), (Effect::Deny, Pattern::Command("git push *".into())));
    assert_eq!(store.read(|conn| events::events_after(conn, &agent_id("main"), 1, 9)).unwrap().len(), 1);
    assert_eq!(store.write_now(|conn| events::append(conn, &events::NewEvent::test("main"))), 3);
    let filter = Filter { search: Some("origin".into()), ..Filter::default() };
    let found = store.read(|conn| history::list_newest(conn, &filter, 9)).unwrap();
    assert_eq!(found.len(), 1, "a line from before there was a search");
}

#[test]
fn a_newer_record_and_another_programs_are_refused_and_left_alone() {
    let (_folder, path) = filled();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&path).unwrap();
    match Store::open(&path) {
        Err(OpenError::Newer { found: 99, known, .. }) => assert_eq!(known, crate::migrate::newest()),
        other => panic!("{other:?}"),
    }
    assert!(std::fs::read(&path).unwrap() == before, "a newer record was touched");
    let (_folder, path) = place();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let opened = Store::open(&path);
    assert!(matches!(opened, Err(OpenError::Foreign { .. })), "{opened:?}");
}

#[test]
fn a_link_and_a_folder_are_no_records() {
    let (_folder, path) = filled();
    let link = path.with_file_name("link.db");
    symlink(&path, &link).unwrap();
    assert!(matches!(Store::open(&link), Err(OpenError::File { .. })), "a link is not followed");
    let folder = path.with_file_name("folder.db");
    std::fs::create_dir(&folder).unwrap();
    assert!(matches!(Store::open(&folder), Err(OpenError::File { .. })));
}

#[test]
fn a_folder_that_is_reached_through_a_link_is_fine() {
    let (folder, path) = filled();
    let link = folder.path().join("link");
    symlink(path.parent().unwrap(), &link).unwrap();
    let store = Store::open(&link.join("postern.db")).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Existing);
}

#[test]
fn what_is_no_record_is_set_aside_whole_and_an_empty_one_begins() {
    let (_folder, path) = filled();
    let garbage = vec![b'x'; 20_000];
    std::fs::write(&path, &garbage).unwrap();
    let store = Store::open(&path).unwrap();
    let aside = aside_of(&store);
    let name = aside.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("postern.db.damaged-2"), "{name}");
    assert!(std::fs::read(&aside).unwrap() == garbage, "what was damaged is kept as it was");
    assert_eq!(store.read(rules::list_rules).unwrap(), []);
    drop(store);
    assert_eq!(Store::open(&path).unwrap().opened(), &OpenOutcome::Existing, "it is said once");
    std::fs::write(&path, &garbage).unwrap();
    assert_ne!(aside_of(&Store::open(&path).unwrap()), aside, "a second one does not replace the first");
}

#[test]
fn damage_in_what_decides_is_seen_at_the_start() {
    for table in ["agents", "rules", "settings", "skill_clis"] {
        let (_folder, path) = filled();
        break_table(&path, table);
        aside_of(&Store::open(&path).unwrap());
    }
}

#[test]
fn damage_in_the_history_is_seen_by_a_check_and_acted_on_at_the_next_start() {
    let (_folder, path) = filled();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.check_file().unwrap(), [] as [&str; 0], "a sound record has nothing wrong");
    drop(store);
    break_table(&path, "requests");
    let store = Store::open(&path).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Existing, "the start does not read the whole history");
    let wrong = store.check_file();
    assert!(store.watch_doubt().borrow().is_some(), "everything is denied from now on");
    assert!(wrong.as_ref().map_or_else(Error::is_damage, |wrong| !wrong.is_empty()), "{wrong:?}");
    drop(store);
    let store = Store::open(&path).unwrap();
    aside_of(&store);
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.opened(), &OpenOutcome::Existing);
    let doubt = store.watch_doubt().borrow().clone().expect("only a person ends it");
    assert!(matches!(doubt.cause, DoubtCause::Damaged { aside: Some(_), .. }), "{doubt:?}");
    store.settle_doubt().unwrap();
    drop(store);
    assert_eq!(*Store::open(&path).unwrap().watch_doubt().borrow(), None);
}

#[test]
fn damage_that_a_reader_meets_is_a_doubt() {
    let (_folder, path) = filled();
    break_table(&path, "events");
    let store = Store::open(&path).unwrap();
    assert_eq!(*store.watch_doubt().borrow(), None, "nobody has read it yet");
    let read = store.read(|conn| events::events_after(conn, &agent_id("main"), 0, 9));
    assert!(read.as_ref().is_err_and(Error::is_damage), "{read:?}");
    assert!(store.watch_doubt().borrow().is_some(), "everything is denied from now on");
}

#[test]
fn damage_that_the_index_meets_is_a_doubt() {
    let (_folder, path) = filled();
    break_table(&path, "requests");
    let store = Store::open(&path).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut doubt = store.watch_doubt();
    let found = runtime.block_on(doubt.wait_for(Option::is_some)).unwrap().clone();
    assert!(matches!(found.unwrap().cause, DoubtCause::Damaged { aside: None, .. }));
}
