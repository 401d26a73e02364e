//! DSSE: exact bytes, their type, and who signed both.

use crate::keys::{SignKey, VerifyKey};
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Largest number of signatures on an envelope.
pub(crate) const SIGNATURES: usize = 16;

/// Signed bytes with their type, in the JSON form of DSSE.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignedEnvelope {
    /// The signed bytes.
    #[serde(with = "text")]
    pub payload: Vec<u8>,
    /// Their type, which separates one kind of message from another.
    pub payload_type: String,
    /// Proofs by the signers' keys.
    pub signatures: Vec<EnvelopeSignature>,
}

/// Proof that a key signed the payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeSignature {
    /// Short name of the key: a hint, which proves nothing.
    #[serde(default)]
    pub keyid: String,
    #[serde(with = "text")]
    pub sig: Vec<u8>,
}

/// Reason why bytes are no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    #[error("{length} bytes, at most {most} are read")]
    TooLong {
        /// Number of bytes that came.
        length: usize,
        most: usize,
    },
    #[error("not a DSSE envelope: {0}")]
    Form(String),
    #[error("{0} signatures: an envelope has 1 to 16")]
    Signatures(usize),
}

impl SignedEnvelope {
    /// Signs bytes as a type.
    pub fn sign(payload_type: &str, payload: Vec<u8>, keys: &[&SignKey]) -> Self {
        let mut envelope = Self { payload, payload_type: payload_type.to_owned(), signatures: Vec::new() };
        for key in keys {
            envelope.add_signature(key);
        }
        envelope
    }

    /// Adds the signature of one more key.
    pub fn add_signature(&mut self, key: &SignKey) {
        let sig = key.sign(&pre_auth_encoding(&self.payload_type, &self.payload)).to_vec();
        self.signatures.push(EnvelopeSignature { keyid: key.verifier().key_id(), sig });
    }

    /// Drops the signatures that none of these keys made, and repeated ones.
    pub(crate) fn retain_signatures<'a>(&mut self, keys: impl IntoIterator<Item = &'a VerifyKey>) {
        let bytes = pre_auth_encoding(&self.payload_type, &self.payload);
        let keys: Vec<(String, &VerifyKey)> = keys.into_iter().map(|key| (key.key_id(), key)).collect();
        let mut kept = BTreeSet::new();
        self.signatures.retain(|one| {
            let counts = keys.iter().any(|(id, key)| *id == one.keyid && key.verify(&bytes, &one.sig));
            counts && kept.insert(one.keyid.clone())
        });
    }

    /// Reads the JSON form.
    pub fn decode(bytes: &[u8], most: usize) -> Result<Self, EnvelopeError> {
        if bytes.len() > most {
            return Err(EnvelopeError::TooLong { length: bytes.len(), most });
        }
        let envelope: Self =
            serde_json::from_slice(bytes).map_err(|error| EnvelopeError::Form(error.to_string()))?;
        match envelope.signatures.len() {
            1..=SIGNATURES => Ok(envelope),
            other => Err(EnvelopeError::Signatures(other)),
        }
    }

    /// Writes the JSON form.
    pub fn encode(&self) -> Vec<u8> {
        // Text and lists of text always have a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Returns those of the keys that signed it, each once.
    pub fn signers<'a, T: Ord>(&self, keys: impl IntoIterator<Item = (T, &'a VerifyKey)>) -> BTreeSet<T> {
        let bytes = pre_auth_encoding(&self.payload_type, &self.payload);
        let signed = |key: &VerifyKey| {
            let id = key.key_id();
            let hinted = |signature: &&EnvelopeSignature| signature.keyid == id;
            self.signatures.iter().filter(hinted).any(|signature| key.verify(&bytes, &signature.sig))
        };
        keys.into_iter().filter(|(_, key)| signed(key)).map(|(name, _)| name).collect()
    }
}

/// Returns the bytes that are signed: DSSE's pre-authentication encoding.
pub fn pre_auth_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// Bytes as base64 in JSON.
pub(crate) mod text {
    use super::STANDARD;
    use base64::Engine as _;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map_err(|error| D::Error::custom(format!("not base64: {error}")))
    }
}
