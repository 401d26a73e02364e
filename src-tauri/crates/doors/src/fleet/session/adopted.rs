//! Documents of the bucket that came: those that count hold from then on, and an older one that the broker gives out is told.

use super::super::policy::name_of;
use super::super::store::StoredFleetEntry;
use super::FleetHostSession;
use super::refused::sender;
use postern_fleet::{
    AdmittedMessage, FleetMessageKind, FleetRefusal, Hash, Payload, SignedEnvelope, admit_message,
};
use serde::Deserialize;
use std::collections::VecDeque;

/// Documents of the bucket that are remembered as taken.
const TAKEN: usize = 64;

/// Way in which a document of the bucket came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentSource {
    /// Read as the newest of its kind.
    Newest,
    /// Told when it was stored. It may have waited while a newer one was read.
    Live,
}

/// Documents of the bucket that were taken, the last ones.
#[derive(Debug, Default)]
pub(super) struct TakenDocuments(VecDeque<Hash>);

impl TakenDocuments {
    fn add(&mut self, bytes: &[u8]) {
        self.0.push_back(Hash::of_bytes(bytes));
        if self.0.len() > TAKEN {
            self.0.pop_front();
        }
    }
}

/// Member of a roster that its place in the chain is read from. The others are passed over.
#[derive(Deserialize)]
struct RosterNumber {
    version: u64,
}

/// Reads the version that a roster claims. Nothing is checked.
fn claimed_version(bytes: &[u8]) -> Option<u64> {
    let envelope = SignedEnvelope::decode(bytes, FleetMessageKind::Roster.max_bytes()).ok()?;
    let payload: Payload<RosterNumber> = serde_json::from_slice(&envelope.payload).ok()?;
    Some(payload.body.version)
}

impl FleetHostSession {
    /// Takes a bundle or a stage that counts. One that this host cannot read is refused and reported, and nothing changes.
    ///
    /// Returns false for one that does not count, and may later.
    pub(super) async fn take_policy(&mut self, stored: &StoredFleetEntry, arrival: DocumentSource) -> bool {
        let StoredFleetEntry::Policy(bytes) = stored else { return true };
        let now = self.current_time();
        let admitted = match admit_message(&self.fleet, bytes, now) {
            Ok(admitted) => admitted,
            // What came before comes again with each connection.
            Err(FleetRefusal::Known) => return true,
            Err(FleetRefusal::Older) => {
                self.note_older("policy", bytes, arrival).await;
                return true;
            }
            Err(refusal) => {
                let sender = sender(bytes).map(|(from, _)| from);
                // Who wrote it could seal it for this host: no stranger did.
                self.note_refusal(("policy", "policy"), (sender.as_ref(), true), &refusal).await;
                return false;
            }
        };
        self.taken.add(bytes);
        if let AdmittedMessage::Bundle { bundle, hash } = &admitted
            && let Err(why) = self.policy.take_bundle(&self.host, bytes, (bundle, *hash))
        {
            let name = name_of(bundle, hash);
            self.host.call_attention(format!(
                "the fleet’s policy {name} was refused, the one before stays: {why}"
            ));
        } else {
            self.fleet.apply_admitted(&admitted, now);
        }
        match self.policy.keep_state(&self.folder, &self.fleet) {
            Ok(true) => self.policy.put_in_force(&self.host).await,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the fleet's policy could not be kept"),
        }
        true
    }

    /// Takes a roster or word of what is current, if it counts. Returns true for a roster that does.
    pub(super) async fn admit_stored(&mut self, stored: &StoredFleetEntry) -> bool {
        let (bytes, who) = match stored {
            StoredFleetEntry::Roster(bytes) => (bytes, "roster"),
            StoredFleetEntry::Fresh(bytes) => (bytes, "fresh"),
            StoredFleetEntry::Policy(_) => return false,
        };
        let now = self.current_time();
        let admitted = match admit_message(&self.fleet, bytes, now) {
            Ok(admitted @ (AdmittedMessage::Roster(_) | AdmittedMessage::Fresh(_))) => admitted,
            // What came before comes again with each connection.
            Err(FleetRefusal::Known) => return false,
            Err(FleetRefusal::Older) => {
                self.note_older(who, bytes, DocumentSource::Live).await;
                return false;
            }
            refused => {
                let refusal = refused.err().unwrap_or(FleetRefusal::Kind);
                let sender = sender(bytes).map(|(from, _)| from);
                let is_sealed = matches!(stored, StoredFleetEntry::Roster(_));
                self.note_refusal((who, who), (sender.as_ref(), is_sealed), &refusal).await;
                return false;
            }
        };
        self.fleet.apply_admitted(&admitted, now);
        let kept = match &admitted {
            AdmittedMessage::Roster(pinned) => {
                self.taken.add(bytes);
                self.keep_roster(pinned, bytes)
            }
            AdmittedMessage::Fresh(fresh) => self.folder.keep_fresh(fresh),
            _ => Ok(()),
        };
        if let Err(error) = kept {
            tracing::error!(%error, "what counts in the fleet could not be kept");
        }
        matches!(admitted, AdmittedMessage::Roster(_))
    }

    /// Compares the newest roster that the broker has with the one that counts here, after all were taken that can be.
    pub(super) async fn compare_newest_roster(&mut self, newest: &[u8]) {
        let ours = self.fleet.pinned.roster.version;
        match claimed_version(newest) {
            Some(theirs) if theirs < ours => self.note_older("roster", newest, DocumentSource::Newest).await,
            Some(theirs) if theirs > ours => self.host.call_attention(format!(
                "this Mac was away while the owners of its fleet changed, and cannot follow from roster {ours} to {theirs}: let it \
                 join again (postern fleet leave, then postern fleet join CODE)"
            )),
            _ => {}
        }
    }

    /// Records that the broker gives out something older than what counts here.
    ///
    /// What is only told counts as that if it was taken before: else it waited while a newer one was read.
    async fn note_older(&mut self, who: &str, bytes: &[u8], arrival: DocumentSource) {
        if arrival == DocumentSource::Newest || self.taken.0.contains(&Hash::of_bytes(bytes)) {
            let sender = sender(bytes).map(|(from, _)| from);
            self.note_refusal((who, who), (sender.as_ref(), true), &FleetRefusal::RolledBack).await;
        }
    }
}
