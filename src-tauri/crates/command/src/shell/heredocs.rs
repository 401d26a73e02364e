//! Here-documents that the other parser's grammar does not know.
//!
//! Two on one line, or one in a line that goes on after it (`cat <<A; ls`). If it is plain how every shell
//! reads them, they are hidden from it and it is asked again: each `<<` as a redirection from a file, its
//! body and the end of it as blanks.

use std::ops::Range;

/// A here-document as the tree has it.
#[derive(Debug, Clone)]
pub(super) struct HereDocument {
    /// From the `<<` to the end of the delimiter.
    pub(super) operator: Range<usize>,
    /// Without the quotes.
    pub(super) delimiter: String,
    /// True if tabs before the delimiter do not count.
    pub(super) tabs: bool,
    pub(super) body: Range<usize>,
    /// True if nothing in the body is expanded but variables.
    pub(super) plain: bool,
}

/// Returns true if one begins before the body of an earlier one: then only our own rule tells whose body is
/// whose.
pub(super) fn share_a_line(all: &[HereDocument]) -> bool {
    all.iter().any(|one| {
        all.iter()
            .any(|other| other.operator.start < one.operator.start && one.operator.start < other.body.start)
    })
}

/// Returns the text without its here-documents, character for character; `None` if it is not plain how they
/// are read.
///
/// What the tree says of them is checked by a rule of our own: bodies begin behind the line of their operators, in the
/// order of these, and each ends at the first line that is its delimiter.
pub(super) fn hide_documents(text: &str, all: &[HereDocument]) -> Option<String> {
    let mut all: Vec<&HereDocument> = all.iter().collect();
    all.sort_by_key(|document| document.operator.start);
    let mut bytes = text.as_bytes().to_vec();
    // Where the present line ends, and where the next body begins.
    let (mut line_end, mut next) = (0, 0);
    for document in all {
        if document.operator.start >= next {
            line_end = document.operator.start + text.get(document.operator.start..)?.find('\n')? + 1;
            next = line_end;
        }
        let plain = document.plain && goes_on_plainly(text.get(document.operator.end..line_end)?);
        let end = next + body_length(text.get(next..)?, &document.delimiter, document.tabs)?;
        if !plain || document.body.start != next || document.body.end > end {
            return None;
        }
        bytes.get_mut(document.operator.start + 1..document.operator.end)?.fill(b'_');
        *bytes.get_mut(document.operator.start + 1)? = b' ';
        bytes.get_mut(next..end)?.fill(b' ');
        next = end;
    }
    String::from_utf8(bytes).ok()
}

/// Returns true if the line's end is the end of all on it.
///
/// No quote is open, and no bracket is closed that was opened before.
fn goes_on_plainly(rest: &str) -> bool {
    let mut quote = None;
    let mut depth = 0usize;
    let mut before = ' ';
    for c in rest.chars() {
        match (quote, c) {
            (_, '\\' | '`') => return false,
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if before.is_whitespace() || ";&|()".contains(before) => return false,
            (None, '(') => depth += 1,
            (None, ')') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
        before = c;
    }
    quote.is_none() && depth == 0
}

/// Returns the length up to and with the line that is the delimiter.
fn body_length(text: &str, delimiter: &str, tabs: bool) -> Option<usize> {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        if (if tabs { line.trim_start_matches('\t') } else { line }) == delimiter {
            return Some(length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{HereDocument, hide_documents, share_a_line};

    /// Finds the operators by their spelling; bodies are given in their order.
    fn hidden(text: &str, bodies: &[&str]) -> Option<String> {
        let all: Vec<HereDocument> = text
            .match_indices("<<")
            .zip(bodies)
            .map(|((at, _), body)| {
                let start = text.find(body).unwrap();
                HereDocument {
                    operator: at..at + 3,
                    delimiter: text[at + 2..at + 3].to_owned(),
                    tabs: false,
                    body: start..start + body.len(),
                    plain: true,
                }
            })
            .collect();
        hide_documents(text, &all)
    }

    #[test]
    fn bodies_follow_the_line_in_the_order_of_their_operators() {
        let text = "cat <<A; cat <<B\none\nA\ntwo\nB\nls\n";
        let blank = " ".repeat("one\nA\ntwo\nB\n".len());
        assert_eq!(hidden(text, &["one\n", "two\n"]).unwrap(), format!("cat < _; cat < _\n{blank}ls\n"));
        assert!(hidden(text, &["two\n", "one\n"]).is_none(), "in another order");
        let later = "cat <<A\none\nA\ncat <<B\ntwo\nB\n";
        assert!(hidden(later, &["one\n", "two\n"]).is_some());
        assert!(hidden("cat <<A; cat <<B\none\nA\ntwo\n", &["one\n", "two\n"]).is_none(), "no end");
    }

    #[test]
    fn those_of_one_line_are_told_from_those_of_several() {
        let at = |places: &[(usize, usize)]| {
            let document = |(operator, body): &(usize, usize)| HereDocument {
                operator: *operator..operator + 3,
                delimiter: "A".to_owned(),
                tabs: false,
                body: *body..body + 4,
                plain: true,
            };
            share_a_line(&places.iter().map(document).collect::<Vec<_>>())
        };
        assert!(at(&[(4, 20), (9, 30)]) && at(&[(9, 30), (4, 20)]), "in whatever order they are met");
        assert!(!at(&[(4, 20)]) && !at(&[(4, 20), (30, 40)]) && !at(&[(4, 20), (20, 30)]));
    }

    #[test]
    fn a_line_that_may_go_on_is_not_followed() {
        for line in ["cat <<A 'x", "cat <<A \"x", "cat <<A \\", "(cat <<A)", "cat <<A # x", "cat <<A `x`"] {
            assert!(hidden(&format!("{line}\none\nA\n"), &["one\n"]).is_none(), "{line}");
        }
        for line in ["cat <<A; (ls)", "cat <<A | grep 'x y'", "cat <<A && echo \"a\""] {
            assert!(hidden(&format!("{line}\none\nA\n"), &["one\n"]).is_some(), "{line}");
        }
    }

    #[test]
    fn a_body_that_is_longer_than_the_first_delimiter_is_refused() {
        assert!(hidden("cat <<A\none\nA\ntwo\nA\n", &["one\nA\ntwo\n"]).is_none());
    }
}
