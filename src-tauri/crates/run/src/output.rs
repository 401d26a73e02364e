//! The command's output, on the stream where it belongs: in order, nothing twice, nothing left out unsaid.

use postern_protocol::OutputStream;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};

/// Bytes that are written at once: as many as a ready pipe takes without blocking (PIPE_BUF).
const AT_ONCE: usize = 4096;

/// Both streams, and what of one of them is still to be written.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    stdout: StreamProgress,
    stderr: StreamProgress,
    waiting: Option<WaitingPiece>,
}

#[derive(Debug, Default)]
struct StreamProgress {
    /// Bytes that were taken.
    taken: u64,
    /// True if the reader has closed it.
    closed: bool,
}

#[derive(Debug)]
struct WaitingPiece {
    stream: OutputStream,
    bytes: Vec<u8>,
    written: usize,
}

impl Outputs {
    /// Takes bytes that stand at `offset` of a stream, where nothing is missing before them and nothing waits. What
    /// was taken before is passed over.
    pub(crate) fn accept_bytes(&mut self, stream: OutputStream, offset: u64, bytes: Vec<u8>) {
        let progress = self.progress(stream);
        let known =
            usize::try_from(progress.taken.saturating_sub(offset)).unwrap_or(usize::MAX).min(bytes.len());
        progress.taken += (bytes.len() - known) as u64;
        if !progress.closed && known < bytes.len() {
            self.waiting = Some(WaitingPiece { stream, bytes, written: known });
        }
    }

    /// Goes on at `offset`: what is missing before it was not kept.
    pub(crate) fn skip_to(&mut self, stream: OutputStream, offset: u64) {
        self.progress(stream).taken = offset;
    }

    /// Returns the position up to which a stream was taken.
    pub(crate) fn stream_position(&self, stream: OutputStream) -> u64 {
        match stream {
            OutputStream::Stdout => self.stdout.taken,
            OutputStream::Stderr => self.stderr.taken,
        }
    }

    /// Returns the stream that has something to be written.
    pub(crate) fn waiting(&self) -> Option<OutputStream> {
        self.waiting.as_ref().map(|waiting| waiting.stream)
    }

    /// Writes a part of what waits. False where nobody reads the stream any more.
    pub(crate) fn write_waiting(&mut self) -> bool {
        let Some(mut waiting) = self.waiting.take() else { return true };
        let end = waiting.bytes.len().min(waiting.written + AT_ONCE);
        let part = &waiting.bytes[waiting.written..end];
        match rustix::io::write(descriptor(waiting.stream), part) {
            Ok(bytes) => waiting.written += bytes,
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => {
                self.progress(waiting.stream).closed = true;
                return false;
            }
        }
        if waiting.written < waiting.bytes.len() {
            self.waiting = Some(waiting);
        }
        true
    }

    fn progress(&mut self, stream: OutputStream) -> &mut StreamProgress {
        match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        }
    }
}

/// This program's own stream of that name.
pub(crate) fn descriptor(stream: OutputStream) -> BorrowedFd<'static> {
    match stream {
        OutputStream::Stdout => rustix::stdio::stdout(),
        OutputStream::Stderr => rustix::stdio::stderr(),
    }
}

/// Writes lines on standard error, each with this program's name in front. That nobody reads them changes nothing.
pub(crate) fn print_lines<'l>(lines: impl IntoIterator<Item = &'l str>) {
    for line in lines {
        let line = format!("postern-run: {line}\n");
        let mut rest = line.as_bytes();
        while let Ok(bytes @ 1..) = rustix::io::write(rustix::stdio::stderr().as_fd(), rest) {
            rest = &rest[bytes..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_comes_again_is_taken_once() {
        let mut outputs = Outputs::default();
        let waiting = |outputs: &mut Outputs| {
            outputs.waiting.take().map(|waiting| waiting.bytes[waiting.written..].to_vec())
        };
        outputs.accept_bytes(OutputStream::Stdout, 0, b"abc".to_vec());
        assert_eq!(waiting(&mut outputs).as_deref(), Some(b"abc".as_slice()));
        outputs.accept_bytes(OutputStream::Stdout, 0, b"abc".to_vec());
        assert_eq!(waiting(&mut outputs), None, "heard again after a reconnect");
        outputs.accept_bytes(OutputStream::Stdout, 2, b"cde".to_vec());
        assert_eq!(waiting(&mut outputs).as_deref(), Some(b"de".as_slice()), "only what is new");
        outputs.skip_to(OutputStream::Stdout, 9);
        outputs.accept_bytes(OutputStream::Stdout, 9, b"x".to_vec());
        assert_eq!(outputs.stream_position(OutputStream::Stdout), 10);
        assert_eq!(outputs.stream_position(OutputStream::Stderr), 0, "the streams are counted apart");
    }
}
