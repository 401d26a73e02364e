//! Classes of characters in a glob (`[ab]`, `[!a-z]`).
//!
//! A shell never lets one stand for the `/` between folders, and the library that matches our globs does.

use std::borrow::Cow;
use std::ops::Range;

/// Returns the glob with a `/` left out by each of its classes that leave characters out.
pub(super) fn within_a_folder(glob: &str) -> Cow<'_, str> {
    let mut narrowed = Cow::Borrowed(glob);
    for class in classes(glob).into_iter().rev() {
        let inside = glob.get(class.start + 1..class.end - 1).unwrap_or_default();
        if inside.starts_with(['!', '^']) {
            narrowed.to_mut().insert(class.start + 2, '/');
        }
    }
    narrowed
}

/// Returns the fault of a class; `None` if there is none.
pub(super) fn problem(glob: &str) -> Option<&'static str> {
    if has_separator(glob) {
        return Some("a class matches one character of a name, never a /");
    }
    let odd = |class: Range<usize>| {
        let inside = glob.get(class.start + 1..class.end - 1).unwrap_or_default();
        inside.trim_start_matches(['!', '^']).starts_with([']', '-'])
    };
    classes(glob)
        .into_iter()
        .any(odd)
        .then_some("a class begins with a letter or a digit; write - last and no ]")
}

/// Returns true if a class takes the `/`, by itself or in a range.
fn has_separator(glob: &str) -> bool {
    classes(glob).into_iter().any(|class| {
        let inside = glob.get(class.start + 1..class.end - 1).unwrap_or_default();
        if inside.starts_with(['!', '^']) {
            return false;
        }
        let letters: Vec<char> = inside.chars().collect();
        let in_range =
            letters.windows(3).any(|three| matches!(three, [from, '-', to] if (*from..=*to).contains(&'/')));
        letters.contains(&'/') || in_range
    })
}

/// Returns the ranges of the classes of a glob, brackets included. A bracket that is never closed is no
/// class.
fn classes(glob: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut letters = glob.char_indices();
    while let Some((start, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => {
                let inside = &glob[start + 1..];
                let sign = usize::from(inside.starts_with(['!', '^']));
                let literal = usize::from(inside[sign..].starts_with(']'));
                let first = sign + literal;
                let Some(length) = inside[first..].find(']') else { return found };
                let end = start + 1 + first + length + 1;
                found.push(start..end);
                while letters.clone().next().is_some_and(|(at, _)| at < end) {
                    letters.next();
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{PatternError, parse_pattern, path_glob};
    use proptest::prelude::*;

    fn matches(text: &str, path: &str) -> bool {
        path_glob(text, false).unwrap().compile_matcher().is_match(path)
    }

    #[test]
    fn a_class_never_stands_for_the_separator() {
        for (text, path, expected) in
            crate::testing::rows::<(String, String, bool)>(include_str!("separator.jsonl"))
        {
            assert_eq!(matches(&text, &path), expected, "{text} {path}");
        }
    }

    #[test]
    fn a_class_that_names_it_or_reads_in_two_ways_is_refused() {
        for text in [
            "/opt[/]x", "/opt[a/]x", "/opt/x[a/]", "/opt/[.-0]x", "/opt/x[.-0]", "/opt/[!-~]x",
            "/opt/[!]a]x", "/opt/[]a]x", "/opt/x[]a]", "/opt/x[-a]", "/opt/x[a][-b]y",
        ] {
            let refused = parse_pattern(text, None);
            assert!(matches!(&refused, Err(PatternError::Glob(..))), "{text}: {refused:?}");
        }
        for text in ["/opt/[!a-c-]x", "/opt/[a.-]x", "/opt/x[!/]y", "/opt/\\[a/x]"] {
            let read = parse_pattern(text, None);
            assert!(read.is_ok(), "{text}: {read:?}");
        }
    }

    proptest! {
        #[test]
        fn without_two_stars_no_glob_crosses_a_folder(text in "/a[\\[\\]!^a-c.*?{},-]{1,12}") {
            let crosses = text.contains("**");
            if let (false, Ok(_), Ok(glob)) = (crosses, parse_pattern(&text, None), path_glob(&text, false)) {
                prop_assert!(!glob.compile_matcher().is_match("/a/b"), "{}", text);
            }
        }
    }
}
