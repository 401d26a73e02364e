//! A socket that gives and takes whole messages.

use crate::error::ConnectionLoss;
use crate::stream::SocketStream;
use postern_protocol::{Frame, LineBuffer, decode};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes taken from the socket at once.
const CHUNK: usize = 64 * 1024;

/// Whole messages over a stream socket, blocking or not.
#[derive(Debug)]
pub(crate) struct Transport {
    stream: SocketStream,
    inbox: LineBuffer,
    outbox: Vec<u8>,
    chunk: Box<[u8]>,
    /// Bytes that one line of the host may have.
    longest: usize,
}

impl Transport {
    /// Connects. `longest` is how many bytes one line of the host may have.
    pub(crate) fn connect(socket: &Path, longest: usize) -> io::Result<Self> {
        let stream = SocketStream::connect(socket)?;
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Ok(Self { stream, inbox: LineBuffer::new(longest), outbox: Vec::new(), chunk, longest })
    }

    pub(crate) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    /// Puts a line into the queue of what is to be sent.
    pub(crate) fn queue_line(&mut self, line: &[u8]) {
        self.outbox.extend_from_slice(line);
    }

    /// Sends what the system takes. True where nothing is left.
    pub(crate) fn flush(&mut self) -> Result<bool, ConnectionLoss> {
        let mut sent = 0;
        while sent < self.outbox.len() {
            match self.stream.write(&self.outbox[sent..]) {
                Ok(0) => return Err(ConnectionLoss::Closed),
                Ok(bytes) => sent += bytes,
                Err(error) if is_later(&error) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(loss_from_io(error)),
            }
        }
        self.outbox.drain(..sent);
        Ok(self.outbox.is_empty())
    }

    /// Returns true if something waits to be sent.
    pub(crate) fn wants_write(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns a message that is here already.
    pub(crate) fn next_frame(&mut self) -> Option<Result<Frame, ConnectionLoss>> {
        let line = self.inbox.next_line()?;
        Some(line.and_then(|line| decode(line, self.longest)).map_err(ConnectionLoss::from))
    }

    /// Takes what the system has. False where that is nothing yet.
    pub(crate) fn receive_available(&mut self) -> Result<bool, ConnectionLoss> {
        loop {
            match self.stream.read(&mut self.chunk) {
                Ok(0) => return Err(ConnectionLoss::Closed),
                Ok(bytes) => {
                    self.inbox.push(&self.chunk[..bytes]);
                    return Ok(true);
                }
                Err(error) if is_later(&error) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(loss_from_io(error)),
            }
        }
    }

    /// Says that nothing more is sent, and reads until the peer ends it too.
    pub(crate) fn close_and_wait(&mut self, patience: Duration) -> Result<(), ConnectionLoss> {
        self.stream.set_nonblocking(false)?;
        self.stream.finish()?;
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.stream.set_read_timeout(Some(left))?;
            self.receive_available()?;
        }
    }

    /// Returns the next message; `None` if the time ran out first. No timeout waits always.
    pub(crate) fn wait_for_frame(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Option<Frame>, ConnectionLoss> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            if let Some(frame) = self.next_frame() {
                return frame.map(Some);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            self.stream.set_read_timeout(left)?;
            self.receive_available()?;
        }
    }
}

impl AsFd for Transport {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Returns true if a later try may succeed: a socket that does not block, or a read timeout.
fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Converts an error: a peer that went away is the same however the system noticed.
fn loss_from_io(error: io::Error) -> ConnectionLoss {
    match error.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => ConnectionLoss::Closed,
        _ => ConnectionLoss::Broken(error),
    }
}
