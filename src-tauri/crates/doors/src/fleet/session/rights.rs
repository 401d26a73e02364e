//! Another roster on a host: who may answer and read, which policy is in force, and who says that it is current.

use super::super::FleetError;
use super::super::owner::configure_by_roster;
use super::super::store;
use super::refused::sender;
use super::{FleetHostSession, counted_as};
use postern_fleet::{FleetMessageKind, PinnedRoster, SignedEnvelope};

impl FleetHostSession {
    /// Keeps a roster that counts. The Mac that configures the broker lets in whom another owner let in.
    pub(super) fn keep_roster(&self, pinned: &PinnedRoster, bytes: &[u8]) -> Result<(), FleetError> {
        let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Roster.max_bytes())
            .map_err(FleetError::own_error)?;
        self.folder.pin_roster(pinned, &envelope)?;
        // What this Mac's person signs configures the broker itself.
        if sender(bytes).is_some_and(|(from, _)| self.person == Some(from)) {
            Ok(())
        } else {
            configure_by_roster(&self.folder, pinned)
        }
    }

    /// Goes on by another roster: others may read what waits, and some may no more.
    pub(super) async fn follow_rights(&mut self) -> Result<(), FleetError> {
        let (roster, groups) = (&self.fleet.pinned.roster, self.fleet.groups());
        self.present.retain(|id, _| roster.approvers_of(groups).any(|member| member.id == *id));
        self.sent.clear();
        let people = roster.approvers_of(groups).map(|member| counted_as(member).to_owned()).collect();
        if self.policy.enter_groups(groups) {
            self.policy.put_in_force(&self.host).await;
        }
        self.host.gate().keep_people(people).await.map_err(FleetError::refused)?;
        self.show_waiting().await
    }

    /// Says that the roster is current, if this Mac's person owns the fleet by now.
    pub(super) async fn say_fresh(&mut self) -> Result<(), FleetError> {
        let membership = self.folder.membership()?;
        if membership.owner_member(&self.fleet.pinned).is_none() {
            self.owner = None;
        } else if self.owner.is_none() {
            self.owner = Self::connect_owner(&self.folder, &membership, &self.fleet).await?;
        }
        let Some((id, sign, link)) = &self.owner else { return Ok(()) };
        store::say_fresh(&link.client, &self.fleet.id, (id, sign), &self.fleet.pinned).await
    }
}
