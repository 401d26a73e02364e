//! A record that another program has locked: a person with `sqlite3`, a backup, a virus scanner.

use super::tools::{Marker, PATIENCE, agent, all_ended, ended, start_script, until, within, wrong};
use postern_tests::{OwnedChild, Postern, answer_args};

const LOCK: &str = "import sqlite3, sys, time\n\
                    held = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                    held.execute('BEGIN IMMEDIATE')\n\
                    print('ready', flush=True)\n\
                    time.sleep(600)";

fn lock(host: &Postern) -> OwnedChild {
    start_script(LOCK, &[&host.data().join("postern.db")]).expect("python locks the record")
}

#[test]
fn a_record_that_is_locked_for_a_while_loses_no_ending() {
    let host = Postern::start();
    let runner = host.enrol("runner");
    host.ok(&["agents", "set", "runner", "preset=allow", "--yes"]);
    let marker = Marker::new(&host, "long");
    let running = agent(&runner, &["--shell", &marker.line()]);
    marker.began();
    // On record: what it was allowed by is no longer being written.
    host.until(&["status"], "1 command");
    let locked = lock(&host);
    marker.let_go();
    host.until(&["status"], "to be written");
    drop(locked);
    let ran = ended(running, PATIENCE);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "out"), "{ran:?}");
    assert_eq!(marker.runs(), 1);
    host.until_not(&["status"], "to be written");
    all_ended(&host);
    assert_eq!(wrong(&host), [] as [String; 0]);
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
