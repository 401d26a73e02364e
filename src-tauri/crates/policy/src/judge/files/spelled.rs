//! Words as the paths that they may stand for.

use crate::glob::{ANY_NAME, ANY_PATH};

/// Returns the parts of a word that may be a path: `--env-file=x`, `-fx`, `-includex`, `a:b`, `file=@x`, `source=x,target=y`.
pub(super) fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    let letters = short.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    let glued = short.char_indices().skip(1).map(|(at, _)| &short[at..]);
    let glued = glued.take_while(move |rest| short.len() - rest.len() <= letters.unwrap_or(short.len()));
    let below = word.strip_prefix('-').and_then(|rest| rest.find(['/', '~']).map(|at| &rest[at..]));
    let parts = word.split(['=', ':', ',', '@', '<', ';']).map(|part| part.trim_matches('"'));
    let parts = parts.filter(|part| part.len() < word.len());
    let behind = word.split_once('=').map(|(_, value)| value);
    std::iter::once(word).chain(behind).chain(glued).chain(below).chain(parts)
}

/// Returns the parts of a word that a program may write: what stands behind an `@` or `<` is what it reads.
pub(super) fn written_pieces(word: &str) -> impl Iterator<Item = &str> {
    let read = move |piece: &str| {
        let at = piece.as_ptr().addr() - word.as_ptr().addr();
        piece.len() < word.len() && word[..at].ends_with(['@', '<'])
    };
    pieces(word).filter(move |piece| !read(piece))
}

/// Returns the files that a script of `sed` may read or write: `r`, `R`, `w` and `W` take the rest of the line.
pub(super) fn files_of_sed(script: &str) -> impl Iterator<Item = &str> {
    let commands = script.match_indices(['r', 'R', 'w', 'W']);
    commands.filter_map(|(at, _)| script[at + 1..].lines().next()).map(str::trim_start)
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
            ("-include.env", ".env"),
            ("x=<.env", ".env"),
            ("x=@.env;type=text/plain", ".env"),
            ("x=@\"a\",\".env\"", ".env"),
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
