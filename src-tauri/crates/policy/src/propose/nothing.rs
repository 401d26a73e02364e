//! Why nothing is saved.

use serde::{Deserialize, Serialize};

/// Why *always* saves nothing for a request, and is one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NothingToSave {
    /// A part of it is only known when it runs.
    Unread,
    /// It sets names of the environment that are always asked about.
    Environment,
    /// A setting or a rule asks every time.
    AlwaysAsks,
    /// It writes to a file.
    Writes,
    /// Its input is sent while it runs.
    Input,
    /// Its program was not found, or its content is not known.
    Program,
    /// Whatever rule was saved, it would be asked about.
    NoRuleHelps,
    /// It would hold in every folder, and the approver has no way to say that this is meant.
    EveryFolder,
    /// The approver may not save what is of high risk.
    HighRisk,
    /// The approver does not show in full what would be saved.
    NotShown,
}

impl NothingToSave {
    /// The reason in words, to stand behind *because*.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unread => "a part of it is only known when it runs",
            Self::Environment => "it sets names of the environment that are always asked about",
            Self::AlwaysAsks => "a setting or a rule asks about it every time",
            Self::Writes => "it writes to a file, and a rule would let it write to any",
            Self::Input => "its input is sent while it runs",
            Self::Program => "its program was not found, or its content is not known",
            Self::NoRuleHelps => "it would be asked about whatever rule was saved",
            Self::EveryFolder => {
                "the rule would hold in every folder, which only the window and a terminal can save"
            }
            Self::HighRisk => "its risk is high, and this approver may not save that",
            Self::NotShown => "what would be saved is too long to be shown here",
        }
    }
}
