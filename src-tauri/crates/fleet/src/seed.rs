//! Randomness as a value: 32 bytes from the system, stretched to as many as an operation needs.

use hmac::{Hmac, KeyInit as _, Mac as _};
use hpke::rand_core::{TryCryptoRng, TryRng};
use sha2::Sha256;
use std::convert::Infallible;

/// Random bytes for one operation. The caller takes 32 fresh bytes from the system for each.
pub struct Seed {
    key: [u8; 32],
    block: u64,
    rest: Vec<u8>,
}

impl Seed {
    /// Takes 32 bytes that nobody else knows.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, block: 0, rest: Vec::new() }
    }

    /// Returns the next 32 bytes.
    pub fn draw_bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.fill_slice(&mut bytes);
        bytes
    }

    fn fill_slice(&mut self, out: &mut [u8]) {
        for byte in out {
            if self.rest.is_empty() {
                self.rest = self.next_block();
            }
            *byte = self.rest.pop().unwrap_or_default();
        }
    }

    /// Computes HMAC-SHA256 of a counter: HKDF's expand step with one block per key.
    fn next_block(&mut self) -> Vec<u8> {
        let mut mac = keyed_hmac(&self.key);
        mac.update(b"postern-fleet seed");
        mac.update(&self.block.to_be_bytes());
        self.block += 1;
        mac.finalize().into_bytes().to_vec()
    }
}

/// Starts HMAC-SHA256 with a key of 32 bytes, shorter than the hash's block.
pub(crate) fn keyed_hmac(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    Hmac::<Sha256>::new(&block.into())
}

impl TryRng for Seed {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.fill_slice(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.fill_slice(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.fill_slice(out);
        Ok(())
    }
}

impl TryCryptoRng for Seed {}

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed")
    }
}
