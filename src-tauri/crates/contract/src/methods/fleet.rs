//! Other Macs of the fleet, as far as their people let this Mac's person read them.

use super::params::{InsightsAsk, RequestFilter, RuleFilter};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Other Macs of the fleet that this Mac's person answers for, in the order of the roster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetHosts {
    pub hosts: Vec<FleetHost>,
    /// Groups of this Mac's own host.
    pub groups: Vec<String>,
}

/// Another Mac of the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetHost {
    /// Id in the roster.
    pub id: String,
    /// Name in the roster, escaped.
    pub name: String,
    pub groups: Vec<String>,
}

/// Requests of another Mac.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostRequests {
    /// The Mac's id: [`FleetHost::id`].
    pub host: String,
    pub filter: RequestFilter,
}

/// Rules of another Mac.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostRules {
    /// The Mac's id: [`FleetHost::id`].
    pub host: String,
    pub filter: RuleFilter,
}

/// Counts of requests of another Mac.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostInsights {
    /// The Mac's id: [`FleetHost::id`].
    pub host: String,
    pub filter: InsightsAsk,
}
