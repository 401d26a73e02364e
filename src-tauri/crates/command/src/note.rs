//! Note about a part of a request: fixed words of this program, and at most one stretch of the request's own
//! text.
//!
//! These are kept apart so that the text can never pass for the words.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Fixed words. Only a text that stands in this program makes one; backticks in it mark code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Words(Cow<'static, str>);

impl Words {
    /// Returns the words, for `contract::render`, and to tell one effect from another.
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// Returns the words before and behind a `…`, which stands for all objects but the last: `move … to`.
    pub fn around_objects(&self) -> Option<(Self, Self)> {
        let (before, behind) = self.0.split_once('…')?;
        let part = |text: &str| Self(Cow::Owned(text.trim().to_owned()));
        Some((part(before), part(behind)))
    }
}

impl From<&'static str> for Words {
    fn from(words: &'static str) -> Self {
        Self(Cow::Borrowed(words))
    }
}

/// Fixed words with at most one stretch of the request's text among them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    before: Words,
    text: Option<String>,
    after: Words,
}

impl Note {
    /// Makes a note about a stretch of the request's text, which is kept as it is.
    pub fn with_text(before: &'static str, text: impl Into<String>, after: &'static str) -> Self {
        Self { before: before.into(), text: Some(text.into()), after: after.into() }
    }

    /// Returns the words before the text, the text, and the words behind it, for `contract::render` alone.
    pub fn as_parts(&self) -> (&Words, Option<&str>, &Words) {
        (&self.before, self.text.as_deref(), &self.after)
    }
}

impl From<&'static str> for Note {
    fn from(words: &'static str) -> Self {
        Self { before: words.into(), text: None, after: "".into() }
    }
}
