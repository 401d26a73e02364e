//! Messages of approvers over WebSocket.

#[expect(dead_code, reason = "the door uses what is not read here")]
#[path = "../../src-tauri/crates/doors/src/websocket/envelope.rs"]
mod envelope;

use envelope::{ClientCall, ClientCallRefusal, Declare, Ends, Incoming, Resolve};
use serde_json::Value;

/// Feeds a message to the door. The answer to a call names it, for any names inside.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(incoming) = serde_json::from_str::<Incoming>(text) else { return };
    let ends = Ends { hub: incoming.to.unwrap_or_default(), client: incoming.from.unwrap_or_default() };
    let Ok(call) = serde_json::from_value::<ClientCall>(incoming.payload) else { return };
    let declared =
        serde_json::from_value::<Declare>(call.params.clone()).map(|declared| declared.shows.len());
    let resolved =
        serde_json::from_value::<Resolve>(call.params.clone()).map(|resolved| resolved.approval_id);
    let why = format!("{declared:?} {resolved:?} {}", incoming.action);
    let told = ends.response(&call.method, Err(ClientCallRefusal::new("INVALID", why.clone())));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["payload"]["requestId"], call.method.as_str());
    assert_eq!(told["payload"]["error"]["message"], why.as_str());
    assert_eq!((&told["from"], &told["to"]), (&ends.hub.into(), &ends.client.into()));
}
