//! Threads of the gate and of the user's side; agents' input, runs and output are handled elsewhere.

use crate::last_error;
use postern_exec::threads::{start_runtime, start_thread};
use std::io;
use std::path::Path;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Number of worker threads; blocking work has further ones.
const THREADS: usize = 2;
/// Number of threads for blocking work that are always there.
const RESERVE: usize = 4;

/// Starts the runtime that a host is started in: for agents' messages and for runs. A failure is kept in the host's folder.
pub fn start_host_runtime(data: &Path, workers: usize) -> io::Result<Runtime> {
    start_runtime("agents", workers, RESERVE)
        .inspect_err(|error| last_error::save_error(data, &error.to_string()))
}

/// A private runtime, and the gate's thread. Dropping it ends both without waiting.
#[derive(Debug)]
pub(crate) struct OwnThreads {
    /// `Some` until it is dropped.
    person: Option<Runtime>,
    gate: CancellationToken,
    _end: DropGuard,
}

impl OwnThreads {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = start_runtime("person", THREADS, RESERVE)?;
        let gate = CancellationToken::new();
        Ok(Self { person: Some(runtime), _end: gate.clone().drop_guard(), gate })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.person.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }

    /// Runs the gate's task on a thread of its own: a message wakes that thread alone.
    pub(crate) fn start_gate(&self, task: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let ended = self.gate.clone();
        let run = move || {
            // Tasks that it started go with it.
            runtime.block_on(ended.run_until_cancelled_owned(task));
            runtime.shutdown_background();
        };
        start_thread("gate", run)
    }
}

impl Drop for OwnThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.person.take() {
            runtime.shutdown_background();
        }
    }
}
