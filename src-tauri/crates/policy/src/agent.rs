//! Everything that one agent's requests are judged by: an immutable snapshot.

use crate::permissions::FileLayer;
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What one agent's requests are judged by.
#[derive(Debug, Clone)]
pub struct AgentPolicy {
    /// Whose it is.
    pub agent: AgentId,
    /// What the person set.
    pub settings: Settings,
    /// Its own rules, everybody's, its skills' and the managed ones.
    pub rules: RuleSet,
    /// Its `permissions.jsonc`, where it has one that can be read.
    pub file: Option<FileLayer>,
    /// Why its `permissions.jsonc` cannot be read, with line and column. Set: everything is denied until it is mended.
    pub file_problem: Option<String>,
    /// Why the rules that an organisation ships cannot be read. Set: everything is denied until they can.
    pub managed_problem: Option<String>,
    /// Layers of its sessions, by the session's name.
    pub sessions: HashMap<String, SessionLayers>,
}

/// What a session adds to its agent's policy.
#[derive(Debug, Clone, Default)]
pub struct SessionLayers {
    /// A subagent's own rules, the outermost parent's first: a deny in any of them is final.
    pub parents: Vec<FileLayer>,
    /// What *Always* added during this session.
    pub runtime: FileLayer,
    /// True if it may not ask for the host: a subagent whose parent did not pass that on.
    pub confined: bool,
}

/// Whether the elevated gate lets a request ask for the host at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elevation {
    /// It does.
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
}
