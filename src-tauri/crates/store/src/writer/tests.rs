//! Tests of what a receipt promises.

use crate::tables::agents;
use crate::tables::events::{self, NewEvent};
use crate::tables::requests;
use crate::tables::search;
use crate::tables::settings::{get_value, set_value};
use crate::testing::{agent_id, new_request, open_temp_store, sample_agent};
use crate::writer::QUEUE;
use crate::{Error, Store};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Sender, channel};

fn value(store: &Store, key: &str) -> Option<u32> {
    store.read(|conn| get_value(conn, key)).unwrap()
}

/// Holds the writer inside of a job until the sender goes: what is queued meanwhile joins the job's group.
fn hold(store: &Store) -> Sender<()> {
    let (release, held) = channel::<()>();
    let (entered, wait) = channel();
    drop(store.write(move |_| {
        entered.send(()).unwrap();
        _ = held.recv();
        Ok(())
    }));
    wait.recv().unwrap();
    release
}

#[test]
fn a_job_that_fails_or_panics_takes_nothing_else_with_it() {
    let (_folder, store) = open_temp_store();
    let held = hold(&store);
    let before = store.write(|conn| set_value(conn, "before", &1));
    let fails = store.write(|conn| {
        set_value(conn, "fails", &1)?;
        Err::<(), _>(Error::Refused("no".into()))
    });
    let panics = store.write::<()>(|conn| {
        set_value(conn, "panics", &1)?;
        panic!("a job panicked, as it was meant to")
    });
    let after = store.write(|conn| set_value(conn, "after", &1));
    drop(held);
    before.wait().unwrap();
    after.wait().unwrap();
    assert!(matches!(fails.wait(), Err(Error::Refused(_))));
    assert!(matches!(panics.wait(), Err(Error::Closed)));
    let values = ["before", "fails", "panics", "after"].map(|key| value(&store, key));
    assert_eq!(values, [Some(1), None, None, Some(1)]);
}

/// Makes the shared state of a record's writer.
fn around(path: &Path) -> crate::writer::WriterShared {
    crate::writer::WriterShared {
        counts: std::sync::Arc::default(),
        place: crate::doubt::OpenedFiles::from_path(path).unwrap().into(),
        doubts: crate::doubt::Doubts::load_for(path).into(),
    }
}

#[test]
fn a_group_that_cannot_be_begun_does_nothing_and_says_so() {
    let (_folder, store) = open_temp_store();
    let [writes, locks] = [(); 2].map(|()| rusqlite::Connection::open(store.path()).unwrap());
    writes.busy_timeout(std::time::Duration::ZERO).unwrap();
    locks.execute_batch("BEGIN IMMEDIATE").unwrap();
    let jobs = ["one", "two"]
        .map(|key| crate::writer::job(crate::writer::Flush::No, None, move |conn| set_value(conn, key, &1)));
    let (jobs, receipts): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
    crate::writer::run_group(&writes, jobs, &mut None, &around(store.path()));
    locks.execute_batch("ROLLBACK").unwrap();
    for receipt in receipts {
        let refused = receipt.wait();
        assert!(matches!(&refused, Err(Error::NotDurable(why)) if why.contains("locked")), "{refused:?}");
    }
    assert_eq!(["one", "two"].map(|key| value(&store, key)), [None, None]);
}

#[test]
fn nobody_of_a_group_that_cannot_be_committed_is_told_that_it_was() {
    let (_folder, store) = open_temp_store();
    let held = hold(&store);
    let good = store.write(|conn| set_value(conn, "good", &1));
    let bad = store.write(|conn| {
        // Its agent is missing, which SQLite is told to look at when it commits.
        conn.execute_batch("PRAGMA defer_foreign_keys = ON")?;
        let sql =
            "INSERT INTO events (agent, sequence, at, method, params) VALUES ('nobody', 1, 1, 'm', '{}')";
        conn.execute(sql, [])?;
        Ok(())
    });
    drop(held);
    for result in [good.wait(), bad.wait()] {
        assert!(matches!(result, Err(Error::NotDurable(_))), "{result:?}");
    }
    assert_eq!(value(&store, "good"), None);
    store.write_now(|conn| set_value(conn, "good", &2));
    assert_eq!(value(&store, "good"), Some(2), "the next group is written");
}

#[test]
fn a_job_that_is_alone_and_fails_takes_back_all_of_itself_and_the_next_is_written() {
    let (_folder, store) = open_temp_store();
    let fails = store.write(|conn| {
        set_value(conn, "fails", &1)?;
        Err::<(), _>(Error::Refused("no".into()))
    });
    assert!(matches!(fails.wait(), Err(Error::Refused(_))));
    let panics = store.write_durable::<()>(|conn| {
        set_value(conn, "panics", &1)?;
        panic!("a job panicked, as it was meant to")
    });
    assert!(matches!(panics.wait(), Err(Error::Closed)));
    let bad = store.write(|conn| {
        set_value(conn, "bad", &1)?;
        // It ends the transaction that it was given: what it did is not known to be whole.
        conn.execute_batch("ROLLBACK")?;
        Ok(())
    });
    assert!(matches!(bad.wait(), Err(Error::NotDurable(_))), "nobody is told that it was written");
    store.write_now(|conn| set_value(conn, "after", &1));
    let values = ["fails", "panics", "bad", "after"].map(|key| value(&store, key));
    assert_eq!(values, [None, None, None, Some(1)]);
}

#[test]
fn a_group_is_flushed_once_where_one_of_its_jobs_asks_and_not_where_none_does() {
    let (_folder, store) = open_temp_store();
    let before = store.flushes();
    for at in 0..3 {
        store.write_now(move |conn| set_value(conn, "cheap", &at));
    }
    assert_eq!(store.flushes(), before, "nobody asked for a flush");
    store.write_durable(|conn| set_value(conn, "decided", &1)).wait().unwrap();
    assert_eq!(store.flushes(), before + 1, "it is on the drive when it is told");
    let held = hold(&store);
    let group: Vec<_> = (0..4)
        .flat_map(|at| {
            let cheap = store.write(move |conn| set_value(conn, "cheap", &at));
            [cheap, store.write_durable(move |conn| set_value(conn, "decided", &at))]
        })
        .collect();
    drop(held);
    for receipt in group {
        receipt.wait().unwrap();
    }
    assert_eq!(store.flushes(), before + 2, "what waits together is flushed together");
    store.write_now(|conn| set_value(conn, "cheap", &9));
    assert_eq!(store.flushes(), before + 2, "the next group asks for itself");
}

#[test]
fn what_sqlite_is_told_of_a_flush_goes_by_the_group() {
    let (_folder, store) = open_temp_store();
    let level = |conn: &rusqlite::Connection| {
        Ok(conn.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?)
    };
    let levels = [store.write(level).wait(), store.write_durable(level).wait(), store.write(level).wait()];
    assert_eq!(levels.map(Result::unwrap), [1, 2, 1], "1 is NORMAL, 2 is FULL");
}

#[test]
fn a_full_queue_refuses_and_a_closed_record_too() {
    let (_folder, store) = open_temp_store();
    let held = hold(&store);
    let queued: Vec<_> = (0..QUEUE).map(|_| store.write(|_| Ok(()))).collect();
    assert!(matches!(store.write(|_| Ok(())).wait(), Err(Error::Busy)));
    drop(held);
    assert!(queued.into_iter().all(|receipt| receipt.wait().is_ok()), "what was taken is written");
    let last = store.write(|conn| set_value(conn, "last", &1));
    store.close();
    last.wait().unwrap();
    assert!(matches!(store.write(|_| Ok(())).wait(), Err(Error::Closed)));
    assert!(!store.path().with_file_name("postern.db-wal").exists(), "it tidied up behind itself");
}

#[test]
fn readers_do_not_wait_for_the_writer_and_see_only_what_is_durable() {
    let (_folder, store) = open_temp_store();
    store.write_now(|conn| set_value(conn, "key", &1));
    let (release, held) = channel::<()>();
    let (entered, wait) = channel();
    let receipt = store.write(move |conn| {
        set_value(conn, "key", &2)?;
        entered.send(()).unwrap();
        _ = held.recv();
        Ok(())
    });
    wait.recv().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(value(&store, "key"), Some(1)));
        }
    });
    drop(release);
    receipt.wait().unwrap();
    assert_eq!(value(&store, "key"), Some(2), "durable, so seen");
}

#[test]
fn the_writer_rests_once_everything_is_indexed() {
    let (_folder, store) = open_temp_store();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut rested = store.rested();
    store.write_now(|conn| requests::record_request(conn, &new_request("main", "r1", 1)));
    let indexed = || store.read(|conn| Ok(search::indexed(conn)?)).unwrap();
    while indexed() == 0 {
        runtime.block_on(rested.changed()).unwrap();
    }
    store.give_back();
    assert_eq!(indexed(), 1, "a reader that was closed is opened again");
}

/// Lists what a reader finds among its threads' acknowledged events when the whole process is killed.
#[test]
fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    for acknowledged in [1, 40, 300, 301, 900] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("postern.db");
        let mut child = run_this_test("writer::tests::writes_until_it_is_killed", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut numbers =
            lines.by_ref().filter_map(|line| line.unwrap().strip_prefix("wrote ")?.parse::<u64>().ok());
        let mut told: Vec<u64> = numbers.by_ref().take(acknowledged).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        // What it said before it was killed and that lay in the pipe.
        told.extend(numbers);
        assert!(told.len() >= acknowledged, "the child ended by itself");
        let store = Store::open(&path).unwrap();
        assert_eq!(store.opened(), &crate::OpenOutcome::Existing);
        assert_eq!(store.check_file().unwrap(), [] as [&str; 0]);
        let kept = store.read(|conn| events::events_after(conn, &agent_id("main"), 0, u32::MAX)).unwrap();
        let kept: Vec<u64> = kept.into_iter().map(|row| row.sequence).collect();
        assert_eq!(kept, (1..=kept.len() as u64).collect::<Vec<_>>(), "no gaps");
        for number in told {
            assert!(kept.contains(&number), "event {number} was acknowledged and is lost");
        }
    }
}

/// Not a test by itself: what the test above runs and kills. It is given the path on standard input.
#[test]
#[ignore = "run and killed by a_killed_writer_loses_nothing_that_it_acknowledged"]
fn writes_until_it_is_killed() {
    let mut path = String::new();
    std::io::stdin().read_line(&mut path).unwrap();
    let store = Store::open(Path::new(path.trim_end())).unwrap();
    store.write_now(|conn| agents::insert_agent(conn, &sample_agent("main")));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let number = store.write_now(|conn| events::append(conn, &NewEvent::test("main")));
                    // The line before it may hold what the test runner says.
                    println!("\nwrote {number}");
                }
            });
        }
    });
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place here that starts a process: this test binary again"
)]
fn run_this_test(name: &str, path: &Path) -> Child {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", path.display()).unwrap();
    child
}
