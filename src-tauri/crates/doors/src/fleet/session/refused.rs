//! Record of what does not count here: in the feed each time, in the audit once in a while for each kind and sender.

use super::FleetHostSession;
use postern_fleet::{FleetId, FleetMessageKind, FleetRefusal, Payload, SignedEnvelope};
use serde_json::Value;

impl FleetHostSession {
    /// Records that a message was refused. `who` is its name in the feed, the sender is the one that it claims, and may have signed.
    pub(super) async fn note_refusal(
        &mut self,
        (message, who): (&str, &str),
        (sender, is_signed): (Option<&FleetId>, bool),
        refusal: &FleetRefusal,
    ) {
        tracing::warn!(%refusal, message, who, "something in the fleet does not count");
        let why = refusal.to_string();
        self.host.note_stranger("fleet", who, &why).await;
        if !self.refusals.note_refusal(refusal.kind(), (sender, is_signed), self.started.elapsed()) {
            return;
        }
        let sender = sender.map_or("no member", FleetId::as_str);
        if let Err(error) = self.host.note_refusal((message, sender), (refusal.kind(), &why)).await {
            tracing::error!(%error, "a refusal could not be recorded in the audit");
        }
    }
}

/// Reads the sender that a message claims, and its id. Nothing is checked: `admit_message` looks for itself.
pub(super) fn sender(bytes: &[u8]) -> Option<(FleetId, FleetId)> {
    let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Bundle.max_bytes()).ok()?;
    let payload: Payload<Value> = serde_json::from_slice(&envelope.payload).ok()?;
    Some((payload.from, payload.id))
}
