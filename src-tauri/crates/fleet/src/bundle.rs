//! Policy of a group: versions that publishers sign, and stages that say how many hosts each is for.

use crate::WallMillis;
use crate::id::{FleetId, Hash};
use crate::message::{FleetMessageBody, FleetMessageKind};
use crate::refusal::FleetRefusal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

/// Most that the number of a version or a stage may be ahead of the one before: nobody takes the last number.
pub const VERSION_STEP: u64 = 1 << 20;

/// Returns how far a number is ahead of ours. One that leaves no room for those after it is refused.
pub(crate) fn require_step(ours: u64, theirs: u64) -> Result<u64, FleetRefusal> {
    let ahead = theirs.saturating_sub(ours);
    if ahead > VERSION_STEP { Err(FleetRefusal::TooFar(theirs)) } else { Ok(ahead) }
}

/// Version of a group's policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bundle {
    pub group: FleetId,
    /// Counts up.
    pub version: u64,
    /// Hash of the version before; absent in the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hash>,
    /// Moment before which it is not in force.
    pub not_before: WallMillis,
    /// Rules, in the form of a rule file.
    pub rules: BundleRules,
    pub classes: Map<String, Value>,
    pub limits: Map<String, Value>,
    /// Number of people whose approval is needed, by risk.
    pub approvals: Map<String, Value>,
}

/// Rules of a policy as they were signed. A bundle is checked without them: they are read where they are needed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BundleRules(Box<RawValue>);

impl PartialEq for BundleRules {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl BundleRules {
    /// Takes rules.
    pub fn from_values(rules: &[Value]) -> Self {
        // A list of JSON values always has a JSON form.
        Self(to_raw_value(rules).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// Reads each of them. The error names the first that cannot be read.
    pub fn parse_each<T: DeserializeOwned>(&self) -> Result<Vec<T>, String> {
        let texts: Vec<&RawValue> =
            serde_json::from_str(self.0.get()).map_err(|error| format!("the rules are no list: {error}"))?;
        let read = |(index, text): (usize, &&RawValue)| {
            serde_json::from_str(text.get())
                .map_err(|error| format!("rule {} cannot be read: {error}", index + 1))
        };
        texts.iter().enumerate().map(read).collect()
    }
}

/// The hosts that a bundle is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RolloutStage {
    pub group: FleetId,
    /// Counts up over all stages of the group.
    pub number: u64,
    pub bundle: Hash,
    /// The hosts.
    pub reach: RolloutReach,
}

impl FleetMessageBody for Bundle {
    const KIND: FleetMessageKind = FleetMessageKind::Bundle;
}

impl FleetMessageBody for RolloutStage {
    const KIND: FleetMessageKind = FleetMessageKind::Stage;
}

/// Share of a group's hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RolloutReach {
    /// These hosts.
    Canary(Vec<FleetId>),
    /// This many of a hundred, chosen by the hash of host and bundle.
    Percent(u8),
    /// All of them.
    All,
}

impl RolloutReach {
    /// Returns whether a host is among them. A host that is in a share is in every larger one.
    pub fn covers(&self, host: &FleetId, bundle: &Hash) -> bool {
        match self {
            Self::Canary(hosts) => hosts.contains(host),
            Self::Percent(share) => host_percentile(host, bundle) < u64::from(*share),
            Self::All => true,
        }
    }
}

/// Returns the place of a host among a hundred.
fn host_percentile(host: &FleetId, bundle: &Hash) -> u64 {
    let hash = Hash::of_parts("postern-fleet stage 1", &[host.as_str().as_bytes(), bundle.as_bytes()]);
    hash.as_bytes().iter().take(8).fold(0, |value: u64, byte| (value << 8) | u64::from(*byte)) % 100
}

/// The policy of a group, as a host has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InForce {
    /// Version of the newest bundle that counts.
    pub version: u64,
    /// Hash of that version.
    pub bundle: Hash,
    /// Number of the newest stage that counts.
    pub stage: u64,
    /// The bundle in force on this host: the newest one that a stage brought here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<Hash>,
}

/// Names a bundle, as verdicts and people do: `minis/42#3fa9`.
pub fn bundle_name(group: &FleetId, version: u64, bundle: &Hash) -> String {
    format!("{group}/{version}#{}", &bundle.short_hex()[..4])
}
