//! Reasons for which *always* saves nothing.

use serde::{Deserialize, Serialize};

/// Reason why *always* saves nothing for a request and allows one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NothingToSave {
    /// A part of the command is only known when it runs.
    Unread,
    /// The request sets environment variables that always need a question.
    Environment,
    /// A setting or a rule asks every time.
    AlwaysAsks,
    /// The command writes to a file.
    Writes,
    /// The agent sends the input during the run.
    Input,
    /// Program not found, or its content unknown.
    Program,
    /// No rule would let the request through.
    NoRuleHelps,
    /// Rule for every folder, from an approver that has no way to confirm that.
    EveryFolder,
    /// High risk, from an approver that may not save that.
    HighRisk,
    /// Offer too long for the approver to show.
    NotShown,
}

impl NothingToSave {
    /// Returns the reason as a clause that follows *because*.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unread => "a part of it is only known when it runs",
            Self::Environment => "it sets environment variables that always need a question",
            Self::AlwaysAsks => "a setting or a rule asks every time",
            Self::Writes => "it writes to a file, and a rule would let it write to any",
            Self::Input => "the agent sends its input while it runs",
            Self::Program => "Postern did not find its program, or does not know the program’s content",
            Self::NoRuleHelps => "no rule would let it through",
            Self::EveryFolder => {
                "the rule would hold in every folder; only the window and a terminal can save that"
            }
            Self::HighRisk => "its risk is high, and this approver may not save that",
            Self::NotShown => "what would be saved is too long to be shown here",
        }
    }
}
