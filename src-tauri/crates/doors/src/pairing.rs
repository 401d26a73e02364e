//! The pairing code that lets somebody new in: works once, for ten minutes, and outlives few guesses.

use postern_policy::Millis;
use std::io;
use subtle::ConstantTimeEq as _;

/// How long a pairing code is good for, in milliseconds.
pub(crate) const CODE_LASTS: Millis = 10 * 60 * 1000;
/// How many wrong guesses a pairing code outlives. Whoever guesses makes the person ask for a new one.
const WRONG: u32 = 5;
/// Letters of a pairing code: none that is mistaken for another.
const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Letters in a pairing code: 31^10 is more than 2^49, of which five may be tried.
const LENGTH: usize = 10;

/// The code that may be brought now, if one may.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    code: Option<Code>,
}

#[derive(Debug)]
struct Code {
    text: String,
    until: Millis,
    wrong: u32,
}

impl Pairing {
    /// A new code, in place of the one before.
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
        self.code = Some(Code { text: text.clone(), until: now + CODE_LASTS, wrong: 0 });
        Ok(text)
    }

    /// Whether this is the code, which is spent by it.
    pub(crate) fn spend(&mut self, token: &str, now: Millis) -> bool {
        let Some(code) = self.code.as_mut().filter(|code| now < code.until) else { return false };
        if bool::from(code.text.as_bytes().ct_eq(token.as_bytes())) {
            self.code = None;
            return true;
        }
        code.wrong += 1;
        if code.wrong >= WRONG {
            self.code = None;
        }
        false
    }
}
