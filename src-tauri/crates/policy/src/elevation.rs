//! The elevated gate.

use serde::{Deserialize, Serialize};

/// Answer of the elevated gate: may a request ask for the host at all?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elevation {
    On,
    /// The person switched it off for the agent.
    OffForAgent,
    OffForSession,
}
