//! Threads of the gate and of the user's side; agents' input, runs and output are handled elsewhere.

use std::io;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Number of worker threads; blocking work has further ones.
const THREADS: usize = 2;

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
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("person").enable_all().build()?;
        let gate = CancellationToken::new();
        Ok(Self { person: Some(runtime), _end: gate.clone().drop_guard(), gate })
    }

    /// Returns a handle to the user's threads.
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
        std::thread::Builder::new().name("gate".to_owned()).spawn(run).map(drop)
    }
}

impl Drop for OwnThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.person.take() {
            runtime.shutdown_background();
        }
    }
}
