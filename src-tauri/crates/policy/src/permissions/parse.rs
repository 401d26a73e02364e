//! Reading the file: JSON with comments and trailing commas, nothing looser; no key twice.

use super::layer::{EntryOrigin, FileLayer, PermissionEntry};
use crate::rule::Effect;
use jsonc_parser::ast::{Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::HashSet;

/// The longest file that is read, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Fault of a file, with its position (both counted from 1).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}{}", excerpt_suffix(.text))]
pub struct FileError {
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
    /// Fault, and what would be right.
    pub message: String,
    /// That line of the file, escaped, as far as it is worth showing; empty where there is none.
    pub text: String,
}

fn excerpt_suffix(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" (in: {text})") }
}

/// The most that is shown of a line, in characters.
const SHOWN: usize = 120;

impl FileError {
    /// Makes the error for a fault at a line and column of `file`.
    pub fn at_position(file: &str, line: usize, column: usize, message: String) -> Self {
        let whole = file.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let mut text = postern_command::escape::visible_text(whole);
        if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
            text.truncate(cut);
            text.push('…');
        }
        Self { line, column, message, text }
    }

    /// Converts an error of the JSON reader.
    pub(crate) fn of_json(file: &str, error: &jsonc_parser::errors::ParseError) -> Self {
        Self::at_position(file, error.line_display(), error.column_display(), error.kind().to_string())
    }
}

/// Comments and trailing commas, and otherwise JSON as it is.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

impl FileLayer {
    /// Reads a file's text. `~/` and `$HOME/` at the start of a pattern become `home`.
    pub fn parse(text: &str, home: &str) -> Result<Self, FileError> {
        let reader = EntryReader { text, home };
        if text.len() > MAX_BYTES {
            return Err(reader.error_at(0, "the file is longer than 256 KiB"));
        }
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options())
            .map_err(|error| FileError::of_json(text, &error))?;
        match parsed.value {
            Some(Value::Object(root)) => reader.read_tools(&root),
            Some(other) => {
                Err(reader.error_at(other.start(), "the file is one object, { \"tool\": \"action\" }"))
            }
            None => Err(reader.error_at(0, "the file is empty; { } is a file without rules")),
        }
    }
}

struct EntryReader<'a> {
    text: &'a str,
    home: &'a str,
}

impl EntryReader<'_> {
    fn error_at(&self, at: usize, message: impl Into<String>) -> FileError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[line_start..].chars().count() + 1;
        FileError::at_position(self.text, before.matches('\n').count() + 1, column, message.into())
    }

    fn line_at(&self, at: usize) -> usize {
        self.text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
    }

    fn read_tools(&self, root: &Object<'_>) -> Result<FileLayer, FileError> {
        self.no_key_twice(root)?;
        let mut entries = Vec::new();
        for tool in &root.properties {
            let name = tool.name.as_str();
            match &tool.value {
                Value::StringLit(action) => entries.push(self.read_entry(name, "*", tool, action)?),
                Value::Object(patterns) => {
                    self.no_key_twice(patterns)?;
                    for pattern in &patterns.properties {
                        let Value::StringLit(action) = &pattern.value else {
                            return Err(self.error_at(
                                pattern.value.start(),
                                "an action is \"allow\", \"deny\" or \"ask\"",
                            ));
                        };
                        entries.push(self.read_entry(name, pattern.name.as_str(), pattern, action)?);
                    }
                }
                other => {
                    let message = "a tool has an action, or an object of patterns with an action each";
                    return Err(self.error_at(other.start(), message));
                }
            }
        }
        Ok(FileLayer::new(entries))
    }

    fn no_key_twice(&self, object: &Object<'_>) -> Result<(), FileError> {
        let mut seen = HashSet::new();
        for property in &object.properties {
            if !seen.insert(property.name.as_str()) {
                let message = format!(
                    "\"{}\" is here for the second time; which of the two is meant?",
                    postern_command::escape::visible_text(property.name.as_str())
                );
                return Err(self.error_at(property.start(), message));
            }
        }
        Ok(())
    }

    fn read_entry(
        &self,
        tool: &str,
        pattern: &str,
        at: &ObjectProp<'_>,
        action: &StringLit<'_>,
    ) -> Result<PermissionEntry, FileError> {
        let Some(effect) = Effect::from_name(&action.value) else {
            let other = postern_command::escape::visible_text(&action.value);
            let message = format!("\"{other}\" is no action: \"allow\", \"deny\" and \"ask\" are");
            return Err(self.error_at(action.start(), message));
        };
        let origin = EntryOrigin::File { line: self.line_at(at.start()) };
        PermissionEntry::new(tool, pattern, effect, self.home, origin)
            .map_err(|problem| self.error_at(at.start(), problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::DEFAULT_FILE;

    #[test]
    fn the_default_file_is_read_in_order() {
        let layer = FileLayer::parse(DEFAULT_FILE, "/Users/u").unwrap();
        let read: Vec<_> = layer
            .entries()
            .iter()
            .map(|entry| (entry.tool.as_str(), entry.written.as_str(), entry.effect))
            .collect();
        assert_eq!(read[0], ("*", "*", Effect::Ask));
        assert_eq!(read[2], ("read_file", "*.env", Effect::Deny));
        assert_eq!(read[6], ("read_file", "*.env.example", Effect::Allow));
        assert_eq!(read.last(), Some(&("shell_exec", "*", Effect::Ask)));
    }

    #[test]
    fn a_broken_file_says_where() {
        for (text, line, column, part) in
            crate::testing::rows::<(String, usize, usize, String)>(include_str!("broken.jsonl"))
        {
            let error = FileLayer::parse(&text, "/h").unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
            assert!(error.message.contains(&part), "{text}: {error}");
        }
    }

    #[test]
    fn the_broken_line_is_shown_escaped() {
        let error = FileLayer::parse("{\n  \"a\u{202e}\": \"alow\"\n}", "/h").unwrap_err();
        assert!(!error.to_string().contains('\u{202e}'), "{error}");
        assert!(error.text.contains("202e") && error.text.contains("alow"), "{error}");
    }

    #[test]
    fn a_file_cannot_make_the_reader_dig() {
        for open in ["[", "{\"a\":"] {
            let error = FileLayer::parse(&open.repeat(20_000), "/h").unwrap_err();
            assert_eq!(error.line, 1, "{error}");
        }
    }

    #[test]
    fn comments_and_trailing_commas_are_fine() {
        let layer = FileLayer::parse("// a\n{ /* b */ \"x\": \"deny\", }", "/h").unwrap();
        assert_eq!(layer.entries().len(), 1);
        assert_eq!(layer.entries()[0].origin, EntryOrigin::File { line: 2 });
    }
}
