//! Reader of JSON with comments and trailing commas, made plain without moving anything.
//!
//! So a position in the plain text is the same line and column in the person's.

use crate::permissions::FileError;
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, Scanner, ScannerOptions, parse_to_ast};

/// Converts a text to plain JSON, with blanks in place of comments and trailing commas, or returns its fault.
pub fn to_plain_json(text: &str) -> Result<String, FileError> {
    parse_to_ast(text, &CollectOptions::default(), &crate::permissions::options())
        .map_err(|error| FileError::of_json(text, &error))?;
    let mut plain = text.as_bytes().to_vec();
    let mut blank = |from: usize, to: usize| {
        for byte in plain.get_mut(from..to).into_iter().flatten().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    };
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    let mut comma: Option<usize> = None;
    while let Some(token) = scanner.scan().map_err(|error| FileError::of_json(text, &error))? {
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                blank(scanner.token_start(), scanner.token_end());
            }
            Token::Comma => comma = Some(scanner.token_start()),
            Token::CloseBrace | Token::CloseBracket => {
                if let Some(at) = comma.take() {
                    blank(at, at + 1);
                }
            }
            _ => comma = None,
        }
    }
    // Only whole characters were blanked.
    String::from_utf8(plain).map_err(|error| FileError::at_position(text, 1, 1, error.to_string()))
}

/// Returns the line and column of an entry, counted from 0, of the list under a key of the outermost object.
///
/// Both are counted from 1, the column in characters.
pub fn place_in_list(text: &str, key: &str, index: usize) -> Option<(usize, usize)> {
    list_item_offsets(text, key)?.get(index).map(|at| line_and_column(text, *at))
}

/// Returns the line and column of a key of the outermost object.
pub fn place_of_key(text: &str, key: &str) -> Option<(usize, usize)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &crate::permissions::options()).ok()?;
    let Some(Value::Object(root)) = parsed.value else { return None };
    let found = root.properties.iter().find(|property| property.name.as_str() == key)?;
    Some(line_and_column(text, found.start()))
}

fn list_item_offsets(text: &str, key: &str) -> Option<Vec<usize>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &crate::permissions::options()).ok()?;
    let Some(Value::Object(root)) = parsed.value else { return None };
    let is_it = |property: &&ObjectProp<'_>| property.name.as_str() == key;
    match &root.properties.iter().find(is_it)?.value {
        Value::Array(list) => Some(list.elements.iter().map(jsonc_parser::common::Ranged::start).collect()),
        _ => None,
    }
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::{place_in_list, place_of_key, to_plain_json};
    use proptest::prelude::*;

    const TEXT: &str = "// what holds here\n{ \"version\": 1, /* é */ \"rules\": [\n  { \"a\": \"// no comment\" },\n  2,\n], }\n";

    #[test]
    fn comments_and_last_commas_become_blanks_of_the_same_length() {
        let plain = to_plain_json(TEXT).unwrap();
        assert_eq!(plain.lines().count(), TEXT.lines().count());
        assert_eq!(plain.find("\"rules\""), TEXT.find("\"rules\""), "nothing moved");
        let value: serde_json::Value = serde_json::from_str(&plain).unwrap();
        assert_eq!(value["rules"][0]["a"], "// no comment");
        assert_eq!(value["rules"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn entries_and_keys_have_places() {
        let places = [0, 1, 2].map(|index| place_in_list(TEXT, "rules", index));
        assert_eq!(places, [Some((3, 3)), Some((4, 3)), None]);
        assert_eq!(place_of_key(TEXT, "version"), Some((2, 3)));
        assert_eq!(place_in_list(TEXT, "version", 0), None);
    }

    #[test]
    fn what_is_looser_than_that_says_where() {
        for text in ["{ a: 1 }", "{ 'a': 1 }", "{ \"a\": 0x1 }", "{ \"a\" 1 }", "{\n  \"a\": [1,,2] }"] {
            assert!(to_plain_json(text).is_err(), "{text}");
        }
        let error = to_plain_json("{\n  \"a\": ,\n}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 8));
    }

    proptest! {
        #[test]
        fn plain_json_stays_as_it_is(text in "[ \\n\"a-c:,\\[\\]{}0-9/*\\\\é]{0,60}") {
            if let Ok(plain) = to_plain_json(&text) {
                prop_assert_eq!(plain.len(), text.len());
                if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                    prop_assert_eq!(&plain, &text);
                }
            }
        }
    }
}
