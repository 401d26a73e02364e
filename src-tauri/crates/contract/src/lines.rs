//! Multi-line text, and lines of a shown one.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Lines written by Postern, for a user to read or to copy. It has no one-line form, because that would escape
/// its line ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MultilineText(String);

impl MultilineText {
    /// Creates it from text that ends its lines with `\n`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the lines without their ends, and without empty lines at the end.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.trim_end().split('\n')
    }
}

/// Lines of a shown command that are the body of a here-document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BodyLines {
    /// Number of the first of them; the first of the command is 0.
    pub first: usize,
    /// Number of lines, without the delimiter's.
    pub count: usize,
}
