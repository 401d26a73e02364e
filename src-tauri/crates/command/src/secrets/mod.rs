//! Words of a text that are evidently secrets: tokens of known issuers, private keys, and what a name calls a secret.
//!
//! Nothing is guessed from how random a word looks: digests, commit ids and UUIDs are what a person reads a history for. What
//! is judged and what is stored stays whole; only what shows past requests leaves these words out.

mod address;
mod name;
mod named;
mod private_key;
mod readable;
mod table;
mod token;
mod value;

pub use name::is_secret_name;
pub use readable::ReadableText;

use std::ops::Range;

/// Secret in a text, without the part by which a person recognizes it (`ghp_`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    /// Spans in the text as it is shown (bytes), in order and never empty. Between them stand only control sequences of a
    /// terminal, which stay.
    pub parts: Vec<Range<usize>>,
}

impl ReadableText {
    /// Returns what is evidently a secret, in order and without overlaps. Takes time linear in the text.
    pub fn secrets(&self) -> Vec<SecretSpan> {
        let text = self.text();
        let tokens = token::tokens(text);
        let mut found: Vec<Range<usize>> =
            [private_key::bodies(text), address::passwords(text), named::values(text)].concat();
        // A token is recognized by its prefix, also where a name calls it a secret.
        found.retain(|span| tokens.binary_search_by_key(&span.start, |token| token.prefix).is_err());
        found.extend(tokens.into_iter().map(|token| token.body));
        found.sort_unstable_by_key(|span| (span.start, span.end));
        let mut spans: Vec<Range<usize>> = Vec::new();
        for span in found {
            match spans.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => spans.push(span),
            }
        }
        spans.into_iter().map(|span| SecretSpan { parts: self.shown_parts(&span) }).collect()
    }
}

#[cfg(test)]
mod tests;
