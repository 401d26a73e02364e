//! The key of at-most-once: an agent's own number for a request, and what it stood for.

use super::row::{Phase, RequestRow, get_by_key};
use crate::column::Id;
use crate::error::Error;
use postern_policy::{AgentId, Millis};
use rusqlite::{Connection, params};
use uuid::Uuid;

/// A request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRequest {
    /// The host's own number: a UUID (v7).
    pub id: Uuid,
    /// Whose.
    pub agent: AgentId,
    /// The agent's own number for it.
    pub request_id: String,
    /// sha256 over everything it asks for: the same number with other content is an error.
    pub content: [u8; 32],
    /// Its session.
    pub session: Option<String>,
    /// The command as one line of escaped text.
    pub line: String,
    /// What was asked for, as JSON text, for showing it later.
    pub asked: String,
    /// When it came in.
    pub at: Millis,
}

/// What became of writing a request down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// It is new: it may go its way.
    New,
    /// It was here before, with the same content: its outcome is told again, nothing runs.
    Same(Box<RequestRow>),
    /// The number was used before, for something else.
    Conflict,
}

/// Writes a request down, before anything else happens to it.
pub fn open(conn: &Connection, new: &NewRequest) -> Result<Opening, Error> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO requests (id, agent, request_id, content, session, phase, line, asked, received_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (agent, request_id) DO NOTHING",
    )?;
    let inserted = insert.execute(params![
        Id(new.id),
        new.agent.as_str(),
        new.request_id,
        &new.content[..],
        new.session,
        Phase::Received.as_str(),
        new.line,
        new.asked,
        new.at,
    ])?;
    if inserted == 1 {
        return Ok(Opening::New);
    }
    let row = get_by_key(conn, &new.agent, &new.request_id)?;
    let row = row.ok_or_else(|| Error::Missing(format!("request {}", new.request_id)))?;
    Ok(if row.content == new.content { Opening::Same(Box::new(row)) } else { Opening::Conflict })
}
