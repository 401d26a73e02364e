//! Words of text that was not understood, as far as they can be told apart: without their quotes, with their braces expanded.

use super::ansi;
use super::braces::{self, Unit};
use std::borrow::Cow;

/// Bytes of a word whose braces are expanded.
const LONGEST_BRACED: usize = 256;

/// Words as a shell tells them apart, without their quotes; an operator stands for itself.
pub(super) fn words_of(part: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = part.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => push_quoted(&mut rest, c, word.get_or_insert_default()),
            '$' if rest.peek() == Some(&'\'') => {
                rest.next();
                let mut inner = String::new();
                push_ansi(&mut rest, &mut inner);
                word.get_or_insert_default().push_str(&ansi::decode_loosely(&inner));
            }
            '$' if rest.peek() == Some(&'"') => {}
            '\\' => word.get_or_insert_default().extend(rest.next()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn push_quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char, word: &mut String) {
    while let Some(c) = rest.next() {
        match c {
            c if c == quote => return,
            '\\' if quote == '"' => match rest.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                other => word.extend(std::iter::once('\\').chain(other)),
            },
            c => word.push(c),
        }
    }
}

fn push_ansi(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, inner: &mut String) {
    while let Some(c) = rest.next() {
        match c {
            '\'' => return,
            '\\' => inner.extend(std::iter::once('\\').chain(rest.next())),
            c => inner.push(c),
        }
    }
}

/// Adds a word without its quotes and backslashes, its braces expanded; nothing of it is lost but empty words.
pub(super) fn push_unquoted(word: &str, words: &mut Vec<String>) {
    if !word.contains(['\'', '"', '\\', '{']) {
        words.push(without_equals(word).to_owned());
        return;
    }
    let plain =
        if word.contains(['\'', '"', '\\']) { Cow::Owned(without_quotes(word)) } else { Cow::Borrowed(word) };
    let plain = without_equals(&plain);
    if let Some(texts) = plain_lists(plain) {
        words.extend(texts.into_iter().filter(|text| !text.is_empty()));
        return;
    }
    let expanded = (plain.len() <= LONGEST_BRACED && plain.contains('{')).then(|| {
        let units: Vec<Unit> = plain.chars().map(Unit::Bare).collect();
        braces::expand(&units)
    });
    let Some(expanded) = expanded.flatten() else {
        words.extend(Some(plain.to_owned()).filter(|plain| !plain.is_empty()));
        return;
    };
    let text = |units: Vec<Unit>| -> String {
        units
            .into_iter()
            .filter_map(|unit| if let Unit::Bare(c) | Unit::Quoted(c) = unit { Some(c) } else { None })
            .collect()
    };
    words.extend(expanded.into_iter().map(text).filter(|word| !word.is_empty()));
}

/// Returns the words that lists in braces make of one, if none is inside another and nothing else is in
/// braces.
///
/// Nearly all are such, and there may be thousands.
fn plain_lists(word: &str) -> Option<Vec<String>> {
    if word.len() > LONGEST_BRACED {
        return None;
    }
    let (before, mut rest) = word.split_once('{')?;
    let mut texts = vec![before.to_owned()];
    loop {
        let (members, behind) = rest.split_once('}')?;
        let (between, next) =
            behind.split_once('{').map_or((behind, None), |(text, next)| (text, Some(next)));
        let plain = members.contains(',') && !members.contains('{') && !between.contains('}');
        let count = texts.len() * members.split(',').count();
        if !plain || count > braces::MOST_WORDS {
            return None;
        }
        let mut longer = Vec::with_capacity(count);
        for text in &texts {
            longer.extend(members.split(',').map(|member| [text, member, between].concat()));
        }
        texts = longer;
        match next {
            Some(next) => rest = next,
            None => return Some(texts),
        }
    }
}

/// Returns a word without zsh's `=`: `=name` is the program of that name.
fn without_equals(word: &str) -> &str {
    word.strip_prefix('=').filter(|name| !name.is_empty()).unwrap_or(word)
}

fn without_quotes(word: &str) -> String {
    let mut plain = String::new();
    let mut rest = word.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('$', Some('\'')) => {
                rest.next();
                let mut inner = String::new();
                push_ansi(&mut rest, &mut inner);
                plain.push_str(&ansi::decode_loosely(&inner));
            }
            ('$', Some('"')) | ('\'' | '"' | '\\', _) => {}
            (c, _) => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_BRACED, plain_lists, push_unquoted, words_of};
    use crate::shell::braces::{self, Unit};

    #[test]
    fn a_word_is_what_a_shell_makes_of_its_quotes() {
        for (text, words) in [
            ("rm -rf x", vec!["rm", "-rf", "x"]),
            ("r$'\\x6d' $'a\\'b'", vec!["rm", "a'b"]),
            ("$\"rm\" $x", vec!["rm", "$x"]),
            ("\"a\\\"b\" \"a\\b\" 'a\\b'", vec!["a\"b", "a\\b", "a\\b"]),
            ("'a\\' b", vec!["a\\", "b"]),
            ("a\\ b 'c d'e ''", vec!["a b", "c de", ""]),
        ] {
            assert_eq!(words_of(text), words, "{text}");
        }
    }

    #[test]
    fn plain_lists_become_what_shells_make_of_them() {
        let most = "{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}";
        for word in ["{a,b}", "x{a,b}y{c,,d}z", "{,x}", "a}{b,c}", "{a,b}/{c,1..3}", "$x{a,b}", most] {
            let units: Vec<Unit> = word.chars().map(Unit::Bare).collect();
            let text = |units: Vec<Unit>| -> String {
                units.into_iter().map(|unit| if let Unit::Bare(c) = unit { c } else { '?' }).collect()
            };
            let expected = braces::expand(&units).unwrap().into_iter().map(text).collect();
            assert_eq!(plain_lists(word), Some(expected), "{word}");
        }
        let more = format!("{most}{{m,n}}");
        for other in ["a", "{a}", "{a,{b,c}}", "{a,b", "{1..3}", "{a,b}}", more.as_str()] {
            assert_eq!(plain_lists(other), None, "{other}");
        }
    }

    #[test]
    fn a_word_keeps_all_that_its_quotes_and_braces_hold() {
        let long = format!("{}{{rm,{{mv,cp}}}}", "x".repeat(LONGEST_BRACED));
        for (word, expected) in [
            ("{rm,{mv,cp}}", vec!["rm", "mv", "cp"]),
            ("{,{,rm}}", vec!["rm"]),
            ("{'r'm,x}", vec!["rm", "x"]),
            ("r{1..3}m", vec!["r1m", "r2m", "r3m"]),
            ("=rm", vec!["rm"]),
            ("\"=\"r'm'", vec!["rm"]),
            ("''", vec![]),
            (long.as_str(), vec![long.as_str()]),
        ] {
            let mut words = Vec::new();
            push_unquoted(word, &mut words);
            assert_eq!(words, expected, "{word}");
        }
    }
}
