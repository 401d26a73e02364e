//! Private keys in PEM and OpenPGP's armor (RFC 7468, RFC 4880).

use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END";
/// Longest label of a key.
const LABEL: usize = 64;
/// Least characters of a whole line of a key.
const LINE: usize = 40;

/// Returns what stands between the lines that begin and end a key, or what is there of a key that was cut off.
pub(super) fn bodies(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Until here no end of a key was found.
    let mut no_end_before = 0;
    let mut at = 0;
    while let Some(begin) = text[at..].find(BEGIN).map(|next| at + next) {
        let label = begin + BEGIN.len();
        let Some(body) = label_end(text, label) else {
            at = label;
            continue;
        };
        let end = if body < no_end_before {
            None
        } else {
            armor_end(text, body).map_err(|stop| no_end_before = stop).ok()
        };
        let end = end.unwrap_or_else(|| lines_end(text, body));
        let inner = &text[body..end];
        let start = body + (inner.len() - inner.trim_start().len());
        let last = body + inner.trim_end().len();
        if start < last {
            found.push(start..last);
        }
        at = end;
    }
    found
}

/// Returns the end of a line that begins a private key, from the beginning of its label.
fn label_end(text: &str, label: usize) -> Option<usize> {
    let length = text[label..]
        .bytes()
        .take(LABEL)
        .take_while(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'0'..=b'9'))
        .count();
    let name = &text[label..label + length];
    let private = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    (private && text[label + length..].starts_with("-----")).then_some(label + length + 5)
}

/// Returns where the end of a key stands, else where something stands that is in no key.
fn armor_end(text: &str, body: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mut at = body;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'-' && bytes[at..].starts_with(END.as_bytes()) {
            return Ok(at);
        }
        if !(byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=:,.-\"'\\".contains(byte)) {
            break;
        }
        at += 1;
    }
    Err(at)
}

/// Returns the end of the lines of a key that was cut off.
fn lines_end(text: &str, body: usize) -> usize {
    let mut end = body;
    loop {
        let rest = &text[end..];
        let start = end + (rest.len() - rest.trim_start().len());
        let length = text[start..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
            .count();
        let last = start + length == text.len();
        if length == 0 || length < LINE && !last {
            return end;
        }
        end = start + length;
    }
}
