use super::{Lost, SUFFIX, find_lost, is_whole, restore, verify_spare};
use crate::doubt::{self, DoubtCause};
use crate::file::beside;
use crate::{Store, settings};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns a record of one setting, with its copy.
fn copied() -> (TempDir, PathBuf, Store) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("data").join("postern.db");
    let store = Store::open(&path).unwrap();
    set(&store, "days", 1);
    assert!(store.keep_spare().unwrap());
    (folder, path, store)
}

fn set(store: &Store, key: &'static str, value: u32) {
    store.write_now(move |conn| settings::set_value(conn, key, &value));
}

fn value(store: &Store, key: &str) -> Option<u32> {
    store.read(|conn| settings::get_value(conn, key)).unwrap()
}

fn damage(path: &Path) {
    fs::write(path, [0x5a; 4096]).unwrap();
}

#[test]
fn a_copy_is_private_current_and_written_once_for_a_state() {
    let (_folder, path, store) = copied();
    assert!(!store.keep_spare().unwrap(), "it has everything already");
    let file = beside(&path, SUFFIX);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let first = verify_spare(&path).unwrap().unwrap();
    set(&store, "days", 2);
    assert!(store.keep_spare().unwrap());
    let second = verify_spare(&path).unwrap().unwrap();
    assert!(second.made >= first.made && second.newest > first.newest, "{second:?}");
    assert!(!beside(&path, ".spare.new").exists());
    assert!(!beside(&path, ".spare-before").exists());
}

#[test]
fn a_damaged_record_is_replaced_by_its_copy_and_stays_in_doubt() {
    let (_folder, path, store) = copied();
    store.close();
    damage(&path);
    assert!(!is_whole(&path));
    let copy = verify_spare(&path).unwrap().unwrap();
    let missing = find_lost(&path, None, &copy);
    assert_eq!(missing, Lost { changes: Some(0), named: Vec::new() });
    let aside = restore(&path, &copy, &missing).unwrap().unwrap();
    assert_eq!(fs::read(&aside).unwrap(), [0x5a; 4096], "it is kept as it was");
    let store = Store::open(&path).unwrap();
    assert_eq!(value(&store, "days"), Some(1));
    assert_eq!(value(&store, super::MADE), None);
    let doubt = store.watch_doubt().borrow().clone().unwrap();
    let restored = DoubtCause::Restored { made: copy.made, changes: Some(0), aside: Some(aside) };
    assert_eq!(doubt.cause, restored, "only a person ends it");
    let verified = store.verify_audit().unwrap();
    assert_eq!((verified.broken, verified.strayed), (None, Vec::new()), "and the audit is one chain with it");
}

#[test]
fn what_was_changed_after_the_copy_is_counted_and_named() {
    let (_folder, path, store) = copied();
    set(&store, "days", 2);
    set(&store, "hours", 3);
    store.close();
    let copy = verify_spare(&path).unwrap().unwrap();
    let missing = find_lost(&path, None, &copy);
    assert_eq!(missing.changes, Some(2));
    let keys: Vec<&str> = missing.named.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["days", "hours"], "what can still be read is named");
    damage(&path);
    let missing = find_lost(&path, None, &copy);
    assert_eq!((missing.changes, missing.named.len()), (Some(2), 0), "the head beside it still counts them");
    restore(&path, &copy, &missing).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(value(&store, "days"), Some(1));
    let DoubtCause::Restored { changes, .. } = store.watch_doubt().borrow().clone().unwrap().cause else {
        panic!()
    };
    assert_eq!(changes, Some(2), "the doubt says so until it is settled");
}

#[test]
fn a_copy_that_another_program_changed_is_refused() {
    let (_folder, path, store) = copied();
    store.close();
    let file = beside(&path, SUFFIX);
    let conn = rusqlite::Connection::open(&file).unwrap();
    conn.execute("UPDATE settings SET value = '9' WHERE key = 'days'", []).unwrap();
    drop(conn);
    let refused = verify_spare(&path).unwrap_err().to_string();
    assert!(refused.contains("another program changed it"), "{refused}");
    damage(&file);
    assert!(verify_spare(&path).is_err());
    fs::remove_file(&file).unwrap();
    assert_eq!(verify_spare(&path).unwrap(), None);
}

#[test]
fn a_record_that_began_anew_does_not_overwrite_the_copy_of_the_old_one() {
    let (_folder, path, store) = copied();
    store.close();
    damage(&path);
    let store = Store::open(&path).unwrap();
    assert!(!store.keep_spare().unwrap(), "not while it is in doubt");
    assert!(doubt::read_doubt(&path).is_some());
    store.settle_doubt().unwrap();
    set(&store, "hours", 3);
    assert!(store.keep_spare().unwrap());
    let before = beside(&path, ".spare-before");
    let conn = rusqlite::Connection::open(&before).unwrap();
    assert_eq!(settings::get_value::<u32>(&conn, "days").unwrap(), Some(1));
}
