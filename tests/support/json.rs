//! Texts that tests look for in JSON.

use serde_json::Value;

/// Returns a text of each row of a list.
pub fn texts<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    let text = |row: &'a Value| row[key].as_str().unwrap_or_else(|| panic!("{row} has no {key}"));
    rows.as_array().expect("a list").iter().map(text).collect()
}

/// Returns a text that is given in pieces.
pub fn joined(pieces: &Value) -> String {
    texts(pieces, "text").concat()
}
