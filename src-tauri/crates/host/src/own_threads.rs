//! Threads of the gate and of the user's side; agents' input, runs and output are handled elsewhere.

use std::io;
use tokio::runtime::{Builder, Handle, Runtime};

/// Number of worker threads; blocking work has further ones.
const THREADS: usize = 2;

/// A private runtime. Dropping it ends it without waiting.
#[derive(Debug)]
pub(crate) struct OwnThreads(Option<Runtime>);

impl OwnThreads {
    pub(crate) fn start() -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("person").enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// Returns a handle to it.
    pub(crate) fn handle(&self) -> Handle {
        // `Some` until it is dropped.
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for OwnThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
