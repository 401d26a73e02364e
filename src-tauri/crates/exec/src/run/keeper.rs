//! The process that keeps the namespaces of a `project` run.
//!
//! It is the first process in them. The run itself is no child of it: it joins the namespaces right before it executes
//! (`linux_spawn`). So it is held, looked at and waited for as every run is. When the first process ends, the system ends
//! everything in its namespace: that is how nothing outlives the run, or the host.

use super::base::Base;
use super::namespaces::{self, Mount};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::time::Timespec;
use std::fs::File;
use std::os::fd::OwnedFd;

/// Program that ends when its input does.
pub(super) const FIRST: &str = "/usr/bin/cat";
/// Time for the end of everything in the namespaces after KILL. Only a process that is stuck in the system takes any.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Namespaces that are kept until this is dropped; everything in them has ended then.
#[derive(Debug)]
pub(crate) struct Keeper {
    process: Pid,
    pidfd: OwnedFd,
    /// Root of its mounts.
    root: OwnedFd,
    network: bool,
    /// Namespaces. The system takes milliseconds to take them down, which nobody waits for: they are empty
    /// then.
    kept: Vec<File>,
    /// Input, which ends with this process.
    _input: OwnedFd,
}

impl Keeper {
    /// Makes namespaces with these mounts on top of the read-only system. With `network` they stay in the host's network.
    pub(crate) fn start(mounts: &[Mount], network: bool) -> Result<Self, String> {
        let base = Base::latest()?;
        let failed = |error: rustix::io::Errno| format!("its namespaces: {error}");
        let (theirs, input) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
        let process = namespaces::start(&base, mounts, kinds(network), &theirs)?;
        let pid = process.as_raw_nonzero();
        let pidfd = rustix::process::pidfd_open(process, PidfdFlags::empty()).map_err(failed)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(format!("/proc/{pid}/root"), flags, Mode::empty()).map_err(failed)?;
        let kinds = ["mnt", "ipc", "net"].into_iter().filter(|kind| !network || *kind != "net");
        let kept = kinds.map(|kind| File::open(format!("/proc/{pid}/ns/{kind}"))).collect::<Result<_, _>>();
        let kept = kept.map_err(|error| format!("its namespaces: {error}"))?;
        Ok(Self { process, pidfd, root, network, kept, _input: input })
    }

    /// Returns the root of its mounts.
    pub(crate) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Returns the descriptor of the process whose namespaces are joined.
    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.pidfd
    }

    /// Returns the kinds of namespaces to join.
    pub(super) fn namespaces(&self) -> i32 {
        libc::CLONE_NEWUSER | kinds(self.network)
    }
}

/// Returns the kinds of namespaces that are a run's own.
fn kinds(network: bool) -> i32 {
    let own = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    if network { own } else { own | libc::CLONE_NEWNET }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        // It has exited when everything in its namespace has.
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let process = self.process;
        let ended = poll(&mut exit, Some(&PATIENCE)) == Ok(1);
        if ended {
            super::exit::reap(process);
        } else {
            tracing::warn!("something of a confined command could not be ended yet");
        }
        let kept = std::mem::take(&mut self.kept);
        std::thread::spawn(move || {
            drop(kept);
            if !ended {
                super::exit::reap(process);
            }
        });
    }
}
