//! The end of a child, awaited through a descriptor instead of a thread.
#![expect(unsafe_code, reason = "tokio's registration of a descriptor has no safe form")]

use postern_request::Exit;
use rustix::process::{Pid, WaitIdOptions, WaitIdStatus};
use std::io;
use std::os::fd::OwnedFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A child process that was not reaped yet: its id cannot mean another process.
#[derive(Debug)]
pub(super) struct WatchedChild {
    pid: Pid,
    /// Descriptor that is readable after the exit; `None` if the child had already exited.
    exit: Option<AsyncFd<OwnedFd>>,
}

impl WatchedChild {
    /// Watches a child by the descriptor of its exit. Needs a running tokio runtime.
    pub(super) fn watch_exit(pid: Pid, exit: Option<OwnedFd>) -> io::Result<Self> {
        Ok(Self { pid, exit: exit.map(readable).transpose()? })
    }

    /// Returns the process id.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits until it has exited. It stays a zombie until [`WatchedChild::reap_exit`], so that its id stays its own.
    pub(super) async fn exited(&self) {
        if let Some(exit) = &self.exit {
            // The descriptor stays readable after the exit; an error means that there is nothing to wait for.
            drop(exit.readable().await);
        }
    }

    /// Takes its exit status. Its id is free from then on.
    pub(super) fn reap_exit(self) -> Exit {
        reap_child(self.pid)
    }
}

/// Registers a descriptor that becomes readable. Needs a running tokio runtime.
pub(super) fn readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` names one open descriptor for as long as it lives, and `AsyncFd` keeps it.
    Ok(unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }?)
}

/// Waits for a child and takes its exit status.
pub(super) fn reap_child(pid: Pid) -> Exit {
    let exit = loop {
        match rustix::process::waitid(rustix::process::WaitId::Pid(pid), WaitIdOptions::EXITED) {
            Ok(Some(status)) => break exit_of(&status),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            // Somebody else took it: how it ended is not known.
            Err(_) => break Exit::Code(-1),
        }
    };
    #[cfg(target_os = "linux")]
    super::orphans::reaped(pid);
    exit
}

fn exit_of(status: &WaitIdStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}
