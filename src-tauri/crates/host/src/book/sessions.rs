//! Layers of the agents' sessions: what a parent gave a subagent, and what *Always* added meanwhile. What holds in an open
//! session is kept in the record: a subagent stays one when the host is started again.

use super::{PolicyStore, PolicyStoreError, now_millis};
use parking_lot::Mutex;
use postern_policy::permissions::{EntryOrigin, FileLayer, PermissionEntry};
use postern_policy::{AgentId, Effect, Millis, SessionLayers};
use postern_store::sessions::{LayerLine, OpenSession};
use std::collections::HashMap;

/// Most sessions of an agent that have layers at a time.
const MOST: usize = 256;

/// The layers of every agent's sessions.
#[derive(Debug, Default)]
pub(super) struct AgentSessionLayers {
    all: Mutex<HashMap<AgentId, HashMap<String, StoredLayers>>>,
}

#[derive(Debug, Clone, Default)]
struct StoredLayers {
    layers: SessionLayers,
    /// Time at which its agent opened it; `None` if it was only named: it is in memory alone then.
    opened_at: Option<Millis>,
}

impl AgentSessionLayers {
    /// Returns those that were open when the last host ended. A layer with a line that cannot be read any
    /// more denies everything.
    pub(super) fn of_record(kept: Vec<OpenSession>, home: &str) -> Self {
        let mut all: HashMap<AgentId, HashMap<String, StoredLayers>> = HashMap::new();
        for open in kept {
            let layer = |lines: &Vec<LayerLine>, origin| layer_of(lines, home, origin);
            let parents = open.parents.iter();
            let layers = SessionLayers {
                parents: parents
                    .map(|lines| layer(lines, EntryOrigin::Subagent).unwrap_or_else(deny_all))
                    .collect(),
                // What was allowed in it is not missed: it asks again.
                runtime: layer(&open.runtime, EntryOrigin::Session).unwrap_or_default(),
                confined: open.confined,
            };
            let kept = StoredLayers { layers, opened_at: Some(open.opened_at) };
            all.entry(open.agent).or_default().insert(open.session, kept);
        }
        Self { all: Mutex::new(all) }
    }

    pub(super) fn layers_of_agent(&self, agent: &AgentId) -> HashMap<String, SessionLayers> {
        let all = self.all.lock();
        let sessions = all.get(agent).into_iter().flatten();
        sessions.map(|(name, kept)| (name.clone(), kept.layers.clone())).collect()
    }

    fn get(&self, agent: &AgentId, session: &str) -> Option<StoredLayers> {
        self.all.lock().get(agent)?.get(session).cloned()
    }

    fn insert(&self, agent: &AgentId, session: &str, kept: StoredLayers) {
        self.all.lock().entry(agent.clone()).or_default().insert(session.to_owned(), kept);
    }

    pub(super) fn forget(&self, agent: &AgentId) {
        self.all.lock().remove(agent);
    }
}

fn layer_of(lines: &[LayerLine], home: &str, origin: EntryOrigin) -> Option<FileLayer> {
    let entry =
        |line: &LayerLine| PermissionEntry::new(&line.tool, &line.pattern, line.effect, home, origin).ok();
    lines.iter().map(entry).collect::<Option<Vec<PermissionEntry>>>().map(FileLayer::new)
}

fn deny_all() -> FileLayer {
    FileLayer::new(
        PermissionEntry::new("*", "*", Effect::Deny, "/", EntryOrigin::Subagent).into_iter().collect(),
    )
}

fn lines_of(layer: &FileLayer) -> Vec<LayerLine> {
    layer.entries().iter().map(LayerLine::from).collect()
}

#[derive(Debug, Clone)]
pub(crate) struct NewSession {
    pub(crate) session: String,
    /// The session that it is a subagent of: its layers hold here too.
    pub(crate) parent: Option<String>,
    /// The subagent's own layer, as the text of a `permissions.jsonc`.
    pub(crate) rules: Option<String>,
    /// True if it may ask for the host; none is what its kind may.
    pub(crate) elevated: Option<bool>,
}

impl PolicyStore {
    /// Opens a session with its layers, durably. Opening it again only adds layers: what was denied stays denied.
    ///
    /// A session with a parent or a layer is a subagent's: it may ask for the host only where that is passed on, and only
    /// what its parent has can be.
    pub(crate) async fn open_session(
        &self,
        agent: &AgentId,
        new: NewSession,
    ) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        self.require_agent(agent)?;
        let is_subagent = new.parent.is_some() || new.rules.is_some();
        let own = new.rules.as_deref().map(|text| FileLayer::parse(text, &self.places().home)).transpose()?;
        let own = own.map(FileLayer::of_subagent);
        let sessions = &self.inner.sessions;
        let before = sessions.get(agent, &new.session);
        if before.is_none() && sessions.all.lock().get(agent).is_some_and(|open| open.len() >= MOST) {
            return Err(PolicyStoreError::Invalid(format!("{MOST} sessions are open: close some first")));
        }
        let above = new.parent.as_ref().and_then(|parent| sessions.get(agent, parent));
        let parent_confined = above.as_ref().is_some_and(|parent| parent.layers.confined);
        if new.elevated == Some(true) && parent_confined {
            let message = "the session above may not ask for the host: it cannot pass that on";
            return Err(PolicyStoreError::Invalid(message.to_owned()));
        }
        let mut kept = before.unwrap_or_default();
        let above = above.map(|parent| parent.layers.parents).unwrap_or_default();
        for layer in above.into_iter().chain(own) {
            let lines = lines_of(&layer);
            if !kept.layers.parents.iter().any(|known| lines_of(known) == lines) {
                kept.layers.parents.push(layer);
            }
        }
        kept.layers.confined |= parent_confined || !new.elevated.unwrap_or(!is_subagent);
        kept.opened_at.get_or_insert_with(now_millis);
        self.keep_session(agent, &new.session, kept).await?;
        self.reload(Some(agent)).await
    }

    /// Writes a session down and puts it in force; one that was only named is in memory alone.
    async fn keep_session(
        &self,
        agent: &AgentId,
        session: &str,
        kept: StoredLayers,
    ) -> Result<(), PolicyStoreError> {
        if let Some(opened_at) = kept.opened_at {
            let open = OpenSession {
                agent: agent.clone(),
                session: session.to_owned(),
                confined: kept.layers.confined,
                parents: kept.layers.parents.iter().map(lines_of).collect(),
                runtime: lines_of(&kept.layers.runtime),
                opened_at,
            };
            let saved =
                self.store().write_durable(move |conn| postern_store::sessions::save_session(conn, &open));
            saved.await?;
        }
        self.inner.sessions.insert(agent, session, kept);
        Ok(())
    }

    pub(crate) fn sessions(&self) -> Vec<(AgentId, String, SessionLayers)> {
        let all = self.inner.sessions.all.lock();
        let named = all.iter().flat_map(|(agent, sessions)| {
            sessions.iter().map(|(name, kept)| (agent.clone(), name.clone(), kept.layers.clone()))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        named
    }

    pub(crate) fn open_sessions(&self, agent: &AgentId) -> Vec<String> {
        let all = self.inner.sessions.all.lock();
        let sessions = all.get(agent).into_iter().flatten();
        sessions.filter(|(_, kept)| kept.opened_at.is_some()).map(|(name, _)| name.clone()).collect()
    }

    /// Closes a session: its layers and the rules that last until then go.
    pub(crate) async fn close_session(&self, agent: &AgentId, session: &str) -> Result<(), PolicyStoreError> {
        let _one = self.change().await;
        let (owner, name) = (agent.clone(), session.to_owned());
        let written = self.store().write(move |conn| {
            postern_store::sessions::remove(conn, &owner, &name)?;
            postern_store::rules::remove_session(conn, &owner, &name)
        });
        written.await?;
        if let Some(sessions) = self.inner.sessions.all.lock().get_mut(agent) {
            sessions.remove(session);
        }
        self.reload(Some(agent)).await
    }

    pub(super) async fn add_to_session(
        &self,
        agent: &AgentId,
        session: &str,
        entries: Vec<PermissionEntry>,
    ) -> Result<(), PolicyStoreError> {
        let mut kept = self.inner.sessions.get(agent, session).unwrap_or_default();
        for entry in entries {
            kept.layers.runtime.push(entry);
        }
        self.keep_session(agent, session, kept).await
    }

    pub(super) fn forget_sessions(&self, agent: &AgentId) {
        self.inner.sessions.forget(agent);
    }
}
