//! Words as the paths that they may stand for.

use crate::glob::{ANY_NAME, ANY_PATH};

/// Returns the parts of a word that may be a path: `--env-file=x`, `-fx`, `a:b`, `file=@x`, `source=x,target=y`.
pub(super) fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let glued = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let glued = glued.and_then(|rest| rest.char_indices().nth(1)).map(|(at, _)| &word[1 + at..]);
    let below = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    let parts = word.split(['=', ':', ',', '@']).filter(|part| part.len() < word.len());
    let behind = word.split_once('=').map(|(_, value)| value);
    std::iter::once(word).chain(behind).chain(glued).chain(below).chain(parts)
}

/// Returns a text with marks in place of what a shell puts in, and if that can hold a slash.
pub(super) fn opened(text: &str) -> (String, bool) {
    let (mut out, mut rest, mut runtime) = (String::with_capacity(text.len()), text, false);
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let until = |end: char| behind.find(end).map_or("", |at| &behind[at + end.len_utf8()..]);
        rest = match c {
            '$' => {
                runtime = true;
                match behind.chars().next() {
                    Some('{') => until('}'),
                    // Whatever stands behind a substitution may stand in it.
                    Some('(') => "",
                    Some(c) if c.is_alphanumeric() || c == '_' => {
                        behind.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                    }
                    Some(c) => &behind[c.len_utf8()..],
                    None => behind,
                }
            }
            '`' => {
                runtime = true;
                until('`')
            }
            '[' => until(']'),
            '{' => until('}'),
            _ => behind,
        };
        let mark = match c {
            '$' | '`' => ANY_PATH,
            '*' if out.ends_with(ANY_NAME) => {
                out.pop();
                ANY_PATH
            }
            '*' | '?' | '[' | '{' => ANY_NAME,
            c => c,
        };
        out.push(mark);
    }
    (out, runtime)
}

#[cfg(test)]
mod tests {
    use super::{opened, pieces};

    #[test]
    fn every_part_of_a_word_that_may_be_a_path_is_found() {
        for (word, part) in [
            ("--env-file=.env", ".env"),
            ("-f.env", ".env"),
            ("-I/x", "/x"),
            ("file=@.env", ".env"),
            ("@.env", ".env"),
            ("HEAD:.env", ".env"),
            ("./.env:/x:ro", "./.env"),
            ("type=bind,source=.env", ".env"),
            ("of=a=b", "a=b"),
            ("é", "é"),
        ] {
            assert!(pieces(word).any(|piece| piece == part), "{word}");
        }
    }

    #[test]
    fn what_a_shell_puts_in_is_marked() {
        for (word, expected, runtime) in [
            ("a.b", "a.b", false),
            ("*.rs", "\u{fffe}.rs", false),
            ("**/x", "\u{ffff}/x", false),
            ("[ab]?", "\u{fffe}\u{fffe}", false),
            ("{1..3}x", "\u{fffe}x", false),
            ("$x.rs", "\u{ffff}.rs", true),
            ("${x%.*}/y", "\u{ffff}/y", true),
            ("$(a b)/y", "\u{ffff}", true),
            ("`a`/y", "\u{ffff}/y", true),
            ("$1y", "\u{ffff}", true),
            ("$", "\u{ffff}", true),
        ] {
            assert_eq!(opened(word), (expected.to_owned(), runtime), "{word}");
        }
    }
}
