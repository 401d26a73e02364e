//! The loop of a door that listens: so many connections at a time, each in a task of its own.

use postern_contract::methods::DoorKind;
use postern_host::BoundSocket;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Pause when no connection could be accepted: out of descriptors, most likely, and others get a moment to
/// give some back.
const REST: Duration = Duration::from_millis(100);

/// Source of connections.
pub(crate) trait DoorListener: Send + Sync + 'static {
    type Stream: Send + 'static;

    fn next_connection(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl DoorListener for TcpListener {
    type Stream = TcpStream;

    async fn next_connection(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.accept().await?;
        // Small messages that somebody waits for.
        _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

impl DoorListener for BoundSocket {
    type Stream = UnixStream;

    async fn next_connection(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }
}

/// A door that listens, with everybody who came.
#[derive(Debug, Default)]
pub(crate) struct DoorTasks {
    closed: CancellationToken,
    tasks: TaskTracker,
}

impl DoorTasks {
    /// Serves each connection in a task of its own, `places` at a time.
    ///
    /// One that comes when all are taken is closed again, and one that panics ends alone. Serving ends when
    /// the token that it is given is cancelled.
    pub(crate) fn serve_connections<L: DoorListener, F: Future<Output = ()> + Send + 'static>(
        &self,
        door: DoorKind,
        listener: L,
        places: usize,
        serve: impl Fn(L::Stream, CancellationToken) -> F + Send + 'static,
    ) {
        let (closed, tasks) = (self.closed.clone(), self.tasks.clone());
        self.tasks.spawn(async move {
            let places = Arc::new(Semaphore::new(places));
            loop {
                let next = tokio::select! {
                    () = closed.cancelled() => return,
                    next = listener.next_connection() => next,
                };
                let stream = match next {
                    Ok(stream) => stream,
                    Err(error) => {
                        tracing::warn!(door = door.name(), %error, "a client could not be accepted");
                        tokio::time::sleep(REST).await;
                        continue;
                    }
                };
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let served = serve(stream, closed.child_token());
                tasks.spawn(async move {
                    served.await;
                    drop(place);
                });
            }
        });
    }

    /// Returns the token that is cancelled when the door is closed.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    /// Runs something beside the connections; it ends when [`Self::closed`] is cancelled.
    pub(crate) fn beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Accepts nobody any more, cuts everybody off, and waits until they are gone.
    pub(crate) async fn close(self) {
        self.closed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use super::DoorTasks;
    use postern_contract::methods::DoorKind;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    #[tokio::test]
    async fn a_connection_that_panics_or_comes_too_many_takes_no_other_with_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listening = DoorTasks::default();
        listening.serve_connections(DoorKind::Websocket, listener, 1, |mut stream, closed| async move {
            let mut word = [0];
            tokio::select! {
                read = stream.read_exact(&mut word) => drop(read.unwrap()),
                () = closed.cancelled() => return,
            }
            assert_ne!(word, *b"!", "this one panics");
            drop(stream.write_all(&word).await);
        });
        let ask = |word: &'static [u8]| async move {
            let mut answer = Vec::new();
            let Ok(mut stream) = TcpStream::connect(address).await else { return answer };
            drop(stream.write_all(word).await);
            // A connection that was cut off may say so as an error.
            drop(stream.read_to_end(&mut answer).await);
            answer
        };
        assert_eq!(ask(b"!").await, b"", "it panicked");
        // The place of the one before is given back a moment after its connection ended.
        let served = async {
            while ask(b"a").await != b"a" {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), served).await.expect("the loop goes on");
        listening.close().await;
        // Another test may listen there by now.
        assert_ne!(ask(b"a").await, b"a", "it serves nobody any more");
    }
}
