//! The audit: every change of what may run.

use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for rows of the audit, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AuditAsk {
    /// Behind this row: the last number of the page before.
    #[serde(default)]
    pub after: Option<i64>,
    /// Written then or later.
    #[serde(default)]
    pub since: Option<Millis>,
    /// At most so many: 500 where left out, which is also the most.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Whether to look at the whole chain too.
    #[serde(default)]
    pub verify: Option<bool>,
}

/// Rows of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Audit {
    /// The rows, oldest first.
    pub rows: Vec<AuditRow>,
    /// What a look at the whole chain found, where that was asked for.
    pub verified: Option<AuditVerified>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRow {
    /// Its place in the chain, from 1 on without gaps.
    pub number: i64,
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// Who, and through which approver.
    pub by: AuditBy,
    /// What kind of thing changed: `agents`, `rules`, `settings`, `skill_folders`, `skill_clis`, `permissions`, `managed`,
    /// `keys`, `secrets`, `hooks`, or `audit` itself.
    pub subject: String,
    /// Which of them, escaped.
    pub key: String,
    /// How it was, as JSON text; none where it was not there.
    pub before: Option<String>,
    /// How it is, as JSON text; none where it is gone.
    pub after: Option<String>,
    /// Whether more may run because of it, or that cannot be ruled out.
    pub widens: bool,
    /// The change in a line of words, ready to be shown.
    pub summary: String,
    /// Hex sha256 over the hash of the row before and this row's content.
    pub hash: String,
}

/// Who made a change, and through which approver.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditBy {
    /// `terminal`, `window`, `remote` (a chat, a paired device), `file` (changed on disk), or `postern` itself.
    pub face: String,
    /// The approver's own name: `telegram, Anna (123)`; for a file its path. Escaped.
    pub name: Option<String>,
    /// The user that the process ran as.
    pub user: Option<u32>,
    /// The process.
    pub pid: Option<u32>,
    /// The program of that process, escaped.
    pub program: Option<String>,
}

/// What a look at the whole chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditVerified {
    /// How many rows there are.
    pub rows: i64,
    /// The newest row's hash in hex; empty where there is none.
    pub head: String,
    /// The first thing that is wrong with the chain, in words; none where it is whole.
    pub problem: Option<String>,
    /// The row that this is about.
    pub row: Option<i64>,
    /// What is not as the audit says, in words: it was changed past Postern.
    pub strayed: Vec<String>,
}
