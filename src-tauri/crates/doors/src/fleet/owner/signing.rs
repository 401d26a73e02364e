//! A roster that one owner proposes and others sign: it counts once as many people signed it as the present one wants.

use super::super::keep::PENDING;
use super::super::proposals::{
    ProposedContent, ShownProposal, SignaturesNeeded, WaitingProposal, hash_of, require_unsigned, unsignable,
    waits_already,
};
use super::super::store::{self, ROSTER, ROSTER_PROPOSAL};
use super::super::{FleetError, header};
use super::FleetOwner;
use async_nats::Subscriber;
use futures_util::StreamExt as _;
use postern_fleet::{
    CheckedProposal, FleetId, FleetProposal, MemberRole, Roster, SealKey, SignedEnvelope, Subjects,
};
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for other owners to sign while a device waits to be let in. It waits a little longer itself.
const SIGNED_WITHIN: Duration = Duration::from_mins(9);

impl FleetOwner {
    /// Returns the change of the roster that waits for signatures.
    pub async fn waiting_proposal(&mut self) -> Result<Option<WaitingProposal>, FleetError> {
        self.follow().await?;
        let (revision, proposal) = self.read_proposal().await?;
        // One that could not be removed when it began to count waits for nobody.
        let proposal = proposal.filter(|one| hash_of(one.documents().first()) != self.pinned.hash);
        Ok(proposal.map(|proposal| {
            let id = proposal.id();
            let shown = self.check_proposal(&proposal).map(|checked| {
                let (before, after) = (self.pinned.roster.clone(), checked.content.clone());
                let content = ProposedContent::Roster { before: Box::new(before), after: Box::new(after) };
                let needed = self.needed(&proposal, &checked);
                let own = self.require_signable(&checked, &needed).is_ok();
                ShownProposal::new(&checked, &self.pinned.roster, (needed, own), content)
            });
            WaitingProposal { id, group: None, shown, proposal, revision }
        }))
    }

    /// Signs a change as it was shown, and stores the roster once enough people signed it.
    pub async fn sign_proposal(&mut self, shown: &WaitingProposal) -> Result<(), FleetError> {
        self.follow().await?;
        let checked = self.check_proposal(&shown.proposal).map_err(FleetError::Refused)?;
        let needed = self.needed(&shown.proposal, &checked);
        self.require_signable(&checked, &needed).map_err(FleetError::Refused)?;
        let _turn = self.begin_storing().await?;
        self.note_signed(&shown.proposal, &checked.content)?;
        let signed = shown.proposal.signed_with(&self.keys.sign, &self.pinned.roster, MemberRole::Owner);
        let checked = self.check_proposal(&signed).map_err(FleetError::Refused)?;
        // Either this signature counts, or somebody withdrew the change before. Where this Mac ends now, others store it.
        self.replace_proposal(&signed, shown.revision).await?;
        if checked.missing() > 0 {
            return Err(FleetError::Proposed(self.needed(&signed, &checked)));
        }
        let [envelope] = signed.documents() else { return Err(FleetError::NoOwner) };
        let next = self.pinned.verify_later(envelope, &self.membership.fleet).map_err(FleetError::refused)?;
        self.folder.write_json(PENDING, envelope)?;
        self.store_roster(next, envelope.clone()).await
    }

    /// Withdraws a change. Who signed it can't take that back: the number of its roster is used by nobody here any more.
    pub async fn withdraw_proposal(&self, shown: &WaitingProposal) -> Result<(), FleetError> {
        self.replace_proposal(&FleetProposal::NONE, shown.revision).await
    }

    /// Returns true if a roster is still among what waits for signatures.
    pub(super) async fn is_proposed(&self, roster: &SignedEnvelope) -> Result<bool, FleetError> {
        let (_, waiting) = self.read_proposal().await?;
        Ok(waiting.is_some_and(|one| hash_of(one.documents().first()) == hash_of(Some(roster))))
    }

    /// Takes away what waits for signatures if it counts by now, or if one owner is enough.
    pub(super) async fn clear_proposal(&self) -> Result<(), FleetError> {
        let (revision, waiting) = self.read_proposal().await?;
        let counts = |one: &FleetProposal| hash_of(one.documents().first()) == self.pinned.hash;
        if waiting.is_some_and(|one| counts(&one) || !self.is_one_of_several()) {
            self.replace_proposal(&FleetProposal::NONE, revision).await?;
        }
        Ok(())
    }

    /// Returns true if further owners have to sign what this one does.
    pub(super) fn is_one_of_several(&self) -> bool {
        self.pinned.roster.needed(MemberRole::Owner) > 1
    }

    /// Signs a roster as the first of several owners, and stores it for the others.
    pub(super) async fn propose(&mut self, mut roster: Roster) -> Result<SignaturesNeeded, FleetError> {
        let (revision, waiting) = self.read_proposal().await?;
        if let Some(waiting) = waiting.filter(|waiting| self.check_proposal(waiting).is_ok()) {
            return Err(FleetError::Refused(waits_already(&waiting.id())));
        }
        roster.validate().map_err(FleetError::refused)?;
        roster.version = self.folder.free_number(ROSTER, roster.version)?;
        let header = header(&self.membership.fleet, &self.me)?;
        let envelope = header.sign_body(roster, &[&self.keys.sign]);
        store::require_size::<Roster>(&envelope)?;
        let proposal = FleetProposal::new(vec![envelope]);
        let checked = self.check_proposal(&proposal).map_err(FleetError::Refused)?;
        self.note_signed(&proposal, &checked.content)?;
        self.replace_proposal(&proposal, revision).await?;
        Ok(self.needed(&proposal, &checked))
    }

    pub(super) async fn stored_rosters(&self) -> Result<Subscriber, FleetError> {
        let stored = self.link.subscribe(Subjects::for_fleet(&self.membership.fleet).stored(ROSTER)).await?;
        self.link.client.flush().await.map_err(FleetError::broker)?;
        Ok(stored)
    }

    /// Waits until other owners signed the roster with these new members, and returns the rosters that came.
    pub(super) async fn until_signed(
        &mut self,
        mut stored: Subscriber,
        ids: &[FleetId],
    ) -> Result<Vec<SignedEnvelope>, FleetError> {
        let mut rosters = Vec::new();
        let signed = timeout(SIGNED_WITHIN, async {
            while stored.next().await.is_some() {
                rosters.extend(self.follow().await?);
                if !rosters.is_empty() {
                    return Ok(());
                }
            }
            Err(FleetError::Unreachable("the connection was lost".to_owned()))
        });
        if let Ok(followed) = signed.await {
            followed?;
        }
        if ids.iter().all(|id| self.pinned.roster.member(id).is_some()) {
            return Ok(rosters);
        }
        let late = "nobody else signed in time: invite it again while another owner is there";
        Err(FleetError::Refused(late.to_owned()))
    }

    fn check_proposal(&self, proposal: &FleetProposal) -> Result<CheckedProposal<Roster>, String> {
        let checked = proposal.check_roster(&self.pinned, &self.membership.fleet);
        checked.map_err(|refusal| unsignable(&refusal))
    }

    /// Refuses what this person signed already, and what other owners have to sign.
    fn require_signable(
        &self,
        checked: &CheckedProposal<Roster>,
        needed: &SignaturesNeeded,
    ) -> Result<(), String> {
        require_unsigned(checked, self.pinned.roster.member(&self.me), needed)?;
        let stays = |me: &postern_fleet::Member| me.has_role(MemberRole::Owner);
        if !checked.content.member(&self.me).is_some_and(stays) {
            // An owner's word that this roster is current has to come from this Mac.
            return Err("it takes the role of owner from you: other owners have to sign it".to_owned());
        }
        Ok(())
    }

    fn needed(&self, proposal: &FleetProposal, checked: &CheckedProposal<Roster>) -> SignaturesNeeded {
        let signers = (&self.pinned.roster, MemberRole::Owner);
        SignaturesNeeded::of_proposal(proposal.id(), checked, signers)
    }

    fn note_signed(&self, proposal: &FleetProposal, roster: &Roster) -> Result<(), FleetError> {
        let hash = hash_of(proposal.documents().first());
        self.folder.note_signed(ROSTER, (roster.version, hash), self.pinned.roster.version + 1)
    }

    async fn read_proposal(&self) -> Result<(u64, Option<FleetProposal>), FleetError> {
        store::newest_proposal(self.bucket(), ROSTER_PROPOSAL).await
    }

    /// Stores what waits, sealed for the owners alone.
    async fn replace_proposal(&self, proposal: &FleetProposal, revision: u64) -> Result<(), FleetError> {
        let owners = self.pinned.roster.members_with(MemberRole::Owner);
        let to: Vec<SealKey> = owners.map(|owner| owner.seal).collect();
        store::replace_proposal(self.bucket(), ROSTER_PROPOSAL, proposal, (&to, revision)).await.map(drop)
    }
}
