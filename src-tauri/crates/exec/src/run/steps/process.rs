//! The few calls of a program without threads that starts others: fork, execution by descriptor, and signals.
#![expect(unsafe_code, reason = "fork, execveat and signal handlers have no safe form")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the handler of SIGINT.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildEnd {
    Code(i32),
    Signal(i32),
}

/// Takes over a descriptor that this process was started with.
///
/// Call it once for a number: nothing else of this process uses it.
pub(super) fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    if number <= 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: a call on a number; the caller is the only one who knows it, so the descriptor has no other owner.
    unsafe {
        if libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(number))
    }
}

/// Gives signals the meaning that they have for a shell: a broken pipe ends, an interruption is noted.
pub(super) fn prepare_signals() {
    extern "C" fn note_interrupt(_: c_int) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the handler only stores to an atomic. Without SA_RESTART a wait ends with EINTR, and is begun again.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = note_interrupt as extern "C" fn(c_int) as usize;
        libc::sigaction(libc::SIGINT, &raw const action, ptr::null_mut());
    }
}

/// Returns true if SIGINT came since the last call.
pub(super) fn was_interrupted() -> bool {
    INTERRUPTED.swap(false, Ordering::Relaxed)
}

/// Ends this process by a signal, so that its parent sees what ended the step.
pub(super) fn die_by(signal: c_int) -> ! {
    // SAFETY: plain calls; the default disposition of SIGINT ends the process.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    exit_now(128 + signal)
}

/// Ends this process at once.
pub(super) fn exit_now(code: i32) -> ! {
    // SAFETY: it does not return. Nothing is buffered: output is written at once.
    unsafe { libc::_exit(code) }
}

/// Runs a function in a new process, which ends with it; returns the process id.
pub(super) fn fork_child(child: impl FnOnce() -> i32) -> io::Result<c_int> {
    // SAFETY: this process has one thread, so the child's memory is consistent and every call is allowed in it.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: a plain call.
            unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
            exit_now(child())
        }
        pid if pid > 0 => Ok(pid),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(super) fn wait(pid: c_int) -> io::Result<ChildEnd> {
    let mut status = 0;
    loop {
        // SAFETY: a plain call on a value of this frame.
        if unsafe { libc::waitpid(pid, &raw mut status, 0) } == pid {
            let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            return Ok(code.map_or_else(|| ChildEnd::Signal(libc::WTERMSIG(status)), ChildEnd::Code));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Replaces this process by the program at a path in `folder`; returns only if that fails.
///
/// If the path is empty, `folder` itself is the open file to execute.
pub(super) fn execute(folder: BorrowedFd<'_>, path: &CStr, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: the pointers end with NULL, and what they point to outlives the call. A handler of SIGINT is reset by it.
    unsafe {
        libc::execveat(
            folder.as_raw_fd(),
            path.as_ptr(),
            argv.as_ptr().cast(),
            env.as_ptr().cast(),
            libc::AT_EMPTY_PATH,
        );
    }
    io::Error::last_os_error()
}
