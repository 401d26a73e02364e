//! Presence: which approvers are there, and word of this host that it is, with a block of all its agents.

use super::super::{FleetError, PRESENT_FOR, SKEW, wall_clock};
use super::{FleetHostSession, approver_name};
use async_nats::Message;
use postern_contract::methods::{GetStatus, Nothing};
use postern_contract::{Mode, Status};
use postern_fleet::{FleetMessageKind, FleetPresence, HostBlock, Payload, SignedEnvelope};
use postern_host::ConnectedApproverKind;
use std::time::{Duration, Instant};

pub(super) fn block_of(status: &Status) -> Option<HostBlock> {
    (status.mode == Mode::Paused).then_some(HostBlock { until: status.paused_until })
}

impl FleetHostSession {
    pub(super) fn note_presence(&mut self, message: &Message) {
        let Ok(envelope) = SignedEnvelope::decode(&message.payload, FleetMessageKind::Presence.max_bytes())
        else {
            return;
        };
        let Ok(payload) = serde_json::from_slice::<Payload<FleetPresence>>(&envelope.payload) else {
            return;
        };
        let roster = &self.fleet.pinned.roster;
        let Some(member) = roster.member(&payload.from) else { return };
        let right = envelope.payload_type == FleetMessageKind::Presence.media_type()
            && payload.fleet == self.fleet.id
            && member.answers_for(self.fleet.groups())
            && self.person.as_ref() != Some(&member.id)
            // A replayed word is no presence.
            && payload.body.at.abs_diff(wall_clock()) < SKEW.unsigned_abs()
            && self.presence.note_one(member.id.clone(), Instant::now())
            && !envelope.signers([((), &member.sign)]).is_empty();
        if right && self.fleet.is_fresh(self.current_time()) {
            let until = Instant::now() + Duration::from_millis(PRESENT_FOR.unsigned_abs());
            let (id, name) = (member.id.clone(), approver_name(&member.person, &member.name));
            if let Some((_, known)) = self.present.get_mut(&id) {
                *known = until;
            } else {
                let face = self.host.named_face(ConnectedApproverKind::Remote, &name);
                self.host.identify(&face, id.as_str());
                self.host.speak_for(&face, member.counted_as());
                self.present.insert(id, (face, until));
            }
        }
    }

    /// Tells the approvers of this host that it is there, and whether all its agents are blocked.
    pub(super) async fn say_present(&mut self) -> Result<(), FleetError> {
        let face = self.host.named_face(ConnectedApproverKind::Remote, "fleet").id();
        let status =
            self.host.call_method::<GetStatus>(face, &Nothing {}).await.map_err(FleetError::refused)?;
        self.send_presence(block_of(&status)).await
    }

    /// Tells them at once that the agents are blocked, or work again.
    pub(super) async fn note_status(&mut self, status: &Status) -> Result<(), FleetError> {
        let blocked = block_of(status);
        if self.blocked == blocked { Ok(()) } else { self.send_presence(blocked).await }
    }

    async fn send_presence(&mut self, blocked: Option<HostBlock>) -> Result<(), FleetError> {
        self.blocked.clone_from(&blocked);
        let body = FleetPresence {
            at: wall_clock(),
            roster: self.fleet.roster(),
            policy: Some(self.policy.in_force()),
            blocked,
        };
        // Sealed: the broker is told nothing about the agents.
        let Some(sealed) = self.seal_for_approvers(&body, FleetMessageKind::Presence, "presence")? else {
            return Ok(());
        };
        let subject = self.names.host_presence(self.fleet.me.as_str());
        self.link.client.publish(subject, sealed.into()).await.map_err(FleetError::broker)
    }
}
