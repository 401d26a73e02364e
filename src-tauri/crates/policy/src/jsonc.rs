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

/// Returns the line and column of each entry of the list under a key of the outermost object.
///
/// Both are counted from 1, the column in characters.
pub fn places_in_list(text: &str, key: &str) -> Vec<(usize, usize)> {
    let Some(list) = list_item_offsets(text, key) else { return Vec::new() };
    let mut walk = PlaceWalk::new(text);
    list.into_iter().map(|at| walk.place_of(at)).collect()
}

/// Returns the line and column of a key of the outermost object.
pub fn place_of_key(text: &str, key: &str) -> Option<(usize, usize)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &crate::permissions::options()).ok()?;
    let Some(Value::Object(root)) = parsed.value else { return None };
    let found = root.properties.iter().find(|property| property.name.as_str() == key)?;
    Some(PlaceWalk::new(text).place_of(found.start()))
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

/// Walk through a text to its end: each place is counted from the one before, however long the text is.
struct PlaceWalk<'a> {
    /// Text that was not passed yet.
    rest: &'a str,
    /// Bytes that were.
    passed: usize,
    place: (usize, usize),
}

impl<'a> PlaceWalk<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, passed: 0, place: (1, 1) }
    }

    /// Returns the line and column of an offset that is not before the last one.
    fn place_of(&mut self, at: usize) -> (usize, usize) {
        let (between, rest) = self.rest.split_at_checked(at - self.passed).unwrap_or((self.rest, ""));
        let (line, column) = self.place;
        self.place = match between.rsplit_once('\n') {
            Some((lines, last)) => (line + lines.matches('\n').count() + 1, last.chars().count() + 1),
            None => (line, column + between.chars().count()),
        };
        (self.rest, self.passed) = (rest, at);
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::{place_of_key, places_in_list, to_plain_json};
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
        assert_eq!(places_in_list(TEXT, "rules"), [(3, 3), (4, 3)]);
        assert_eq!(place_of_key(TEXT, "version"), Some((2, 3)));
        assert_eq!(places_in_list(TEXT, "version"), []);
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
        fn each_place_is_where_it_would_be_counted_from_the_beginning(
            texts in prop::collection::vec("[a-cé\\n]{0,6}", 1..8),
        ) {
            let text = texts.concat();
            let mut walk = super::PlaceWalk::new(&text);
            let mut before = String::new();
            for part in &texts {
                before.push_str(part);
                let lines: Vec<&str> = before.split('\n').collect();
                let expected = (lines.len(), lines[lines.len() - 1].chars().count() + 1);
                prop_assert_eq!(walk.place_of(before.len()), expected);
            }
        }

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
