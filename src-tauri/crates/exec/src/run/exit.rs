//! The end of a child, awaited through a descriptor instead of a thread.
#![expect(unsafe_code, reason = "tokio's registration of a descriptor and events of macOS have no safe form")]

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

/// Returns a descriptor that becomes readable when a child exits.
#[cfg(target_os = "linux")]
pub(super) fn exit_descriptor(pid: Pid) -> io::Result<Option<OwnedFd>> {
    Ok(Some(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::NONBLOCK)?))
}

/// Returns a descriptor that becomes readable when a child exits: a queue of that one event, which nobody takes out.
/// `None` if the child has exited already, because the system finds no zombies.
#[cfg(target_os = "macos")]
pub(super) fn exit_descriptor(pid: Pid) -> io::Result<Option<OwnedFd>> {
    use rustix::event::kqueue::{self, Event, EventFilter, EventFlags, ProcessEvents};
    let queue = kqueue::kqueue()?;
    rustix::io::fcntl_setfd(&queue, rustix::io::FdFlags::CLOEXEC)?;
    let exit = EventFilter::Proc { pid, flags: ProcessEvents::EXIT };
    let exit = Event::new(exit, EventFlags::ADD | EventFlags::ONESHOT, std::ptr::null_mut());
    // SAFETY: the event names a process and no descriptor.
    let added = unsafe { kqueue::kevent(&queue, &[exit], &mut [] as &mut [Event], None) };
    match added {
        Ok(_) => Ok(Some(queue)),
        Err(rustix::io::Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Registers a descriptor that becomes readable. Needs a running tokio runtime.
pub(super) fn readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    register(descriptor, Interest::READABLE)
}

/// Registers a descriptor on which the system reports a change as urgent. Needs a running tokio runtime.
#[cfg(target_os = "linux")]
pub(super) fn reports_change(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    register(descriptor, Interest::PRIORITY)
}

fn register(descriptor: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` names one open descriptor for as long as it lives, and `AsyncFd` keeps it.
    Ok(unsafe { AsyncFd::register_with_interest(descriptor, interest) }?)
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
    super::own_children::reaped(pid);
    exit
}

fn exit_of(status: &WaitIdStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}
