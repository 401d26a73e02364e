//! The `execApproval` settings of another hub's agent profile: four settings and an allowlist of globs, as JSON.
//!
//! | there | here |
//! |---|---|
//! | `security`, `ask`, `askFallback` | the agent's `security`, `ask`, `fallback` |
//! | `timeoutMs` | its approval timeout |
//! | `git **` | the command pattern `git *`: this program with any arguments |
//! | `git push` | the command pattern `git push`: these words and no others |
//!
//! A glob there runs over the whole command line as text. Here words are compared with words, so that an entry never
//! allows more than it says there: a `**` within a command stands for one word, and what cannot be said as narrowly is
//! refused and named.

mod pattern;
mod read;
#[cfg(test)]
mod tests;

use crate::rule::{Lifetime, Pattern, Rule, RuleInput};
use crate::settings::{Ask, Fallback, Security, Settings};
use serde::{Deserialize, Serialize};

pub(crate) use pattern::written;
pub use read::{FieldError, read_exec_approval};
pub(crate) use read::{field_error, not_json};

/// Time that a question waits there by default, in milliseconds.
const TIMEOUT_MS: u64 = 60_000;

/// The settings as they stand in the JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecApproval {
    pub security: Security,
    pub ask: Ask,
    /// Time that a question waits, in milliseconds.
    pub timeout_ms: u64,
    /// Decision if nobody answers.
    pub ask_fallback: Fallback,
    pub allowlist: Vec<AllowlistEntry>,
}

/// Entry of the allowlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowlistEntry {
    pub pattern: String,
}

/// A file with the settings in it: the rest of a profile is not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovalProfile {
    pub exec_approval: ExecApproval,
}

impl ExecApproval {
    /// Returns the patterns of the allowlist, in its order; or the first entry that cannot be said here, and
    /// why.
    pub fn patterns(&self) -> Result<Vec<Pattern>, FieldError> {
        let named = |(at, entry): (usize, &AllowlistEntry)| {
            let failed =
                |message: String| field_error(&format!("execApproval.allowlist[{at}].pattern"), message);
            pattern::of_glob(&entry.pattern).map_err(failed)
        };
        self.allowlist.iter().enumerate().map(named).collect()
    }

    /// Applies it to an agent's settings; those it does not name stay.
    pub fn apply_to(&self, settings: &mut Settings) {
        settings.security = self.security;
        settings.ask = self.ask;
        settings.fallback = self.ask_fallback;
        settings.approval_timeout_ms = self.timeout_ms;
    }

    /// Returns an agent's settings and rules in these words, and the rules that they have no words for, with
    /// the reason.
    pub fn from_settings(settings: &Settings, rules: &[Rule]) -> (Self, Vec<(Rule, &'static str)>) {
        let mut allowlist: Vec<AllowlistEntry> = Vec::new();
        let mut left_out = Vec::new();
        for rule in rules {
            match glob_of(rule) {
                Ok(pattern) if allowlist.iter().any(|entry| entry.pattern == pattern) => {}
                Ok(pattern) => allowlist.push(AllowlistEntry { pattern }),
                Err(why) => left_out.push((rule.clone(), why)),
            }
        }
        let exported = Self {
            security: settings.security,
            ask: settings.ask,
            timeout_ms: settings.approval_timeout_ms,
            ask_fallback: settings.fallback,
            allowlist,
        };
        (exported, left_out)
    }
}

/// Checks that a rule allows always and everywhere, which is all that a list of what may run can say.
pub(crate) fn check_allows_always(rule: &Rule) -> Result<(), &'static str> {
    if rule.effect != crate::rule::Effect::Allow {
        return Err("there are no deny rules there");
    }
    if rule.pin.is_some() {
        return Err("it is bound to a program as it was, which that format can't express");
    }
    if rule.confine.is_some() {
        return Err("it runs confined, which that format can't express");
    }
    if rule.lifetime != Lifetime::Forever {
        return Err("it is temporary, which that format can't express");
    }
    if rule.folder.is_some() || rule.input != RuleInput::Nothing {
        return Err("the folder or the input that it is for cannot be said there");
    }
    Ok(())
}

/// Returns a rule as an entry of the allowlist, where that allows exactly the same.
fn glob_of(rule: &Rule) -> Result<String, &'static str> {
    check_allows_always(rule)?;
    if rule.args.is_some() || rule.allow_writes || rule.limits.is_some() {
        return Err("what it says of arguments, of writing or of effects cannot be said there");
    }
    pattern::to_glob(&rule.pattern)
}
