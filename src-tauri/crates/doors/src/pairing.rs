//! Pairing codes. Each works once within ten minutes.
//!
//! Wrong guesses do not invalidate it, because it is too long to guess in that time and anybody could
//! invalidate it otherwise.

use postern_policy::Millis;
use std::io;
use subtle::ConstantTimeEq as _;

/// Lifetime of a pairing code, in milliseconds.
pub(crate) const CODE_LASTS: Millis = 10 * 60 * 1000;
/// Letters of a pairing code: none that is mistaken for another.
const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Letters in a pairing code: 31^10 is more than 2^49. At ten thousand guesses a second, one code in a hundred
/// million is guessed before it expires.
const LENGTH: usize = 10;

/// The code that may be brought now, if one may.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    code: Option<PairingCode>,
}

#[derive(Debug)]
struct PairingCode {
    text: String,
    until: Millis,
}

impl Pairing {
    /// Returns a new code, in place of the one before. `now` is counted by a clock that nobody sets.
    pub(crate) fn new_code(&mut self, now: Millis) -> io::Result<String> {
        let mut bytes = [0; 64];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        // 31 letters: a byte of 248 or more would make the first of them likelier.
        let letters =
            bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(LETTERS[usize::from(byte % 31)]));
        let text: String = letters.take(LENGTH).collect();
        if text.len() < LENGTH {
            return self.new_code(now);
        }
        self.code = Some(PairingCode { text: text.clone(), until: now + CODE_LASTS });
        Ok(text)
    }

    /// Returns true if this is the code, which is spent by it.
    pub(crate) fn spend_code(&mut self, token: &str, now: Millis) -> bool {
        let right =
            |code: &PairingCode| now < code.until && bool::from(code.text.as_bytes().ct_eq(token.as_bytes()));
        self.code.take_if(|code| right(code)).is_some()
    }
}
