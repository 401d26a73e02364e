//! Threads of the gate and of the person's side alone: what agents send, run and print is worked on elsewhere.

use std::io;
use tokio::runtime::{Builder, Handle, Runtime};

/// How many carry messages. What blocks has others beside them.
const THREADS: usize = 2;

/// A runtime of one's own. Ends, without waiting for anybody, when it is dropped.
#[derive(Debug)]
pub(crate) struct OwnThreads(Option<Runtime>);

impl OwnThreads {
    pub(crate) fn start() -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("person").enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// A handle on it.
    pub(crate) fn handle(&self) -> Handle {
        // It is there until it is dropped.
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
