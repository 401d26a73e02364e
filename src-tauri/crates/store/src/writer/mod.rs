//! Writer thread: takes all waiting jobs, does them in one transaction, commits once, and only then resolves
//! their receipts.
//!
//! A commit is cheap: what it wrote is the system's and outlives a killed process, but not a power cut. Where a job of
//! the group asked for the flush, SQLite commits the whole group with `synchronous = FULL`: it returns when the drive
//! has it, and with it everything that was committed before, for that lies further up in the same log. SQLite flushes
//! rather than this file: one that fails takes its commit back, and nobody finds written what was told as refused.

mod checkpoint;

use crate::audit::{self, ChangeAuthor};
use crate::doubt::{DoubtCause, Doubts, OpenedFiles};
use crate::error::Error;
use crate::error::is_damage;
use crate::packed_text;
use crate::readers::shrink_memory;
use crate::tables::search;
use checkpoint::Checkpoints;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Most jobs that may wait; more are refused, and what they were for is denied.
pub(crate) const QUEUE: usize = 8192;
/// Most jobs that share one commit.
const GROUP: usize = 512;
/// Time without a write before lines are indexed for search.
const QUIET: Duration = Duration::from_millis(200);
/// Time without a write before the log is copied into the file. Tests don't wait for it.
const IDLE: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 10_000 });
/// Lines that are indexed before the queue is checked again.
const LINES: usize = 128;

/// Work on the record, or on the error that says why it could not be begun.
type WriteWork = dyn FnOnce(Result<&Connection, Error>) -> FinishedJob + Send;

/// A piece of work, and afterwards the telling of how it came out.
pub(crate) struct WriteJob {
    work: Box<WriteWork>,
    flush: Flush,
}

impl WriteJob {
    /// Does nothing of it: why is told.
    fn refuse(self, why: Error) {
        let ran = (self.work)(Err(why));
        (ran.tell)(Ok(()));
    }
}

/// Failure that a job's commit has to outlive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// The end of this process.
    No,
    /// The end of the machine's power.
    Yes,
}

/// Result of a job, sent once its group is committed, or is not.
pub(crate) struct FinishedJob {
    succeeded: bool,
    /// Message of SQLite if it found the file damaged.
    damage: Option<String>,
    /// Number of the last row that it added to the audit.
    recorded: Option<i64>,
    tell: Box<dyn FnOnce(Result<(), Error>)>,
}

/// Resolves when the work is committed, and flushed where that was asked for: as a future, or with [`Receipt::wait`] outside of one. Dropping it does not take
/// the work back.
#[derive(Debug)]
#[must_use]
pub struct Receipt<T>(ReceiptState<T>);

#[derive(Debug)]
enum ReceiptState<T> {
    For(oneshot::Receiver<Result<T, Error>>),
    Refused(Option<Error>),
}

impl<T> Receipt<T> {
    /// Waits for it. Not to be called inside of an asynchronous task: await the receipt there.
    pub fn wait(self) -> Result<T, Error> {
        match self.0 {
            ReceiptState::For(receiver) => receiver.blocking_recv().unwrap_or(Err(Error::Closed)),
            ReceiptState::Refused(error) => Err(error.unwrap_or(Error::Closed)),
        }
    }

    /// Returns a receipt for work that was not taken.
    pub(crate) fn refused(error: Error) -> Self {
        Self(ReceiptState::Refused(Some(error)))
    }
}

impl<T> Future for Receipt<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            ReceiptState::For(receiver) => {
                Poll::Ready(ready!(Pin::new(receiver).poll(cx)).unwrap_or(Err(Error::Closed)))
            }
            ReceiptState::Refused(error) => Poll::Ready(Err(error.take().unwrap_or(Error::Closed))),
        }
    }
}

impl<T> Unpin for Receipt<T> {}

/// Wraps `work` so that its changes are recorded as made by `who`, and its result is sent when its group is
/// committed.
pub(crate) fn job<T: Send + 'static>(
    flush: Flush,
    who: Option<Arc<ChangeAuthor>>,
    work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
) -> (WriteJob, Receipt<T>) {
    let (sender, receiver) = oneshot::channel();
    let work = Box::new(move |conn: Result<&Connection, Error>| {
        let seal = |conn: &Connection, done| {
            let recorded = match &who {
                Some(who) => audit::seal_changes(conn, who)?,
                None => audit::seal_changes(conn, &ChangeAuthor::postern())?,
            };
            Ok((done, recorded))
        };
        // A change that cannot be recorded is not made.
        let result = conn.and_then(|conn| work(conn).and_then(|done| seal(conn, done)));
        let damage = result.as_ref().err().filter(|error| error.is_damage()).map(Error::to_string);
        let succeeded = result.is_ok();
        let recorded = result.as_ref().ok().and_then(|(_, recorded)| *recorded);
        let result = result.map(|(done, _)| done);
        let tell = move |durable: Result<(), Error>| {
            // Nobody may wait for it any more: the work is done all the same.
            _ = sender.send(durable.and(result));
        };
        FinishedJob { succeeded, damage, recorded, tell: Box::new(tell) }
    });
    (WriteJob { work, flush }, Receipt(ReceiptState::For(receiver)))
}

#[derive(Debug, Default)]
pub(crate) struct WriterCounts {
    /// Groups that were flushed.
    pub(crate) flushes: AtomicU64,
    /// Groups that were committed.
    pub(crate) committed: watch::Sender<u64>,
    /// Newest row of the audit.
    pub(crate) recorded: watch::Sender<i64>,
    /// Times that everything was written and indexed.
    pub(crate) rested: watch::Sender<u64>,
    /// True if the kept head lags behind rows that a power cut could still lose.
    head_behind: AtomicBool,
}

pub(crate) struct WriterShared {
    pub(crate) counts: Arc<WriterCounts>,
    pub(crate) place: Arc<OpenedFiles>,
    pub(crate) doubts: Arc<Doubts>,
}

impl WriterShared {
    /// Notes damage that the writer meets as a doubt.
    fn damaged(&self, what: Option<String>) {
        if let Some(what) = what {
            self.doubts.raise_doubt(DoubtCause::Damaged { what, aside: None });
        }
    }
}

/// Returns what SQLite said if it found the file damaged.
fn damage_of(error: &rusqlite::Error) -> Option<String> {
    is_damage(error).then(|| error.to_string())
}

/// Runs the writer thread, until every handle is gone and everything that waits is written.
pub(crate) fn run_writer(conn: &Connection, jobs: &Receiver<WriteJob>, shared: &Arc<WriterShared>) {
    let checkpoints = Checkpoints::start(conn, shared);
    let mut left = IdleWork::Index(QUIET);
    let mut level = None;
    loop {
        let next = match left {
            IdleWork::Index(quiet) => jobs.recv_timeout(quiet),
            IdleWork::Checkpoint => jobs.recv_timeout(IDLE),
            IdleWork::Nothing => jobs.recv().map_err(Into::into),
        };
        left = match (next, left) {
            (Ok(first), _) => {
                run_group(conn, gather(first, jobs), &mut level, shared);
                checkpoints.committed(conn);
                IdleWork::Index(QUIET)
            }
            // It goes on at once for as long as nobody writes.
            (Err(RecvTimeoutError::Timeout), IdleWork::Index(_)) if do_idle_work(conn, shared) => {
                IdleWork::Index(Duration::ZERO)
            }
            (Err(RecvTimeoutError::Timeout), IdleWork::Index(_)) => {
                shared.counts.rested.send_modify(|times| *times = times.wrapping_add(1));
                IdleWork::Checkpoint
            }
            (Err(RecvTimeoutError::Timeout), IdleWork::Checkpoint | IdleWork::Nothing) => {
                checkpoints.request_copy(conn);
                IdleWork::Nothing
            }
            (Err(RecvTimeoutError::Disconnected), _) => break,
        };
    }
    checkpoints.finish();
    if let Err(error) = conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "the last checkpoint did not happen; the next start does it");
    } else {
        record(conn, &[], Flush::Yes, &shared.counts);
    }
}

enum IdleWork {
    /// Lines are indexed, after so long a silence.
    Index(Duration),
    /// The log is copied into the file.
    Checkpoint,
    Nothing,
}

/// Returns the group of a job: the job itself and those that wait already.
fn gather(first: WriteJob, jobs: &Receiver<WriteJob>) -> Vec<WriteJob> {
    let mut group = vec![first];
    group.extend(jobs.try_iter().take(GROUP - 1));
    group
}

/// Runs and commits a group of jobs. `level` is the flush level that SQLite was last set to.
fn run_group(conn: &Connection, mut jobs: Vec<WriteJob>, level: &mut Option<Flush>, shared: &WriterShared) {
    let counts = &shared.counts;
    if !shared.place.are_in_place() {
        // What is written into a file without a name is acknowledged and lost.
        shared.doubts.raise_doubt(DoubtCause::Displaced);
        return jobs.into_iter().for_each(|job| job.refuse(Error::Displaced));
    }
    let flush = if jobs.iter().any(|job| job.flush == Flush::Yes) { Flush::Yes } else { Flush::No };
    // Neither can be changed within a transaction. Without one nothing is done: each job would be committed by itself.
    if let Err(error) = set_level(conn, level, flush).and_then(|()| statement(conn, "BEGIN IMMEDIATE")) {
        tracing::error!(%error, "a group of {} writes could not be begun", jobs.len());
        shared.damaged(damage_of(&error));
        return jobs.into_iter().for_each(|job| job.refuse(Error::NotDurable(error.to_string())));
    }
    let alone = if jobs.len() == 1 { jobs.pop() } else { None };
    let (done, durable): (Vec<FinishedJob>, _) = if let Some(job) = alone {
        run_alone(conn, job)
    } else {
        let done = jobs.into_iter().filter_map(|job| run_in_group(conn, job)).collect();
        (done, commit(conn))
    };
    for ran in &done {
        shared.damaged(ran.damage.clone());
    }
    match &durable {
        Ok(()) if flush == Flush::Yes => _ = counts.flushes.fetch_add(1, Ordering::Relaxed),
        Ok(()) => {}
        Err(error) => {
            tracing::error!(%error, "a group of {} writes was not made durable", done.len());
            shared.damaged(damage_of(error));
        }
    }
    if durable.is_ok() {
        record(conn, &done, flush, counts);
        counts.committed.send_modify(|groups| *groups = groups.wrapping_add(1));
    }
    for ran in done {
        (ran.tell)(durable.as_ref().copied().map_err(|error| Error::NotDurable(error.to_string())));
    }
}

/// Writes the head of the audit once its row would survive a power cut, so that the file is never ahead.
fn record(conn: &Connection, done: &[FinishedJob], flush: Flush, counts: &WriterCounts) {
    let newest = done.iter().filter_map(|ran| ran.recorded).max();
    let behind = newest.is_some() || counts.head_behind.load(Ordering::Relaxed);
    counts.head_behind.store(behind && flush == Flush::No, Ordering::Relaxed);
    if behind
        && flush == Flush::Yes
        && let Some(path) = conn.path()
        && let Err(error) = audit::write_head(conn, Path::new(path))
    {
        tracing::warn!(%error, "the head of the audit cannot be kept beside the record");
    }
    if let Some(newest) = newest {
        counts.recorded.send_replace(newest);
    }
}

fn set_level(conn: &Connection, level: &mut Option<Flush>, wanted: Flush) -> rusqlite::Result<()> {
    if *level == Some(wanted) {
        return Ok(());
    }
    conn.execute_batch(match wanted {
        Flush::Yes => "PRAGMA synchronous = FULL",
        Flush::No => "PRAGMA synchronous = NORMAL",
    })?;
    *level = Some(wanted);
    Ok(())
}

/// Runs the only job of a group with the transaction to itself: if it fails or panics, all of it is undone.
fn run_alone(conn: &Connection, job: WriteJob) -> (Vec<FinishedJob>, rusqlite::Result<()>) {
    let ran = catch_unwind(AssertUnwindSafe(|| (job.work)(Ok(conn)))).ok();
    let ended = if ran.as_ref().is_some_and(|ran| ran.succeeded) {
        commit(conn)
    } else if conn.is_autocommit() {
        // SQLite has taken it back itself.
        Ok(())
    } else {
        statement(conn, "ROLLBACK")
    };
    (ran.into_iter().collect(), ended)
}

/// Runs one job of a group: if it fails or panics, its writes are undone, and the others' work stays.
fn run_in_group(conn: &Connection, job: WriteJob) -> Option<FinishedJob> {
    let nested = statement(conn, "SAVEPOINT job");
    let ran = catch_unwind(AssertUnwindSafe(|| (job.work)(Ok(conn)))).ok();
    let keep = nested.is_ok() && ran.as_ref().is_some_and(|ran| ran.succeeded);
    let closed = if keep { Ok(()) } else { statement(conn, "ROLLBACK TO job") };
    if let Err(error) = closed.and_then(|()| statement(conn, "RELEASE job")) {
        // SQLite has taken the whole group back; `commit` finds no transaction and says so to everybody.
        tracing::error!(%error, "a write took its group with it");
    }
    ran
}

fn commit(conn: &Connection) -> rusqlite::Result<()> {
    let committed = statement(conn, "COMMIT");
    if committed.is_err() && !conn.is_autocommit() {
        statement(conn, "ROLLBACK")?;
    }
    committed
}

fn statement(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute([]).map(drop)
}

/// Does idle work: lines are indexed, and when there are none left, memory is given back. Returns true if
/// there is more to do.
fn do_idle_work(conn: &Connection, shared: &WriterShared) -> bool {
    let more = index_lines(conn, shared);
    if !more {
        packed_text::drop_packer();
        shrink_memory(conn);
    }
    more
}

/// Indexes some lines; gives whether there are more.
fn index_lines(conn: &Connection, shared: &WriterShared) -> bool {
    let indexed = statement(conn, "BEGIN IMMEDIATE")
        .map_err(Error::from)
        .and_then(|()| search::index_some(conn, LINES))
        .and_then(|more| Ok(commit(conn).map(|()| more)?));
    match indexed {
        Ok(more) => more,
        Err(error) => {
            tracing::warn!(%error, "lines were not indexed for search; they are still found, more slowly");
            shared.damaged(error.is_damage().then(|| error.to_string()));
            if !conn.is_autocommit() {
                _ = statement(conn, "ROLLBACK");
            }
            false
        }
    }
}

#[cfg(test)]
mod tests;
