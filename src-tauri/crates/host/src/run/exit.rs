//! The end of a child: waited for without a thread where the system can tell through a descriptor.

use super::Exit;
use rustix::process::{Pid, WaitIdOptions, WaitIdStatus};
use std::io;

/// A child process that was not reaped yet: its id cannot mean another process.
#[derive(Debug)]
pub(super) struct Child {
    pid: Pid,
    #[cfg(target_os = "linux")]
    descriptor: tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>,
}

impl Child {
    /// Watches a child that this process started. Needs a running tokio runtime.
    #[cfg(target_os = "linux")]
    pub(super) fn watch(pid: Pid) -> io::Result<Self> {
        let descriptor = super::linux_spawn::watch(pid)?;
        Ok(Self { pid, descriptor })
    }

    /// Watches a child that this process started.
    #[cfg(target_os = "macos")]
    #[expect(clippy::unnecessary_wraps, reason = "the other system can fail here")]
    pub(super) fn watch(pid: Pid) -> io::Result<Self> {
        Ok(Self { pid })
    }

    /// Its process id.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Returns when it has exited. It stays a zombie until [`Child::reap`], so that its id stays its own.
    #[cfg(target_os = "linux")]
    pub(super) async fn exited(&self) {
        // The descriptor is readable from the exit on, for ever: an error means there is nothing to wait for.
        drop(self.descriptor.readable().await);
    }

    /// Returns when it has exited. It stays a zombie until [`Child::reap`], so that its id stays its own.
    #[cfg(target_os = "macos")]
    pub(super) async fn exited(&self) {
        let pid = self.pid;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let exited = || rustix::process::waitid(rustix::process::WaitId::Pid(pid), options);
            while matches!(exited(), Err(rustix::io::Errno::INTR)) {}
        };
        drop(tokio::task::spawn_blocking(wait).await);
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
