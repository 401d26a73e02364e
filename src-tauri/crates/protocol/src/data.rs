//! Bytes in JSON: as text where they are UTF-8, else as base64, and always saying which.

use crate::mistake::ProtocolError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Encoding of bytes in `data`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// As it is.
    #[default]
    Utf8,
    /// RFC 4648, with padding.
    Base64,
}

impl Encoding {
    /// Returns true if it is the one that is not said.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde's skip_serializing_if calls")]
    pub(crate) fn is_utf8(&self) -> bool {
        *self == Self::Utf8
    }

    /// Bytes as text, and how.
    pub fn encode(bytes: Vec<u8>) -> (String, Self) {
        match String::from_utf8(bytes) {
            Ok(text) => (text, Self::Utf8),
            Err(error) => (STANDARD.encode(error.as_bytes()), Self::Base64),
        }
    }

    /// Returns the bytes that `data` stands for.
    pub fn decode(self, data: String) -> Result<Vec<u8>, ProtocolError> {
        match self {
            Self::Utf8 => Ok(data.into_bytes()),
            Self::Base64 => STANDARD.decode(data).map_err(|_| ProtocolError::BadData),
        }
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Encodes bytes as two lower-case hex digits each.
pub fn encode_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the 32 bytes that 64 hex digits stand for; `None` for any other text.
pub fn decode_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let nibble = |digit: u8| char::from(digit).to_digit(16);
        *byte = u8::try_from(nibble(pair[0])? << 4 | nibble(pair[1])?).ok()?;
    }
    Some(bytes)
}
