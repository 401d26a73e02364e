//! Decision on a request, its reason as a stable name, and the rule that decided.

use crate::rule::{Effect, RuleId};
pub use postern_protocol::Decision;
use serde::{Deserialize, Serialize};

postern_protocol::named_values! {
    /// Reason, as a stable name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Reason {
        /// Malformed, oversized or impossible to show in full.
        Invalid = "invalid",
        /// A managed rule or a parent session's layer denies.
        Managed = "managed",
        /// The built-in core denies.
        Core = "core",
        /// A deny rule.
        Denylist = "denylist",
        /// The agent's `security` setting decides.
        Policy = "policy",
        /// The only program was not found.
        NotFound = "not-found",
        /// An allow rule.
        Rule = "rule",
        /// A skill's rule.
        Skill = "skill",
        /// The read-only list.
        ReadOnly = "read-only",
        /// The agent's classes.
        Class = "class",
        /// A harmless builtin: nothing to allow.
        Builtin = "builtin",
        /// A rule matches, but the program or script is not the one it was approved with.
        BinaryChanged = "binary-changed",
        /// A rule holds while a program or script is what it was, and the agent can change that file until it runs.
        AgentCanChange = "agent-can-change",
        /// A part could not be understood.
        Opaque = "opaque",
        /// No rule covers it.
        AllowlistMiss = "allowlist-miss",
        /// Only reads, and this system cannot hold it to that.
        CannotConfine = "cannot-confine",
        /// `ask: always`, or a rule that asks.
        AskAlways = "ask-always",
        /// The environment asks for names that are refused.
        EnvRefused = "env-refused",
        /// The working directory is not one of the agent's folders, or is none.
        CwdRefused = "cwd-refused",
    }
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
