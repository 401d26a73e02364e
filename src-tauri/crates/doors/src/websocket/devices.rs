//! Paired clients and the pairing code. A device's key is known here by its hash alone.

use crate::pairing::Pairing;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use postern_contract::methods::PairedClient;
use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::io;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) name: String,
    /// Hex sha256 of its key's text.
    pub(super) key_hash: String,
    pub(super) paired_at: Millis,
    pub(super) seen_at: Option<Millis>,
}

#[derive(Debug, Default)]
pub(super) struct Devices {
    pub(super) known: Vec<Device>,
    /// Number of connections of each.
    connected: HashMap<String, u32>,
    pairing: Pairing,
}

/// Proof by which a client came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeviceAdmission {
    /// By the pairing code, which is spent.
    ByCode,
    As(String),
}

impl Devices {
    pub(super) fn new(known: Vec<Device>) -> Self {
        Self { known, ..Self::default() }
    }

    /// Returns a new pairing code, in place of the one before.
    pub(super) fn new_code(&mut self, now: Millis) -> io::Result<String> {
        self.pairing.new_code(now)
    }

    /// Returns whether a token lets its bearer in. A pairing code is spent by it.
    pub(super) fn admit_token(&mut self, token: &str, now: Millis) -> Option<DeviceAdmission> {
        let hash = hash_of(token);
        let same = |device: &&Device| bool::from(device.key_hash.as_bytes().ct_eq(hash.as_bytes()));
        if let Some(device) = self.known.iter().find(same) {
            return Some(DeviceAdmission::As(device.id.clone()));
        }
        self.pairing.spend_code(token, now).then_some(DeviceAdmission::ByCode)
    }

    /// Returns a new device and its key's text, which is kept nowhere here.
    pub(super) fn pair_device(&mut self, name: String, now: Millis) -> io::Result<(String, String)> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let key = URL_SAFE_NO_PAD.encode(bytes);
        let id = Uuid::now_v7().to_string();
        let device =
            Device { id: id.clone(), name, key_hash: hash_of(&key), paired_at: now, seen_at: Some(now) };
        self.known.push(device);
        Ok((id, key))
    }

    /// Forgets a device. False where there is none of that id.
    pub(super) fn forget(&mut self, id: &str) -> bool {
        let before = self.known.len();
        self.known.retain(|device| device.id != id);
        self.known.len() < before
    }

    pub(super) fn device_name(&self, id: &str) -> Option<String> {
        self.known.iter().find(|device| device.id == id).map(|device| device.name.clone())
    }

    /// Counts a new connection of a device.
    pub(super) fn note_connected(&mut self, id: &str, now: Millis) {
        *self.connected.entry(id.to_owned()).or_default() += 1;
        if let Some(device) = self.known.iter_mut().find(|device| device.id == id) {
            device.seen_at = Some(now);
        }
    }

    /// Counts a connection less.
    pub(super) fn note_disconnected(&mut self, id: &str) {
        if let Some(count) = self.connected.get_mut(id) {
            *count = count.saturating_sub(1);
        }
    }

    /// Returns the list for a person.
    pub(super) fn client_rows(&self) -> Vec<PairedClient> {
        let row = |device: &Device| PairedClient {
            id: device.id.clone(),
            name: device.name.clone(),
            paired_at: Some(device.paired_at),
            seen_at: device.seen_at,
            connected: self.connected.get(&device.id).is_some_and(|count| *count > 0),
        };
        self.known.iter().map(row).collect()
    }
}

fn hash_of(token: &str) -> String {
    postern_protocol::encode_hex(&Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{DeviceAdmission, Devices};
    use crate::pairing::CODE_LASTS;

    #[test]
    fn a_code_works_once_and_for_ten_minutes() {
        let mut devices = Devices::default();
        let code = devices.new_code(1000).unwrap();
        assert_eq!(code.len(), 10);
        assert_eq!(devices.admit_token(&code, 1000 + CODE_LASTS - 1), Some(DeviceAdmission::ByCode));
        assert_eq!(devices.admit_token(&code, 1001), None, "once");
        let code = devices.new_code(1000).unwrap();
        assert_eq!(devices.admit_token(&code, 1000 + CODE_LASTS), None, "ten minutes");
        let old = devices.new_code(5).unwrap();
        let new = devices.new_code(5).unwrap();
        assert_eq!(devices.admit_token(&old, 6), None, "a new code takes the place of the old one");
        assert_eq!(devices.admit_token(&new, 6), Some(DeviceAdmission::ByCode));
    }

    #[test]
    fn guesses_of_others_take_nothing_from_a_code() {
        let mut devices = Devices::default();
        let code = devices.new_code(0).unwrap();
        for wrong in 0..1000 {
            assert_eq!(devices.admit_token(&format!("guess{wrong}"), 1), None);
        }
        assert_eq!(devices.admit_token(&code, 1), Some(DeviceAdmission::ByCode));
    }

    #[test]
    fn a_device_is_known_by_its_key_until_it_is_forgotten() {
        let mut devices = Devices::default();
        let (id, key) = devices.pair_device("phone".to_owned(), 7).unwrap();
        let got = devices.admit_token(&key, 9_999_999);
        assert_eq!(got, Some(DeviceAdmission::As(id.clone())), "a key does not age");
        assert!(!format!("{:?}", devices.known).contains(&key), "the key itself is kept nowhere");
        devices.note_connected(&id, 8);
        devices.note_connected(&id, 9);
        devices.note_disconnected(&id);
        assert!(devices.client_rows()[0].connected, "one connection of two is left");
        devices.note_disconnected(&id);
        assert!(!devices.client_rows()[0].connected);
        assert!(devices.forget(&id) && !devices.forget(&id));
        assert_eq!(devices.admit_token(&key, 10), None);
    }
}
