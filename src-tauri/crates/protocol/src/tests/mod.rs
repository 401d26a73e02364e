//! What must hold for everything that comes in over a socket.

mod bad_input;
mod document;
mod round_trip;
pub(crate) mod schema;

use crate::{Call, Refused, decode, limits};

/// What the host does with a line.
fn read(line: &[u8]) -> Result<(crate::Id, Call), Refused> {
    decode(line, limits::FRAME_IN).and_then(Call::of_frame)
}
