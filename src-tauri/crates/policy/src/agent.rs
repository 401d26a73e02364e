//! Everything that one agent's requests are judged by: an immutable snapshot.

use crate::elevation::Elevation;
use crate::permissions::{FileLayer, PermissionEntry, last_match};
use crate::risk::RiskLevel;
use crate::rule::Effect;
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use crate::subject::SHELL_TOOL;
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
    /// Names of the managed policies in force, with their versions.
    pub managed: Vec<String>,
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
            managed: Vec::new(),
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

    /// Returns all layers that hold in a session.
    pub(crate) fn layers(&self, session: Option<&str>) -> Layers<'_> {
        let session = self.session(session);
        let parents: Vec<_> = session.map(|layers| layers.parents.iter().collect()).unwrap_or_default();
        let mut all = parents.clone();
        all.extend(self.file.as_ref());
        all.extend(session.map(|layers| &layers.runtime));
        Layers { parents, all }
    }
}

/// Layers in the order in which they are read: parents', file, runtime.
pub(crate) struct Layers<'a> {
    pub(crate) parents: Vec<&'a FileLayer>,
    pub(crate) all: Vec<&'a FileLayer>,
}

impl<'a> Layers<'a> {
    /// Returns the entry that decides: a parent's deny first, then the last match of all.
    pub(crate) fn decide(
        &self,
        tool: &str,
        matches: impl Fn(&PermissionEntry) -> bool,
    ) -> Option<&'a PermissionEntry> {
        let veto = self.parents.iter().find_map(|parent| {
            last_match(&[*parent], tool, &matches).filter(|entry| entry.effect == Effect::Deny)
        });
        veto.or_else(|| last_match(&self.all, tool, &matches))
    }

    /// Returns true if nothing but `*` speaks about the shell.
    pub(crate) fn leave_out_shell(&self) -> bool {
        let mut entries = self.all.iter().flat_map(|layer| layer.entries());
        entries.all(|entry| !entry.is_for(SHELL_TOOL) || entry.is_catch_all())
    }
}
