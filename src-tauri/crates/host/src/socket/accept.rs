//! Taking connections, for as long as the channel is open, whatever the system says meanwhile.

use super::listen::BoundSocket;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections of one channel at a time.
pub(crate) const PER_CHANNEL: usize = 64;
/// Largest number of connections beyond each channel's own.
const IN_ALL: usize = 512;
/// Part of the open files that these may take: the rest is for the user, the record, runs and each channel's own.
const PART: u64 = 4;
/// Connections reserved for each channel.
const RESERVED: usize = 4;
/// Pause when the system has no descriptor to give.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(100);

/// Returns the number of connections beyond each channel's own, where the system gives so many open files.
pub(crate) fn shared(open_files: u64) -> usize {
    usize::try_from(open_files / PART).unwrap_or(IN_ALL).min(IN_ALL)
}

#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    _own: OwnedSemaphorePermit,
    /// Permit of all sockets; `None` for a connection of the channel's own.
    _all: Option<OwnedSemaphorePermit>,
}

/// Users who may connect, and their number.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimits {
    pub(crate) uids: Arc<[u32]>,
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
}

impl ConnectionLimits {
    /// Makes the limits of one socket; `all` is shared between all of them.
    pub(crate) fn new(uids: Arc<[u32]>, all: Arc<Semaphore>) -> Self {
        Self { uids, own: Arc::new(Semaphore::new(PER_CHANNEL)), all }
    }

    /// Connections that hold a place.
    pub(crate) fn connection_count(&self) -> usize {
        PER_CHANNEL.saturating_sub(self.own.available_permits())
    }

    /// Returns a place for this connection, where its peer may have one and there is one.
    fn admit_peer(&self, stream: &UnixStream) -> Option<ConnectionPermit> {
        let uid = stream.peer_cred().ok()?.uid();
        if !self.uids.contains(&uid) {
            tracing::warn!(uid, "refused a connection of another user");
            return None;
        }
        let own = self.own.clone().try_acquire_owned().ok()?;
        let reserved = self.connection_count() <= RESERVED;
        let all = if reserved { None } else { Some(self.all.clone().try_acquire_owned().ok()?) };
        Some(ConnectionPermit { _own: own, _all: all })
    }
}

/// Accepts until `closed`. Who is not admitted is dropped without a word.
pub(crate) async fn accept<F: Future<Output = ()> + Send + 'static>(
    bound: BoundSocket,
    limits: ConnectionLimits,
    closed: CancellationToken,
    serve: impl Fn(UnixStream, ConnectionPermit) -> F,
) {
    let admit = move |stream: UnixStream, _| {
        let place = limits.admit_peer(&stream)?;
        Some(serve(stream, place))
    };
    accept_until(bound, closed, admit).await;
}

/// Accepts until `closed`. `admit` is given each connection with the number of the others, and returns what serves it, in
/// a task of its own; `None` drops it.
pub(crate) async fn accept_until<F: Future<Output = ()> + Send + 'static>(
    bound: BoundSocket,
    closed: CancellationToken,
    admit: impl Fn(UnixStream, usize) -> Option<F>,
) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = bound.listener.accept() => accepted,
            () = closed.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                if let Some(served) = admit(stream, connections.len()) {
                    connections.spawn(served);
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

#[cfg(test)]
mod tests {
    use super::{ConnectionLimits, ConnectionPermit, PER_CHANNEL, accept};
    use crate::socket::bind_socket;
    use std::sync::Arc;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::UnixStream;
    use tokio::sync::{Semaphore, mpsc};
    use tokio_util::sync::CancellationToken;

    /// Returns a socket in a temporary folder that hands what it admits to the test.
    fn listen(uid: u32) -> (tempfile::TempDir, mpsc::UnboundedReceiver<(UnixStream, ConnectionPermit)>) {
        let folder = tempfile::tempdir().unwrap();
        let bound = bind_socket(&folder.path().join("agent.sock")).unwrap();
        let limits = ConnectionLimits::new([uid].into(), Arc::new(Semaphore::new(1000)));
        let (admitted, received) = mpsc::unbounded_channel();
        let serve = move |stream, place| {
            let admitted = admitted.clone();
            async move { drop(admitted.send((stream, place))) }
        };
        tokio::spawn(accept(bound, limits, CancellationToken::new(), serve));
        (folder, received)
    }

    async fn is_dropped(folder: &tempfile::TempDir) -> bool {
        let mut stream = UnixStream::connect(folder.path().join("agent.sock")).await.unwrap();
        stream.read(&mut [0; 1]).await.is_ok_and(|read| read == 0)
    }

    #[tokio::test]
    async fn another_uid_is_dropped_without_a_word() {
        let own = rustix::process::getuid().as_raw();
        let (folder, _admitted) = listen(own.wrapping_add(1));
        assert!(is_dropped(&folder).await, "only the uid that was named may connect");
    }

    #[tokio::test]
    async fn a_channel_has_so_many_places_and_gives_them_back() {
        let (folder, mut admitted) = listen(rustix::process::getuid().as_raw());
        let connect = || UnixStream::connect(folder.path().join("agent.sock"));
        let mut held = Vec::new();
        for _ in 0..PER_CHANNEL {
            held.push((connect().await.unwrap(), admitted.recv().await.unwrap()));
        }
        assert!(is_dropped(&folder).await, "there is no place left");
        held.pop();
        let _again = connect().await.unwrap();
        assert!(admitted.recv().await.is_some(), "a place that was left is free");
    }
}
