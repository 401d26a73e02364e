//! The end of a child: waited for through a descriptor. No thread waits, however often somebody begins to.

use postern_request::Exit;
use rustix::process::{Pid, WaitIdOptions, WaitIdStatus};
use std::io;
use std::os::fd::OwnedFd;
use tokio::io::unix::AsyncFd;

#[cfg(target_os = "linux")]
use super::linux_spawn as system;
#[cfg(target_os = "macos")]
use super::macos_spawn as system;

/// A child process that was not reaped yet: its id cannot mean another process.
#[derive(Debug)]
pub(super) struct Child {
    pid: Pid,
    /// Readable from its exit on; none where it had exited already when it was asked for.
    exit: Option<AsyncFd<OwnedFd>>,
}

impl Child {
    /// Watches a child that this process started. Needs a running tokio runtime.
    pub(super) fn watch(pid: Pid) -> io::Result<Self> {
        Ok(Self { pid, exit: system::watch(pid)? })
    }

    /// Its process id.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Returns when it has exited. It stays a zombie until [`Child::reap`], so that its id stays its own.
    pub(super) async fn exited(&self) {
        if let Some(exit) = &self.exit {
            // The descriptor is readable from the exit on, for ever: an error means there is nothing to wait for.
            drop(exit.readable().await);
        }
    }

    /// Takes its exit status. Its id is free from then on.
    pub(super) fn reap(self) -> Exit {
        reap(self.pid)
    }
}

/// Waits for a child and takes its exit status.
pub(super) fn reap(pid: Pid) -> Exit {
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
