//! The code that a new member is given: where the broker is, what to pin, and a secret that works once.

use crate::WallMillis;
use crate::id::{FleetId, Hash};
use crate::keys::SignKey;
use crate::seed::keyed_hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;
use serde::{Deserialize, Serialize};

/// Time for which an invitation's code works.
pub const CODE_LASTS: WallMillis = 10 * 60_000;
/// Marker at the beginning of each code.
const PREFIX: &str = "pf1.";
/// Longest text that is read as a code.
const LONGEST: usize = 2048;

/// Invitation for a new member, to paste or scan.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InvitationCode {
    pub fleet: FleetId,
    /// Id of the invitation: the subject on which both sides meet.
    pub join: FleetId,
    /// Address of the broker.
    pub server: String,
    /// Hash of its certificate; absent where the system trusts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Hash>,
    /// True if the broker lets in nobody without credentials of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub credentials: bool,
    pub roster: Hash,
    /// Secret of both sides.
    #[serde(with = "secret")]
    pub secret: [u8; 16],
    /// Time after which it does not work.
    pub ends: WallMillis,
}

/// Reason why a text is no code, or a code does not work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    #[error("this is not the code of an invitation: it begins with pf1. and has no spaces inside")]
    Form,
    #[error("this code has ended: an owner makes another one")]
    Ended,
}

impl InvitationCode {
    /// Returns its text.
    pub fn to_text(&self) -> String {
        // Texts and numbers always have a JSON form.
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default()))
    }

    /// Reads a code's text.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let encoded = text.trim().strip_prefix(PREFIX).filter(|text| text.len() <= LONGEST);
        let bytes = encoded.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok()).ok_or(CodeError::Form)?;
        serde_json::from_slice(&bytes).map_err(|_| CodeError::Form)
    }

    /// Refuses a code that has ended.
    pub fn check_expiry(&self, now: WallMillis) -> Result<(), CodeError> {
        if now < self.ends { Ok(()) } else { Err(CodeError::Ended) }
    }

    /// Returns the key by which the broker lets the new member in, to this invitation's subject alone.
    pub fn broker_key(&self) -> Option<SignKey> {
        SignKey::from_seed(self.derived("broker")).ok()
    }

    /// Returns the key that both sides authenticate with.
    pub(crate) fn mac_key(&self) -> [u8; 32] {
        self.derived("authentication")
    }

    fn derived(&self, purpose: &str) -> [u8; 32] {
        let mut padded = [0; 32];
        padded[..16].copy_from_slice(&self.secret);
        let mut mac = keyed_hmac(&padded);
        mac.update(b"postern-fleet join 1 ");
        mac.update(purpose.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for InvitationCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code {} of fleet {}", self.join, self.fleet)
    }
}

mod secret {
    use super::URL_SAFE_NO_PAD;
    use base64::Engine as _;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8; 16], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&URL_SAFE_NO_PAD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 16], D::Error> {
        let text = String::deserialize(from)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(D::Error::custom)?;
        bytes.try_into().map_err(|_| D::Error::custom("a secret is 16 bytes"))
    }
}
