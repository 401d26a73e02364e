//! Moves bytes between our ends of the pipes and the rest of Postern. The child is never blocked on us, except by a
//! sink that asked for every piece and does not keep up.

use super::capture::Capture;
use super::{InputChunk, InputError, ProcessInput, RunEvent};
use parking_lot::Mutex;
use postern_protocol::OutputStream;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};

/// Bytes read at a time. Linux is asked for pipes that hold as much.
const BLOCK: usize = 128 * 1024;

/// Output stream: read to its end, or until `cut` says that a process that still holds it is not waited for.
pub(super) struct OutputPump {
    pub(super) stream: OutputStream,
    pub(super) capture: Arc<Mutex<Capture>>,
    /// Receiver of each piece, if one was asked for.
    pub(super) sink: Option<mpsc::Sender<RunEvent>>,
}

impl OutputPump {
    /// Returns whether it came to its end.
    pub(super) async fn pump_to_end(
        mut self,
        pipe: OwnedFd,
        mut cut: watch::Receiver<bool>,
    ) -> std::io::Result<bool> {
        if self.sink.is_some() {
            widen(&pipe);
        }
        let mut reader = pipe::Receiver::from_owned_fd(pipe)?;
        // Not cleared: most commands say little, and only what they say takes memory.
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            block.clear();
            let read = tokio::select! {
                biased;
                _ = cut.wait_for(|cut| *cut) => break,
                read = reader.read_buf(&mut block) => read?,
            };
            if read == 0 {
                return Ok(true);
            }
            tokio::select! {
                biased;
                () = self.send_bytes(&mut block) => {}
                _ = cut.wait_for(|cut| *cut) => break,
            }
        }
        // What is already there still counts.
        for _ in 0..16 {
            block.clear();
            match reader.try_read_buf(&mut block) {
                Ok(0) => return Ok(true),
                Ok(_) => self.keep_bytes(&block),
                Err(_) => break,
            }
        }
        Ok(false)
    }

    async fn send_bytes(&mut self, block: &mut Vec<u8>) {
        let offset = self.capture.lock().add_bytes(block);
        let Some(sink) = &self.sink else { return };
        // A long piece is passed on as it is, a short one without the memory of a long one.
        let bytes = if block.len() < BLOCK / 4 {
            block.clone()
        } else {
            std::mem::replace(block, Vec::with_capacity(BLOCK))
        };
        let event = RunEvent::Output { stream: self.stream, offset, bytes };
        if sink.send(event).await.is_err() {
            // Nobody listens any more; the output is still drained.
            self.sink = None;
        }
    }

    fn keep_bytes(&self, bytes: &[u8]) {
        let offset = self.capture.lock().add_bytes(bytes);
        if let Some(sink) = &self.sink {
            let event = RunEvent::Output { stream: self.stream, offset, bytes: bytes.to_vec() };
            drop(sink.try_send(event));
        }
    }
}

/// Lets a pipe hold a whole block: fewer pieces cost less.
#[cfg(target_os = "linux")]
fn widen(pipe: &OwnedFd) {
    // Where the system allows no more than its default, pieces are shorter.
    _ = rustix::pipe::fcntl_setpipe_size(pipe, BLOCK);
}

/// Does nothing: macOS lets a pipe grow by itself.
#[cfg(not(target_os = "linux"))]
fn widen(_: &OwnedFd) {}

/// Writes standard input until its end, or until the process no longer reads.
pub(super) async fn feed_stdin(pipe: OwnedFd, input: ProcessInput, mut pieces: mpsc::Receiver<InputChunk>) {
    let Ok(mut writer) = pipe::Sender::from_owned_fd(pipe) else { return };
    match input {
        // A process that does not read its input is none of our business.
        ProcessInput::Inline(bytes) => drop(writer.write_all(&bytes).await),
        ProcessInput::Nothing => {}
        ProcessInput::Stream => {
            while let Some(piece) = pieces.recv().await {
                let result = writer.write_all(&piece.data).await.map_err(|_| InputError::Closed);
                // Who asked may be gone.
                _ = piece.written.send(result);
                if piece.eof || result.is_err() {
                    return;
                }
            }
        }
    }
}
