//! Keeps the copy of what decides beside the record: written when it is quiet after a change. Memory is given back after it.

use crate::memory::give_back_when_quiet;
use postern_store::Store;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

/// Time without a change before the copy is written.
const QUIET: Duration = Duration::from_secs(1);
/// Longest time of changes that follow each other before the copy is written all the same.
const LONGEST: Duration = Duration::from_secs(20);
/// Pause after a failure.
const AGAIN: Duration = Duration::from_mins(1);

/// Writes the copy now and after every change, until `closed`.
pub(crate) async fn keep_updated(store: Store, closed: CancellationToken) {
    let (mut recorded, mut doubt) = (store.recorded(), store.watch_doubt());
    loop {
        let again = if write_copy(&store).await { Duration::MAX } else { AGAIN };
        tokio::select! {
            changed = recorded.changed() => if changed.is_err() { return },
            changed = doubt.changed() => if changed.is_err() { return },
            () = sleep(again) => {}
            () = give_back_when_quiet(&store) => return,
            () = closed.cancelled() => return,
        }
        let latest = Instant::now() + LONGEST;
        while let Ok(Ok(())) = timeout_at(latest.min(Instant::now() + QUIET), recorded.changed()).await {
            if closed.is_cancelled() {
                return;
            }
        }
    }
}

/// Writes the copy, where it lacks something. Returns false where that failed.
pub(crate) async fn write_copy(store: &Store) -> bool {
    let store = store.clone();
    let written = tokio::task::spawn_blocking(move || store.keep_spare()).await;
    match written {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the copy of agents and rules could not be written");
            false
        }
        Err(error) => {
            tracing::warn!(%error, "the copy of agents and rules could not be written");
            false
        }
    }
}
