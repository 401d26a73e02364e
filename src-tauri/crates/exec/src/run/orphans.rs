//! Processes that outlive their run. On Linux the host becomes their parent, reaps them, and ends them when it
//! ends.

use super::exit::{exit_descriptor, readable};
use super::{mark, own_children, tree};
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::collections::BTreeSet;

/// Orphans that a task waits for already.
static WATCHED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Number of times that the host looks for remaining orphans before it gives up.
const ROUNDS: usize = 50;

/// Makes this process the parent of its descendants' orphans.
pub fn adopt_orphans() -> std::io::Result<()> {
    // Any number but 0 turns it on.
    rustix::process::set_child_subreaper(Some(Pid::INIT))?;
    Ok(())
}

/// Finds new orphans, and waits for the end of each in a task of its own.
pub(super) fn look_after() {
    tokio::spawn(async {
        let orphans = tokio::task::spawn_blocking(|| orphans(tree::children_of)).await.unwrap_or_default();
        for pid in orphans {
            if WATCHED.lock().insert(pid.as_raw_nonzero().get()) {
                tokio::spawn(wait_for(pid));
            }
        }
    });
}

async fn wait_for(pid: Pid) {
    let exit = exit_descriptor(pid);
    let exit = exit.and_then(|descriptor| descriptor.map(readable).transpose());
    if let Ok(Some(exit)) = &exit {
        drop(exit.readable().await);
        // It has exited: this returns at once and reaps no other child.
        _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
    WATCHED.lock().remove(&pid.as_raw_nonzero().get());
    // Its own children are orphans now. One that cannot be watched is found again when the next run ends.
    if exit.is_ok() {
        look_after();
    }
}

/// Returns those of this process's children, as `children_of` tells them, that it did not start and that carry a run's mark.
fn orphans(children_of: fn(i32) -> Vec<i32>) -> Vec<Pid> {
    // Read before the lock, so that no run waits for it. A child that is being started is known once the lock is held.
    let children = children_of(std::process::id().cast_signed());
    let (_nobody_starts, started) = own_children::all_started();
    let orphans = children.into_iter().filter(|pid| !started.contains(pid));
    orphans
        .filter(|pid| mark::is_marked(pid.unsigned_abs()) == Some(true))
        .filter_map(Pid::from_raw)
        .collect()
}

/// Ends every orphan with its descendants. Blocks until they are gone or cannot be ended.
pub fn end_orphans() {
    for _ in 0..ROUNDS {
        let left = orphans(tree::all_children_of);
        if left.is_empty() {
            return;
        }
        for pid in left {
            let mut orphan = tree::Tree::from_leader(pid);
            orphan.kill_descendants();
            _ = rustix::process::kill_process(pid, Signal::KILL);
            _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
        }
    }
    tracing::warn!("an orphaned process of a run could not be ended");
}
