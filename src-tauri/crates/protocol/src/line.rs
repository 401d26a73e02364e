//! Bytes as they come in, cut into lines: never more held than one line may be.

use crate::json;
use crate::mistake::{ProtocolError, RefusedMessage};

/// Collects bytes and gives back whole lines. A line over the limit is reported once and skipped to its end, so the
/// next line is read as if nothing had happened.
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Start of the next line.
    start: usize,
    /// Position up to which a line's end was looked for.
    seen: usize,
    limit: usize,
    skipping: bool,
}

/// Bytes of an oversized line that are searched for its id.
const PREFIX: usize = 4096;

impl LineBuffer {
    /// Makes a reader for lines of at most `limit` bytes, `\n` included.
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, seen: 0, limit, skipping: false }
    }

    /// Takes bytes that came in.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.seen -= self.start;
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next whole line without its `\n`, or why there is none to be had of it. Empty lines are
    /// passed over.
    pub fn next_line(&mut self) -> Option<Result<&[u8], RefusedMessage>> {
        loop {
            let end = memchr::memchr(b'\n', &self.bytes[self.seen..]).map(|at| self.seen + at);
            let Some(end) = end else { return self.unfinished().map(Err) };
            let line = self.start..end;
            self.start = end + 1;
            self.seen = self.start;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.len() >= self.limit {
                return Some(Err(self.too_large(line.start)));
            }
            if !self.bytes[line.clone()].trim_ascii().is_empty() {
                return Some(Ok(&self.bytes[line]));
            }
        }
    }

    /// Returns no line's end in sight: nothing yet, or too large already.
    fn unfinished(&mut self) -> Option<RefusedMessage> {
        self.seen = self.bytes.len();
        let refused =
            (!self.skipping && self.seen - self.start >= self.limit).then(|| self.too_large(self.start));
        self.skipping |= refused.is_some();
        if self.skipping {
            self.bytes.clear();
            (self.start, self.seen) = (0, 0);
        }
        refused
    }

    fn too_large(&self, start: usize) -> RefusedMessage {
        let prefix = &self.bytes[start..self.bytes.len().min(start + PREFIX)];
        let id = json::read_json(&String::from_utf8_lossy(prefix)).id;
        RefusedMessage { id, mistake: ProtocolError::FrameTooLarge { limit: self.limit } }
    }
}
