//! Proof of identity: both sides show that they hold the channel's key, without saying it.

use crate::data::{decode_hex, encode_hex};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// The control socket's name in the data folder.
pub const CONTROL_SOCKET: &str = "control.sock";
/// The name under which the macOS Keychain keeps control keys. Its account is the data folder, by its real path.
pub const CONTROL_KEY_SERVICE: &str = "dev.postern.control";

/// A channel's key, or the control socket's: 32 random bytes, in a file as base64url without padding.
#[derive(Clone)]
pub struct SocketKey([u8; 32]);

/// Error for a text that is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key is 32 bytes in base64url (43 characters)")]
pub struct BadKey;

impl SocketKey {
    /// Returns a key of these bytes, which come straight from the system's random source.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns a key as a key file holds it; white space around it and padding are passed over.
    pub fn from_text(text: &str) -> Result<Self, BadKey> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('=')).map_err(|_| BadKey)?;
        bytes.try_into().map(Self).map_err(|_| BadKey)
    }

    /// Returns the key as a key file holds it.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

impl std::fmt::Debug for SocketKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// A number used once, as its 32 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Nonce(String);

/// Error for a text that is not a nonce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a nonce is 32 hex digits")]
pub struct BadNonce;

impl Nonce {
    /// Returns a nonce of these bytes, which come straight from the system's random source.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(encode_hex(&bytes))
    }

    /// Returns the hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Nonce {
    type Error = BadNonce;
    fn try_from(text: String) -> Result<Self, BadNonce> {
        let hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex { Ok(Self(text)) } else { Err(BadNonce) }
    }
}

impl From<Nonce> for String {
    fn from(nonce: Nonce) -> Self {
        nonce.0
    }
}

/// Kind of socket that a proof is good for: a proof for one kind is never good for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Socket {
    /// An agent's channel.
    Channel,
    /// The approvers' socket.
    Control,
}

impl Socket {
    fn proof_label(self) -> &'static [u8] {
        match self {
            Self::Channel => b"postern-channel-v1",
            Self::Control => b"postern-control-v1",
        }
    }
}

/// Side that proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandshakeSide {
    /// The one who connects.
    Client,
    /// The host.
    Server,
}

impl HandshakeSide {
    fn proof_word(self) -> &'static [u8] {
        match self {
            Self::Client => b"client",
            Self::Server => b"server",
        }
    }
}

/// The two nonces of a handshake on one kind of socket: what a proof is made over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// The kind of socket.
    pub socket: Socket,
    /// From `hello`.
    pub server_nonce: Nonce,
    /// From `authenticate`.
    pub client_nonce: Nonce,
}

impl Handshake {
    /// Returns the proof of a side as 64 hex digits.
    ///
    /// HMAC-SHA256(key, label 0x00 side 0x00 server-nonce 0x00 client-nonce), nonces as their hex text.
    pub fn make_proof(&self, key: &SocketKey, side: HandshakeSide) -> String {
        encode_hex(&self.digest(key, side))
    }

    /// Returns true if `proof` is that side's proof. Compared in constant time.
    pub fn verify_proof(&self, key: &SocketKey, side: HandshakeSide, proof: &str) -> bool {
        decode_hex(proof).is_some_and(|given| self.digest(key, side).ct_eq(&given).into())
    }

    fn digest(&self, key: &SocketKey, side: HandshakeSide) -> [u8; 32] {
        let mut padded = [0; 64];
        padded[..32].copy_from_slice(&key.0);
        // A block-sized key is used as it is, and a shorter one is filled up with zeros (RFC 2104): the same HMAC.
        let mut mac = Hmac::<Sha256>::new(&padded.into());
        let parts = [
            self.socket.proof_label(),
            side.proof_word(),
            self.server_nonce.as_str().as_bytes(),
            self.client_nonce.as_str().as_bytes(),
        ];
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                mac.update(&[0]);
            }
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handshake(socket: Socket) -> Handshake {
        let nonce = |byte| Nonce::from_bytes([byte; 16]);
        Handshake { socket, server_nonce: nonce(0xab), client_nonce: nonce(0x01) }
    }

    #[test]
    fn a_proof_is_the_one_that_other_programs_compute() {
        // Computed with Python: hmac.new(key, b'\0'.join([label, side, b'ab' * 16, b'01' * 16]), sha256).
        let key = SocketKey::from_bytes([7; 32]);
        assert_eq!(
            handshake(Socket::Channel).make_proof(&key, HandshakeSide::Client),
            "be67291a8128020ca6856a620f4e87448a92871f925f947de7749a71383a8fa9"
        );
        assert_eq!(
            handshake(Socket::Control).make_proof(&key, HandshakeSide::Server),
            "e1722b7a4eb295352aee5bd19cdf33f7a934686c38319136c44bbdd034e2f643"
        );
    }

    #[test]
    fn a_proof_holds_for_its_own_side_socket_and_key_only() {
        let key = SocketKey::from_bytes([7; 32]);
        let channel = handshake(Socket::Channel);
        let proof = channel.make_proof(&key, HandshakeSide::Client);
        assert!(channel.verify_proof(&key, HandshakeSide::Client, &proof), "its own proof");
        assert!(
            !channel.verify_proof(&key, HandshakeSide::Server, &proof),
            "a client's proof sent back is not the server's"
        );
        assert!(
            !handshake(Socket::Control).verify_proof(&key, HandshakeSide::Client, &proof),
            "a channel's proof on control"
        );
        assert!(
            !channel.verify_proof(&SocketKey::from_bytes([8; 32]), HandshakeSide::Client, &proof),
            "another key"
        );
        for wrong in ["", "00", &proof[1..], &format!("{proof}0"), &"g".repeat(64)] {
            assert!(!channel.verify_proof(&key, HandshakeSide::Client, wrong), "{wrong:?} is no proof");
        }
    }

    #[test]
    fn keys_and_nonces_are_read_as_they_are_written() {
        let key = SocketKey::from_bytes([200; 32]);
        let again = SocketKey::from_text(&format!(" {}=\n", key.to_text())).expect("its own text");
        assert_eq!(again.to_text(), key.to_text());
        assert_eq!(format!("{key:?}"), "Key(hidden)", "a key never reaches a log");
        for bad in ["", "short", &"A".repeat(44), "####"] {
            assert!(SocketKey::from_text(bad).is_err(), "{bad:?} is no key");
        }
        assert!(Nonce::try_from("0".repeat(31)).is_err());
        assert!(Nonce::try_from("z".repeat(32)).is_err());
    }
}
