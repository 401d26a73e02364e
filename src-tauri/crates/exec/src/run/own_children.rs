//! Children that this process started itself, which are no orphans.

use rustix::process::Pid;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Children that this process started itself; each has its own waiter, which alone may reap it.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Held for reading while a child is started, before its id is in [`STARTED`].
static STARTING: RwLock<()> = RwLock::new(());

/// Blocks the reaper while a child is started.
pub(super) fn starting() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Records a child that has its own waiter.
pub(super) fn started(pid: i32) {
    lock_started().insert(pid);
}

/// Records that a child was reaped.
pub(super) fn reaped(pid: Pid) {
    lock_started().remove(&pid.as_raw_nonzero().get());
}

/// Returns their ids, and a guard: none is started while it is held.
pub(super) fn all_started() -> (RwLockWriteGuard<'static, ()>, BTreeSet<i32>) {
    let nobody_starts = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let started = lock_started().clone();
    (nobody_starts, started)
}

/// Locks the set. Every change is one insertion or removal: after a panic elsewhere the set is still consistent.
fn lock_started() -> MutexGuard<'static, BTreeSet<i32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}
