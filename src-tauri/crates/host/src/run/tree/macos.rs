//! The process table of macOS: libproc.
#![expect(unsafe_code, reason = "libproc has no safe form")]

use super::{Process, Row};
use rustix::process::{Pid, Signal};
use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;

pub(super) fn rows() -> Vec<Row> {
    all().into_iter().filter_map(row).collect()
}

/// Every process id.
fn all() -> Vec<c_int> {
    // SAFETY: without a buffer the call only counts; with one it writes at most the bytes it is told.
    unsafe {
        let count = libc::proc_listallpids(ptr::null_mut(), 0);
        // Room for those that start meanwhile.
        let room = usize::try_from(count).unwrap_or(0) + 256;
        let mut pids: Vec<c_int> = vec![0; room];
        let bytes = c_int::try_from(room * size_of::<c_int>()).unwrap_or(0);
        let found = libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes);
        pids.truncate(usize::try_from(found).unwrap_or(0));
        pids
    }
}

pub(super) fn row(pid: c_int) -> Option<Row> {
    let bytes = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the structure is plain data of exactly the size that the call is told.
    let info = unsafe {
        let mut info = zeroed::<libc::proc_bsdinfo>();
        let read = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, (&raw mut info).cast(), bytes);
        (read == bytes).then_some(info)
    }?;
    let session = rustix::process::getsid(Pid::from_raw(pid)).ok()?;
    Some(Row {
        process: Process { pid, start_time: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec },
        parent: c_int::try_from(info.pbi_ppid).ok()?,
        session: session.as_raw_nonzero().get(),
        zombie: info.pbi_status == libc::SZOMB,
    })
}

/// Signals this process. Between the look and the signal its id could only go to another if the system had used up
/// all others meanwhile.
pub(super) fn signal(process: Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    if row(process.pid).is_some_and(|row| row.process == process) {
        _ = rustix::process::kill_process(pid, signal);
    }
}
