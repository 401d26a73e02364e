//! The process table of macOS: libproc.
#![expect(unsafe_code, reason = "libproc has no safe form")]

use super::{ProcessIdentity, ProcessRow};
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;

/// `PROC_PIDCOALITIONINFO` of `<sys/proc_info.h>`, which libc does not list.
const PROC_PIDCOALITIONINFO: c_int = 20;

/// `proc_pidcoalitioninfo` of `<sys/proc_info.h>`: the first is the resource coalition.
#[repr(C)]
struct Coalitions {
    ids: [u64; 2],
    reserved: [u64; 3],
}

unsafe extern "C" {
    /// Returns the process that the system holds responsible for another; exported by libSystem.
    fn responsibility_get_pid_responsible_for_pid(pid: libc::pid_t) -> libc::pid_t;
}

/// Returns the parent of any user's process; the short form needs no uid and finds zombies, too.
pub(super) fn parent(pid: c_int) -> Option<c_int> {
    c_int::try_from(short_info(pid)?.pbsi_ppid).ok()
}

/// Returns true if a process descends from this one or from one of `runs`; `None` if the system does not say.
///
/// Every descendant inherits the coalition, but only a host that launchd started has one of its own: a host in
/// a terminal shares that terminal's. Runs are disclaimed at their start, so the system holds them responsible
/// for their children.
pub fn descends(pid: u32, runs: &BTreeSet<u32>) -> Option<bool> {
    let pid = c_int::try_from(pid).ok()?;
    let by_launchd = rustix::process::getppid() == Some(Pid::INIT);
    if by_launchd && coalition(pid)? == coalition(c_int::try_from(std::process::id()).ok()?)? {
        return Some(true);
    }
    // SAFETY: takes a number and gives one.
    let responsible = unsafe { responsibility_get_pid_responsible_for_pid(pid) };
    Some(u32::try_from(responsible).is_ok_and(|responsible| runs.contains(&responsible)))
}

/// Reads a structure that the system has about a process; `None` if it gives less than all of it.
///
/// # Safety
/// `T` has to be plain data that may be all zeros, and what the system writes for `flavor`.
unsafe fn read_info<T>(pid: c_int, flavor: c_int, arg: u64) -> Option<T> {
    let bytes = c_int::try_from(size_of::<T>()).ok()?;
    // SAFETY: the caller vouches for `T`, and the call writes at most the size given to it.
    unsafe {
        let mut info = zeroed::<T>();
        let read = libc::proc_pidinfo(pid, flavor, arg, (&raw mut info).cast(), bytes);
        (read == bytes).then_some(info)
    }
}

fn coalition(pid: c_int) -> Option<u64> {
    // SAFETY: the structure is the one of this flavor, of numbers alone.
    unsafe { read_info::<Coalitions>(pid, PROC_PIDCOALITIONINFO, 0) }.map(|info| info.ids[0])
}

fn short_info(pid: c_int) -> Option<libc::proc_bsdshortinfo> {
    // SAFETY: the structure is the one of this flavor, of numbers alone. `arg` 1 finds zombies.
    unsafe { read_info(pid, libc::PROC_PIDT_SHORTBSDINFO, 1) }
}

pub(super) fn read_rows() -> Vec<ProcessRow> {
    all_pids().into_iter().filter_map(|pid| read_row(pid).or_else(|| others(pid))).collect()
}

/// Returns every process id.
fn all_pids() -> Vec<c_int> {
    // SAFETY: without a buffer the call only counts; with one it writes at most the bytes it is told.
    unsafe {
        let count = libc::proc_listallpids(ptr::null_mut(), 0);
        // Room for those that start meanwhile.
        let room = usize::try_from(count).unwrap_or(0) + 256;
        let mut pids: Vec<c_int> = vec![0; room];
        let bytes = c_int::try_from(room * size_of::<c_int>()).unwrap_or(0);
        let found = libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes);
        pids.truncate(usize::try_from(found).unwrap_or(0));
        // The kernel's own, which for `getsid` would mean this process.
        pids.retain(|pid| *pid > 0);
        pids
    }
}

pub(super) fn read_row(pid: c_int) -> Option<ProcessRow> {
    // SAFETY: the structure is the one of this flavor, of numbers alone.
    let info: libc::proc_bsdinfo = unsafe { read_info(pid, libc::PROC_PIDTBSDINFO, 0) }?;
    let session = rustix::process::getsid(Pid::from_raw(pid)).ok()?;
    Some(ProcessRow {
        process: ProcessIdentity {
            pid,
            start_time: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
        },
        parent: c_int::try_from(info.pbi_ppid).ok()?,
        session: session.as_raw_nonzero().get(),
        zombie: info.pbi_status == libc::SZOMB,
    })
}

/// Reads another user's process, or one that has exited: it has no start time here, so it is counted but
/// never signalled.
fn others(pid: c_int) -> Option<ProcessRow> {
    let info = short_info(pid)?;
    let session = rustix::process::getsid(Pid::from_raw(pid)).ok();
    Some(ProcessRow {
        process: ProcessIdentity { pid, start_time: 0 },
        parent: c_int::try_from(info.pbsi_ppid).ok()?,
        session: session.map_or(0, |session| session.as_raw_nonzero().get()),
        zombie: info.pbsi_status == libc::SZOMB,
    })
}

/// Signals this process. Between the look and the signal its id could only go to another if the system had used up
/// all others meanwhile.
pub(super) fn signal(process: ProcessIdentity, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    if read_row(process.pid).is_some_and(|row| row.process == process) {
        _ = rustix::process::kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::{coalition, descends, parent, read_row};
    use std::collections::BTreeSet;

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_every_process_has_a_parent_and_a_coalition() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(parent(own), std::os::unix::process::parent_id().try_into().ok());
        assert_eq!(parent(1), Some(0), "another user's is seen, too");
        assert!(coalition(own).is_some() && coalition(1).is_some());
        assert_ne!(coalition(own), coalition(1), "what launchd did not start by itself has another one");
        assert!(read_row(own).is_some_and(|row| row.process.start_time > 0));
    }

    #[test]
    #[ignore = "needs a Mac"]
    fn mac_what_nobody_started_for_postern_does_not_descend() {
        assert_eq!(descends(1, &BTreeSet::from([std::process::id()])), Some(false));
        assert_eq!(parent(i32::MAX), None, "there is no such process");
    }
}
