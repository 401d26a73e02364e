//! Taking connections, for as long as the channel is open, whatever the system says meanwhile.

use super::listen::Bound;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections of one channel at a time.
pub(crate) const PER_CHANNEL: usize = 64;
/// Connections in all.
pub(crate) const IN_ALL: usize = 512;
/// How long to wait when the system has no descriptor to give.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(100);

/// A place for one connection.
#[derive(Debug)]
pub(crate) struct Place {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

/// Who may connect, and how many.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Uids that may connect.
    pub(crate) uids: Arc<[u32]>,
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
}

impl Limits {
    /// For one socket; `all` is shared between all of them.
    pub(crate) fn new(uids: Arc<[u32]>, all: Arc<Semaphore>) -> Self {
        Self { uids, own: Arc::new(Semaphore::new(PER_CHANNEL)), all }
    }

    /// Connections that hold a place.
    pub(crate) fn taken(&self) -> usize {
        PER_CHANNEL.saturating_sub(self.own.available_permits())
    }

    /// A place for this connection, where its peer may have one and there is one.
    fn admit(&self, stream: &UnixStream) -> Option<Place> {
        let uid = stream.peer_cred().ok()?.uid();
        if !self.uids.contains(&uid) {
            tracing::warn!(uid, "refused a connection of another user");
            return None;
        }
        let own = self.own.clone().try_acquire_owned().ok()?;
        let all = self.all.clone().try_acquire_owned().ok()?;
        Some(Place { _own: own, _all: all })
    }
}

/// Accepts until `closed`. Who is not admitted is dropped without a word.
pub(crate) async fn accept<F: Future<Output = ()> + Send + 'static>(
    bound: Bound,
    limits: Limits,
    closed: CancellationToken,
    serve: impl Fn(UnixStream, Place) -> F,
) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = bound.listener.accept() => accepted,
            () = closed.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                if let Some(place) = limits.admit(&stream) {
                    connections.spawn(serve(stream, place));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection for the moment");
                tokio::time::sleep(OUT_OF_DESCRIPTORS).await;
            }
        }
    }
    drop(bound);
    connections.close();
    connections.wait().await;
}
