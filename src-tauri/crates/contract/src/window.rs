//! Messages between the desktop app and its pages beside the control methods.

use crate::activity::RequestRow;
use crate::alike::Batch;
use crate::lists::{AgentRow, Status};
use crate::question::Question;
use postern_policy::{AgentId, Millis};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Content of the approval page: a question, or the result of the last one. With neither the window is about
/// to hide.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Showing {
    /// The question, oldest first.
    pub question: Option<Question>,
    /// The question with others of its shape, if they are shown as one.
    pub batch: Option<Batch>,
    /// Number of questions of its shape that came later, and are not among them.
    pub later: u32,
    /// State of *Allow*: it works by now, or not yet.
    pub arming: ShownArming,
    /// True once it was on show for long enough that a key or click is about this question.
    pub settled: bool,
    /// True if *Allow* has to be held, or pressed twice.
    pub hold: bool,
    /// True if the person left the details open.
    pub details: bool,
    /// Result of the last answer.
    pub pill: Option<Pill>,
}

/// A question as an answer names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionName {
    pub question_id: String,
    /// The digest of what was shown.
    pub digest: String,
}

/// Contents of the menu-bar item and its popover.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct Overview {
    /// The state of the host.
    pub status: Status,
    pub agents: Vec<AgentMark>,
    /// Questions that wait for the person, oldest first.
    pub questions: Vec<Question>,
    /// The newest requests that are not over and wait for nobody.
    pub running: Vec<RequestRow>,
    /// The newest requests that are over.
    pub recent: Vec<RequestRow>,
    /// True if the host has stopped since.
    pub lost: bool,
}

/// Name and color that tell an agent apart from others at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AgentMark {
    pub id: AgentId,
    /// The name that the person gave it.
    pub name: String,
    /// Color, `#rrggbb`.
    pub color: String,
}

impl From<AgentRow> for AgentMark {
    fn from(agent: AgentRow) -> Self {
        Self { id: agent.id, name: agent.name, color: agent.color }
    }
}

/// Result of an answer, for a few seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Pill {
    /// Denied, and the agent is not told yet: it can be undone.
    Denied,
    /// The agent may do it itself.
    Allowed,
    /// Several of one shape were allowed.
    AllowedAll {
        /// Number of the questions.
        count: u32,
    },
    /// Command that runs, or is about to; it can be stopped.
    Running {
        /// The answer's time.
        since: Millis,
    },
    /// Exited with 0.
    Passed,
    /// Ended without success.
    Failed {
        /// Exit code, if it had one.
        code: Option<i32>,
    },
    /// Rules were saved.
    Saved {
        /// Waiting questions that they answered.
        also: u32,
        /// True if they deny.
        denies: bool,
        /// True if they can be removed again from here.
        undo: bool,
    },
    /// The saved rules were removed again.
    Removed {
        /// Questions that were allowed with them, which that does not undo.
        allowed: u32,
    },
}

/// Action of a person on a [`Pill`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum PillAct {
    /// Opens the denied question again, or removes the rules that were saved.
    Undo,
    /// Stops what runs.
    Stop,
    /// Shows what it wrote.
    Show,
}

/// State of arming. It lives in the app; the page only shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum ShownArming {
    /// The end of the question has not been visible yet.
    Unseen,
    /// Seen, and counting down.
    #[serde(rename_all = "camelCase")]
    Counting {
        /// Time that is left, in milliseconds.
        left_ms: u64,
    },
    /// *Allow* works.
    Armed,
}

/// Release of the app, as the manifest of updates offers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AppRelease {
    pub version: String,
    /// Size of its download in bytes, if the manifest has it.
    pub size: Option<u64>,
}

/// State of the app's updates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum UpdateState {
    /// The manifest was not read since the app started.
    Unknown,
    /// The manifest is being read.
    Checking,
    /// No release is newer.
    Current,
    /// Newer release, which the person can install.
    Available { release: AppRelease },
    /// Older release than one that runs here, which is not installed.
    Refused {
        /// Version of the release.
        version: String,
        /// Newest version that runs here.
        newest: String,
    },
    /// Release that is being downloaded, to be installed.
    Downloading { release: AppRelease },
    /// Downloaded release that is installed once nothing waits and nothing runs.
    Waiting {
        release: AppRelease,
        /// Questions that wait for the person.
        questions: u32,
        /// Commands that run.
        commands: u32,
    },
    /// Release that is being installed. The app then starts again.
    Installing { release: AppRelease },
    /// No release could be found or installed.
    Failed { reason: String },
}

/// Look and sound of the app, and whether the owner of the Mac confirms *Always* and what is dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the settings")]
pub struct Preferences {
    /// Light, dark, or as the system is.
    pub appearance: Appearance,
    /// True if a question is heard.
    pub sound: bool,
    /// True if the owner confirms *Always* and what is dangerous, by Touch ID or the password.
    pub confirm: bool,
    /// True if a question's details are open.
    pub details: bool,
    /// Keys that give the panel the keyboard, and take it back, on a Mac. They answer nothing.
    pub shortcut: Shortcut,
    /// True if the panel, the popover and windows of output ask to be left out of recordings and shared screens.
    pub unrecorded: bool,
    /// True if questions wait in the inbox alone, without a panel, a notification or a sound: others see the screen.
    pub inbox_only: bool,
    /// True if the app looks for a newer release of itself once a day, on a Mac. It installs none by itself.
    pub check_updates: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        // On a Mac with several keyboard layouts, Control-Option-Space is the system's own, which gives it to no app.
        let (appearance, shortcut) = (Appearance::System, Shortcut::ControlOptionP);
        let (sound, confirm, details, unrecorded, inbox_only) = (true, false, false, false, false);
        let check_updates = false;
        Self { appearance, sound, confirm, details, shortcut, unrecorded, inbox_only, check_updates }
    }
}

/// Keys that work whichever app has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Shortcut {
    ControlOptionSpace,
    ControlOptionP,
    /// No keys.
    Off,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Appearance {
    System,
    Light,
    Dark,
}

/// Ways in which this computer can identify its owner.
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
