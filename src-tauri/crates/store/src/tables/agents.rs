//! Agents: their settings, who may connect, and the number of their next event.

use crate::column::{AgentIdColumn, JsonColumn, to_json_text};
use crate::error::Error;
use postern_policy::{AgentIcon, AgentId, Millis, Settings};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

pub(crate) const SCHEMA: &str = include_str!("schema/agents.sql");

/// The sign of an agent, which was once the first letter of its name.
pub(crate) const ICON: &str = "ALTER TABLE agents ADD COLUMN icon TEXT NOT NULL DEFAULT '\"letter\"';";

/// An agent as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Id, which is also the name of its folder.
    pub id: AgentId,
    /// The name that the person gave it.
    pub name: String,
    /// Color, `#rrggbb`.
    pub color: String,
    pub icon: AgentIcon,
    pub settings: Settings,
    /// Uids besides the person's own that may connect.
    pub uids: Vec<u32>,
    pub created_at: Millis,
    pub last_seen_at: Option<Millis>,
    /// Denied everything until then.
    pub denied_until: Option<Millis>,
}

const COLUMNS: &str = "id, name, color, settings, uids, created_at, last_seen_at, denied_until, icon";

fn agent_from_row(row: &Row<'_>) -> rusqlite::Result<Agent> {
    Ok(Agent {
        id: row.get::<_, AgentIdColumn>(0)?.0,
        name: row.get(1)?,
        color: row.get(2)?,
        settings: row.get::<_, JsonColumn<_>>(3)?.0,
        uids: row.get::<_, JsonColumn<_>>(4)?.0,
        created_at: row.get(5)?,
        last_seen_at: row.get(6)?,
        denied_until: row.get(7)?,
        icon: row.get::<_, JsonColumn<_>>(8)?.0,
    })
}

/// Returns every agent, by name.
pub fn list_agents(conn: &Connection) -> Result<Vec<Agent>, Error> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM agents ORDER BY id"))?;
    Ok(query.query_map([], agent_from_row)?.collect::<Result<_, _>>()?)
}

/// Returns an agent.
pub fn get_agent(conn: &Connection, id: &AgentId) -> Result<Option<Agent>, Error> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM agents WHERE id = ?1"))?;
    Ok(query.query_row([id.as_str()], agent_from_row).optional()?)
}

/// Returns the id of an agent and what [`update_agent`] writes of it, as its columns hold it.
fn editable_values(agent: &Agent) -> rusqlite::Result<[Value; 7]> {
    Ok([
        agent.id.to_string().into(),
        agent.name.clone().into(),
        agent.color.clone().into(),
        to_json_text(&agent.settings)?.into(),
        to_json_text(&agent.uids)?.into(),
        agent.denied_until.into(),
        to_json_text(&agent.icon)?.into(),
    ])
}

/// Adds an agent. Refused where there is one of this name.
pub fn insert_agent(conn: &Connection, agent: &Agent) -> Result<(), Error> {
    let times: [Value; 2] = [agent.created_at.into(), agent.last_seen_at.into()];
    let added = conn.execute(
        "INSERT INTO agents (id, name, color, settings, uids, denied_until, icon, created_at, last_seen_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO NOTHING",
        params_from_iter(editable_values(agent)?.into_iter().chain(times)),
    )?;
    if added == 1 { Ok(()) } else { Err(Error::Refused(format!("there is an agent {} already", agent.id))) }
}

/// Writes name, color, icon, settings, uids and the time until which it is denied.
pub fn update_agent(conn: &Connection, agent: &Agent) -> Result<(), Error> {
    let saved = conn.execute(
        "UPDATE agents SET name = ?2, color = ?3, settings = ?4, uids = ?5, denied_until = ?6, icon = ?7 WHERE id = ?1",
        editable_values(agent)?,
    )?;
    expect_one_row(saved, &agent.id)
}

/// Denies everything of an agent until then; none ends it.
pub fn deny_until(conn: &Connection, id: &AgentId, until: Option<Millis>) -> Result<(), Error> {
    expect_one_row(
        conn.execute("UPDATE agents SET denied_until = ?2 WHERE id = ?1", params![id.as_str(), until])?,
        id,
    )
}

/// Notes that an agent asked for something.
pub fn mark_seen(conn: &Connection, id: &AgentId, at: Millis) -> Result<(), Error> {
    let mut update = conn.prepare_cached("UPDATE agents SET last_seen_at = ?2 WHERE id = ?1")?;
    expect_one_row(update.execute(params![id.as_str(), at])?, id)
}

/// Removes an agent with its rules and events. Its requests stay in the history.
pub fn remove(conn: &Connection, id: &AgentId) -> Result<(), Error> {
    expect_one_row(conn.execute("DELETE FROM agents WHERE id = ?1", [id.as_str()])?, id)
}

fn expect_one_row(rows: usize, id: &AgentId) -> Result<(), Error> {
    if rows == 1 { Ok(()) } else { Err(Error::Missing(format!("agent {id}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{events, rules};
    use crate::testing::{agent_id, allow_rule, open_temp_store, sample_agent};
    use postern_policy::{Ask, Security};

    #[test]
    fn an_agent_is_kept_whole() {
        let (_folder, store) = open_temp_store();
        let mut kept = sample_agent("main");
        store.write_now({
            let kept = kept.clone();
            move |conn| insert_agent(conn, &kept)
        });
        assert_eq!(store.read(|conn| get_agent(conn, &agent_id("main"))).unwrap(), Some(kept.clone()));
        kept.settings.security = Security::Full;
        kept.settings.ask = Ask::Always;
        kept.uids = vec![1000, 4_294_967_294];
        kept.denied_until = Some(9);
        store.write_now({
            let kept = kept.clone();
            move |conn| update_agent(conn, &kept)
        });
        store.write_now(|conn| mark_seen(conn, &agent_id("main"), 77));
        kept.last_seen_at = Some(77);
        assert_eq!(store.read(list_agents).unwrap(), [kept]);
    }

    #[test]
    fn a_name_is_taken_once_and_a_missing_one_is_said() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| insert_agent(conn, &sample_agent("main")));
        let again = store.write(|conn| insert_agent(conn, &sample_agent("main"))).wait();
        assert!(matches!(again, Err(Error::Refused(_))), "{again:?}");
        let missing = store.write(|conn| remove(conn, &agent_id("other"))).wait();
        assert!(matches!(missing, Err(Error::Missing(_))), "{missing:?}");
    }

    #[test]
    fn removing_an_agent_removes_its_rules_and_events_only() {
        let (_folder, store) = open_temp_store();
        store.write_now(|conn| {
            for name in ["main", "other"] {
                insert_agent(conn, &sample_agent(name))?;
                rules::insert_rule(conn, &allow_rule(Some(name), "git status"))?;
                events::append(conn, &events::NewEvent::test(name))?;
            }
            rules::insert_rule(conn, &allow_rule(None, "ls"))?;
            remove(conn, &agent_id("main"))
        });
        let left = store.read(rules::list_rules).unwrap();
        let owners: Vec<_> = left.iter().map(|rule| rule.agent.as_ref().map(AgentId::as_str)).collect();
        assert_eq!(owners, [Some("other"), None]);
        assert_eq!(store.read(|conn| events::events_after(conn, &agent_id("main"), 0, 9)).unwrap(), []);
        assert_eq!(store.read(|conn| events::events_after(conn, &agent_id("other"), 0, 9)).unwrap().len(), 1);
    }
}
