//! Sealing: a random content key, wrapped for each recipient with HPKE (RFC 9180). Only recipients read; the broker
//! sees sizes.

use crate::envelope::text;
use crate::keys::{OpenKey, SealKey};
use crate::seed::Seed;
use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable as _, OpModeR, OpModeS, Serializable as _, setup_receiver, setup_sender_with_rng};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

/// Domain of the wrapped keys.
const INFO: &[u8] = b"postern-fleet seal 1";
/// Largest number of recipients, and of members, who all read the roster. Sealed for so many, a broker takes it in one message.
pub(crate) const RECIPIENTS: usize = 1280;

/// Bytes that only the recipients read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// The content key, once for each recipient.
    pub recipients: Vec<Wrapped>,
    /// The sealed bytes with their tag.
    #[serde(with = "text")]
    pub ciphertext: Vec<u8>,
}

/// The content key for one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrapped {
    /// Short name of the recipient's key.
    pub keyid: String,
    /// HPKE's encapsulated key.
    #[serde(with = "text")]
    pub enc: Vec<u8>,
    /// The wrapped content key.
    #[serde(with = "text")]
    pub key: Vec<u8>,
}

/// Reason why something can't be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("{0} recipients: 1 to {RECIPIENTS} can read a message")]
    Recipients(usize),
    /// A recipient's key is no point that a secret can be agreed on with.
    #[error("the key {0} cannot receive")]
    Key(String),
    #[error("it is sealed for others")]
    NotForUs,
    /// The bytes, or what they are bound to, are not what was sealed.
    #[error("it is not what was sealed")]
    Changed,
}

impl Sealed {
    /// Seals bytes for recipients, bound to a header that stays readable.
    pub fn seal_bytes(
        header: &[u8],
        plain: &[u8],
        to: &[SealKey],
        seed: &mut Seed,
    ) -> Result<Self, SealError> {
        if !(1..=RECIPIENTS).contains(&to.len()) {
            return Err(SealError::Recipients(to.len()));
        }
        let content_key = seed.draw_bytes();
        let wrapped = to.iter().map(|key| wrap_key(header, &content_key, key, seed));
        let recipients = wrapped.collect::<Result<Vec<_>, _>>()?;
        let mut ciphertext = plain.to_vec();
        content(&content_key)?
            .seal_in_place_append_tag(zero_nonce(), Aad::from(header), &mut ciphertext)
            .map_err(|_| SealError::Changed)?;
        Ok(Self { recipients, ciphertext })
    }

    /// Returns true if it is sealed for a key, among others.
    pub fn is_for(&self, key: &OpenKey) -> bool {
        let id = key.sealer().key_id();
        self.recipients.iter().any(|wrapped| wrapped.keyid == id)
    }

    /// Opens what was sealed for a key under the same header.
    pub fn open_bytes(&self, header: &[u8], key: &OpenKey) -> Result<Vec<u8>, SealError> {
        if self.recipients.len() > RECIPIENTS {
            return Err(SealError::Recipients(self.recipients.len()));
        }
        let id = key.sealer().key_id();
        let wrapped =
            self.recipients.iter().find(|wrapped| wrapped.keyid == id).ok_or(SealError::NotForUs)?;
        open_wrapped(header, wrapped, &self.ciphertext, key)
    }
}

/// Opens what was sealed under the same header, with the content key that is wrapped for this key.
pub(crate) fn open_wrapped(
    header: &[u8],
    wrapped: &Wrapped,
    ciphertext: &[u8],
    key: &OpenKey,
) -> Result<Vec<u8>, SealError> {
    let content_key = unwrap_key(header, wrapped, key)?;
    let mut bytes = ciphertext.to_vec();
    let plain = content(&content_key)?
        .open_in_place(zero_nonce(), Aad::from(header), &mut bytes)
        .map_err(|_| SealError::Changed)?;
    Ok(plain.to_vec())
}

fn wrap_key(
    header: &[u8],
    content_key: &[u8; 32],
    to: &SealKey,
    seed: &mut Seed,
) -> Result<Wrapped, SealError> {
    let refused = || SealError::Key(to.key_id());
    let public = to.public().ok_or_else(refused)?;
    let (enc, mut context) = setup_sender_with_rng::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeS::Base,
        &public,
        INFO,
        seed,
    )
    .map_err(|_| refused())?;
    let key = context.seal(content_key, header).map_err(|_| refused())?;
    Ok(Wrapped { keyid: to.key_id(), enc: enc.to_bytes().to_vec(), key })
}

fn unwrap_key(header: &[u8], wrapped: &Wrapped, key: &OpenKey) -> Result<[u8; 32], SealError> {
    let enc = <X25519HkdfSha256 as hpke::Kem>::EncappedKey::from_bytes(&wrapped.enc)
        .map_err(|_| SealError::Changed)?;
    let mut context = setup_receiver::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        key.secret(),
        &enc,
        INFO,
    )
    .map_err(|_| SealError::Changed)?;
    let content_key = context.open(&wrapped.key, header).map_err(|_| SealError::Changed)?;
    content_key.try_into().map_err(|_| SealError::Changed)
}

fn content(key: &[u8; 32]) -> Result<LessSafeKey, SealError> {
    UnboundKey::new(&CHACHA20_POLY1305, key).map(LessSafeKey::new).map_err(|_| SealError::Changed)
}

/// Returns the only nonce: a content key seals one message.
fn zero_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}
