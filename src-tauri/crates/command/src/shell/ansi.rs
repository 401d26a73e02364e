//! `$'…'`: the escapes that bash 3.2 knows. What newer shells read otherwise is not decoded.

/// Returns the text inside `$'…'`, decoded; `None` for an escape whose meaning differs between shells, or
/// bytes that are no text.
pub(super) fn decode(inner: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escape = rest.chars().next()?;
        if let Some(byte) = single(escape) {
            bytes.push(byte);
            rest = rest.get(1..)?;
        } else if escape == 'x' {
            let (byte, after) = number(rest.get(1..)?, 16, 2)?;
            bytes.push(byte);
            rest = after;
        } else {
            let (byte, after) = number(rest, 8, 3)?;
            bytes.push(byte);
            rest = after;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

/// Returns the text inside `$'…'` as any shell may read it: for deny rules, which look at all that it could
/// be.
pub(super) fn decode_loosely(inner: &str) -> String {
    if let Some(decoded) = decode(inner) {
        return decoded;
    }
    let mut text = String::new();
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let escape = rest.chars().next().filter(|_| c == '\\');
        let digits = |rest: &str, base: u32, most: usize| {
            rest.chars().take(most).take_while(|c| c.is_digit(base)).count()
        };
        let (base, skip, most) = match escape {
            None => {
                text.push(c);
                continue;
            }
            Some('x') => (16, 1, 2),
            Some('u') => (16, 1, 4),
            Some('U') => (16, 1, 8),
            Some('0'..='7') => (8, 0, 3),
            Some(_) => (10, 0, 0),
        };
        let number = rest.get(skip..).unwrap_or_default();
        let count = digits(number, base, most);
        let value = number.get(..count).and_then(|digits| u32::from_str_radix(digits, base).ok());
        text.extend(value.and_then(char::from_u32));
        rest = number.get(count..).unwrap_or_default();
    }
    text
}

fn single(escape: char) -> Option<u8> {
    Some(match escape {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'e' => 27,
        'f' => 12,
        'v' => 11,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        _ => return None,
    })
}

fn number(text: &str, base: u32, most: usize) -> Option<(u8, &str)> {
    let digits = text.chars().take(most).take_while(|c| c.is_digit(base)).count();
    let value = u8::from_str_radix(text.get(..digits)?, base).ok()?;
    Some((value, text.get(digits..)?))
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_loosely};

    #[test]
    fn known_escapes_are_decoded() {
        assert_eq!(decode("\\x72\\x6d").as_deref(), Some("rm"));
        assert_eq!(decode("\\162\\155").as_deref(), Some("rm"));
        assert_eq!(decode("a\\'b\\n").as_deref(), Some("a'b\n"));
        assert_eq!(decode("caf\\xc3\\xa9").as_deref(), Some("café"));
    }

    #[test]
    fn what_shells_read_differently_is_refused() {
        for inner in ["\\u0072", "\\0", "\\cA", "\\xff", "\\", "\\q", "\\x", "\\777"] {
            assert_eq!(decode(inner), None, "{inner:?}");
        }
        assert_eq!(decode_loosely("\\u0072m"), "rm", "but deny rules see what newer shells make of it");
        assert_eq!(decode_loosely("\\U00000072\\155\\u"), "rm");
    }
}
