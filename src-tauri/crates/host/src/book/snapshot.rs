//! Everything at one moment.

use super::agent_folder::AgentFolder;
use super::permissions::PermissionsFile;
use postern_contract::methods::HostSettings;
use postern_policy::{AgentId, AgentPolicy, Rule, RuleSet};
use postern_store::agents::Agent;
use postern_store::skills::Skill;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything at one moment. Never changed: a change makes the next one.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Its number; each has its own.
    pub(crate) version: u64,
    /// The agents.
    pub(crate) agents: BTreeMap<AgentId, Arc<AgentEntry>>,
    /// The rules that an organisation ships, or why they cannot be read.
    pub(crate) managed: Result<Vec<Rule>, String>,
    /// The rules that hold for every agent, the managed ones among them: each agent's own are beside them.
    pub(crate) everyone: RuleSet,
    /// The skills that were found.
    pub(crate) skills: Arc<Vec<Skill>>,
    /// What holds for the whole.
    pub(crate) settings: HostSettings,
    /// What needs the person's attention, in plain words.
    pub(crate) attention: Vec<String>,
}

impl Default for Snapshot {
    /// Before anything was read: nobody may do anything.
    fn default() -> Self {
        Self {
            version: 0,
            agents: BTreeMap::new(),
            managed: Ok(Vec::new()),
            everyone: RuleSet::default(),
            skills: Arc::default(),
            settings: HostSettings::default(),
            attention: Vec::new(),
        }
    }
}

/// One agent.
#[derive(Debug)]
pub(crate) struct AgentEntry {
    /// As it is kept.
    pub(crate) agent: Agent,
    /// Where its files lie.
    pub(crate) folder: AgentFolder,
    /// What it is judged by.
    pub(crate) policy: Arc<AgentPolicy>,
    /// Its `permissions.jsonc`, as it was read.
    pub(crate) permissions: PermissionsFile,
    /// How many allow rules of its own it has.
    pub(crate) allow_rules: u32,
    /// How many deny rules.
    pub(crate) deny_rules: u32,
}
