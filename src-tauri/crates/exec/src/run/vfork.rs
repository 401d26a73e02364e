//! Starts a process that shares our memory until it executes, as `posix_spawn` does: nothing is copied, however large we are.
#![expect(unsafe_code, reason = "clone has no safe form")]

use super::own_children;
use crate::threads::name_limit;
use rustix::process::Pid;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;

/// Enough for a child that only makes system calls.
const STACK_BYTES: usize = 64 * 1024;

/// Stack of such a child. It is not cleared, so only what is used of it takes memory.
pub(super) struct Stack(Box<[MaybeUninit<u8>]>);

impl Stack {
    pub(super) fn new() -> Self {
        Self(Box::new_uninit_slice(STACK_BYTES))
    }

    /// Returns its aligned end, from which it grows downwards.
    pub(super) fn end(&mut self) -> *mut c_void {
        self.0.as_mut_ptr_range().end.map_addr(|end| end & !15).cast::<c_void>()
    }
}

/// Runs `main` in a new process; returns when it has executed or exited, or `None` if there is none.
///
/// With `sibling`, it only makes another child of ours, whose id that returns: the first is reaped, and the
/// other returned.
///
/// # Safety
/// `main`, and what it starts the same way, make system calls only: they allocate nothing, take no lock, never panic, write to
/// `child` only, and end by executing or exiting.
pub(super) unsafe fn vfork_child<T>(
    child: &mut T,
    main: extern "C" fn(*mut c_void) -> c_int,
    sibling: Option<impl Fn(&T) -> c_int>,
) -> std::io::Result<Option<Pid>> {
    let mut stack = Stack::new();
    let top = stack.end();
    let all = BlockedSignals::block_all()?;
    let _not_reaped_by_others = own_children::starting();
    // SAFETY: `main` never returns into our frames and runs on its own stack, which outlives it: CLONE_VFORK keeps this
    // thread asleep until it has executed or exited. With CLONE_VM it writes to `child` only, which nobody else touches
    // meanwhile. Signals are blocked, so that none of our handlers runs in the child.
    let pid = unsafe {
        libc::clone(
            main,
            top,
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            ptr::from_mut(child).cast::<c_void>(),
        )
    };
    let error = std::io::Error::last_os_error();
    drop(all);
    let Some(first) = started_process(pid) else { return Err(name_limit(error)) };
    own_children::started(pid);
    let Some(sibling) = sibling.map(|sibling| sibling(child)) else { return Ok(Some(first)) };
    super::exit::reap_child(first);
    if sibling > 0 {
        own_children::started(sibling);
    }
    Ok(started_process(sibling))
}

/// Returns the process of an answer of clone, which is negative where there is none.
fn started_process(answer: c_int) -> Option<Pid> {
    if answer > 0 { Pid::from_raw(answer) } else { None }
}

/// This thread's signals, blocked until it is dropped.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn block_all() -> std::io::Result<Self> {
        // SAFETY: both sets are plain data that the calls fill in.
        unsafe {
            let mut all = std::mem::zeroed::<libc::sigset_t>();
            let mut before = std::mem::zeroed::<libc::sigset_t>();
            libc::sigfillset(&raw mut all);
            match libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) {
                0 => Ok(Self(before)),
                error => Err(std::io::Error::from_raw_os_error(error)),
            }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores the mask that `block` read.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut());
        }
    }
}
