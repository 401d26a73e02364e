//! Standard input of this program, on its way to the command: one piece at a time, the next when the last was written.

use postern_protocol::{InputParams, limits};
use rustix::fs::{FileType, fstat, stat};
use rustix::io::Errno;
use uuid::Uuid;

/// Returns true if standard input has something to forward.
pub(crate) fn is_forwarded() -> bool {
    let stdin = rustix::stdio::stdin();
    // A closed one has nothing; a terminal is the person's, not the command's; the null device is what a command
    // without input gets anyway.
    let Ok(here) = fstat(stdin) else { return false };
    let device = FileType::from_raw_mode(here.st_mode) == FileType::CharacterDevice;
    let null = device && stat("/dev/null").is_ok_and(|null| null.st_rdev == here.st_rdev);
    !null && !rustix::termios::isatty(stdin)
}

/// State of standard input.
#[derive(Debug)]
pub(crate) struct InputForwarder {
    request_id: Uuid,
    state: InputState,
    /// Bytes sent before the piece that is under way.
    sent: u64,
}

#[derive(Debug)]
enum InputState {
    /// The next piece may be read.
    Ready,
    /// A piece is under way.
    Sending(InputParams, u64),
    /// All was sent, or the command reads no more.
    Done,
}

impl InputForwarder {
    /// Makes the input for a request, if there is any.
    pub(crate) fn new(request_id: Uuid, forwarded: bool) -> Self {
        Self { request_id, state: if forwarded { InputState::Ready } else { InputState::Done }, sent: 0 }
    }

    /// Takes another request's number: nothing of the input was sent.
    pub(crate) fn switch_request(&mut self, request_id: Uuid) {
        self.request_id = request_id;
    }

    /// Returns true if the next piece may be read.
    pub(crate) fn wants_read(&self) -> bool {
        matches!(self.state, InputState::Ready)
    }

    /// Reads the next piece. `None` if there is nothing yet.
    pub(crate) fn read_piece(&mut self) -> Option<InputParams> {
        let mut bytes = vec![0; limits::INPUT];
        let count = match rustix::io::read(rustix::stdio::stdin(), &mut bytes) {
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => return None,
            // What cannot be read ends, as it does for the command itself.
            Err(_) => 0,
        };
        bytes.truncate(count);
        let piece = InputParams::new(self.request_id, self.sent, bytes, count == 0);
        self.state = InputState::Sending(piece.clone(), count as u64);
        Some(piece)
    }

    /// Returns the piece that is under way: to be sent again on another connection.
    pub(crate) fn under_way(&self) -> Option<&InputParams> {
        match &self.state {
            InputState::Sending(piece, _) => Some(piece),
            InputState::Ready | InputState::Done => None,
        }
    }

    /// Notes that the piece was written as far as `written`; `None` if the host refuses it.
    pub(crate) fn written(&mut self, written: Option<u64>) {
        let InputState::Sending(piece, count) = &self.state else { return };
        self.sent += count;
        let more = !piece.eof && written.is_some_and(|written| written >= *count);
        self.state = if more { InputState::Ready } else { InputState::Done };
    }
}
