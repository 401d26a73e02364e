//! Memory that the host keeps for work to come, given back to the system while there is none.

use postern_exec::give_back_memory;
use postern_store::Store;
use std::time::Duration;
use tokio::time::timeout;

/// Time without a write before memory is given back.
const QUIET: Duration = Duration::from_secs(1);

/// Gives memory back once nothing was written for a while: now, after each write, and when all of it is indexed. Returns only
/// after the record is closed.
pub(crate) async fn give_back_when_quiet(store: &Store) {
    let (mut committed, mut rested) = (store.committed(), store.rested());
    loop {
        while let Ok(Ok(())) = timeout(QUIET, committed.changed()).await {}
        // A rest that has begun meanwhile is part of this silence.
        rested.mark_unchanged();
        let store = store.clone();
        drop(tokio::task::spawn_blocking(move || {
            store.give_back();
            give_back_memory();
        }));
        let changed = tokio::select! {
            changed = committed.changed() => changed,
            changed = rested.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}
