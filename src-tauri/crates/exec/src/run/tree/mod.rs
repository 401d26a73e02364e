//! The processes that a run started, also those that left its group or session.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

#[cfg(target_os = "macos")]
pub use macos::descends;

#[cfg(target_os = "linux")]
pub(super) use linux::stat_fields;

use rustix::process::{Pid, Signal};
use std::collections::{HashMap, HashSet};

/// A process, named always: ids are used again, but never with the same start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessIdentity {
    pub(super) pid: i32,
    pub(super) start_time: u64,
}

/// Line of the system's process table.
#[derive(Debug, Clone, Copy)]
struct ProcessRow {
    process: ProcessIdentity,
    parent: i32,
    session: i32,
    /// Exited, and waiting to be reaped: nothing is left to be ended.
    zombie: bool,
}

/// Returns the start time of a process, in the system's own count.
pub(super) fn start_time(pid: Pid) -> Option<u64> {
    system::read_row(pid.as_raw_nonzero().get()).map(|row| row.process.start_time)
}

/// Returns the parent of a process; `None` if there is no such process any more.
pub(super) fn parent_of(pid: i32) -> Option<i32> {
    system::parent(pid)
}

/// Returns the children of a process, including exited ones that were not reaped. It costs little, but a child can be missing
/// if another one or a thread of the process ends meanwhile.
#[cfg(target_os = "linux")]
pub(super) fn children_of(pid: i32) -> Vec<i32> {
    system::listed_children(pid).unwrap_or_else(|| all_children_of(pid))
}

/// Returns all of them. It reads about every process of the system.
#[cfg(target_os = "linux")]
pub(super) fn all_children_of(pid: i32) -> Vec<i32> {
    system::read_rows().iter().filter(|row| row.parent == pid).map(|row| row.process.pid).collect()
}

/// Everything that a run's leader started, as far as it was seen.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    seen: HashSet<ProcessIdentity>,
}

impl Tree {
    pub(super) fn from_leader(leader: Pid) -> Self {
        Self { leader, seen: HashSet::new() }
    }

    /// Looks at the process table; returns how many of the tree are alive, the leader not counted.
    pub(super) fn refresh(&mut self) -> usize {
        let rows = system::read_rows();
        let leader = self.leader.as_raw_nonzero().get();
        let ours = descendants(&rows, leader, &self.seen);
        let alive = ours.iter().filter(|row| !row.zombie).count();
        self.seen = ours.into_iter().map(|row| row.process).collect();
        alive
    }

    /// Sends a signal to the leader's group, and to everything seen that is not in it.
    pub(super) fn signal(&self, signal: Signal) {
        _ = rustix::process::kill_process_group(self.leader, signal);
        for process in &self.seen {
            let Some(pid) = Pid::from_raw(process.pid) else { continue };
            if rustix::process::getpgid(Some(pid)) != Ok(self.leader) {
                system::signal(*process, signal);
            }
        }
    }

    /// Ends everything but the leader; returns how many could not be ended.
    ///
    /// The leader is stopped meanwhile: while it is there, what it started stays in its tree and is found, and a
    /// stopped process starts nothing new.
    pub(super) fn kill_descendants(&mut self) -> usize {
        const ROUNDS: usize = 50;
        _ = rustix::process::kill_process(self.leader, Signal::STOP);
        for _ in 0..ROUNDS {
            if self.refresh() == 0 {
                return 0;
            }
            for process in &self.seen {
                system::signal(*process, Signal::KILL);
            }
            // What was killed needs the processor to go away.
            std::thread::yield_now();
        }
        self.refresh()
    }

    pub(super) fn kill_leader(&self) {
        _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
        _ = rustix::process::kill_process(self.leader, Signal::KILL);
    }
}

/// Returns the rows of everything below `leader` or below what was seen before, or in the leader's session.
fn descendants(rows: &[ProcessRow], leader: i32, seen: &HashSet<ProcessIdentity>) -> Vec<ProcessRow> {
    let mut children: HashMap<i32, Vec<&ProcessRow>> = HashMap::new();
    for row in rows {
        children.entry(row.parent).or_default().push(row);
    }
    let mut found: HashMap<i32, ProcessRow> = HashMap::new();
    let mut open = vec![leader];
    for row in rows.iter().filter(|row| row.session == leader || seen.contains(&row.process)) {
        open.push(row.process.pid);
        found.insert(row.process.pid, *row);
    }
    while let Some(pid) = open.pop() {
        for row in children.get(&pid).into_iter().flatten() {
            if found.insert(row.process.pid, **row).is_none() {
                open.push(row.process.pid);
            }
        }
    }
    found.remove(&leader);
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: i32, parent: i32, session: i32) -> ProcessRow {
        ProcessRow { process: ProcessIdentity { pid, start_time: 1 }, parent, session, zombie: false }
    }

    fn found(rows: &[ProcessRow], seen: &[ProcessIdentity]) -> Vec<i32> {
        let mut pids: Vec<i32> = descendants(rows, 10, &seen.iter().copied().collect())
            .iter()
            .map(|row| row.process.pid)
            .collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn children_at_any_depth_and_members_of_the_session_belong_to_the_tree() {
        let rows = [
            row(1, 0, 1),
            row(10, 1, 10),
            row(11, 10, 10),
            row(12, 11, 12),
            row(13, 1, 10),
            row(14, 13, 14),
            row(99, 1, 99),
        ];
        assert_eq!(found(&rows, &[]), [11, 12, 13, 14]);
    }

    #[test]
    fn what_was_seen_stays_in_the_tree_when_its_parents_are_gone() {
        let rows = [row(1, 0, 1), row(12, 1, 12), row(15, 12, 15), row(99, 1, 99)];
        assert_eq!(found(&rows, &[ProcessIdentity { pid: 12, start_time: 1 }]), [12, 15]);
        assert_eq!(
            found(&rows, &[ProcessIdentity { pid: 12, start_time: 2 }]),
            [0; 0],
            "another process with the same id"
        );
    }
}
