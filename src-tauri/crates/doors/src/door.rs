//! What every open door can do, whatever it leads to.

use crate::mcp::McpHttp;
use crate::openclaw::Openclaw;
use crate::values::{self, Values};
use crate::websocket::Websocket;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, PairedClient};
use postern_host::Host;

/// An open door.
#[derive(Debug)]
pub(crate) enum Door {
    Websocket(Websocket),
    Openclaw(Openclaw),
    McpHttp(McpHttp),
}

impl Door {
    /// Opens it. `values` that it does not take are named.
    pub(crate) async fn open(kind: DoorKind, host: &Host, values: &Values) -> Result<Self, ControlError> {
        values::known(values, kind)?;
        match kind {
            DoorKind::Websocket => Websocket::open(host, values).await.map(Self::Websocket),
            DoorKind::Openclaw => Openclaw::open(host, values).await.map(Self::Openclaw),
            DoorKind::McpHttp => McpHttp::open(host, values).await.map(Self::McpHttp),
        }
    }

    /// Who may come through, or is connected.
    pub(crate) fn clients(&self) -> Vec<PairedClient> {
        match self {
            Self::Websocket(door) => door.clients(),
            Self::Openclaw(_) | Self::McpHttp(_) => Vec::new(),
        }
    }

    /// What the other side needs.
    pub(crate) async fn set_up(&self) -> Result<DoorSetup, ControlError> {
        match self {
            Self::Websocket(door) => door.set_up(),
            Self::Openclaw(door) => door.set_up().await,
            Self::McpHttp(door) => Ok(door.set_up()),
        }
    }

    /// Forgets a client and cuts it off.
    pub(crate) async fn revoke(&self, client: &str) -> Result<(), ControlError> {
        match self {
            Self::Websocket(door) => door.revoke(client).await,
            Self::McpHttp(door) => door.revoke(client).await,
            Self::Openclaw(_) => {
                Err(ControlError::not_found("OpenClaw has no clients of its own here: disable the door"))
            }
        }
    }

    /// Accepts nobody any more and cuts everybody off.
    pub(crate) async fn close(self) {
        match self {
            Self::Websocket(door) => door.close().await,
            Self::Openclaw(door) => door.close().await,
            Self::McpHttp(door) => door.close().await,
        }
    }
}
