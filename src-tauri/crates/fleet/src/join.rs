//! Joining: both sides commit to their keys, reveal them under a MAC with the code's secret, and show six digits.
//!
//! A thief of the code can answer in either side's place, but has committed before it knows the other's keys: the
//! digits then differ, but for one chance in a million. A broker in between without the code fails at the MAC.

use crate::code::InvitationCode;
use crate::id::Hash;
use crate::keys::{SealKey, VerifyKey};
use crate::seed::keyed_hmac;
use hmac::Mac as _;
use serde::{Deserialize, Serialize};

/// Largest number of members that one device joins as: a host and an approver.
const MEMBERS: usize = 2;

/// The two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinSide {
    /// The owner who invited.
    Owner,
    /// The device that joins.
    Joiner,
}

impl JoinSide {
    fn label_bytes(self) -> &'static [u8] {
        match self {
            Self::Owner => b"owner",
            Self::Joiner => b"joiner",
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::Owner => Self::Joiner,
            Self::Joiner => Self::Owner,
        }
    }
}

/// Keys that a side introduces, for each member that it is or wants to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// Name of the device, as its person typed it.
    pub name: String,
    /// True if these are the keys of a host.
    pub host: bool,
    /// Key that signatures are verified with.
    pub sign: VerifyKey,
    /// Key that messages are sealed with.
    pub seal: SealKey,
    /// Key for the broker.
    pub nkey: VerifyKey,
}

/// Message of a side once both have committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// Introductions of the side's members.
    pub members: Vec<Introduction>,
    /// Random bytes that hid them in the commitment.
    #[serde(with = "crate::envelope::text")]
    pub nonce: Vec<u8>,
    /// MAC over both commitments and the above.
    #[serde(with = "crate::envelope::text")]
    pub mac: Vec<u8>,
}

/// Reason why joining stops.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    #[error("the other side revealed other keys than it committed to")]
    Commitment,
    #[error("the other side does not have this code")]
    Mac,
    #[error("a device joins as one or two members")]
    Members,
}

/// State of either side while it joins.
#[derive(Debug, Clone)]
pub struct Party {
    code: InvitationCode,
    side: JoinSide,
    members: Vec<Introduction>,
    nonce: [u8; 32],
}

/// Result of joining, until people compared the digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The other side's members.
    pub members: Vec<Introduction>,
    /// Six digits, which both screens must show.
    pub digits: String,
}

impl Party {
    /// Makes a side with its members and 32 fresh random bytes.
    pub fn new(code: InvitationCode, side: JoinSide, members: Vec<Introduction>, nonce: [u8; 32]) -> Self {
        Self { code, side, members, nonce }
    }

    /// Returns what is sent first: it binds this side to its keys and tells nothing of them.
    pub fn commitment(&self) -> Hash {
        commitment(&self.code, self.side, &self.members, &self.nonce)
    }

    /// Returns what is sent once the other side's commitment is there.
    pub fn reveal(&self, theirs: Hash) -> Reveal {
        let mac =
            self.reveal_mac(self.side, theirs, &self.members, &self.nonce).finalize().into_bytes().to_vec();
        Reveal { members: self.members.clone(), nonce: self.nonce.to_vec(), mac }
    }

    /// Checks what the other side revealed, and returns it with the digits to compare.
    pub fn finish(&self, theirs: Hash, reveal: &Reveal) -> Result<Joined, JoinError> {
        let other = self.side.opposite();
        if !(1..=MEMBERS).contains(&reveal.members.len()) {
            return Err(JoinError::Members);
        }
        self.reveal_mac(other, theirs, &reveal.members, &reveal.nonce)
            .verify_slice(&reveal.mac)
            .map_err(|_| JoinError::Mac)?;
        if commitment(&self.code, other, &reveal.members, &reveal.nonce) != theirs {
            return Err(JoinError::Commitment);
        }
        let nonces = match self.side {
            JoinSide::Owner => [&self.nonce[..], &reveal.nonce],
            JoinSide::Joiner => [&reveal.nonce[..], &self.nonce],
        };
        let digits = digits(&self.code, self.commitments(theirs), nonces);
        Ok(Joined { members: reveal.members.clone(), digits })
    }

    /// Returns the commitments of the two sides, the owner's first.
    fn commitments(&self, theirs: Hash) -> [Hash; 2] {
        match self.side {
            JoinSide::Owner => [self.commitment(), theirs],
            JoinSide::Joiner => [theirs, self.commitment()],
        }
    }

    fn reveal_mac(
        &self,
        side: JoinSide,
        theirs: Hash,
        members: &[Introduction],
        nonce: &[u8],
    ) -> hmac::Hmac<sha2::Sha256> {
        let [owner, joiner] = self.commitments(theirs);
        let said = Hash::of_parts(
            "postern-fleet join reveal 1",
            &[side.label_bytes(), owner.as_bytes(), joiner.as_bytes(), &encode(members), nonce],
        );
        let mut mac = keyed_hmac(&self.code.mac_key());
        mac.update(said.as_bytes());
        mac
    }
}

fn commitment(code: &InvitationCode, side: JoinSide, members: &[Introduction], nonce: &[u8]) -> Hash {
    let (fleet, join) = (code.fleet.as_str().as_bytes(), code.join.as_str().as_bytes());
    Hash::of_parts("postern-fleet join commit 1", &[side.label_bytes(), fleet, join, &encode(members), nonce])
}

fn digits(
    code: &InvitationCode,
    [owner, joiner]: [Hash; 2],
    [owner_nonce, joiner_nonce]: [&[u8]; 2],
) -> String {
    let hash = Hash::of_parts(
        "postern-fleet join digits 1",
        &[
            code.join.as_str().as_bytes(),
            code.roster.as_bytes(),
            owner.as_bytes(),
            joiner.as_bytes(),
            owner_nonce,
            joiner_nonce,
        ],
    );
    let number = hash.as_bytes().iter().take(8).fold(0, |value: u64, byte| (value << 8) | u64::from(*byte));
    format!("{:06}", number % 1_000_000)
}

fn encode(members: &[Introduction]) -> Vec<u8> {
    // Texts and flags always have a JSON form.
    serde_json::to_vec(members).unwrap_or_default()
}
