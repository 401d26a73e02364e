//! Tests of everything that comes in over a socket.

mod bad_input;
mod document;
mod round_trip;
pub(crate) mod schema;

use crate::{AgentCall, RefusedMessage, decode, limits};

/// Reads a line as the host does.
fn read(line: &[u8]) -> Result<(crate::CallId, AgentCall), RefusedMessage> {
    decode(line, limits::FRAME_IN).and_then(AgentCall::of_frame)
}
