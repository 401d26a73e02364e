//! Doors: other people's protocols that lead to the same requests, questions and answers.

use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// A door. Its name is what `postern doors` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum DoorKind {
    /// Approver clients over WebSocket.
    Websocket,
    /// OpenClaw's companion socket.
    Openclaw,
}

impl DoorKind {
    /// Every door.
    pub const ALL: [Self; 2] = [Self::Websocket, Self::Openclaw];

    /// Its name, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Websocket => "websocket",
            Self::Openclaw => "openclaw",
        }
    }

    /// What it is for, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Websocket => "Approver clients (a phone, a page, a script) see questions and answer them.",
            Self::Openclaw => "An OpenClaw node uses Postern as its companion app.",
        }
    }
}

/// Whether a door can be gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum DoorState {
    /// It is not enabled.
    Off,
    /// It accepts clients.
    Open,
    /// It is enabled and does not work: [`DoorRow::problem`] says why.
    Broken,
}

/// A door in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorRow {
    /// Which.
    pub door: DoorKind,
    /// What it is for.
    pub about: String,
    /// Whether it can be gone through.
    pub state: DoorState,
    /// Why it is broken, and what to do.
    pub problem: Option<String>,
    /// Its settings as they were typed, without secrets.
    pub values: BTreeMap<String, String>,
    /// Who may come through, or is connected.
    pub clients: Vec<PairedClient>,
}

/// Somebody at a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairedClient {
    /// Its id; what `postern doors revoke` takes.
    pub id: String,
    /// The name it gave itself, escaped.
    pub name: String,
    /// When it was paired.
    pub paired_at: Option<Millis>,
    /// When it was last connected.
    pub seen_at: Option<Millis>,
    /// Whether it is connected now.
    pub connected: bool,
}

/// Names a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorRef {
    /// Which.
    pub door: DoorKind,
}

/// Opens a door, or changes an open one. Values that are left out stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorEnable {
    /// Which.
    pub door: DoorKind,
    /// Its settings as a person types them.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub values: BTreeMap<String, String>,
}

/// Names a client of a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairedClientRef {
    /// The door.
    pub door: DoorKind,
    /// The client's id: [`PairedClient::id`].
    pub client: String,
}

/// What the other side needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorSetup {
    /// The door.
    pub door: DoorKind,
    /// What the other side is told, by name (`url`, `pairingCode`, `fingerprint`; `socket`, `token`).
    pub values: BTreeMap<String, String>,
    /// The same as steps for a person.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::DoorKind;

    #[test]
    fn a_door_has_one_name() {
        for door in DoorKind::ALL {
            assert_eq!(
                serde_json::to_value(door).unwrap(),
                door.name(),
                "the command line and the wire say the same"
            );
        }
    }
}
