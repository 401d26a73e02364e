//! Parameters of the methods of agents, their channels, sessions and skills.

use crate::Start;
use crate::methods::results::ChannelKind;
use postern_policy::{AgentId, Preset, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Names an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRef {
    pub agent: AgentId,
}

/// A new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AgentAdd {
    /// Id, which is also the name of its folder.
    pub agent: AgentId,
    /// The name to show; its id where left out.
    pub name: Option<String>,
    /// Color, `#rrggbb`; the next free one if left out.
    pub color: Option<String>,
    /// Preset to start with; *Ask* if left out.
    pub preset: Option<Preset>,
    /// Classes to start with; as the settings of new agents say if left out. Replaces the preset.
    pub start: Option<Start>,
    /// Folders. `start` = `work` needs one.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub folders: Vec<String>,
}

impl AgentAdd {
    /// Returns an agent for which nothing else is said.
    pub fn new(agent: AgentId) -> Self {
        Self { agent, name: None, color: None, preset: None, start: None, folders: Vec::new() }
    }
}

/// A change to an agent. What is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AgentSet {
    pub agent: AgentId,
    /// All its settings at once.
    pub settings: Option<Settings>,
    /// Single values as a person types them, applied after `settings`.
    ///
    /// `ask` = `always`, `approvalTimeout` = `2m`, `preset` = `deny`, `name`, `color`, `icon`, `uids` = `1000,1001`,
    /// `deniedUntil` = `10m` or `none`. `fallback` = `full` needs `confirm` = `yes` beside it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub values: BTreeMap<String, String>,
}

/// A hook that was put into a coding agent's settings, or taken out of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct HookNote {
    /// The coding agent, as `postern hook` names it.
    pub kind: String,
    /// The settings that it reads.
    pub file: String,
    /// Agent whose rules the hook asks by; `None` if the hook was removed.
    pub agent: Option<AgentId>,
}

/// Asks for an agent's channel lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChannelAsk {
    pub agent: AgentId,
    pub kind: ChannelKind,
}

/// A new text for an agent's `permissions.jsonc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionsSet {
    pub agent: AgentId,
    /// The whole text, comments and all.
    pub text: String,
}

/// Filter of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SessionFilter {
    /// Those of this agent; none means every agent's.
    pub agent: Option<AgentId>,
}

/// Names an open session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionName {
    pub agent: AgentId,
    /// Name, escaped as `sessions.list` returns it.
    pub session: String,
}

/// Names a folder of skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillFolder {
    /// Absolute, or with `~`.
    pub folder: String,
}

/// Approves a skill's CLIs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SkillApprove {
    pub skill: String,
    /// CLI of the skill; left out, all that were found.
    pub cli: Option<String>,
}
