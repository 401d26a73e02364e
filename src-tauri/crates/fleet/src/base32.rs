//! The text form of nkeys: base32 (RFC 4648, no padding) of a prefix, the key and a CRC-16.

const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Prefix of a user's key: its text begins with U.
const USER: u8 = 20 << 3;
/// Prefix of a seed: its text begins with S.
const SEED: u8 = 18 << 3;

/// Returns a user's public key as nats-server's configuration has it (`U…`).
pub(crate) fn public_nkey(key: &[u8; 32]) -> String {
    checked(&[USER], key)
}

/// Returns a user's seed as NATS clients read it (`SU…`).
pub(crate) fn seed_nkey(seed: &[u8; 32]) -> String {
    checked(&[SEED | (USER >> 5), (USER & 31) << 3], seed)
}

fn checked(prefix: &[u8], key: &[u8; 32]) -> String {
    let mut bytes = [prefix, key].concat();
    bytes.extend(crc16_xmodem(&bytes).to_le_bytes());
    base32(&bytes)
}

fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| (byte >> (7 - at % 8)) & 1);
    (0..bytes.len() * 8)
        .step_by(5)
        .map(|start| (start..start + 5).fold(0, |value: u8, at| (value << 1) | bit(at)))
        .map(|value| char::from(LETTERS[usize::from(value & 31)]))
        .collect()
}

/// Computes the checksum by CRC-16/XMODEM.
fn crc16_xmodem(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}
