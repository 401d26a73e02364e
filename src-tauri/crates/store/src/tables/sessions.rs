//! Open sessions of agents, with the layers that hold in them.
//!
//! What was denied to a subagent stays denied when the host is started again.

use crate::column::{AgentIdColumn, JsonColumn, to_json_text};
use crate::error::Error;
use postern_policy::permissions::PermissionEntry;
use postern_policy::{AgentId, Effect, Millis};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

pub(crate) const SCHEMA: &str = include_str!("schema/sessions.sql");

/// An open session as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    pub agent: AgentId,
    pub session: String,
    /// True if it may not ask for the host.
    pub confined: bool,
    /// The subagents' layers that hold in it, the outermost first.
    pub parents: Vec<Vec<LayerLine>>,
    /// Lines that *Always* added in it.
    pub runtime: Vec<LayerLine>,
    pub opened_at: Millis,
}

/// A line of a layer, as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerLine {
    /// The tool's name, or a pattern of it.
    pub tool: String,
    pub pattern: String,
    pub effect: Effect,
}

impl From<&PermissionEntry> for LayerLine {
    fn from(entry: &PermissionEntry) -> Self {
        Self { tool: entry.tool.clone(), pattern: entry.written.clone(), effect: entry.effect }
    }
}

/// Returns every open session, by agent and name.
pub fn list_sessions(conn: &Connection) -> Result<Vec<OpenSession>, Error> {
    let mut query = conn.prepare_cached(
        "SELECT agent, session, confined, parents, runtime, opened_at FROM sessions ORDER BY agent, session",
    )?;
    let row = |row: &Row<'_>| {
        Ok(OpenSession {
            agent: row.get::<_, AgentIdColumn>(0)?.0,
            session: row.get(1)?,
            confined: row.get(2)?,
            parents: row.get::<_, JsonColumn<_>>(3)?.0,
            runtime: row.get::<_, JsonColumn<_>>(4)?.0,
            opened_at: row.get(5)?,
        })
    };
    Ok(query.query_map([], row)?.collect::<Result<_, _>>()?)
}

/// Keeps a session as it is now; when it was opened first stays.
pub fn save_session(conn: &Connection, open: &OpenSession) -> Result<(), Error> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO sessions (agent, session, confined, parents, runtime, opened_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (agent, session) DO UPDATE
         SET confined = excluded.confined, parents = excluded.parents, runtime = excluded.runtime",
    )?;
    upsert.execute(params![
        open.agent.as_str(),
        open.session,
        open.confined,
        to_json_text(&open.parents)?,
        to_json_text(&open.runtime)?,
        open.opened_at,
    ])?;
    Ok(())
}

/// Closes a session; closing one that is not open is no error.
pub fn remove(conn: &Connection, agent: &AgentId, session: &str) -> Result<(), Error> {
    conn.prepare_cached("DELETE FROM sessions WHERE agent = ?1 AND session = ?2")?
        .execute(params![agent.as_str(), session])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::agents;
    use crate::testing::{agent_id, open_temp_store, sample_agent};

    fn line(pattern: &str, effect: Effect) -> LayerLine {
        LayerLine { tool: "read_file".into(), pattern: pattern.into(), effect }
    }

    fn session(name: &str) -> OpenSession {
        OpenSession {
            agent: agent_id("main"),
            session: name.into(),
            confined: true,
            parents: vec![vec![line("*", Effect::Deny)], vec![line("*.md", Effect::Allow)]],
            runtime: vec![line("a", Effect::Allow)],
            opened_at: 7,
        }
    }

    #[test]
    fn a_session_is_kept_until_it_is_closed_or_its_agent_goes() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            agents::insert_agent(conn, &sample_agent("main"))?;
            ["a", "b"].iter().try_for_each(|name| save_session(conn, &session(name)))?;
            save_session(
                conn,
                &OpenSession { runtime: Vec::new(), confined: false, opened_at: 9, ..session("b") },
            )?;
            remove(conn, &agent_id("main"), "no such session")
        });
        let b = OpenSession { runtime: Vec::new(), confined: false, ..session("b") };
        assert_eq!(store.read(list_sessions).unwrap(), [session("a"), b.clone()]);
        store.write_now(|conn| remove(conn, &agent_id("main"), "a"));
        assert_eq!(store.read(list_sessions).unwrap(), [b]);
        store.write_now(|conn| agents::remove(conn, &agent_id("main")));
        assert_eq!(store.read(list_sessions).unwrap(), []);
    }
}
