//! The door's bearer token: derived from the door's secret for one agent, so that it serves no other; a new one is the
//! next in a row, and those before are good no more.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use postern_contract::methods::{ControlCode, ControlError};
use postern_host::Host;
use postern_policy::AgentId;
use postern_protocol::Key;
use sha2::Sha256;
use std::sync::{PoisonError, RwLock};
use subtle::ConstantTimeEq as _;

/// Under what name the host keeps the door's secret and which token in the row is good.
const KEPT: &str = "mcp-http";

/// The token that is good now.
#[derive(Debug)]
pub(super) struct Token {
    secret: Key,
    agent: AgentId,
    number: RwLock<u64>,
    /// One change at a time, so that what is kept is what is good.
    renewing: tokio::sync::Mutex<()>,
}

impl Token {
    /// The token for `agent`.
    pub(super) async fn of(host: &Host, agent: &AgentId) -> Result<Self, ControlError> {
        let secret = host.secret(KEPT).await;
        let secret = secret.map_err(|error| ControlError::new(ControlCode::Internal, error.to_string()))?;
        let kept = host.recall(KEPT).await.map_err(|error| store(&error))?;
        let number = match kept {
            Some(kept) => serde_json::from_value(kept).map_err(|error| store(&error))?,
            None => 0,
        };
        Ok(Self {
            secret,
            agent: agent.clone(),
            number: number.into(),
            renewing: tokio::sync::Mutex::default(),
        })
    }

    /// Its text.
    pub(super) fn text(&self) -> String {
        text(&self.secret, &self.agent, *self.number.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether `given` is it, in constant time.
    pub(super) fn is(&self, given: &str) -> bool {
        self.text().as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Puts the next one in its place. What is not kept is not changed.
    pub(super) async fn renew(&self, host: &Host) -> Result<(), ControlError> {
        let _one = self.renewing.lock().await;
        let next = self.number.read().unwrap_or_else(PoisonError::into_inner).wrapping_add(1);
        host.remember(KEPT, next.into()).await.map_err(|error| store(&error))?;
        *self.number.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }
}

fn store(error: &dyn std::fmt::Display) -> ControlError {
    ControlError::new(ControlCode::Store, error.to_string())
}

fn text(secret: &Key, agent: &AgentId, number: u64) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.text().as_bytes()) else { return String::new() };
    mac.update(format!("{KEPT}\0{agent}\0{number}").as_bytes());
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::text;
    use postern_policy::AgentId;
    use postern_protocol::Key;

    #[test]
    fn a_token_is_one_agents_and_the_next_is_another() {
        let (secret, other) = (Key::from_bytes([7; 32]), Key::from_bytes([8; 32]));
        let (anna, ben) = (AgentId::new("anna").unwrap(), AgentId::new("ben").unwrap());
        let one = text(&secret, &anna, 0);
        assert_eq!(one, text(&secret, &anna, 0), "it stays over a restart");
        assert_eq!(one.len(), 43);
        for another in [text(&secret, &ben, 0), text(&secret, &anna, 1), text(&other, &anna, 0)] {
            assert_ne!(one, another);
        }
    }
}
