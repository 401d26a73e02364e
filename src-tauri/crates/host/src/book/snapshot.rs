//! Everything at one moment.

use super::agent_folder::AgentFolder;
use super::managed::Managed;
use super::permissions_file::PermissionsFile;
use postern_contract::Concern;
use postern_contract::methods::HostSettings;
use postern_policy::{AgentId, AgentPolicy, RuleSet, Settings};
use postern_store::agents::Agent;
use postern_store::skills::Skill;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything at one moment. Never changed: a change makes the next one.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Number; each snapshot has its own.
    pub(crate) version: u64,
    pub(crate) agents: BTreeMap<AgentId, Arc<AgentEntry>>,
    /// Policy of an organization, or the reason why it cannot be read.
    pub(crate) managed: Result<Managed, String>,
    /// The rules that hold for every agent, the managed ones among them: each agent's own are beside them.
    pub(crate) everyone: RuleSet,
    pub(crate) skills: Arc<Vec<Skill>>,
    pub(crate) settings: HostSettings,
    /// Concerns for the person.
    pub(crate) attention: Vec<Concern>,
}

impl Default for Snapshot {
    /// Returns the snapshot before anything was read: nobody may do anything.
    fn default() -> Self {
        Self {
            version: 0,
            agents: BTreeMap::new(),
            managed: Ok(Managed::default()),
            everyone: RuleSet::default(),
            skills: Arc::default(),
            settings: HostSettings::default(),
            attention: Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct AgentEntry {
    /// As it is kept, but for the settings that an organization decides.
    pub(crate) agent: Agent,
    /// Settings as they are stored: the person's own.
    pub(crate) own: Settings,
    /// The names of the settings that an organization decides.
    pub(crate) locked: Vec<String>,
    pub(crate) folder: AgentFolder,
    pub(crate) policy: Arc<AgentPolicy>,
    /// Content of `permissions.jsonc`, as it was read.
    pub(crate) permissions: PermissionsFile,
    pub(crate) allow_rules: u32,
    pub(crate) deny_rules: u32,
}
