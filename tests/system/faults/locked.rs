//! A record that another program has locked: a person with `sqlite3`, a backup, a virus scanner.

use super::tools::{
    Marker, PATIENCE, agent, all_ended, all_is_well, doctor_says, ended, start_script, until, within, wrong,
};
use postern_tests::{OwnedChild, Postern, answer_args};

const LOCK: &str = "import sqlite3, sys, time\n\
                    held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                    held.execute('BEGIN IMMEDIATE')\n\
                    print('ready', flush=True)\n\
                    time.sleep(600)";

fn lock(host: &Postern) -> OwnedChild {
    start_script(LOCK, &[&host.data().join("postern.db")]).expect("python locks the record")
}

/// Returns what `doctor` says of who has locked the record.
fn holder(locked: &OwnedChild) -> String {
    format!("process {} has locked ", locked.0.id())
}

#[test]
fn a_record_that_is_locked_for_a_while_loses_no_ending() {
    let host = Postern::start();
    let runner = host.enrol_allowed("runner");
    let marker = Marker::new(&host, "long");
    let running = agent(&runner, &["--shell", &marker.line()]);
    marker.began();
    // On record: what it was allowed by is no longer being written.
    host.until(&["status"], "1 command");
    let locked = lock(&host);
    marker.let_go();
    host.until(&["status"], "to be written");
    doctor_says(&host, &holder(&locked));
    drop(locked);
    marker.ends_well(running);
    host.until_not(&["status"], "to be written");
    all_is_well(&host);
}

#[test]
fn a_yes_that_cannot_be_written_down_starts_nothing_and_says_so() {
    let host = Postern::start();
    let asker = host.enrol("asker");
    let watcher = host.watch();
    let marker = Marker::new(&host, "asked");
    let asking = agent(&asker, &["--shell", &marker.line()]);
    let question = watcher.question();
    let locked = lock(&host);
    let answered = within(&host, PATIENCE, &answer_args("approve", &question, &[]));
    assert_ne!(answered.code, 0, "{answered:?}");
    assert!(answered.stderr.contains("nothing ran"), "{answered:?}");
    drop(locked);
    let told = ended(asking, PATIENCE);
    assert_ne!(told.code, 0, "{told:?}");
    assert_eq!(marker.runs(), 0);
    until("an entry stays unwritten", || wrong(&host).is_empty());
    all_ended(&host);
}

#[test]
fn who_has_locked_the_record_is_named_where_nothing_is_owed_and_where_no_host_starts() {
    let (mut host, main) = Postern::with_allowed_agent();
    let locked = lock(&host);
    let refused = ended(agent(&main, &["--", "true"]), PATIENCE);
    assert!(refused.code != 0 && refused.stderr.contains("nothing was run"), "{refused:?}");
    doctor_says(&host, &holder(&locked));
    host.crash();
    let start = within(&host, PATIENCE, &["serve"]);
    assert!(start.code > 0 && start.stderr.contains("locked"), "{start:?}");
    doctor_says(&host, &holder(&locked));
    doctor_says(&host, "the last start failed at ");
    drop(locked);
    host.start_again();
    assert_eq!(ended(agent(&main, &["--", "true"]), PATIENCE).code, 0);
    assert_eq!(wrong(&host), [] as [String; 0]);
}
