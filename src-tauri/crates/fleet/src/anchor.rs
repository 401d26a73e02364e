//! Audit of a host: signed heads of the chain of its rows, which leave the host. A comparison finds what is missing or was
//! made up.

use crate::id::{FleetId, Hash};
use crate::keys::VerifyKey;
use crate::message::{FleetMessageBody, FleetMessageKind, Payload, signed_payload};
use serde::{Deserialize, Serialize};

/// Fewest anchors of a host that its broker keeps. A log that begins with a later one than the first has as many.
pub const LEAST_ANCHORS: usize = 64;

/// Signed head of a host's chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Anchor {
    /// Counts up by one, from 1.
    pub seq: u64,
    /// Number of records that the head covers.
    pub count: u64,
    /// Head of the chain of records.
    pub head: Hash,
    /// Hash of the anchor before; [`Hash::NONE`] before the first.
    pub previous: Hash,
    /// Policy in force.
    pub policy: String,
    pub roster: Hash,
}

impl FleetMessageBody for Anchor {
    const KIND: FleetMessageKind = FleetMessageKind::Anchor;
}

/// The last anchor that an approver saw of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorHead {
    pub seq: u64,
    /// Hash of its signed bytes.
    pub hash: Hash,
    /// Number of records that it covers.
    pub count: u64,
    /// Head of the chain of those records.
    pub records: Hash,
}

/// Something that is wrong with a host's audit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnchorFinding {
    #[error("entry {0} is not an anchor that this host signed")]
    Foreign(usize),
    #[error("anchors {from} to {to} are missing")]
    Gap {
        /// The first that is missing.
        from: u64,
        /// The last that is missing.
        to: u64,
    },
    #[error("there are two signed anchors {0}")]
    Fork(u64),
    #[error("anchor {0} follows another anchor than the one before it")]
    Broken(u64),
    #[error("anchor {0} covers fewer records than the one before it")]
    Fewer(u64),
    #[error("anchor {kept} was seen before, and the log now ends at {last}")]
    CutOff {
        /// The anchor that was seen.
        kept: u64,
        /// The last one that is there; 0 if none is.
        last: u64,
    },
    #[error("anchor {0} is not the one that was seen before")]
    Replaced(u64),
}

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorReport {
    /// The last anchor that holds, to be kept.
    pub last: Option<AnchorHead>,
    /// Every anchor, in its order.
    pub anchors: Vec<AnchorHead>,
    /// Faults that were found; empty if there are none.
    pub findings: Vec<AnchorFinding>,
}

/// Anchor that a host signed, as far as it is compared with others. A log has many of them: each is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedAnchor {
    head: AnchorHead,
    /// Hash of the anchor that it names before it.
    previous: Hash,
}

impl SignedAnchor {
    /// Reads an entry of a host's log; `None` if it is not an anchor that this host signed.
    pub fn from_entry(fleet: &FleetId, (host, key): (&FleetId, &VerifyKey), entry: &[u8]) -> Option<Self> {
        let (envelope, Payload { body, .. }) =
            signed_payload::<Anchor>(entry, FleetMessageKind::Anchor, fleet, (host, key))?;
        let hash = Hash::of_bytes(&envelope.payload);
        let head = AnchorHead { seq: body.seq, hash, count: body.count, records: body.head };
        Some(Self { head, previous: body.previous })
    }
}

/// Compares the anchors of a host, in the order of the log, with each other and with the last one seen. An entry that is none of
/// its anchors is `None`.
///
/// A log of [`LEAST_ANCHORS`] may begin later than with the first: with the one after the last seen at the latest.
pub fn verify(entries: &[Option<SignedAnchor>], kept: Option<AnchorHead>) -> AnchorReport {
    let (mut findings, mut anchors) = (Vec::new(), Vec::new());
    let mut last: Option<AnchorHead> = None;
    let mut seen = kept.is_none();
    for (index, entry) in entries.iter().enumerate() {
        let Some(SignedAnchor { head, previous }) = *entry else {
            findings.push(AnchorFinding::Foreign(index));
            continue;
        };
        let seq = head.seq;
        // Of a long log the broker keeps the newest: it goes on from what was seen.
        let begins_later = last.is_none() && seq > 1 && entries.len() >= LEAST_ANCHORS;
        let before = if begins_later { kept.filter(|kept| kept.seq < seq) } else { last };
        seen |= begins_later && before.is_some();
        let is_unknown = begins_later && before.is_none();
        let expected = if is_unknown { seq } else { before.map_or(1, |before| before.seq.saturating_add(1)) };
        if seq < expected {
            // The same entry twice says nothing; another one of the same number is a fork.
            let same = last.is_some_and(|last| last.hash == head.hash);
            findings.extend((!same).then_some(AnchorFinding::Fork(seq)));
            continue;
        }
        if seq > expected {
            findings.push(AnchorFinding::Gap { from: expected, to: seq - 1 });
        } else if !is_unknown && previous != before.map_or(Hash::NONE, |before| before.hash) {
            findings.push(AnchorFinding::Broken(seq));
        }
        if before.is_some_and(|before| head.count < before.count) {
            findings.push(AnchorFinding::Fewer(seq));
        }
        if let Some(kept) = kept.filter(|kept| kept.seq == seq) {
            seen = true;
            findings.extend((kept.hash != head.hash).then_some(AnchorFinding::Replaced(seq)));
        }
        last = Some(head);
        anchors.push(head);
    }
    if let (false, Some(kept)) = (seen, kept) {
        findings.push(match last.map_or(0, |last| last.seq) {
            end if end < kept.seq => AnchorFinding::CutOff { kept: kept.seq, last: end },
            _ => AnchorFinding::Replaced(kept.seq),
        });
    }
    AnchorReport { last, anchors, findings }
}
