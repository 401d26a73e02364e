//! Ancestry check of control clients: no process that Postern started for an agent may answer Postern's
//! questions.
//!
//! Linux: every run carries a mark that its descendants cannot remove (`run::mark`), and its orphans become
//! children of the host. macOS: the process is in the host's coalition, or a run is responsible for it.

use std::collections::BTreeSet;

/// Most ancestors that are examined. Longer chains are refused.
const FARTHEST: usize = 256;

/// Facts of the system about processes.
pub(crate) trait Processes {
    /// Returns the parent of `pid`; `None` if it is gone or unknown.
    fn parent(&self, pid: u32) -> Option<u32>;
    /// Returns the session `pid` belongs to; `None` if it is gone or unknown.
    fn session(&self, pid: u32) -> Option<u32>;
    /// Returns true if `pid` descends from a host or one of `runs`, through any orphaning; `None` if that is
    /// unknown.
    fn descends(&self, pid: u32, runs: &BTreeSet<u32>) -> Option<bool>;
    /// Returns the verdict for an ancestor whose parent is hidden.
    fn unseen(&self) -> Descent;
}

/// Result of the ancestry check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descent {
    /// Nothing that Postern started.
    Foreign,
    /// Postern started it, or what started it.
    Started,
    /// Unknown: as good as started by the host.
    Unknown,
}

/// Returns whether `peer` was started by the host (`own`) or by a run in `runs` (process ids, which are also
/// their sessions). The host itself is not its own child.
pub(crate) fn descent(peer: u32, own: u32, runs: &BTreeSet<u32>, system: &impl Processes) -> Descent {
    if peer == own {
        return Descent::Foreign;
    }
    let (Some(_), Some(mut pid)) = (system.session(peer), system.parent(peer)) else {
        return Descent::Unknown;
    };
    match system.descends(peer, runs) {
        Some(true) => return Descent::Started,
        None => return Descent::Unknown,
        Some(false) => {}
    }
    if started(peer, own, runs, system) {
        return Descent::Started;
    }
    for _ in 0..FARTHEST {
        if started(pid, own, runs, system) {
            return Descent::Started;
        }
        match system.parent(pid) {
            // The first process.
            Some(0) => return Descent::Foreign,
            None => return system.unseen(),
            Some(parent) => pid = parent,
        }
    }
    Descent::Unknown
}

/// Returns true if `pid` is the host, a run, or in a run's session.
fn started(pid: u32, own: u32, runs: &BTreeSet<u32>, system: &impl Processes) -> bool {
    pid == own || runs.contains(&pid) || system.session(pid).is_some_and(|session| runs.contains(&session))
}

/// The system's own answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System;

impl Processes for System {
    fn parent(&self, pid: u32) -> Option<u32> {
        postern_exec::run::parent_of(pid)
    }

    /// Returns the session: 0 if it was begun outside of this process namespace: `getsid` has no safe form
    /// for that.
    #[cfg(target_os = "linux")]
    fn session(&self, pid: u32) -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in brackets and may hold anything: the fields begin behind the last one.
        stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(3)?.parse().ok()
    }

    #[cfg(target_os = "linux")]
    fn descends(&self, pid: u32, _: &BTreeSet<u32>) -> Option<bool> {
        postern_exec::run::is_marked(pid)
    }

    /// Returns the verdict with `/proc` hidden: the chain above every terminal ends at a process of root.
    ///
    /// That is safe: the mark was checked, and only root could have removed it.
    #[cfg(target_os = "linux")]
    fn unseen(&self) -> Descent {
        Descent::Foreign
    }

    #[cfg(target_os = "macos")]
    fn descends(&self, pid: u32, runs: &BTreeSet<u32>) -> Option<bool> {
        postern_exec::run::descends(pid, runs)
    }

    /// Returns the verdict here: every process is visible, so a hidden one has exited.
    #[cfg(target_os = "macos")]
    fn unseen(&self) -> Descent {
        Descent::Unknown
    }

    #[cfg(target_os = "macos")]
    fn session(&self, pid: u32) -> Option<u32> {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
        let session = rustix::process::getsid(Some(pid)).ok()?;
        u32::try_from(session.as_raw_nonzero().get()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Descent, Processes, System, descent};
    use std::collections::{BTreeMap, BTreeSet};

    /// pid → (parent, session)
    struct Tree {
        known: BTreeMap<u32, (u32, u32)>,
        marked: BTreeSet<u32>,
        unseen: Descent,
    }

    impl Processes for Tree {
        fn parent(&self, pid: u32) -> Option<u32> {
            self.known.get(&pid).map(|entry| entry.0)
        }
        fn session(&self, pid: u32) -> Option<u32> {
            self.known.get(&pid).map(|entry| entry.1)
        }
        fn descends(&self, pid: u32, _: &BTreeSet<u32>) -> Option<bool> {
            self.known.contains_key(&pid).then(|| self.marked.contains(&pid))
        }
        fn unseen(&self) -> Descent {
            self.unseen
        }
    }

    #[test]
    fn what_postern_started_is_told_from_what_it_did_not() {
        const HOST: u32 = 100;
        let known = BTreeMap::from([
            (1, (0, 1)),
            (HOST, (1, HOST)),
            (50, (1, 50)),      // the person's terminal
            (51, (50, 50)),     // and a command in it
            (200, (HOST, 200)), // a run
            (201, (200, 200)),  // its child
            (202, (1, 200)),    // a grandchild that was orphaned
            (203, (HOST, 203)), // one that was orphaned and left the session: Linux hands it to the host
            (204, (1, 204)),    // one that outlived its host: only its mark tells
            (300, (299, 300)),  // its parent is another user's and not to be seen
            (400, (400, 400)),  // a circle
        ]);
        let mut tree = Tree { known, marked: BTreeSet::from([204]), unseen: Descent::Foreign };
        let runs = BTreeSet::from([200]);
        let cases = [
            (HOST, Descent::Foreign),
            (50, Descent::Foreign),
            (51, Descent::Foreign),
            (200, Descent::Started),
            (201, Descent::Started),
            (202, Descent::Started),
            (203, Descent::Started),
            (204, Descent::Started),
            (300, Descent::Foreign),
            (400, Descent::Unknown),
            (999, Descent::Unknown),
        ];
        for (peer, expected) in cases {
            assert_eq!(descent(peer, HOST, &runs, &tree), expected, "process {peer}");
        }
        tree.unseen = Descent::Unknown;
        let got = descent(300, HOST, &runs, &tree);
        assert_eq!(got, Descent::Unknown, "where all can be seen, a gap is a doubt");
    }

    #[test]
    fn the_system_knows_this_process() {
        let own = std::process::id();
        let parent = System.parent(own).expect("a test was started by something");
        assert!(System.session(own).is_some());
        let started = descent(own, parent, &BTreeSet::new(), &System);
        assert_eq!(started, Descent::Started, "this process was started by its parent");
    }
}
