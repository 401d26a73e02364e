//! Layers of the agents' sessions: what a parent gave a subagent, and what *Always* added meanwhile. In memory only.

use super::{Book, BookError};
use postern_policy::permissions::{Entry, FileLayer};
use postern_policy::{AgentId, SessionLayers};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many sessions of one agent have layers at a time.
const MOST: usize = 256;

/// The layers of every agent's sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: Mutex<HashMap<AgentId, HashMap<String, SessionLayers>>>,
}

impl Sessions {
    /// Those of one agent.
    pub(super) fn of(&self, agent: &AgentId) -> HashMap<String, SessionLayers> {
        self.lock().get(agent).cloned().unwrap_or_default()
    }

    pub(super) fn forget(&self, agent: &AgentId) {
        self.lock().remove(agent);
    }

    /// Every change is one insertion or removal: a panic elsewhere leaves the map whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, HashMap<String, SessionLayers>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that an agent opens.
#[derive(Debug, Clone)]
pub(crate) struct NewSession {
    /// Its name.
    pub(crate) session: String,
    /// The session that it is a subagent of: its layers hold here too.
    pub(crate) parent: Option<String>,
    /// The subagent's own layer, as the text of a `permissions.jsonc`.
    pub(crate) rules: Option<String>,
    /// Whether it may ask for the host; none is what its kind may.
    pub(crate) elevated: Option<bool>,
}

impl Book {
    /// Opens a session with its layers. Opening it again only adds layers: what was denied stays denied.
    ///
    /// A session with a parent or a layer is a subagent's: it may ask for the host only where that is passed on, and only
    /// what its parent has can be.
    pub(crate) async fn open_session(&self, agent: &AgentId, new: NewSession) -> Result<(), BookError> {
        let _one = self.change().await;
        self.entry(agent)?;
        let is_subagent = new.parent.is_some() || new.rules.is_some();
        let own = new.rules.as_deref().map(|text| FileLayer::parse(text, &self.places().home)).transpose()?;
        let own = own.map(FileLayer::of_subagent);
        {
            let mut all = self.inner.sessions.lock();
            let sessions = all.entry(agent.clone()).or_default();
            if sessions.len() >= MOST && !sessions.contains_key(&new.session) {
                return Err(BookError::Invalid(format!("{MOST} sessions are open: close some first")));
            }
            let above = new.parent.as_ref().and_then(|parent| sessions.get(parent));
            let parent_confined = above.is_some_and(|parent| parent.confined);
            if new.elevated == Some(true) && parent_confined {
                let message = "the session above may not ask for the host: it cannot pass that on";
                return Err(BookError::Invalid(message.to_owned()));
            }
            let above = above.map(|parent| parent.parents.clone()).unwrap_or_default();
            let layers = sessions.entry(new.session).or_default();
            layers.parents.extend(above.into_iter().chain(own));
            layers.confined |= parent_confined || !new.elevated.unwrap_or(!is_subagent);
        }
        self.reload(Some(agent)).await
    }

    /// The sessions that have layers, by agent and name.
    pub(crate) fn sessions(&self) -> Vec<(AgentId, String, SessionLayers)> {
        let all = self.inner.sessions.lock();
        let named = all.iter().flat_map(|(agent, sessions)| {
            sessions.iter().map(|(name, layers)| (agent.clone(), name.clone(), layers.clone()))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        named
    }

    /// Closes a session: its layers and the rules that last until then go.
    pub(crate) async fn close_session(&self, agent: &AgentId, session: &str) -> Result<(), BookError> {
        let _one = self.change().await;
        if let Some(sessions) = self.inner.sessions.lock().get_mut(agent) {
            sessions.remove(session);
        }
        let (owner, name) = (agent.clone(), session.to_owned());
        self.store().write(move |conn| postern_store::rules::remove_session(conn, &owner, &name)).await?;
        self.reload(Some(agent)).await
    }

    /// Adds what *Always* allows to a session's own layer.
    pub(super) fn add_to_session(&self, agent: &AgentId, session: &str, entries: Vec<Entry>) {
        let mut all = self.inner.sessions.lock();
        let layers = all.entry(agent.clone()).or_default().entry(session.to_owned()).or_default();
        for entry in entries {
            layers.runtime.push(entry);
        }
    }

    pub(super) fn forget_sessions(&self, agent: &AgentId) {
        self.inner.sessions.forget(agent);
    }
}
