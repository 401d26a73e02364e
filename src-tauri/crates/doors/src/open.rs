//! Opens a door of any kind.

use crate::door::Door;
use crate::values::{self, DoorValues};
use postern_contract::methods::{ControlError, DoorKind};
use postern_host::Host;

/// Opens a door. `values` that it does not take are named.
pub(crate) async fn open_door(
    kind: DoorKind,
    host: &Host,
    values: &DoorValues,
) -> Result<Box<dyn Door>, ControlError> {
    values::check_keys(values, kind)?;
    Ok(match kind {
        #[cfg(feature = "websocket")]
        DoorKind::Websocket => Box::new(crate::websocket::Websocket::open(host, values).await?),
        #[cfg(feature = "openclaw")]
        DoorKind::Openclaw => Box::new(crate::openclaw::Openclaw::open(host, values).await?),
        #[cfg(feature = "mcp-http")]
        DoorKind::McpHttp => Box::new(crate::mcp::McpHttp::open(host, values).await?),
        #[cfg(feature = "telegram")]
        DoorKind::Telegram => Box::new(crate::chat::Telegram::open(host, values).await?),
        #[cfg(feature = "xmpp")]
        DoorKind::Xmpp => Box::new(crate::chat::Xmpp::open(host, values).await?),
        #[cfg(feature = "forwarder")]
        DoorKind::Forwarder => Box::new(crate::forwarder::Forwarder::open(host, values).await?),
        #[cfg(feature = "webhook")]
        DoorKind::Webhook => Box::new(crate::outward::Webhook::open(host, values).await?),
        #[cfg(feature = "otel")]
        DoorKind::Otel => Box::new(crate::outward::Otel::open(host, values).await?),
        #[cfg(feature = "fleet")]
        DoorKind::Fleet => Box::new(crate::fleet::FleetDoor::open(host)?),
        #[cfg(not(all(
            feature = "websocket",
            feature = "openclaw",
            feature = "mcp-http",
            feature = "telegram",
            feature = "xmpp",
            feature = "forwarder",
            feature = "webhook",
            feature = "otel",
            feature = "fleet"
        )))]
        _ => {
            let name = kind.name();
            return Err(ControlError::refused(format!(
                "this program was built without the integration {name}: Postern's app and its server package have it"
            )));
        }
    })
}
