//! Outgoing bytes of a connection, counted, so that a slow reader is noticed before it costs memory.

use parking_lot::Mutex;
use postern_protocol::limits::{SLOW_MS, UNSENT};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Unsent bytes at which a connection is dropped at once, however short the time.
const FLOODED: usize = 16 * 1024 * 1024;
/// Bytes that are gathered into one write.
const GATHER: usize = 64 * 1024;

/// Line, shared between the connections that get it. Made of a `Vec`, it is not copied.
pub(crate) type OutboxLine = Arc<Vec<u8>>;

/// The writing end of a connection. Clones write to the same one.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    lines: mpsc::UnboundedSender<OutboxLine>,
    shared: Arc<OutboxState>,
}

#[derive(Debug)]
struct OutboxState {
    unsent: AtomicUsize,
    /// Since when more than [`UNSENT`] bytes wait.
    slow_since: Mutex<Option<Instant>>,
    slow: Notify,
    drained: Notify,
    /// No more is put on its way; what is, is written.
    finished: Notify,
    gone: CancellationToken,
}

/// Returns a new outbox, and the other end for [`write_lines`]. `gone` is cancelled when the connection is dropped.
pub(crate) fn outbox(gone: CancellationToken) -> (Outbox, mpsc::UnboundedReceiver<OutboxLine>) {
    let (lines, receiver) = mpsc::unbounded_channel();
    let shared = OutboxState {
        unsent: AtomicUsize::new(0),
        slow_since: Mutex::new(None),
        slow: Notify::new(),
        drained: Notify::new(),
        finished: Notify::new(),
        gone,
    };
    (Outbox { lines, shared: Arc::new(shared) }, receiver)
}

impl Outbox {
    /// Puts a line on its way. A connection that is gone swallows it.
    pub(crate) fn push(&self, line: OutboxLine) {
        let length = line.len();
        let before = self.shared.unsent.fetch_add(length, Ordering::AcqRel);
        if before + length >= FLOODED {
            self.shared.gone.cancel();
        } else if before < UNSENT && before + length >= UNSENT {
            *self.shared.slow_since.lock() = Some(Instant::now());
            self.shared.slow.notify_one();
        }
        // A connection that was finished takes no more.
        _ = self.lines.send(line);
    }

    /// Waits until there is room for more, or the connection is gone.
    pub(crate) async fn wait_for_room(&self) {
        while !self.is_gone() && self.unsent() >= UNSENT {
            let drained = self.shared.drained.notified();
            if self.unsent() < UNSENT {
                return;
            }
            tokio::select! {
                () = drained => {}
                () = self.shared.gone.cancelled() => {}
            }
        }
    }

    /// Returns true if both write to the same connection.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.shared.gone.is_cancelled()
    }

    pub(crate) fn drop_connection(&self) {
        self.shared.gone.cancel();
    }

    /// Marks that the unsent lines are the last.
    pub(crate) fn finish(&self) {
        self.shared.finished.notify_one();
    }

    /// Bytes on their way.
    pub(crate) fn unsent(&self) -> usize {
        self.shared.unsent.load(Ordering::Acquire)
    }

    fn count_sent(&self, length: usize) {
        let before = self.shared.unsent.fetch_sub(length, Ordering::AcqRel);
        if before >= UNSENT && before - length < UNSENT {
            *self.shared.slow_since.lock() = None;
        }
        if before - length < UNSENT {
            self.shared.drained.notify_waiters();
        }
    }

    /// Comes back when too much waited for too long.
    async fn too_slow(&self) {
        loop {
            let since = *self.shared.slow_since.lock();
            match since {
                None => self.shared.slow.notified().await,
                Some(since) => {
                    tokio::time::sleep_until(since + Duration::from_millis(SLOW_MS)).await;
                    if *self.shared.slow_since.lock() == Some(since) {
                        return;
                    }
                }
            }
        }
    }
}

/// Writes what comes out of `lines` to `stream` until all outboxes are dropped, the reader is gone or too slow.
pub(crate) async fn write_lines(
    mut stream: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<OutboxLine>,
    outbox: Outbox,
) {
    let gone = outbox.shared.gone.clone();
    let mut batch = Vec::new();
    loop {
        let first = tokio::select! {
            biased;
            () = gone.cancelled() => break,
            () = outbox.shared.finished.notified() => {
                lines.close();
                continue;
            }
            line = lines.recv() => line,
        };
        let Some(first) = first else { break };
        batch.clear();
        let mut ready = first.as_slice();
        if ready.len() < GATHER
            && let Ok(next) = lines.try_recv()
        {
            batch.extend_from_slice(&first);
            batch.extend_from_slice(&next);
            while batch.len() < GATHER {
                let Ok(next) = lines.try_recv() else { break };
                batch.extend_from_slice(&next);
            }
            ready = &batch;
        }
        let written = tokio::select! {
            written = stream.write_all(ready) => written.is_ok(),
            () = outbox.too_slow() => false,
            () = gone.cancelled() => false,
        };
        if !written {
            break;
        }
        outbox.count_sent(ready.len());
    }
    gone.cancel();
    // The other side has closed already, or hears of it by the close that follows.
    _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::{OutboxLine, outbox, write_lines};
    use postern_protocol::limits::{SLOW_MS, UNSENT};
    use std::time::Duration;
    use tokio::io::AsyncReadExt as _;
    use tokio_util::sync::CancellationToken;

    fn line(length: usize) -> OutboxLine {
        vec![b'x'; length].into()
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stands_still_is_dropped_after_its_time() {
        let gone = CancellationToken::new();
        let (sender, lines) = outbox(gone.clone());
        let (near, _far) = tokio::io::duplex(1024);
        let started = tokio::time::Instant::now();
        let writer = tokio::spawn(write_lines(near, lines, sender.clone()));
        sender.push(line(UNSENT + 1));
        writer.await.unwrap();
        assert!(gone.is_cancelled(), "the connection is dropped");
        assert_eq!(started.elapsed(), Duration::from_millis(SLOW_MS), "it was given its time");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_catches_up_is_kept() {
        let gone = CancellationToken::new();
        let (sender, lines) = outbox(gone.clone());
        let (near, mut far) = tokio::io::duplex(UNSENT);
        tokio::spawn(write_lines(near, lines, sender.clone()));
        for _ in 0..4 {
            sender.push(line(UNSENT));
            tokio::time::sleep(Duration::from_millis(SLOW_MS / 2)).await;
            let mut taken = vec![0; UNSENT];
            far.read_exact(&mut taken).await.unwrap();
            sender.wait_for_room().await;
        }
        assert!(!gone.is_cancelled(), "slow is not stuck");
        assert_eq!(sender.unsent(), 0, "all of it went out");
    }

    #[tokio::test]
    async fn what_is_on_its_way_is_written_before_the_end() {
        let (sender, lines) = outbox(CancellationToken::new());
        let (near, mut far) = tokio::io::duplex(1024);
        sender.push(line(10));
        sender.finish();
        write_lines(near, lines, sender.clone()).await;
        let mut taken = Vec::new();
        far.read_to_end(&mut taken).await.unwrap();
        assert_eq!(taken.len(), 10, "the last line arrives");
    }

    #[tokio::test]
    async fn a_connection_that_is_gone_never_blocks_who_waits_for_room() {
        let (sender, lines) = outbox(CancellationToken::new());
        let (near, far) = tokio::io::duplex(1024);
        drop(far);
        sender.push(line(2 * UNSENT));
        write_lines(near, lines, sender.clone()).await;
        sender.wait_for_room().await;
        assert!(sender.is_gone(), "nobody takes lines any more");
    }
}
