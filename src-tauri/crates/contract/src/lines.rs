//! Multi-line text.

use serde::{Deserialize, Serialize};

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
