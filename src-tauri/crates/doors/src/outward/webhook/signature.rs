//! The signature of Standard Webhooks: base64 of HMAC-SHA256 over `id.timestamp.body`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// Secret for signatures: 32 bytes.
pub(super) struct Secret {
    mac: Hmac<Sha256>,
    text: String,
}

impl Secret {
    /// Returns the secret of a token; `None` if its text is not base64url, which it always is.
    pub(super) fn from_token(token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok().filter(|bytes| !bytes.is_empty())?;
        let mac = Hmac::new_from_slice(&bytes).ok()?;
        Some(Self { mac, text: format!("{PREFIX}{}", STANDARD.encode(bytes)) })
    }

    /// Returns the text for the other side.
    pub(super) fn secret_text(&self) -> String {
        self.text.clone()
    }

    /// Returns the header `webhook-signature`.
    pub(super) fn sign(&self, id: &str, timestamp: u64, body: &str) -> String {
        let mut mac = self.mac.clone();
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    #[test]
    fn a_signature_is_what_another_program_makes_of_the_same() {
        // Made with Python: base64(hmac.digest(bytes(32), b'msg_1.1614265330.{}', 'sha256')).
        let secret = Secret::from_token(&URL_SAFE_NO_PAD.encode([0; 32])).unwrap();
        assert_eq!(secret.secret_text(), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        assert_eq!(
            secret.sign("msg_1", 1_614_265_330, "{}"),
            "v1,ONjOH+g8tKQOwBW/l2Ew8DI7ahP5iygTrq4r12BiJXg="
        );
        assert!(
            Secret::from_token("").is_none() && Secret::from_token("*").is_none(),
            "nothing is signed with nothing"
        );
    }
}
