//! Text of several lines.

use serde::{Deserialize, Serialize};

/// Text that Postern wrote over several lines, for a person to read or to copy. It has no form of one line, in which its line
/// ends would be escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lines(String);

impl Lines {
    /// Takes text that ends its lines with `\n`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Gives the lines without their ends; empty ones at the end are left out.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.trim_end().split('\n')
    }
}
