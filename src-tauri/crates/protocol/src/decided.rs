//! Words of a request's end: how it was decided, and how it ended.

use crate::{AllowedBy, DenyReason, Outcome, RunState};
use serde::{Deserialize, Serialize};

/// End of a request: the reason of a denial, or the outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum EndReason {
    Denied(DenyReason),
    /// Outcome of a run, or of an attempt to start one.
    Ran(Outcome),
}

impl EndReason {
    /// Returns the stable name: `user`, `exited`, ….
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied(reason) => reason.name(),
            Self::Ran(outcome) => outcome.name(),
        }
    }

    /// Returns the one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        DenyReason::from_name(name).map(Self::Denied).or_else(|| Outcome::from_name(name).map(Self::Ran))
    }
}

crate::named_values! {
    /// Way in which a request was decided.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Decided {
        /// The user was asked and allowed it.
        YouAllowed = "you-allowed",
        /// An allow rule or a skill's rule let it through; nobody was asked.
        RuleAllowed = "rule-allowed",
        /// The agent's settings let it through: *Allow*, the read-only list, the fallback.
        SettingAllowed = "setting-allowed",
        /// The user was asked and denied it.
        YouDenied = "you-denied",
        /// A deny rule, the built-in core or an organization's rule.
        RuleDenied = "rule-denied",
        /// Anything else that denies without asking: settings, limits, a pause, what cannot be found or read.
        SettingDenied = "setting-denied",
        /// The user was asked and did not answer.
        Unanswered = "unanswered",
    }
}

impl Decided {
    /// Returns `true` where the user was asked.
    pub fn was_asked(self) -> bool {
        matches!(self, Self::YouAllowed | Self::YouDenied | Self::Unanswered)
    }

    /// Returns how a request in this state was decided, by its end and by what let it through. `None` until it is decided, and
    /// if it went away before.
    pub fn from_state(state: RunState, end: Option<EndReason>, by: Option<&AllowedBy>) -> Option<Self> {
        if state == RunState::Denied {
            let Some(EndReason::Denied(reason)) = end else { return None };
            return match reason {
                DenyReason::User => Some(Self::YouDenied),
                DenyReason::Core | DenyReason::Denylist => Some(Self::RuleDenied),
                DenyReason::Expired | DenyReason::CannotPresent => Some(Self::Unanswered),
                DenyReason::Cancelled | DenyReason::Restarted => None,
                DenyReason::Policy
                | DenyReason::AllowlistMiss
                | DenyReason::NotFound
                | DenyReason::Invalid
                | DenyReason::Drifted
                | DenyReason::QueueFull
                | DenyReason::RateLimited
                | DenyReason::EnvRefused
                | DenyReason::CwdRefused
                | DenyReason::NoAnswer
                | DenyReason::Paused => Some(Self::SettingDenied),
            };
        }
        match by? {
            AllowedBy::Person => Some(Self::YouAllowed),
            AllowedBy::Rule(_) | AllowedBy::Skill(_) => Some(Self::RuleAllowed),
            AllowedBy::Policy | AllowedBy::Fallback => Some(Self::SettingAllowed),
            AllowedBy::Default => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_read_by_its_name() {
        let ends = [
            EndReason::Denied(DenyReason::AllowlistMiss),
            EndReason::Denied(DenyReason::User),
            EndReason::Ran(Outcome::Exited),
            EndReason::Ran(Outcome::Failed),
        ];
        for end in ends {
            assert_eq!(serde_json::to_value(end).unwrap(), end.name());
            assert_eq!(EndReason::from_name(end.name()), Some(end));
        }
        assert_eq!(
            EndReason::from_name("allowed"),
            None,
            "what its agent does has no end that is known here"
        );
    }
}
