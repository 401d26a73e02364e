//! Keys of a member: Ed25519 to sign, X25519 to receive, and an Ed25519 nkey for the broker.

use crate::base32;
use crate::id::Hash;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable as _, Kem as _, Serializable as _};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason why bytes are no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a key is 32 bytes in base64")]
pub struct KeyError;

/// Secret key that signs, or that proves a member to the broker.
pub struct SignKey {
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

impl SignKey {
    /// Makes the key of 32 random bytes.
    pub fn from_seed(seed: [u8; 32]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| KeyError)?;
        Ok(Self { seed, pair })
    }

    /// Returns the seed that it was made of, to be kept where secrets are.
    pub fn seed_bytes(&self) -> &[u8; 32] {
        &self.seed
    }

    /// Returns the key that its signatures are verified with.
    pub fn verifier(&self) -> VerifyKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        VerifyKey(bytes)
    }

    /// Signs bytes.
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        let mut signature = [0; 64];
        signature.copy_from_slice(self.pair.sign(bytes).as_ref());
        signature
    }

    /// Returns the seed as NATS clients read it.
    pub fn nkey_seed(&self) -> String {
        base32::seed_nkey(&self.seed)
    }
}

/// Public key of a signer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VerifyKey([u8; 32]);

impl VerifyKey {
    /// Takes the bytes of a key.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns whether a signature of bytes is this key's.
    pub fn verify(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(bytes, signature).is_ok()
    }

    /// Returns the short name that envelopes give it: it helps to find the key and proves nothing.
    pub fn key_id(&self) -> String {
        Hash::of_bytes(&self.0).to_string()[..16].to_owned()
    }

    /// Returns the key as nats-server's configuration has it.
    pub fn public_nkey(&self) -> String {
        base32::public_nkey(&self.0)
    }
}

/// Secret key that opens what was sealed for a member.
pub struct OpenKey {
    seed: [u8; 32],
    secret: <X25519HkdfSha256 as hpke::Kem>::PrivateKey,
    public: SealKey,
}

impl OpenKey {
    /// Derives the key of 32 random bytes, as RFC 9180 has it.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let (secret, public) = X25519HkdfSha256::derive_keypair(&seed);
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&public.to_bytes());
        Self { seed, secret, public: SealKey(bytes) }
    }

    /// Returns the seed that it was made of, to be kept where secrets are.
    pub fn seed_bytes(&self) -> &[u8; 32] {
        &self.seed
    }

    /// Returns the key that others seal with.
    pub fn sealer(&self) -> SealKey {
        self.public
    }

    pub(crate) fn secret(&self) -> &<X25519HkdfSha256 as hpke::Kem>::PrivateKey {
        &self.secret
    }
}

/// Public key of a recipient.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SealKey([u8; 32]);

impl SealKey {
    pub(crate) fn public(&self) -> Option<<X25519HkdfSha256 as hpke::Kem>::PublicKey> {
        <X25519HkdfSha256 as hpke::Kem>::PublicKey::from_bytes(&self.0).ok()
    }

    /// Returns the short name that a sealed message gives it.
    pub fn key_id(&self) -> String {
        Hash::of_bytes(&self.0).to_string()[..16].to_owned()
    }

    /// Returns the same name as bytes.
    pub(crate) fn short_hash(&self) -> [u8; 8] {
        let mut short = [0; 8];
        short.copy_from_slice(&Hash::of_bytes(&self.0).as_bytes()[..8]);
        short
    }
}

fn decode_key(text: &str) -> Result<[u8; 32], KeyError> {
    let bytes = STANDARD.decode(text).map_err(|_| KeyError)?;
    bytes.try_into().map_err(|_| KeyError)
}

impl TryFrom<String> for VerifyKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        decode_key(&text).map(Self)
    }
}

impl TryFrom<String> for SealKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        decode_key(&text).map(Self)
    }
}

impl From<VerifyKey> for String {
    fn from(key: VerifyKey) -> Self {
        STANDARD.encode(key.0)
    }
}

impl From<SealKey> for String {
    fn from(key: SealKey) -> Self {
        STANDARD.encode(key.0)
    }
}

impl fmt::Debug for VerifyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyKey({})", self.key_id())
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealKey({})", self.key_id())
    }
}

impl fmt::Debug for SignKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignKey of {:?}", self.verifier())
    }
}

impl fmt::Debug for OpenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenKey of {:?}", self.public)
    }
}
