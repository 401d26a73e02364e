//! Request that came in, as it is first recorded.

use postern_policy::{AgentId, Millis, Origin};
use uuid::Uuid;

/// A request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRequest {
    /// The host's own number: a UUID (v7).
    pub id: Uuid,
    pub agent: AgentId,
    /// The agent's own number for it.
    pub request_id: String,
    /// sha256 over everything it asks for: the same number with other content is an error.
    pub content: [u8; 32],
    /// Actor that carries it out.
    pub origin: Origin,
    pub session: Option<String>,
    /// The command as one line of escaped text.
    pub line: String,
    /// Request as it was sent, as JSON text, for showing it later.
    pub asked: String,
    /// Time of receipt.
    pub at: Millis,
}
