//! Work that a member asks of a host at once: a replay of its history, or a report of its policy. It can also block all
//! agents there.

use crate::WallMillis;
use crate::id::{FleetId, Hash};
use crate::message::{FleetMessageBody, FleetMessageKind};
use crate::rise::VerdictCounts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Work that a member asks of a host. It is done at once or not at all: nothing queues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Job {
    /// Time by the sender's clock. Jobs of one member count in its order, so that none counts twice.
    pub at: WallMillis,
    /// The sender's roster.
    pub roster: Hash,
    pub work: Work,
}

/// Kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Work {
    /// Judgment of the host's own history by further rules.
    Replay {
        /// Rules, in the form of a rule file.
        rules: Vec<Value>,
        /// Settings of agents, by their names.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        settings: Map<String, Value>,
        /// Number of days to look back.
        days: u16,
    },
    /// Report of the policy in force.
    Policy,
    /// Denial of everything of every agent.
    Block {
        /// Number of minutes; absent until *resume*.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        minutes: Option<u32>,
    },
    /// End of a *block*.
    Resume,
    /// Reading of what the host's person lets the fleet see.
    Read {
        what: HostPart,
        /// Selection of rows, in the form of the contract of approvers.
        filter: Value,
    },
}

impl Work {
    /// Returns true for a block of all agents and for its end.
    pub fn is_block(&self) -> bool {
        matches!(self, Self::Block { .. } | Self::Resume)
    }
}

/// Part of a host that is read from elsewhere. Nothing changes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostPart {
    /// Requests, newest first.
    History,
    /// Agents with their settings.
    Agents,
    /// Rules of agents.
    Rules,
    /// Counts of requests.
    Insights,
}

impl HostPart {
    /// Every part.
    pub const ALL: [Self; 4] = [Self::History, Self::Agents, Self::Rules, Self::Insights];
}

/// Result of a job. The host signs it, and seals it for the member that asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobReport {
    pub job: FleetId,
    pub outcome: Reported,
}

impl FleetMessageBody for Job {
    const KIND: FleetMessageKind = FleetMessageKind::Job;
}

impl FleetMessageBody for JobReport {
    const KIND: FleetMessageKind = FleetMessageKind::JobReport;
}

/// Outcome of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reported {
    /// Counts of a replay.
    Replayed {
        /// Number of requests that were judged again.
        judged: u32,
        /// Number of requests whose decision would change.
        changed: u32,
        /// Some of those, as the contract of approvers has them.
        examples: Vec<Value>,
    },
    /// Policy of each group of the host.
    Policy(Vec<GroupState>),
    /// Rows that were asked for, as the contract of approvers has them.
    Read(Value),
    Done,
    /// Work that was not done, for this reason.
    Refused(String),
}

/// Policy of a group on one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupState {
    pub group: FleetId,
    /// Hash of the newest bundle that the host has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Hash>,
    /// Bundle in force, as verdicts name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_force: Option<String>,
    /// Requests of the week before the bundle in force, and since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<(VerdictCounts, VerdictCounts)>,
    /// Bundle that the host refused, with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<(Hash, String)>,
}
