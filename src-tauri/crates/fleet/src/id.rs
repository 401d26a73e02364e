//! Names of fleets, members and messages, and hashes.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Name of a fleet, a member, a group or a message, fit for one token of a NATS subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FleetId(String);

/// Reason why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id is 1 to 64 of a-z, 0-9 and -, beginning with a letter or digit")]
pub struct IdError;

impl FleetId {
    /// Makes an id of random bytes.
    pub fn random(bytes: [u8; 16]) -> Self {
        Self(encode_hex(&bytes))
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FleetId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        let letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|c| letter(c) || c == b'-')
            && text.bytes().next().is_some_and(letter);
        if fits { Ok(Self(text)) } else { Err(IdError) }
    }
}

impl std::str::FromStr for FleetId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::try_from(text.to_owned())
    }
}

impl From<FleetId> for String {
    fn from(id: FleetId) -> Self {
        id.0
    }
}

impl fmt::Display for FleetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// SHA-256 of something that is pinned or chained; 64 hex digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    /// Hash before the first link of a chain.
    pub const NONE: Self = Self([0; 32]);

    /// Hashes bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes parts for one purpose. Each part is preceded by its length, so that no two lists are the same.
    pub fn of_parts(purpose: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Returns an id of its first half.
    pub(crate) fn into_id(self) -> FleetId {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0[..16]);
        FleetId::random(half)
    }

    /// Takes the bytes of a hash.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns its first eight hex digits, for people.
    pub fn short_hex(&self) -> String {
        encode_hex(&self.0[..4])
    }
}

impl TryFrom<String> for Hash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let wrong = "a hash is 64 lower-case hex digits";
        if text.len() != 64 || !text.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c)) {
            return Err(wrong);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| wrong)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong)?;
        }
        Ok(Self(bytes))
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        encode_hex(&hash.0)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.short_hex())
    }
}

fn encode_hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}
