//! Signals that this program gets, as bytes in a pipe: a thread that waits for other things can wait for them too.
#![expect(
    unsafe_code,
    reason = "a signal handler is set with sigaction, which std and rustix have no safe form for"
)]

use postern_protocol::Signal;
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd as _};
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that mean the command, not this program.
const FORWARDED: [i32; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// The pipe's writing end, which stays open until this program ends.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Signals as they come.
#[derive(Debug)]
pub(crate) struct ForwardedSignals {
    pipe: PipeReader,
}

impl ForwardedSignals {
    /// Catches the forwarded signals from now on. Those that were ignored when this program was started
    /// (`nohup`) stay ignored.
    pub(crate) fn start_catching() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        // Neither end may block: a handler must return, and a reader takes what is there.
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        PIPE.store(writer.into_raw_fd(), Ordering::Release);
        for signal in FORWARDED {
            catch_signal(signal)?;
        }
        Ok(Self { pipe: reader })
    }

    /// Returns the signals since the last call.
    pub(crate) fn take_pending(&mut self) -> Vec<Signal> {
        let mut bytes = [0; 64];
        let count = self.pipe.read(&mut bytes).unwrap_or(0);
        bytes[..count].iter().filter_map(|number| Signal::of_number(i32::from(*number))).collect()
    }
}

impl AsFd for ForwardedSignals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

fn catch_signal(signal: i32) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is a valid one (default action, empty mask, no flags); both pointers are to
    // values that live through the calls; the handler only does what signal-safety(7) allows.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut action) != 0 {
            return Err(io::Error::last_os_error());
        }
        if action.sa_sigaction == libc::SIG_IGN {
            return Ok(());
        }
        action = std::mem::zeroed();
        action.sa_sigaction = write_to_pipe as extern "C" fn(i32) as libc::sighandler_t;
        if libc::sigaction(signal, &raw const action, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Puts the signal's number into the pipe. A full pipe holds thousands already: one more is not missed.
extern "C" fn write_to_pipe(signal: i32) {
    let number = u8::try_from(signal).unwrap_or(0);
    // SAFETY: write(2) is signal-safe and gets one byte that lives through the call; the descriptor was stored before
    // any handler was set and is never closed. errno belongs to what was interrupted, so it is put back.
    unsafe {
        let errno = errno_location();
        let before = *errno;
        libc::write(PIPE.load(Ordering::Acquire), (&raw const number).cast(), 1);
        *errno = before;
    }
}

/// Returns the address of this thread's errno.
fn errno_location() -> *mut i32 {
    // SAFETY: takes nothing, gives a pointer that is valid for as long as the thread lives.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::__errno_location()
    }
    // SAFETY: as above.
    #[cfg(not(target_os = "linux"))]
    unsafe {
        libc::__error()
    }
}
