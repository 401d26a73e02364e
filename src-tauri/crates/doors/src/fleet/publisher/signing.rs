//! A policy that one publisher proposes and others sign: it is published once as many people signed it as the roster wants.

use super::super::proposals::{
    ProposedContent, ShownProposal, SignaturesNeeded, WaitingProposal, require_unsigned, unsignable,
    waits_already,
};
use super::super::store::{self, BUNDLE, PROPOSAL, STAGE};
use super::super::{FleetError, header};
use super::Publisher;
use super::published::Published;
use postern_fleet::{
    Bundle, CheckedProposal, FleetId, FleetProposal, FleetRefusal, Hash, MemberRole, ProposedPolicy,
    RiseLimits, RolloutReach, RolloutStage, SealKey, SignedEnvelope, Subjects, bundle_name,
};
use serde_json::Value;

/// Most by which a proposed version may pass over others: those that somebody signed and that were withdrawn.
const PASSED_OVER: u64 = 1024;

impl Publisher {
    /// Returns true if the person's member has a role.
    pub fn has_role(&self, role: MemberRole) -> bool {
        self.pinned.roster.member(&self.me).is_some_and(|me| me.has_role(role))
    }

    /// Returns the policies that wait for signatures, of all groups.
    pub async fn waiting_proposals(&self) -> Result<Vec<WaitingProposal>, FleetError> {
        let mut all = Vec::new();
        for group in self.pinned.roster.all_groups() {
            let (revision, Some(proposal)) = self.read_proposal(group).await? else { continue };
            let published = self.read_published(group).await?;
            if self.is_published(&proposal, &published) {
                continue;
            }
            let id = proposal.id();
            let shown = self.check_proposal(&proposal, group, &published).map(|checked| {
                let content = content(&checked.content, &published);
                let needed = self.needed(&proposal, &checked);
                let me = self.pinned.roster.member(&self.me);
                let own = require_unsigned(&checked, me, &needed).is_ok();
                ShownProposal::new(&checked, &self.pinned.roster, (needed, own), content)
            });
            all.push(WaitingProposal { id, group: Some(group.clone()), shown, proposal, revision });
        }
        Ok(all)
    }

    /// Signs a policy as it was shown, and publishes it once enough people signed it.
    pub async fn sign_proposal(&self, shown: &WaitingProposal) -> Result<(), FleetError> {
        let Some(group) = &shown.group else { return Err(FleetError::NoOwner) };
        let published = self.read_published(group).await?;
        let checked = self.check_proposal(&shown.proposal, group, &published).map_err(FleetError::Refused)?;
        let needed = self.needed(&shown.proposal, &checked);
        let me = self.pinned.roster.member(&self.me);
        require_unsigned(&checked, me, &needed).map_err(FleetError::Refused)?;
        self.note_signed(&checked.content, published.next.bundle.0)?;
        let signed = shown.proposal.signed_with(&self.keys.sign, &self.pinned.roster, MemberRole::Publisher);
        let checked = self.check_proposal(&signed, group, &published).map_err(FleetError::Refused)?;
        // Either this signature counts, or somebody withdrew the policy before. Where this Mac ends now, others publish it.
        let revision = self.replace_proposal(group, &signed, shown.revision).await?;
        if checked.missing() > 0 {
            return Err(FleetError::Proposed(self.needed(&signed, &checked)));
        }
        let next = &published.next;
        let (bundle, stage) = match signed.documents() {
            [bundle, stage] => (Some(bundle), stage),
            [stage] => (None, stage),
            _ => return Err(FleetError::NoOwner),
        };
        if let (Some(envelope), Some((bundle, hash))) = (bundle, &checked.content.bundle)
            && !is_newest(*hash, &published)
        {
            self.store_signed(BUNDLE, group, envelope, next.bundle_revision).await?;
            self.note_seen(group, bundle.version, *hash)?;
        }
        self.store_signed(STAGE, group, stage, next.stage_revision).await?;
        // One that stays there is older than what counts: nobody can sign it, and the next one takes its place.
        if let Err(error) = self.replace_proposal(group, &FleetProposal::NONE, revision).await {
            tracing::warn!(%error, "a signed policy could not be removed from those that wait");
        }
        Ok(())
    }

    /// Withdraws a policy that waits.
    pub async fn withdraw_proposal(&self, shown: &WaitingProposal) -> Result<(), FleetError> {
        let Some(group) = &shown.group else { return Err(FleetError::NoOwner) };
        self.require_publisher()?;
        self.replace_proposal(group, &FleetProposal::NONE, shown.revision).await.map(drop)
    }

    /// Returns true if further publishers have to sign what this one does.
    pub(super) fn is_one_of_several(&self) -> bool {
        self.pinned.roster.needed(MemberRole::Publisher) > 1
    }

    /// Returns the version that a proposed policy may have: nobody signs two of a number.
    pub(super) fn free_version(&self, group: &FleetId, next: u64) -> Result<u64, FleetError> {
        if self.is_one_of_several() { self.folder.free_number(&signed_key(group), next) } else { Ok(next) }
    }

    /// Proposes a policy and its stage, or a stage alone, to the other publishers. This one signed them.
    pub(super) async fn propose(
        &self,
        group: &FleetId,
        documents: Vec<SignedEnvelope>,
        published: &Published,
    ) -> Result<SignaturesNeeded, FleetError> {
        self.require_publisher()?;
        let (revision, waiting) = self.read_proposal(group).await?;
        if let Some(waiting) =
            waiting.filter(|waiting| self.check_proposal(waiting, group, published).is_ok())
        {
            return Err(FleetError::Refused(waits_already(&waiting.id())));
        }
        let proposal = FleetProposal::new(documents);
        let checked = self.check_proposal(&proposal, group, published).map_err(FleetError::Refused)?;
        self.note_signed(&checked.content, published.next.bundle.0)?;
        self.replace_proposal(group, &proposal, revision).await?;
        Ok(self.needed(&proposal, &checked))
    }

    /// Checks that a proposal is what is published: it could not be removed when it began to count.
    fn is_published(&self, proposal: &FleetProposal, published: &Published) -> bool {
        let checked = proposal.check_policy(&self.pinned, &self.fleet);
        checked.is_ok_and(|checked| published.stage.as_ref() == Some(&checked.content.stage))
    }

    /// Checks that a proposal follows what is published.
    fn check_proposal(
        &self,
        proposal: &FleetProposal,
        group: &FleetId,
        published: &Published,
    ) -> Result<CheckedProposal<ProposedPolicy>, String> {
        let checked =
            proposal.check_policy(&self.pinned, &self.fleet).map_err(|refusal| unsignable(&refusal))?;
        let ProposedPolicy { bundle, stage } = &checked.content;
        if stage.group != *group {
            return Err(unsignable(&FleetRefusal::OtherGroup(stage.group.clone())));
        }
        let (version, previous) = published.next.bundle;
        let follows = match bundle {
            None => is_newest(stage.bundle, published),
            Some((_, hash)) if is_newest(*hash, published) => true,
            Some((bundle, _)) => {
                let passed_over = bundle.version.checked_sub(version);
                bundle.previous == previous && passed_over.is_some_and(|over| over <= PASSED_OVER)
            }
        };
        if !follows || stage.number != published.next.stage {
            return Err(unsignable(&FleetRefusal::Older));
        }
        if let Some((bundle, _)) = bundle {
            RiseLimits::read(&bundle.limits)?;
            bundle.rules.parse_each::<Value>()?;
        }
        Ok(checked)
    }

    fn needed(
        &self,
        proposal: &FleetProposal,
        checked: &CheckedProposal<ProposedPolicy>,
    ) -> SignaturesNeeded {
        let signers = (&self.pinned.roster, MemberRole::Publisher);
        SignaturesNeeded::of_proposal(proposal.id(), checked, signers)
    }

    /// Notes the version that is signed. A stage alone says nothing that a later one does not replace.
    fn note_signed(&self, content: &ProposedPolicy, next: u64) -> Result<(), FleetError> {
        let Some((bundle, hash)) = &content.bundle else { return Ok(()) };
        self.folder.note_signed(&signed_key(&bundle.group), (bundle.version, *hash), next)
    }

    async fn read_proposal(&self, group: &FleetId) -> Result<(u64, Option<FleetProposal>), FleetError> {
        let key = Subjects::for_fleet(&self.fleet).group_key(PROPOSAL, group);
        store::newest_proposal(self.bucket(), &key).await
    }

    /// Stores what waits, sealed for the publishers alone. Returns its revision.
    async fn replace_proposal(
        &self,
        group: &FleetId,
        proposal: &FleetProposal,
        revision: u64,
    ) -> Result<u64, FleetError> {
        let publishers = self.pinned.roster.members_with(MemberRole::Publisher);
        let to: Vec<SealKey> = publishers.map(|publisher| publisher.seal).collect();
        let key = Subjects::for_fleet(&self.fleet).group_key(PROPOSAL, group);
        store::replace_proposal(self.bucket(), &key, proposal, (&to, revision)).await
    }

    pub(super) fn sign_stage(
        &self,
        group: &FleetId,
        (bundle, reach): (Hash, RolloutReach),
        number: u64,
    ) -> Result<SignedEnvelope, FleetError> {
        let stage = RolloutStage { group: group.clone(), number, bundle, reach };
        Ok(header(&self.fleet, &self.me)?.sign_body(stage, &[&self.keys.sign]))
    }
}

fn signed_key(group: &FleetId) -> String {
    format!("{BUNDLE}.{group}")
}

fn newest(published: &Published) -> Option<&(Bundle, Hash)> {
    published.newest.as_ref().ok().and_then(Option::as_ref)
}

fn is_newest(hash: Hash, published: &Published) -> bool {
    newest(published).is_some_and(|(_, newest)| *newest == hash)
}

/// Returns both sides of a change.
fn content(proposed: &ProposedPolicy, published: &Published) -> ProposedContent {
    let before = newest(published);
    let named = proposed.bundle.as_ref().or(before);
    let name = named.map(|(bundle, hash)| bundle_name(&bundle.group, bundle.version, hash));
    ProposedContent::Policy {
        name: name.unwrap_or_default(),
        before: before.map(|(bundle, _)| Box::new(bundle.clone())),
        after: proposed.bundle.as_ref().map(|(bundle, _)| Box::new(bundle.clone())),
        reach: proposed.stage.reach.clone(),
    }
}
