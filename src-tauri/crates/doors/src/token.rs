//! Tokens for the other side of a door, to prove itself, or to check us by.
//!
//! Derived from the door's secret for one purpose, so that it serves no other; a new one is the next in a
//! row, and those before are no longer valid.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::RwLock;
use postern_contract::methods::ControlError;
use postern_host::Host;
use postern_protocol::SocketKey;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// The token that is good now.
#[derive(Debug)]
pub(crate) struct DoorToken {
    secret: SocketKey,
    /// Under what name the host keeps the door's secret and which token in the row is good.
    kept: &'static str,
    whose: String,
    number: RwLock<u64>,
    /// Lock that lets one change at a time happen, so that the stored token is the valid one.
    renewing: tokio::sync::Mutex<()>,
}

impl DoorToken {
    /// Returns the token for `whose`, of the secret that the host keeps under this name.
    pub(crate) async fn load_current(
        host: &Host,
        kept: &'static str,
        whose: &str,
    ) -> Result<Self, ControlError> {
        let secret = host.secret(kept).await;
        let secret = secret.map_err(ControlError::internal)?;
        let number = match host.recall(kept).await.map_err(ControlError::store)? {
            Some(number) => serde_json::from_value(number).map_err(ControlError::store)?,
            None => 0,
        };
        Ok(Self {
            secret,
            kept,
            whose: whose.to_owned(),
            number: number.into(),
            renewing: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the text: 32 bytes in base64url.
    pub(crate) fn to_base64url(&self) -> String {
        let number = *self.number.read();
        derive_text(&self.secret, self.kept, &self.whose, number)
    }

    /// Returns true if `given` is it, in constant time.
    pub(crate) fn matches(&self, given: &str) -> bool {
        self.to_base64url().as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Puts the next one in its place. What is not kept is not changed.
    pub(crate) async fn rotate(&self, host: &Host) -> Result<(), ControlError> {
        let _one = self.renewing.lock().await;
        let next = self.number.read().wrapping_add(1);
        host.remember(self.kept, next.into()).await.map_err(ControlError::store)?;
        *self.number.write() = next;
        Ok(())
    }
}

fn derive_text(secret: &SocketKey, kept: &str, whose: &str, number: u64) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.to_text().as_bytes()) else {
        return String::new();
    };
    mac.update(format!("{kept}\0{whose}\0{number}").as_bytes());
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::derive_text;
    use postern_protocol::SocketKey;

    #[test]
    fn a_token_serves_one_purpose_and_the_next_is_another() {
        let (secret, other) = (SocketKey::from_bytes([7; 32]), SocketKey::from_bytes([8; 32]));
        let one = derive_text(&secret, "mcp-http", "anna", 0);
        assert_eq!(one, derive_text(&secret, "mcp-http", "anna", 0), "it stays over a restart");
        assert_eq!(one.len(), 43);
        let others = [
            derive_text(&secret, "mcp-http", "ben", 0),
            derive_text(&secret, "mcp-http", "anna", 1),
            derive_text(&secret, "webhook", "anna", 0),
            derive_text(&other, "mcp-http", "anna", 0),
        ];
        for another in others {
            assert_ne!(one, another);
        }
    }
}
