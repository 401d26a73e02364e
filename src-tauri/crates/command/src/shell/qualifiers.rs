//! zsh's glob qualifiers (`*(.om[1,3])`): which files of those that match are meant.

/// Returns true if what stands in the brackets only picks, sorts and counts files.
///
/// `e` and `+` run code, also to sort by; `P` puts words before each file; what `:` makes of a name may begin with a
/// dash; `u`, `g`, `f` and `d` take arguments between marks of any kind: none of these is followed.
pub(super) fn are_plain(inside: &str) -> bool {
    let mut rest = inside.strip_prefix("#q").unwrap_or(inside);
    if rest.is_empty() {
        return false;
    }
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let after = match c {
            '^' | '-' | '/' | '.' | '@' | 'p' | '*' | 'r' | 'w' | 'x' | 'A' | 'I' | 'E' | 'R' | 'W' | 'X'
            | 's' | 'S' | 't' | 'F' | 'T' | 'M' | 'N' | 'D' | 'n' => Some(behind),
            'o' | 'O' => behind.strip_prefix(['n', 'L', 'l', 'a', 'm', 'c', 'd', 'N']),
            'm' | 'a' | 'c' => number(behind.strip_prefix(['M', 'w', 'h', 'm', 's', 'd']).unwrap_or(behind)),
            'L' => number(behind.strip_prefix(['k', 'm', 'g', 't', 'p']).unwrap_or(behind)),
            'l' | 'Y' => number(behind),
            '[' => subscript(behind),
            _ => None,
        };
        let Some(after) = after else { return false };
        rest = after;
    }
    true
}

/// Returns the rest after digits, which may have a sign.
fn number(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < digits.len()).then_some(rest)
}

/// Returns the rest after `1]` or `1,3]`.
fn subscript(text: &str) -> Option<&str> {
    let first = number(text)?;
    let second = first.strip_prefix(',').map_or(Some(first), number)?;
    second.strip_prefix(']')
}

#[cfg(test)]
mod tests {
    use super::are_plain;

    #[test]
    fn only_what_picks_and_sorts_is_plain() {
        for inside in [
            "N", ".", "/", "om[1,3]", "#qN", "N.", "^/", "-.", "D", "On", "[1]", "[-1]", "mh-1", "Lk+10",
            "m-7", "oL[1]", "*", "Y1",
        ] {
            assert!(are_plain(inside), "{inside}");
        }
        for inside in [
            "", "#q", "e:rm:", "e'rm'", "+rm", "P:-x:", "oe:rm:", "o+rm", ":t", ".:h", "u:me:", "f:755:",
            "[x]", "[1", "[$x]", "m", "m$x", "a|b", "N)(e:rm:", "N e", "b", "Ne:rm:", "$x", "`x`", "o",
            "[a[$(x)]]", "(N)", "x,+rm", "d1", "=",
        ] {
            assert!(!are_plain(inside), "{inside}");
        }
    }
}
