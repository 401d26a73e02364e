//! Diagnosis of a data folder from outside: for `postern doctor`, also if no host runs or answers.

use crate::folder::{self, LockOwner};
use crate::last_error::{self, LastError};
use crate::record_lock::find_locker;
use postern_policy::Millis;
use postern_store::{FILE_NAME, RecordDoubt, RecordHeader, copied, header, read_doubt};
use rustix::fs::{StatVfsMountFlags, statvfs};
use std::io;
use std::path::{Path, PathBuf};

/// Findings in a data folder.
#[derive(Debug)]
pub struct Diagnosis {
    /// Bytes that are free on its disk.
    pub free: io::Result<u64>,
    /// True if its disk can only be read.
    pub read_only: bool,
    /// Process that holds it.
    pub owner: io::Result<DataFolderOwner>,
    /// First bytes of its record.
    pub record: RecordHeader,
    /// Process that has locked its record and is not its host.
    pub locked_by: Option<u32>,
    /// True if agents were enrolled in it.
    pub had_agents: bool,
    pub doubt: Option<RecordDoubt>,
    /// Time at which the copy of its agents and rules was written; `None` if there is none.
    pub copied: Option<Millis>,
    pub last_error: Option<LastError>,
}

/// Process that holds a data folder.
#[derive(Debug)]
pub enum DataFolderOwner {
    /// No host.
    Nobody,
    Host(Option<HostProcess>),
}

/// A process, as the system describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProcess {
    pub pid: u32,
    /// True if a signal stopped it.
    pub stopped: bool,
    /// Files that it has open, and how many it may have; `None` where the system does not say.
    pub open_files: Option<(u64, u64)>,
}

/// Looks at a data folder. Changes nothing in it, and may take as long as its disk does.
///
/// Not for the host's own process, whose locks of the record it would end.
pub fn diagnose(data: &Path) -> Diagnosis {
    let disk = statvfs(data).map_err(io::Error::from);
    let record: PathBuf = data.join(FILE_NAME);
    let owner = folder::read_owner(data);
    let host = owner.as_ref().ok().and_then(LockOwner::host_pid);
    Diagnosis {
        read_only: disk.as_ref().is_ok_and(|disk| disk.f_flag.contains(StatVfsMountFlags::RDONLY)),
        free: disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
        locked_by: find_locker(&record).filter(|pid| Some(*pid) != host),
        owner: owner.map(|owner| match owner {
            LockOwner::Nobody => DataFolderOwner::Nobody,
            LockOwner::Host(pid) => DataFolderOwner::Host(pid.map(process)),
        }),
        record: header(&record),
        had_agents: folder::has_agents(data),
        doubt: read_doubt(&record),
        copied: copied(&record),
        last_error: last_error::read_error(data),
    }
}

#[cfg(target_os = "linux")]
fn process(pid: u32) -> HostProcess {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    // The state is what follows the name, which may hold anything.
    let stopped = read("stat").rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't']));
    let limits = read("limits");
    let most = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let most = most.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).ok().map(|files| files.count() as u64);
    HostProcess { pid, stopped, open_files: open.zip(most) }
}

#[cfg(not(target_os = "linux"))]
fn process(pid: u32) -> HostProcess {
    HostProcess { pid, stopped: false, open_files: None }
}
