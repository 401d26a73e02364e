//! Tokens that their issuer marks with a prefix.

use super::table::{Charset, TOKENS, TokenFormat};
use std::ops::Range;

/// Letters and digits in a row that no word of a language has.
const RANDOM: usize = 12;
/// Bytes of a token that are looked at for them.
const LOOKED_AT: usize = 128;

#[derive(Debug)]
pub(super) struct IssuedToken {
    /// Place of its prefix.
    pub(super) prefix: usize,
    pub(super) body: Range<usize>,
}

pub(super) fn tokens(text: &str) -> Vec<IssuedToken> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // Where the last look for a format ended without a token: nothing that begins before that is one.
    let mut none_before = [0; TOKENS.len()];
    let mut at = 0;
    while at < bytes.len() {
        let begins = at == 0 || !is_word(bytes[at - 1]);
        let mut next = at + 1;
        if begins {
            for (format, none_before) in TOKENS.iter().zip(&mut none_before) {
                let body = at + format.prefix.len();
                if *none_before > at || !bytes[at..].starts_with(format.prefix.as_bytes()) {
                    continue;
                }
                match format.body_end(bytes, body) {
                    Ok(end) => {
                        found.push(IssuedToken { prefix: at, body: body..end });
                        next = end;
                        break;
                    }
                    Err(until) => *none_before = until,
                }
            }
        }
        at = next;
    }
    found
}

impl TokenFormat {
    /// Returns the end of the token whose body begins here, else the place before which none of this format begins.
    fn body_end(&self, bytes: &[u8], body: usize) -> Result<usize, usize> {
        let length = |from: usize, most: usize| {
            bytes[from..].iter().take(most).take_while(|byte| self.charset.contains(**byte)).count()
        };
        if self.random && !looks_random(&bytes[body..body + length(body, LOOKED_AT)]) {
            return Err(body);
        }
        let run_end = |from: usize| from + length(from, usize::MAX);
        let end = match self.charset {
            // A name in capitals may hold one, but only as a word of its own.
            Charset::Upper => {
                let end = run_end(body);
                let whole = end == body + self.least && bytes.get(end).is_none_or(|byte| !is_word(*byte));
                return if whole { Ok(end) } else { Err(body) };
            }
            Charset::Jwt => {
                let header = run_end(body);
                let mut end = header;
                let mut parts = 0;
                while bytes.get(end) == Some(&b'.') && run_end(end + 1) > end + 1 {
                    parts += usize::from(parts > 0 || run_end(end + 1) >= end + 1 + self.least);
                    end = run_end(end + 1);
                    if parts == 0 {
                        break;
                    }
                }
                return if parts > 0 && header >= body + self.least { Ok(end) } else { Err(header) };
            }
            Charset::Dotted => {
                let end = run_end(body);
                end - bytes[body..end].iter().rev().take_while(|byte| **byte == b'.').count()
            }
            Charset::Letters | Charset::Words | Charset::Base64Url => run_end(body),
        };
        if end < body + self.least { Err(end) } else { Ok(end) }
    }
}

impl Charset {
    fn contains(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Letters => byte.is_ascii_alphanumeric(),
            Self::Words => is_word(byte),
            Self::Base64Url | Self::Jwt => is_word(byte) || byte == b'-',
            Self::Dotted => is_word(byte) || matches!(byte, b'-' | b'.'),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn looks_random(body: &[u8]) -> bool {
    body.split(|byte| !byte.is_ascii_alphanumeric())
        .any(|run| run.len() >= RANDOM && run.iter().any(u8::is_ascii_digit))
}
