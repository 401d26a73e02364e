//! What the desktop app and its pages say to each other beside the control methods.

use crate::question::{Question, Scope};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the approval page shows. Without a question the window is about to hide.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Showing {
    /// The question, oldest first.
    pub question: Option<Question>,
    /// Whether *Allow* works by now.
    pub arming: ShownArming,
}

/// Where arming stands. It lives in the app; the page only shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum ShownArming {
    /// The end of the question has not been visible yet.
    Unseen,
    /// It was seen.
    #[serde(rename_all = "camelCase")]
    Counting {
        /// How long it still takes, in milliseconds.
        left_ms: u64,
    },
    /// *Allow* works.
    Armed,
}

/// An offer of *Always*, perhaps edited, of which a person wants to know what it would have let through.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Offer {
    /// The question's id.
    pub question_id: String,
    /// The digest of what is on show.
    pub digest: String,
    /// The proposal's id.
    pub proposal: String,
    /// The pattern as the person wrote it, where it was edited.
    pub edited: Option<String>,
    /// For whom.
    pub scope: Scope,
    /// In every folder.
    #[serde(default)]
    pub anywhere: bool,
}

/// How the app looks and sounds, and whether the owner of the Mac confirms *Always* and what is dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Preferences {
    /// Light, dark, or as the system is.
    pub appearance: Appearance,
    /// Whether a question is heard.
    pub sound: bool,
    /// Whether the owner confirms *Always* and what is dangerous, by Touch ID or the password.
    pub confirm: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { appearance: Appearance::System, sound: true, confirm: false }
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Appearance {
    /// As the system is.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How this computer can tell its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// By a finger, or the password where no finger fits.
    TouchId,
    /// By the password of the account.
    Password,
    /// Not at all.
    None,
}
