//! Children that this process started itself, which are no orphans.

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use rustix::process::Pid;
use std::collections::BTreeSet;

/// Children that this process started itself; each has its own waiter, which alone may reap it.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Held for reading while a child is started, before its id is in [`STARTED`].
static STARTING: RwLock<()> = RwLock::new(());

/// Blocks the reaper while a child is started.
pub(super) fn starting() -> RwLockReadGuard<'static, ()> {
    STARTING.read()
}

/// Records a child that has its own waiter.
pub(super) fn started(pid: i32) {
    STARTED.lock().insert(pid);
}

pub(super) fn reaped(pid: Pid) {
    STARTED.lock().remove(&pid.as_raw_nonzero().get());
}

/// Returns their ids, and a guard: none is started while it is held.
pub(super) fn all_started() -> (RwLockWriteGuard<'static, ()>, BTreeSet<i32>) {
    let nobody_starts = STARTING.write();
    let started = STARTED.lock().clone();
    (nobody_starts, started)
}
