//! Decision on a request, its reason as a stable name, and the rule that decided.

use crate::rule::{Effect, RuleId};
pub use postern_protocol::Decision;
use serde::{Deserialize, Serialize};

/// Reason, as a stable name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Reason {
    /// Malformed, oversized or impossible to show in full.
    Invalid,
    /// A managed rule or a parent session's layer denies.
    Managed,
    /// The built-in core denies.
    Core,
    /// A deny rule.
    Denylist,
    /// The agent's `security` setting decides.
    Policy,
    /// The only program was not found.
    NotFound,
    /// An allow rule.
    Rule,
    /// A skill's rule.
    Skill,
    /// The read-only list.
    ReadOnly,
    /// The agent's classes.
    Class,
    /// A harmless builtin: nothing to allow.
    Builtin,
    /// A rule matches, but the program or script is not the one it was approved with.
    BinaryChanged,
    /// A rule holds while a program or script is what it was, and the agent can change that file until it runs.
    AgentCanChange,
    /// A part could not be understood.
    Opaque,
    /// No rule covers it.
    AllowlistMiss,
    /// Only reads, and this system cannot hold it to that.
    CannotConfine,
    /// `ask: always`, or a rule that asks.
    AskAlways,
    /// The environment asks for names that are refused.
    EnvRefused,
    /// The working directory is not one of the agent's folders, or is none.
    CwdRefused,
}

/// The rule that decided, as far as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RuleRef {
    pub id: RuleId,
    pub effect: Effect,
    /// Pattern as it is written in a list (`git push *`, `/opt/homebrew/bin/rg`).
    pub pattern: String,
    /// Source, in a word or two ("you", "always", "skill bird", "permissions.jsonc:12").
    pub source: String,
    /// Reason for it, in the person's words.
    pub why: Option<String>,
}
