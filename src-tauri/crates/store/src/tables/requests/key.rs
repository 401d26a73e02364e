//! The key of at-most-once: an agent's own number for a request, and what it stood for.

use super::change::{RequestChange, insert};
use super::new::NewRequest;
use super::row::{StoredRequest, get_by_key};
use crate::error::Error;
use postern_policy::AgentId;
use postern_protocol::RunState;
use rusqlite::Connection;

/// Result of recording a new request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewRequestOutcome {
    /// New: it may go on.
    New,
    /// Known, with the same content: its outcome is sent again, nothing runs.
    Same(Box<StoredRequest>),
    /// The number was used before, for something else.
    Conflict,
}

/// Writes a request down, of which nothing is known yet.
pub fn record_request(conn: &Connection, new: &NewRequest) -> Result<NewRequestOutcome, Error> {
    open_as(conn, new, &RequestChange::to_phase(RunState::Received, new.at))
}

/// Writes a request down, together with what has become of it: nothing of it was told or begun. It is not edited and has no
/// process, no exit code and no face that answered.
pub fn open_as(
    conn: &Connection,
    new: &NewRequest,
    change: &RequestChange,
) -> Result<NewRequestOutcome, Error> {
    if insert(conn, new, change)? == 1 {
        return Ok(NewRequestOutcome::New);
    }
    let known = find_known(conn, &new.agent, &new.request_id, &new.content)?;
    known.ok_or_else(|| Error::Missing(format!("request {}", new.request_id)))
}

/// Returns the request that an agent's number was used for; `None` if it was never used.
pub fn find_known(
    conn: &Connection,
    agent: &AgentId,
    request_id: &str,
    content: &[u8; 32],
) -> Result<Option<NewRequestOutcome>, Error> {
    let row = get_by_key(conn, agent, request_id)?;
    let opening = |row: StoredRequest| {
        if row.content == *content {
            NewRequestOutcome::Same(Box::new(row))
        } else {
            NewRequestOutcome::Conflict
        }
    };
    Ok(row.map(opening))
}
