//! Proof that a line comes from the token's holder, now, and for the first time.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::collections::BTreeMap;
use subtle::ConstantTimeEq as _;

/// Longest difference of a line's time from ours, in milliseconds (OpenClaw's own limit).
pub(super) const WINDOW: i64 = 10_000;
/// Nonces that are remembered at most: what comes faster than this is refused until old ones are forgotten.
const NONCES: usize = 4096;

/// Reason why a line is refused; each has OpenClaw's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unproved {
    /// More than ten seconds from our time.
    Expired,
    /// Without the token.
    Forged,
    /// Sent before.
    Replayed,
}

/// Returns true if the proof is `hex(HMAC-SHA256(token, nonce ":" ts ":" requestJson))`: the token as its
/// UTF-8 bytes.
fn is_valid_proof(token: &str, nonce: &str, ts: i64, request: &str, proof: &str) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(token.as_bytes()) else { return false };
    for part in [nonce, ":", &ts.to_string(), ":", request] {
        mac.update(part.as_bytes());
    }
    let right = postern_protocol::encode_hex(&mac.finalize().into_bytes());
    right.as_bytes().ct_eq(proof.as_bytes()).into()
}

/// Returns true if `given` is the token, in constant time.
pub(super) fn is_token(token: &str, given: &str) -> bool {
    token.as_bytes().ct_eq(given.as_bytes()).into()
}

/// Nonces of the last seconds: each is good once.
#[derive(Debug, Default)]
pub(super) struct Nonces {
    /// Nonces, with the time at which each may be forgotten.
    seen: BTreeMap<String, i64>,
}

impl Nonces {
    /// Checks a line in OpenClaw's order: time, proof; then that its nonce is new.
    pub(super) fn check_line(
        &mut self,
        token: &str,
        line: (&str, i64, &str, &str),
        now: i64,
    ) -> Result<(), Unproved> {
        let (nonce, ts, request, proof) = line;
        if now.checked_sub(ts).and_then(i64::checked_abs).is_none_or(|apart| apart > WINDOW) {
            return Err(Unproved::Expired);
        }
        if !is_valid_proof(token, nonce, ts, request, proof) {
            return Err(Unproved::Forged);
        }
        self.seen.retain(|_, until| *until >= now);
        if self.seen.len() >= NONCES || self.seen.contains_key(nonce) {
            return Err(Unproved::Replayed);
        }
        self.seen.insert(nonce.to_owned(), ts + 2 * WINDOW);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Nonces, Unproved, WINDOW};
    use serde_json::Value;

    /// Lines captured from OpenClaw's own client, with whether their proof is right.
    fn vectors() -> Vec<(String, Value, bool)> {
        let text = include_str!("../../../../../tests/fixtures/openclaw-hmac-vectors.json");
        let all: Value = serde_json::from_str(text).unwrap();
        let all = all["vectors"].as_array().unwrap().clone();
        all.iter()
            .map(|one| {
                let line = serde_json::from_str(one["wire_line"].as_str().unwrap()).unwrap();
                (one["server_token"].as_str().unwrap().to_owned(), line, one["hmac_valid"].as_bool().unwrap())
            })
            .collect()
    }

    fn check(nonces: &mut Nonces, token: &str, line: &Value, late: i64) -> Result<(), Unproved> {
        let text = |name: &str| line[name].as_str().unwrap();
        let ts = line["ts"].as_i64().unwrap();
        nonces.check_line(token, (text("nonce"), ts, text("requestJson"), text("hmac")), ts + late)
    }

    #[test]
    fn captured_lines_are_proved_or_refused() {
        assert!(vectors().len() >= 3);
        for (token, line, valid) in vectors() {
            let expected = if valid { Ok(()) } else { Err(Unproved::Forged) };
            assert_eq!(check(&mut Nonces::default(), &token, &line, 0), expected, "{line}");
        }
    }

    #[test]
    fn a_line_is_good_once_and_for_ten_seconds() {
        let (token, line, _) = vectors().into_iter().find(|(.., valid)| *valid).unwrap();
        let mut nonces = Nonces::default();
        for late in [WINDOW + 1, -WINDOW - 1, i64::MAX - line["ts"].as_i64().unwrap()] {
            assert_eq!(check(&mut nonces, &token, &line, late), Err(Unproved::Expired), "{late}");
        }
        assert_eq!(check(&mut nonces, &token, &line, WINDOW), Ok(()));
        assert_eq!(check(&mut nonces, &token, &line, WINDOW), Err(Unproved::Replayed));
        let got = check(&mut nonces, &token, &line, -WINDOW);
        assert_eq!(got, Err(Unproved::Replayed), "as long as its time is good");
    }

    #[test]
    fn every_byte_counts() {
        let (token, line, _) = vectors().into_iter().find(|(.., valid)| *valid).unwrap();
        for name in ["nonce", "requestJson", "hmac"] {
            let mut other = line.clone();
            other[name] = Value::String(format!("{} ", line[name].as_str().unwrap()));
            assert_eq!(check(&mut Nonces::default(), &token, &other, 0), Err(Unproved::Forged), "{name}");
        }
        assert_eq!(check(&mut Nonces::default(), &format!("{token}x"), &line, 0), Err(Unproved::Forged));
    }
}
