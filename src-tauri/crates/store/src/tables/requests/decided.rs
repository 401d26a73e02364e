//! Who decided a request, and how: what lists are filtered by and pictures are made of.

use super::row::Summary;
use postern_policy::RuleId;
use postern_protocol::{By, RunState};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

/// How a request was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decided {
    /// A person was asked and said yes.
    YouAllowed,
    /// An allow rule or a skill's rule let it through; nobody was asked.
    RuleAllowed,
    /// The agent's settings let it through: *Allow*, the read-only list, the fallback.
    SettingAllowed,
    /// A person was asked and said no.
    YouDenied,
    /// A deny rule, the built-in core or an organisation's rule.
    RuleDenied,
    /// Anything else that denies without asking: settings, limits, a pause, what cannot be found or read.
    SettingDenied,
    /// A person was asked and nobody answered.
    Unanswered,
}

impl Decided {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::YouAllowed,
        Self::RuleAllowed,
        Self::SettingAllowed,
        Self::YouDenied,
        Self::RuleDenied,
        Self::SettingDenied,
        Self::Unanswered,
    ];

    /// Its name: `you-allowed`, `rule-allowed`, ….
    pub fn as_str(self) -> &'static str {
        match self {
            Self::YouAllowed => "you-allowed",
            Self::RuleAllowed => "rule-allowed",
            Self::SettingAllowed => "setting-allowed",
            Self::YouDenied => "you-denied",
            Self::RuleDenied => "rule-denied",
            Self::SettingDenied => "setting-denied",
            Self::Unanswered => "unanswered",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decided| decided.as_str() == name)
    }

    /// Whether a person was asked.
    pub fn was_asked(self) -> bool {
        matches!(self, Self::YouAllowed | Self::YouDenied | Self::Unanswered)
    }
}

impl FromSql for Decided {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::named(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

impl Decided {
    /// How a request in this phase was decided: `ending` is the stable name of its ending, `by` who let it through. None
    /// while it is not decided, and where it went away before it was.
    pub fn of(phase: RunState, ending: Option<&str>, by: Option<&By>) -> Option<Self> {
        if phase == RunState::Denied {
            return match ending {
                Some("user") => Some(Self::YouDenied),
                Some("core" | "denylist") => Some(Self::RuleDenied),
                Some("expired" | "cannot-present") => Some(Self::Unanswered),
                Some("cancelled" | "restarted") | None => None,
                Some(_) => Some(Self::SettingDenied),
            };
        }
        match by? {
            By::Person => Some(Self::YouAllowed),
            By::Rule(_) | By::Skill(_) => Some(Self::RuleAllowed),
            By::Policy | By::Fallback => Some(Self::SettingAllowed),
        }
    }
}

impl Summary {
    /// How it was decided ([`Decided::of`]).
    pub fn decided(&self) -> Option<Decided> {
        Decided::of(self.phase, self.ending.as_deref(), self.by.as_ref())
    }

    /// The rule that decided, where one did.
    pub fn rule(&self) -> Option<RuleId> {
        match self.by {
            Some(By::Rule(rule) | By::Skill(rule)) if self.phase != RunState::Denied => Some(rule),
            Some(By::Rule(_) | By::Skill(_) | By::Policy | By::Person | By::Fallback) | None => {
                self.denied_by
            }
        }
    }
}
