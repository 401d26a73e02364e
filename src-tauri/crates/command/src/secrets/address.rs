//! Passwords in addresses (RFC 3986, 3.2.1).

use super::value::is_evident;
use std::ops::Range;

/// Returns the passwords of `scheme://user:password@host`.
pub(super) fn passwords(text: &str) -> Vec<Range<usize>> {
    let password = |(at, _): (usize, &str)| {
        let start = at + 3;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'<>\\`|".contains(byte);
        let length = text[start..].bytes().position(|byte| ends(&byte)).unwrap_or(text.len() - start);
        let authority = &text[start..start + length];
        let (user_info, _) = authority.rsplit_once('@')?;
        let (user, password) = user_info.split_once(':')?;
        let from = start + user.len() + 1;
        is_evident(password).then_some(from..from + password.len())
    };
    text.match_indices("://").filter_map(password).collect()
}
