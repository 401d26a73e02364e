//! Changes that wait for further signatures: the next roster, or a group's next policy. A signature is added to the bytes that
//! are there, never to others of the same meaning.

use crate::bundle::{Bundle, RolloutStage};
use crate::envelope::{SIGNATURES, SignedEnvelope};
use crate::id::{FleetId, Hash};
use crate::keys::SignKey;
use crate::message::{FleetMessageKind, payload};
use crate::refusal::FleetRefusal;
use crate::roster::{MemberRole, PinnedRoster, Roster};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most documents that wait together: a policy, and the hosts that it is for.
const DOCUMENTS: usize = 2;
/// Hex digits of an id: nobody finds another change of the same one.
const ID: usize = 16;

/// Documents that too few people signed so far: a roster, or a policy's bundle and stage, or a stage alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetProposal {
    documents: Vec<SignedEnvelope>,
}

/// Content of a proposal, with the people whose signatures count.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedProposal<T> {
    pub content: T,
    /// People who signed all documents and may.
    pub signed: BTreeSet<String>,
    /// Number of people who have to sign.
    pub needed: usize,
}

/// Next policy of a group, or the next stage of the one that it has.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedPolicy {
    /// The policy with its hash; `None` if the newest one is brought to more hosts.
    pub bundle: Option<(Bundle, Hash)>,
    pub stage: RolloutStage,
}

impl<T> CheckedProposal<T> {
    /// Returns the number of further people who have to sign.
    pub fn missing(&self) -> usize {
        self.needed.saturating_sub(self.signed.len())
    }
}

impl FleetProposal {
    /// Value of an entry in which nothing waits any more.
    pub const NONE: Self = Self { documents: Vec::new() };

    /// Proposes documents that their author signed.
    pub fn new(documents: Vec<SignedEnvelope>) -> Self {
        Self { documents }
    }

    /// Reads what the broker keeps; `None` if nothing waits, or it is malformed.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let most = FleetMessageKind::Bundle.max_bytes();
        let read: Self = (bytes.len() <= most).then(|| serde_json::from_slice(bytes).ok())??;
        let signed = |one: &SignedEnvelope| (1..=SIGNATURES).contains(&one.signatures.len());
        let fits = (1..=DOCUMENTS).contains(&read.documents.len()) && read.documents.iter().all(signed);
        fits.then_some(read)
    }

    /// Writes it as the broker keeps it.
    pub fn encode(&self) -> Vec<u8> {
        // Texts and lists always have a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Returns its documents.
    pub fn documents(&self) -> &[SignedEnvelope] {
        &self.documents
    }

    /// Returns the name by which people sign it. It stands for the exact bytes, and not for who signed them.
    pub fn id(&self) -> String {
        let parts: Vec<&[u8]> = self
            .documents
            .iter()
            .flat_map(|one| [one.payload_type.as_bytes(), one.payload.as_slice()])
            .collect();
        let mut id = Hash::of_parts("postern-fleet proposal 1", &parts).to_string();
        id.truncate(ID);
        id
    }

    /// Returns the roster that it proposes after the one that counts, if an owner of that signed it.
    pub fn check_roster(
        &self,
        pinned: &PinnedRoster,
        fleet: &FleetId,
    ) -> Result<CheckedProposal<Roster>, FleetRefusal> {
        let [envelope] = self.documents.as_slice() else { return Err(FleetRefusal::Kind) };
        let content = pinned.read_following(envelope, fleet)?;
        self.checked(pinned, MemberRole::Owner, content)
    }

    /// Returns the policy that it proposes, if a publisher of the roster signed it. Its numbers are the caller's to check.
    pub fn check_policy(
        &self,
        pinned: &PinnedRoster,
        fleet: &FleetId,
    ) -> Result<CheckedProposal<ProposedPolicy>, FleetRefusal> {
        let (bundle, stage) = match self.documents.as_slice() {
            [stage] => (None, stage),
            [bundle, stage] => (Some(bundle), stage),
            _ => return Err(FleetRefusal::Kind),
        };
        let hash = bundle.map(|bundle| Hash::of_bytes(&bundle.payload));
        let bundle = bundle.map(|one| payload::<Bundle>(one, FleetMessageKind::Bundle, fleet)).transpose()?;
        let bundle = bundle.map(|read| read.body).zip(hash);
        let stage = payload::<RolloutStage>(stage, FleetMessageKind::Stage, fleet)?.body;
        if bundle.as_ref().is_some_and(|(bundle, hash)| stage.group != bundle.group || stage.bundle != *hash)
        {
            return Err(FleetRefusal::NoBundle);
        }
        self.checked(pinned, MemberRole::Publisher, ProposedPolicy { bundle, stage })
    }

    /// Adds the people who signed every document. Nobody's signature, and it is nobody's proposal.
    fn checked<T>(
        &self,
        pinned: &PinnedRoster,
        role: MemberRole,
        content: T,
    ) -> Result<CheckedProposal<T>, FleetRefusal> {
        let roster = &pinned.roster;
        let mut signed = roster.persons(role);
        for envelope in &self.documents {
            let people = roster.people_who_signed(envelope, role);
            signed.retain(|person| people.contains(person));
        }
        let needed = roster.needed(role);
        if signed.is_empty() {
            return Err(FleetRefusal::TooFew { have: 0, need: needed });
        }
        let signed = signed.into_iter().map(str::to_owned).collect();
        Ok(CheckedProposal { content, signed, needed })
    }

    /// Returns it with the signature of one more key on the same bytes. Signatures that count for nothing are left out.
    #[must_use]
    pub fn signed_with(&self, key: &SignKey, roster: &Roster, role: MemberRole) -> Self {
        let mut signed = self.clone();
        let own = key.verifier();
        for envelope in &mut signed.documents {
            envelope.retain_signatures(roster.members_with(role).map(|member| &member.sign));
            if envelope.signers([((), &own)]).is_empty() {
                envelope.add_signature(key);
            }
        }
        signed
    }
}
