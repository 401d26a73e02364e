//! What outlives its run: on Linux it is handed to the host, which reaps it when it exits and ends it when it ends itself.

use super::{mark, tree};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// Children that this process started itself: somebody waits for each of them, and nobody else may.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Orphans that a task waits for already.
static WATCHED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Held for reading while a child is started: until then its number is not in [`STARTED`].
static STARTING: RwLock<()> = RwLock::new(());
/// How often what is left is looked for before the host gives up on it.
const ROUNDS: usize = 50;

/// Makes this process the parent of whatever its descendants leave behind.
pub(crate) fn adopt() -> std::io::Result<()> {
    // Any number but 0 turns it on.
    rustix::process::set_child_subreaper(Some(Pid::INIT))?;
    Ok(())
}

/// Keeps the reaper away while a child is started.
pub(super) fn starting() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a child that somebody waits for.
pub(super) fn started(pid: i32) {
    lock(&STARTED).insert(pid);
}

/// Notes that somebody has reaped it.
pub(super) fn reaped(pid: Pid) {
    lock(&STARTED).remove(&pid.as_raw_nonzero().get());
}

/// Looks for orphans that were handed over, and waits for the end of each in a task of its own.
pub(super) fn look_after() {
    tokio::spawn(async {
        let orphans = tokio::task::spawn_blocking(orphans).await.unwrap_or_default();
        for pid in orphans {
            if lock(&WATCHED).insert(pid.as_raw_nonzero().get()) {
                tokio::spawn(wait_for(pid));
            }
        }
    });
}

async fn wait_for(pid: Pid) {
    let exit = super::linux_spawn::watch(pid);
    if let Ok(exit) = &exit {
        drop(exit.readable().await);
        // It has exited: this returns at once, and takes nobody else's child.
        _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
    lock(&WATCHED).remove(&pid.as_raw_nonzero().get());
    // What it had started is handed over now. One that cannot be watched is looked at again when the next run ends.
    if exit.is_ok() {
        look_after();
    }
}

/// Children of this process that it did not start, and that carry a run's mark.
fn orphans() -> Vec<Pid> {
    let _nobody_starts = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let started = lock(&STARTED).clone();
    let children = tree::children_of(std::process::id().cast_signed());
    let orphans = children.into_iter().filter(|pid| !started.contains(pid));
    orphans
        .filter(|pid| mark::is_marked(pid.unsigned_abs()) == Some(true))
        .filter_map(Pid::from_raw)
        .collect()
}

/// Ends every orphan with all that it started. Blocks until they are gone, or cannot be ended.
pub(crate) fn end_all() {
    for _ in 0..ROUNDS {
        let left = orphans();
        if left.is_empty() {
            return;
        }
        for pid in left {
            let mut orphan = tree::Tree::of(pid);
            orphan.kill_descendants();
            _ = rustix::process::kill_process(pid, Signal::KILL);
            _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
        }
    }
    tracing::warn!("something that a command left behind could not be ended");
}

/// Every change is one insertion or removal: a panic elsewhere leaves the set whole.
fn lock(set: &'static Mutex<BTreeSet<i32>>) -> MutexGuard<'static, BTreeSet<i32>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}
