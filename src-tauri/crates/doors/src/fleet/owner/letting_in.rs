//! A device that an owner lets in. It is a member once it said that it keeps what makes it one.
//!
//! Also after a crash of either side, no roster names a device that has no keys.

use super::super::joining::{KeepingDevice, Met};
use super::super::keep::{LETTING_IN, LETTING_IN_LOCK};
use super::super::proposals::{ProposedContent, SignaturesNeeded, WaitingProposal};
use super::super::{FleetError, new_id, service};
use super::{FleetOwner, Invitation, member};
use postern_fleet::{FleetId, Member, MemberRole, Roster};

impl FleetOwner {
    /// Takes a device in whose digits were compared, and tells it so.
    pub async fn welcome(&mut self, met: Met, invitation: &Invitation) -> Result<(), FleetError> {
        self.welcome_signed(met, invitation, |_| {}).await
    }

    /// Takes a device in. Where further owners have to sign, `tell` is called, and the device waits for them.
    pub async fn welcome_signed(
        &mut self,
        met: Met,
        invitation: &Invitation,
        tell: impl FnOnce(&SignaturesNeeded),
    ) -> Result<(), FleetError> {
        let busy = || FleetError::Refused("another device is let in at this time: try again".to_owned());
        let _turn = self.folder.try_lock(LETTING_IN_LOCK)?.ok_or_else(busy)?;
        let new_ids: Result<Vec<FleetId>, FleetError> = met.joined.members.iter().map(|_| new_id()).collect();
        let ids = new_ids?;
        self.folder.write_json(LETTING_IN, &ids)?;
        match self.let_device_in(met, invitation, (&ids, tell)).await {
            Ok(device) => {
                // First: what the device is told holds after a crash here.
                self.folder.remove(LETTING_IN)?;
                device.confirm().await;
                self.configure(&[])
            }
            Err(error) => {
                self.remove_members_now(&ids).await;
                Err(error)
            }
        }
    }

    /// Names the members of a device in the next roster, and tells it so.
    async fn let_device_in(
        &mut self,
        met: Met,
        invitation: &Invitation,
        (ids, tell): (&[FleetId], impl FnOnce(&SignaturesNeeded)),
    ) -> Result<KeepingDevice, FleetError> {
        // The code names the roster of its time: the device follows all that came since.
        let mut rosters = vec![self.signed.clone()];
        rosters.extend(self.follow().await?);
        let mut roster = self.next_roster();
        for (id, introduced) in ids.iter().zip(&met.joined.members) {
            let member = member(id, &invitation.name, introduced);
            roster.members.push(if introduced.host {
                Member { roles: vec![MemberRole::Host], groups: invitation.groups.clone(), ..member }
            } else {
                let approver = invitation.approver.clone();
                Member { person: invitation.person.clone(), roles: invitation.roles(), approver, ..member }
            });
        }
        let stored = self.stored_rosters().await?;
        match self.publish(roster).await {
            Ok(signed) => rosters.push(signed),
            Err(FleetError::Proposed(needed)) => {
                tell(&needed);
                rosters.extend(self.until_signed(stored, ids).await?);
            }
            Err(error) => return Err(error),
        }
        met.welcome(rosters, ids.to_vec()).await
    }

    /// Takes members out of the roster that were let in here and did not confirm it, if nobody lets them in now.
    pub(super) async fn put_out_unconfirmed(&mut self) -> Result<(), FleetError> {
        let Some(_turn) = self.folder.try_lock(LETTING_IN_LOCK)? else { return Ok(()) };
        let ids = self.folder.unconfirmed()?;
        if !ids.is_empty() {
            self.remove_members_now(&ids).await;
        }
        Ok(())
    }

    /// Puts members out. Who cannot be now is when this owner connects again, and nothing else waits for it.
    async fn remove_members_now(&mut self, ids: &[FleetId]) {
        let gone = self.remove_members(ids).await.and_then(|()| self.folder.remove(LETTING_IN));
        if let Err(error) = gone {
            tracing::warn!(%error, "a device that did not join could not be taken out of the roster yet");
        }
    }

    /// Takes members out of what waits for signatures, and out of the roster. Where further owners have to sign that, it is
    /// proposed to them.
    async fn remove_members(&mut self, ids: &[FleetId]) -> Result<(), FleetError> {
        let names = |roster: &Roster| roster.members.iter().any(|member| ids.contains(&member.id));
        let adds = |waiting: &WaitingProposal| {
            let content = waiting.shown.as_ref().map(|shown| &shown.content);
            matches!(content, Ok(ProposedContent::Roster { after, .. }) if names(after))
        };
        if let Some(waiting) = self.waiting_proposal().await?.filter(adds) {
            self.withdraw_proposal(&waiting).await?;
        }
        let mut roster = self.next_roster();
        if !names(&roster) {
            return Ok(());
        }
        roster.members.retain(|member| !ids.contains(&member.id));
        match self.publish(roster).await {
            Ok(_) => {
                service::reload(&self.folder);
                Ok(())
            }
            Err(FleetError::Proposed(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
