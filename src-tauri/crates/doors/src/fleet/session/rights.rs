//! Another roster on a host: who may answer and read, which policy is in force, and who says that it is current.

use super::super::FleetError;
use super::super::owner::configure_by_roster;
use super::super::risk::host_risk;
use super::super::store;
use super::refused::sender;
use super::{FleetHostSession, bucket};
use postern_fleet::{FleetMessageKind, Member, PinnedRoster, SignedEnvelope};
use postern_host::FleetPeople;
use postern_policy::RiskLevel;
use std::collections::BTreeMap;

impl FleetHostSession {
    /// Keeps a roster that counts. The Mac that configures the broker lets in whom another owner let in.
    pub(super) fn keep_roster(&self, pinned: &PinnedRoster, bytes: &[u8]) -> Result<(), FleetError> {
        let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Roster.max_bytes())
            .map_err(FleetError::own_error)?;
        self.folder.pin_roster(pinned, &envelope)?;
        // What this Mac's person signs alone configures the broker itself.
        let alone = envelope.signatures.len() == 1;
        if alone && sender(bytes).is_some_and(|(from, _)| self.person == Some(from)) {
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
        if self.policy.enter_groups(groups) {
            self.policy.put_in_force(&self.host).await;
        }
        self.tell_people().await?;
        self.show_waiting().await
    }

    /// Tells the gate whose approval counts by this roster, where several people have to approve. What others approved before
    /// counts no more.
    pub(super) async fn tell_people(&self) -> Result<(), FleetError> {
        let groups = self.fleet.groups();
        let mut limits = BTreeMap::new();
        for (person, risk) in self.fleet.pinned.roster.approvers_of(groups).filter_map(limit_of) {
            // Two devices of one person are one.
            let most = limits.entry(person).or_insert(risk);
            *most = risk.max(*most);
        }
        let own = self.person.as_ref().and_then(|id| self.fleet.pinned.roster.member(id));
        let own = own.filter(|member| member.answers_for(groups)).and_then(limit_of);
        self.host.gate().keep_people(FleetPeople { limits, own }).await.map_err(FleetError::refused)
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
        store::say_fresh(bucket(link, &self.fleet), (id, sign), &self.fleet.pinned).await
    }

    /// Says that the roster is current if nobody said it yet: the owner who signed it may have ended before.
    pub(super) async fn say_missing_fresh(&mut self) -> Result<(), FleetError> {
        let is_said = self.fleet.last_fresh().is_some_and(|said| said.roster == self.fleet.roster());
        if is_said { Ok(()) } else { self.say_fresh().await }
    }

    /// Stores the roster that counts again where the broker has another entry in its place, if this Mac's person owns the fleet.
    pub(super) async fn restore_roster(&mut self) -> Result<(), FleetError> {
        let Some((id, sign, link)) = self.owner.as_ref().filter(|_| self.doubts_roster) else {
            return Ok(());
        };
        // One that was signed here is on its way, and comes after what is there.
        if self.folder.pending_roster()?.is_some() {
            return Ok(());
        }
        let (pinned, signed) = self.folder.roster()?;
        let at = bucket(link, &self.fleet);
        match store::restore_roster(at, id, (&pinned, &signed)).await {
            Ok(false) => {}
            Ok(true) => store::say_fresh(at, (id, sign), &pinned).await?,
            Err(error) => {
                tracing::warn!(%error, "the fleet's roster could not be stored again");
                return Ok(());
            }
        }
        self.doubts_roster = false;
        Ok(())
    }
}

/// Returns the person that an approver counts as, and the highest risk that it may approve.
fn limit_of(member: &Member) -> Option<(String, RiskLevel)> {
    let limits = member.approver.as_ref()?;
    Some((member.counted_as().to_owned(), host_risk(limits.risk)))
}
