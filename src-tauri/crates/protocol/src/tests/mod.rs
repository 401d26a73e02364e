//! Tests of everything that comes in over a socket.

mod bad_input;
mod document;
mod round_trip;
pub(crate) mod schema;

use crate::{Call, Refused, decode, limits};

/// Reads a line as the host does.
fn read(line: &[u8]) -> Result<(crate::Id, Call), Refused> {
    decode(line, limits::FRAME_IN).and_then(Call::of_frame)
}
