//! Values as they are written behind a name.

use super::name::is_secret_name;
use super::table::PLACEHOLDERS;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedValue {
    /// Span without the quotes around it.
    pub(super) span: Range<usize>,
    pub(super) is_quoted: bool,
}

/// Returns the value that begins here: what is in quotes, else up to where a shell's word ends. `outer` is the quote that the
/// name stands in.
pub(super) fn value_at(text: &str, at: usize, outer: Option<u8>) -> NamedValue {
    let bytes = text.as_bytes();
    let quote = |at: usize| bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    if let Some(outer) = outer {
        return NamedValue { span: at..quoted_end(bytes, at, outer), is_quoted: true };
    }
    // JSON within a text in quotes: `\"password\":\"x\"`.
    if let (Some(b'\\'), Some(inner)) = (bytes.get(at), quote(at + 1)) {
        let ends =
            |end: &usize| bytes[*end] == b'\n' || bytes[*end] == b'\\' && quote(end + 1) == Some(inner);
        let end = (at + 2..bytes.len()).find(ends).unwrap_or(bytes.len());
        return NamedValue { span: at + 2..end, is_quoted: true };
    }
    if let Some(quote) = quote(at) {
        return NamedValue { span: at + 1..quoted_end(bytes, at + 1, quote), is_quoted: true };
    }
    let ends = |byte: u8| byte.is_ascii_whitespace() || b";&|<>()`\"'".contains(&byte);
    let length = bytes[at..].iter().position(|byte| ends(*byte)).unwrap_or(bytes.len() - at);
    let word = &text[at..at + length];
    let kept = word.trim_end_matches([',', '.', ':', ']']);
    // A brace that was opened is part of it: `${TOKEN}`.
    let kept = if kept.contains('{') { kept } else { kept.trim_end_matches('}') };
    NamedValue { span: at..at + kept.len(), is_quoted: false }
}

/// Returns the end of text in quotes, on its line. A shell joins what follows at once (`'it'\''s'`).
fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut open = Some(quote);
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match open {
            _ if *byte == b'\n' => break,
            Some(b'"') if *byte == b'\\' => at += 1,
            Some(quote) if *byte == quote => {
                open = None;
                let joined = match bytes.get(at + 1) {
                    Some(b'\\') => bytes.get(at + 2) == Some(&b'\''),
                    Some(next) => next.is_ascii_alphanumeric() || matches!(next, b'"' | b'\''),
                    None => false,
                };
                if !joined {
                    break;
                }
            }
            Some(_) => {}
            None => match byte {
                b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_graphic) => at += 1,
                b'"' | b'\'' => open = Some(*byte),
                byte if byte.is_ascii_alphanumeric() => {}
                _ => break,
            },
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// Returns true if a value is a secret and not what stands for one: a reference, a placeholder, a mask.
pub(super) fn is_evident(value: &str) -> bool {
    let mut bytes = value.bytes();
    let refers = match (bytes.next(), bytes.next()) {
        (None | Some(b'<' | b'[' | b'@'), _) => true,
        (Some(b'$'), Some(next)) => next.is_ascii_alphabetic() || b"_{(@".contains(&next),
        (Some(b'{'), Some(next)) => next == b'{' || next.is_ascii_alphabetic(),
        (Some(b'%'), Some(next)) => next.is_ascii_alphabetic() && value.ends_with('%'),
        _ => false,
    };
    let masked = value.chars().all(|c| matches!(c, '*' | '•' | 'x' | 'X' | '.' | '-' | '_' | '…'));
    !refers && !masked && !PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns true if a word is one of a language.
pub(super) fn is_prose(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns true if a word without quotes names a variable instead of being its value: `TOKEN`, `self.token`.
pub(super) fn is_variable(word: &str) -> bool {
    let capitals = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let path = word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
    capitals || path && is_secret_name(word)
}
