//! The process that keeps the namespaces of a `project` run.
//!
//! It is the first process in them. The run itself is no child of it: it joins the namespaces right before it executes
//! (`linux_spawn`). So it is held, looked at and waited for as every run is. When the first process ends, the system ends
//! everything in its namespace: that is how nothing outlives the run, or the host.

use super::base::NamespaceBase;
use super::mounting::{FileSystem, Mount};
use super::namespaces::{self, arrange};
use crate::threads::start_thread;
use parking_lot::{Mutex, MutexGuard};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::time::Timespec;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Time for the end of everything in the namespaces after KILL. Only a process that is stuck in the system takes any.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Namespaces that are kept until this is dropped; everything in them has ended then.
#[derive(Debug)]
pub(crate) struct Keeper {
    base: Arc<NamespaceBase>,
    /// The run's own file systems.
    own: &'static [FileSystem],
    process: Pid,
    pidfd: OwnedFd,
    root: OwnedFd,
    network: bool,
    /// Table of its mounts, once they are those of a run. It keeps them as a namespace does.
    table: Option<File>,
    /// Namespaces. The system takes milliseconds to take them down, which nobody waits for: they are empty
    /// then.
    kept: Vec<File>,
    /// Input, which ends with this process.
    _input: OwnedFd,
}

/// Namespaces that nothing was in yet, for the next run without and with the host's network.
static SPARES: [Mutex<Option<Keeper>>; 2] = [Mutex::new(None), Mutex::new(None)];
/// True if this process lasts: only then there is a next run.
static LASTS: AtomicBool = AtomicBool::new(false);

/// Makes the namespaces of each further run while the one before is under way: the network alone takes the system longer than all
/// mounts.
pub fn keep_spare_namespaces() {
    LASTS.store(true, Ordering::Relaxed);
}

impl Keeper {
    /// Makes namespaces with their own file systems, and with these mounts, on top of the read-only system. With `network` they
    /// stay in the host's network.
    pub(crate) fn start(own: &'static [FileSystem], mounts: &[Mount], network: bool) -> Result<Self, String> {
        let base = NamespaceBase::latest()?;
        let spare = lock_spare(network).take().filter(|spare| spare.fits_run(&base, own));
        let mut keeper = spare.map_or_else(|| Self::make_empty(base, own, network), Ok)?;
        arrange(&keeper.base, &keeper.pidfd, Some(own), mounts)?;
        let table = File::open(format!("/proc/{}/mountinfo", keeper.process.as_raw_nonzero()));
        keeper.table = Some(table.map_err(|error| format!("the table of its mounts: {error}"))?);
        if LASTS.load(Ordering::Relaxed) {
            let base = Arc::clone(&keeper.base);
            // Without a thread for it the next run makes its own.
            _ = start_thread("spare", move || make_spare(base, own, network));
        }
        Ok(keeper)
    }

    /// Returns true if it is what a run needs: it is still there, and the host's mounts are as they were when it was made.
    fn fits_run(&self, base: &Arc<NamespaceBase>, own: &'static [FileSystem]) -> bool {
        const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        Arc::ptr_eq(&self.base, base) && ptr::eq(self.own, own) && poll(&mut exit, Some(&AT_ONCE)) == Ok(0)
    }

    /// Makes namespaces without mounts of a run.
    fn make_empty(
        base: Arc<NamespaceBase>,
        own: &'static [FileSystem],
        network: bool,
    ) -> Result<Self, String> {
        let failed = |error: rustix::io::Errno| format!("its namespaces: {error}");
        let (theirs, input) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
        let process = namespaces::start_first(&base, own, namespace_kinds(network), &theirs)?;
        let pid = process.as_raw_nonzero();
        let pidfd = rustix::process::pidfd_open(process, PidfdFlags::empty()).map_err(failed)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(format!("/proc/{pid}/root"), flags, Mode::empty()).map_err(failed)?;
        let kinds = ["mnt", "ipc", "net"].into_iter().filter(|kind| !network || *kind != "net");
        let kept = kinds.map(|kind| File::open(format!("/proc/{pid}/ns/{kind}"))).collect::<Result<_, _>>();
        let kept = kept.map_err(|error| format!("its namespaces: {error}"))?;
        Ok(Self { base, own, process, pidfd, root, network, table: None, kept, _input: input })
    }

    pub(crate) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Returns the table of its mounts, on which the system reports as urgent what changed since they were put in place.
    pub(crate) fn mount_table(&self) -> std::io::Result<OwnedFd> {
        let table = self.table.as_ref().ok_or(std::io::ErrorKind::NotFound)?;
        Ok(table.try_clone()?.into())
    }

    /// Mounts something more while a run is under way.
    pub(crate) fn mount_more(&self, mounts: &[Mount]) -> Result<(), String> {
        arrange(&self.base, &self.pidfd, None, mounts)
    }

    /// Ends everything in the namespaces, without waiting.
    pub(crate) fn end_all(&self) {
        _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
    }

    /// Returns the descriptor of the process whose namespaces are joined.
    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.pidfd
    }

    /// Returns the kinds of namespaces to join.
    pub(super) fn namespaces(&self) -> i32 {
        libc::CLONE_NEWUSER | namespace_kinds(self.network)
    }
}

fn lock_spare(network: bool) -> MutexGuard<'static, Option<Keeper>> {
    let [own, shared] = &SPARES;
    let spare = if network { shared } else { own };
    spare.lock()
}

/// Makes namespaces for the next run, which waits for them: it would not make others any sooner.
fn make_spare(base: Arc<NamespaceBase>, own: &'static [FileSystem], network: bool) {
    let mut spare = lock_spare(network);
    if spare.as_ref().is_some_and(|spare| spare.fits_run(&base, own)) {
        return;
    }
    match Keeper::make_empty(base, own, network) {
        Ok(made) => *spare = Some(made),
        // The next run says it, if it fails as well.
        Err(why) => tracing::debug!(why, "no namespaces were made for the next run"),
    }
}

/// Returns the kinds of namespaces that are a run's own.
fn namespace_kinds(network: bool) -> i32 {
    let own = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    if network { own } else { own | libc::CLONE_NEWNET }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end_all();
        // It has exited when everything in its namespace has.
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let process = self.process;
        let ended = poll(&mut exit, Some(&PATIENCE)) == Ok(1);
        if ended {
            super::exit::reap_child(process);
        } else {
            tracing::warn!("something of a confined command could not be ended yet");
        }
        let kept = (std::mem::take(&mut self.kept), self.table.take());
        // Without a thread they are taken down here, by dropping the closure, and nobody waits for what did not end.
        _ = start_thread("namespaces", move || {
            drop(kept);
            if !ended {
                super::exit::reap_child(process);
            }
        });
    }
}
