//! Copies the log into the file on a thread and a connection of its own. A copy flushes twice: no commit waits for it.
//!
//! The log starts over once all of it was copied and nobody reads it. While the writer is busy, the copy is always a
//! little behind: when the log is long, the writer copies the little that is left itself.

use super::WriterShared;
use crate::error::is_damage;
use crate::open::open_checkpointer;
use rusqlite::Connection;
use rusqlite::hooks::Wal;
use std::cell::Cell;
use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Number of pages that are copied at a time: 16 MiB.
///
/// Copies of 4 MiB flush so often that commits wait for the drive all the same.
const COPY: usize = if cfg!(test) { 256 } else { 4_096 };
/// Length of the log, in pages, from which the writer copies what is left: 64 MiB. Tests have a long one sooner.
const LONG: usize = 4 * COPY;

thread_local! {
    /// Length of the log, in pages, after the last commit of this thread.
    static PAGES: Cell<usize> = const { Cell::new(0) };
}

#[expect(clippy::unnecessary_wraps, reason = "SQLite's hook can fail")]
fn note_log_pages(_: &Wal, pages: c_int) -> rusqlite::Result<()> {
    PAGES.set(usize::try_from(pages).unwrap_or(0));
    Ok(())
}

/// State that the writer and the copying thread share.
#[derive(Debug, Default)]
struct CheckpointProgress {
    /// True while a copy is asked for or under way.
    busy: AtomicBool,
    /// Pages of the log that are in the file.
    copied: AtomicUsize,
    /// True from the end of a copy until the writer has seen it.
    done: AtomicBool,
}

/// The copying of one record's log, as its writer sees it.
pub(super) struct Checkpoints {
    progress: Arc<CheckpointProgress>,
    shared: Arc<WriterShared>,
    /// Copying thread, with the channel that wakes it; the writer copies if there is no thread.
    thread: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Checkpoints {
    /// Starts the thread for the record that `conn` writes.
    pub(super) fn start(conn: &Connection, shared: &Arc<WriterShared>) -> Self {
        conn.wal_hook(Some(note_log_pages));
        let progress = Arc::<CheckpointProgress>::default();
        let thread = conn.path().and_then(|path| {
            let other = open_checkpointer(Path::new(path)).inspect_err(unavailable).ok()?;
            let (ask, asked) = sync_channel(1);
            let (progress, shared) = (Arc::clone(&progress), Arc::clone(shared));
            let thread = std::thread::Builder::new().name("checkpoints".to_owned());
            let thread = thread.spawn(move || copy_when_asked(&other, &asked, &progress, &shared));
            Some((ask, thread.inspect_err(unavailable).ok()?))
        });
        Self { progress, shared: Arc::clone(shared), thread }
    }

    /// Has the log copied after a commit, if it grew enough.
    pub(super) fn committed(&self, conn: &Connection) {
        let pages = PAGES.get();
        let before = self.progress.copied.load(Ordering::Relaxed);
        // A log that is shorter than what was copied of it has started over.
        let copied = if pages < before { 0 } else { before };
        let caught_up = self.progress.done.swap(false, Ordering::Acquire);
        if pages >= LONG && (caught_up || self.thread.is_none()) {
            self.copy_here(conn);
        } else if pages >= copied + COPY {
            self.progress.copied.store(copied, Ordering::Relaxed);
            self.request_copy(conn);
        }
    }

    /// Has the log copied. While nobody writes that is the rest of it, so that the file alone holds everything.
    pub(super) fn request_copy(&self, conn: &Connection) {
        let Some((ask, _)) = &self.thread else { return self.copy_here(conn) };
        // It takes one at a time.
        if !self.progress.busy.swap(true, Ordering::AcqRel) && ask.try_send(()).is_err() {
            self.copy_here(conn);
            self.progress.busy.store(false, Ordering::Release);
        }
    }

    /// Copies the log on the writer's thread.
    fn copy_here(&self, conn: &Connection) {
        self.shared.damaged(copy_log(conn, &self.progress.copied));
    }

    /// Ends the thread, and waits for the copy that is under way.
    pub(super) fn finish(self) {
        if let Some((ask, thread)) = self.thread {
            drop(ask);
            if thread.join().is_err() {
                tracing::error!("the thread that copies the log panicked");
            }
        }
    }
}

fn unavailable(error: &impl std::fmt::Display) {
    tracing::warn!(%error, "the log is copied by the writer: there is no thread for it");
}

fn copy_when_asked(
    conn: &Connection,
    asked: &Receiver<()>,
    progress: &CheckpointProgress,
    shared: &WriterShared,
) {
    while asked.recv().is_ok() {
        // A file without a name is not written to.
        if shared.place.are_in_place() {
            let damage = copy_log(conn, &progress.copied);
            shared.damaged(damage);
        }
        progress.done.store(true, Ordering::Release);
        progress.busy.store(false, Ordering::Release);
    }
}

/// Copies as much as nobody reads, waits for nobody, and notes how much of the log is in the file. Returns what SQLite
/// said if it found the file damaged.
fn copy_log(conn: &Connection, copied: &AtomicUsize) -> Option<String> {
    let done = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get::<_, i64>(2));
    match done {
        // A negative number: the other one copies.
        Ok(pages) => {
            if let Ok(pages) = usize::try_from(pages) {
                copied.store(pages, Ordering::Relaxed);
            }
        }
        Err(error) => {
            tracing::warn!(%error, "the log was not copied into the record; a later checkpoint does it");
            return is_damage(&error).then(|| error.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{COPY, LONG};
    use crate::tables::settings::{get_value, set_value};
    use crate::testing::open_temp_store;
    use rusqlite::{Connection, OpenFlags};
    use std::time::{Duration, Instant};

    /// Bytes of a page in the log: the page, and 24 about it.
    const FRAME: u64 = 4_096 + 24;

    fn length(store: &crate::Store) -> u64 {
        std::fs::metadata(store.path().with_file_name("postern.db-wal")).unwrap().len()
    }

    #[test]
    fn a_log_that_grows_is_copied_beside_the_writer_and_starts_over() {
        let (_folder, store) = open_temp_store();
        let long = u64::try_from(LONG).unwrap() * FRAME;
        // Each commit writes some 64 KiB: ten times the longest log in all.
        for number in 0..LONG * 10 / 16 {
            let text = "x".repeat(64 * 1024);
            store.write_now(move |conn| set_value(conn, &format!("k{}", number % 8), &text));
        }
        let copy = u64::try_from(COPY).unwrap() * FRAME;
        assert!(length(&store) < 2 * long + copy, "the log has {} bytes", length(&store));
        store.close();
        assert!(!store.path().with_file_name("postern.db-wal").exists(), "all of it is in the file");
    }

    #[test]
    fn the_file_alone_holds_what_was_written_once_nobody_writes() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| set_value(conn, "key", &7));
        // Without its log.
        let alone = format!("file:{}?immutable=1", store.path().display());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let kept = || -> Option<u32> {
            let conn = Connection::open_with_flags(&alone, flags).ok()?;
            get_value(&conn, "key").ok()?
        };
        let end = Instant::now() + Duration::from_mins(1);
        while kept() != Some(7) {
            assert!(Instant::now() < end, "the log is not copied");
            std::thread::yield_now();
        }
    }
}
