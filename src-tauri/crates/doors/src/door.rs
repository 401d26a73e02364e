//! Interface of every open door.

use crate::chat::{Chat, Telegram, Xmpp};
use crate::fleet;
use crate::forwarder::Forwarder;
use crate::mcp::McpHttp;
use crate::openclaw::Openclaw;
use crate::outward::{Otel, Webhook};
use crate::values::{self, DoorValues};
use crate::websocket::Websocket;
use postern_contract::methods::{ControlError, DoorKind, DoorSetup, PairedClient};
use postern_host::Host;

/// An open door.
#[derive(Debug)]
pub(crate) enum Door {
    Websocket(Websocket),
    Openclaw(Openclaw),
    McpHttp(McpHttp),
    Telegram(Chat<Telegram>),
    Xmpp(Chat<Xmpp>),
    Forwarder(Forwarder),
    Webhook(Webhook),
    Otel(Otel),
    Fleet(fleet::FleetDoor),
}

impl Door {
    /// Opens it. `values` that it does not take are named.
    pub(crate) async fn open(kind: DoorKind, host: &Host, values: &DoorValues) -> Result<Self, ControlError> {
        values::check_keys(values, kind)?;
        match kind {
            DoorKind::Telegram => Telegram::open(host, values).await.map(Self::Telegram),
            DoorKind::Xmpp => Xmpp::open(host, values).await.map(Self::Xmpp),
            DoorKind::Websocket => Websocket::open(host, values).await.map(Self::Websocket),
            DoorKind::Openclaw => Openclaw::open(host, values).await.map(Self::Openclaw),
            DoorKind::McpHttp => McpHttp::open(host, values).await.map(Self::McpHttp),
            DoorKind::Forwarder => Forwarder::open(host, values).await.map(Self::Forwarder),
            DoorKind::Webhook => Webhook::open(host, values).await.map(Self::Webhook),
            DoorKind::Otel => Otel::open(host, values).await.map(Self::Otel),
            DoorKind::Fleet => fleet::FleetDoor::open(host).map(Self::Fleet),
        }
    }

    /// Returns the clients that are paired or connected.
    pub(crate) fn clients(&self) -> Vec<PairedClient> {
        match self {
            Self::Websocket(door) => door.clients(),
            Self::Webhook(door) => door.clients(),
            Self::Fleet(door) => door.clients(),
            Self::Openclaw(_) | Self::McpHttp(_) | Self::Forwarder(_) | Self::Otel(_) => Vec::new(),
            Self::Telegram(door) => door.clients(),
            Self::Xmpp(door) => door.clients(),
        }
    }

    /// Returns the notes for the person, newest first.
    pub(crate) fn user_notes(&self) -> Vec<String> {
        match self {
            Self::Websocket(_)
            | Self::Openclaw(_)
            | Self::McpHttp(_)
            | Self::Forwarder(_)
            | Self::Webhook(_)
            | Self::Otel(_)
            | Self::Fleet(_) => Vec::new(),
            Self::Telegram(door) => door.user_notes(),
            Self::Xmpp(door) => door.user_notes(),
        }
    }

    /// Returns the reason why no client can come in now, though it is open.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self {
            Self::Webhook(door) => door.trouble(),
            Self::Fleet(door) => door.trouble(),
            Self::Websocket(_)
            | Self::Openclaw(_)
            | Self::McpHttp(_)
            | Self::Forwarder(_)
            | Self::Otel(_) => None,
            Self::Telegram(door) => door.trouble(),
            Self::Xmpp(door) => door.trouble(),
        }
    }

    /// Waits until it is known whether it works, for a while. An error is one that waiting does not solve.
    pub(crate) async fn settle(&self) -> Result<(), ControlError> {
        match self {
            Self::Websocket(_)
            | Self::Openclaw(_)
            | Self::McpHttp(_)
            | Self::Forwarder(_)
            | Self::Webhook(_)
            | Self::Otel(_)
            | Self::Fleet(_) => Ok(()),
            Self::Telegram(door) => door.settle().await,
            Self::Xmpp(door) => door.settle().await,
        }
    }

    /// Returns the settings for the other side.
    pub(crate) async fn set_up(&self) -> Result<DoorSetup, ControlError> {
        match self {
            Self::Websocket(door) => door.set_up(),
            Self::Openclaw(door) => door.set_up().await,
            Self::McpHttp(door) => Ok(door.set_up()),
            Self::Telegram(door) => door.set_up(),
            Self::Xmpp(door) => door.set_up(),
            Self::Forwarder(door) => Ok(door.set_up()),
            Self::Webhook(door) => Ok(door.set_up()),
            Self::Otel(door) => Ok(door.set_up()),
            Self::Fleet(door) => door.set_up(),
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
            Self::Telegram(door) => door.revoke(client).await,
            Self::Xmpp(door) => door.revoke(client).await,
            Self::Forwarder(_) => Err(ControlError::not_found(
                "whoever comes through the forwarder has the agent's key: postern agents rotate-key ID",
            )),
            Self::Webhook(door) => door.revoke(client).await,
            Self::Fleet(_) => Err(ControlError::not_found(
                "an owner removes a member of the fleet: postern fleet revoke NAME",
            )),
            Self::Otel(_) => {
                Err(ControlError::not_found("this door has one other side: postern doors disable otel"))
            }
        }
    }

    /// Accepts nobody any more and cuts everybody off.
    pub(crate) async fn close(self) {
        match self {
            Self::Websocket(door) => door.close().await,
            Self::Openclaw(door) => door.close().await,
            Self::McpHttp(door) => door.close().await,
            Self::Telegram(door) => door.close().await,
            Self::Xmpp(door) => door.close().await,
            Self::Forwarder(door) => door.close().await,
            Self::Webhook(door) => door.close().await,
            Self::Otel(door) => door.close().await,
            Self::Fleet(door) => door.close().await,
        }
    }
}
