//! Runs that an earlier host left when it ended without ending them.

use super::tree::{self, Tree};
use rustix::process::Pid;

/// Returns the boot that this is; empty where start times are told since 1970 and name a process without it.
pub fn boot_id() -> String {
    if cfg!(target_os = "linux") {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.trim().to_owned()
    } else {
        String::new()
    }
}

/// Ends the process that had this id and start time, with everything it started. Returns whether it was
/// there.
///
/// Nobody reads its output any more and nothing limits its time.
pub fn end_survivor(pid: u32, start_time: u64) -> bool {
    let Some(leader) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    if tree::start_time(leader) != Some(start_time) {
        return false;
    }
    let mut survivors = Tree::from_leader(leader);
    survivors.kill_descendants();
    survivors.kill_leader();
    true
}
