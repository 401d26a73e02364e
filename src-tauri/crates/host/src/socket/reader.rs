//! Messages as they come in on a connection.

use postern_protocol::{Frame, LineBuffer, RefusedMessage, decode, limits};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes that are read at once.
const CHUNK: usize = 16 * 1024;

/// Cuts a connection into messages. Never holds more than one line may be.
#[derive(Debug)]
pub(crate) struct Reader<S> {
    stream: S,
    lines: LineBuffer,
    chunk: Vec<u8>,
    taken: usize,
}

impl<S: AsyncRead + Unpin> Reader<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, lines: LineBuffer::new(limits::FRAME_IN), chunk: vec![0; CHUNK], taken: 0 }
    }

    /// Bytes read since the last call.
    pub(crate) fn take_read_count(&mut self) -> usize {
        std::mem::take(&mut self.taken)
    }

    /// Returns the next message, or what is wrong with it; none at the end. Dropping the future loses
    /// nothing.
    pub(crate) async fn next_frame(&mut self) -> io::Result<Option<Result<Frame, RefusedMessage>>> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(Some(line.and_then(|line| decode(line, limits::FRAME_IN))));
            }
            let read = self.stream.read(&mut self.chunk).await?;
            if read == 0 {
                return Ok(None);
            }
            self.taken += read;
            self.lines.push(&self.chunk[..read]);
        }
    }
}
