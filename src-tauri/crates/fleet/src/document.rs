//! Documents of the broker's bucket, in a form that is small and quickly read: it sends each to a thousand hosts at once.
//!
//! In order: the form's version, the number of recipients (two bytes, the higher one first), for each the name of its key (8
//! bytes), HPKE's encapsulated key (32) and the wrapped content key (48); then the deflated and sealed envelope.

use crate::id::FleetId;
use crate::keys::{OpenKey, SealKey};
use crate::message::FleetMessageKind;
use crate::seal::{SealError, Sealed, Wrapped, open_wrapped};
use crate::seed::Seed;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::Read as _;

const FORM: u8 = 1;
const ENCAPSULATED: usize = 32;
const WRAPPED: usize = 48;
const NAME: usize = 8;

/// Seals an envelope for members, bound to its key in the bucket: it can't be moved to another one.
pub fn seal_document(
    (fleet, key): (&FleetId, &str),
    envelope: &[u8],
    to: &[SealKey],
    seed: &mut Seed,
) -> Result<Vec<u8>, SealError> {
    let mut deflated = Vec::new();
    // Reading from memory does not fail.
    _ = DeflateEncoder::new(envelope, Compression::default()).read_to_end(&mut deflated);
    let sealed = Sealed::seal_bytes(&binding(fleet, key), &deflated, to, seed)?;
    let number = u16::try_from(to.len()).map_err(|_| SealError::Recipients(to.len()))?;
    let mut bytes = vec![FORM];
    bytes.extend(number.to_be_bytes());
    for (to, wrapped) in to.iter().zip(sealed.recipients) {
        bytes.extend(to.short_hash());
        bytes.extend(wrapped.enc);
        bytes.extend(wrapped.key);
    }
    bytes.extend(sealed.ciphertext);
    Ok(bytes)
}

/// Opens the document under a key of the bucket. What is larger than any envelope is cut where it is too large.
pub fn open_document(
    (fleet, key): (&FleetId, &str),
    bytes: &[u8],
    open: &OpenKey,
) -> Result<Vec<u8>, SealError> {
    let (wrapped, ciphertext) = split(bytes).ok_or(SealError::Changed)?;
    let name = open.sealer().short_hash();
    let own = wrapped.chunks_exact(NAME + ENCAPSULATED + WRAPPED).find(|one| one.starts_with(&name));
    let (enc, key_bytes) = own.ok_or(SealError::NotForUs)?[NAME..].split_at(ENCAPSULATED);
    let own = Wrapped { keyid: open.sealer().key_id(), enc: enc.to_vec(), key: key_bytes.to_vec() };
    let deflated = open_wrapped(&binding(fleet, key), &own, ciphertext, open)?;
    let most = FleetMessageKind::Bundle.max_bytes() as u64 + 1;
    let mut envelope = Vec::new();
    let read = DeflateDecoder::new(deflated.as_slice()).take(most).read_to_end(&mut envelope);
    read.map(|_| envelope).map_err(|_| SealError::Changed)
}

/// Parts a document into what is wrapped for its recipients, and what is sealed for them.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[FORM, high, low], rest) = bytes.split_first_chunk()? else { return None };
    let number = usize::from(u16::from_be_bytes([high, low]));
    rest.split_at_checked(number * (NAME + ENCAPSULATED + WRAPPED))
}

fn binding(fleet: &FleetId, key: &str) -> Vec<u8> {
    format!("postern-fleet document 1\n{fleet}\n{key}\n").into_bytes()
}
