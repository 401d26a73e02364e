//! Everything that one agent's requests are judged by: an immutable snapshot.

use crate::permissions::FileLayer;
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use crate::verdict::RiskLevel;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Policy that one agent's requests are judged by.
#[derive(Debug, Clone)]
pub struct AgentPolicy {
    pub agent: AgentId,
    pub settings: Settings,
    /// Rules of the agent, of everybody, of its skills and of the organization.
    pub rules: RuleSet,
    /// Content of `permissions.jsonc`, if there is one that can be read.
    pub file: Option<FileLayer>,
    /// Reason why `permissions.jsonc` cannot be read, with line and column. While set, everything is denied.
    pub file_problem: Option<String>,
    /// Reason why the rules of the organization cannot be read. While set, everything is denied.
    pub managed_problem: Option<String>,
    /// Number of people that have to approve, by risk; one where none is named.
    pub people: BTreeMap<RiskLevel, u8>,
    /// Layers of its sessions, by the session's name.
    pub sessions: HashMap<String, SessionLayers>,
}

/// Layers that a session adds to its agent's policy.
#[derive(Debug, Clone, Default)]
pub struct SessionLayers {
    /// A subagent's own rules, the outermost parent's first: a deny in any of them is final.
    pub parents: Vec<FileLayer>,
    /// Lines that *Always* added during this session.
    pub runtime: FileLayer,
    /// True if it may not ask for the host: a subagent whose parent did not pass that on.
    pub confined: bool,
}

/// Answer of the elevated gate: may a request ask for the host at all?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elevation {
    On,
    /// The person switched it off for the agent.
    OffForAgent,
    /// The session was not given it.
    OffForSession,
}

impl AgentPolicy {
    /// Returns a policy without rules and files.
    pub fn new(agent: AgentId, settings: Settings) -> Self {
        Self {
            agent,
            settings,
            rules: RuleSet::default(),
            file: None,
            file_problem: None,
            managed_problem: None,
            people: BTreeMap::new(),
            sessions: HashMap::new(),
        }
    }

    /// Returns whether a request of this session may ask for the host.
    pub fn elevation(&self, session: Option<&str>) -> Elevation {
        if !self.settings.elevated {
            Elevation::OffForAgent
        } else if self.session(session).is_some_and(|layers| layers.confined) {
            Elevation::OffForSession
        } else {
            Elevation::On
        }
    }

    /// Returns the layers of a session, where it has some.
    pub fn session(&self, session: Option<&str>) -> Option<&SessionLayers> {
        self.sessions.get(session?)
    }

    /// Returns the layers of a session's parents, and with them the agent's file and what the session added, in the order
    /// in which they are read.
    pub(crate) fn layers(&self, session: Option<&str>) -> (&[FileLayer], Vec<&FileLayer>) {
        let session = self.session(session);
        let parents = session.map(|layers| layers.parents.as_slice()).unwrap_or_default();
        let runtime = session.map(|layers| &layers.runtime);
        (parents, parents.iter().chain(self.file.as_ref()).chain(runtime).collect())
    }
}
