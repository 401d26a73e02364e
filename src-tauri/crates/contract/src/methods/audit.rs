//! The audit: every change to what may run.

use postern_policy::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Requests rows of the audit, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AuditAsk {
    /// Only rows after this number, the last of the previous page.
    pub after: Option<i64>,
    /// Only rows written at this time or later.
    pub since: Option<Millis>,
    /// Largest number of rows: 500 by default, which is also the limit.
    pub limit: Option<u32>,
    /// True to also verify the whole chain.
    pub verify: Option<bool>,
}

/// Rows of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Audit {
    /// The rows, oldest first.
    pub rows: Vec<AuditRow>,
    /// Result of verifying the whole chain, if that was requested.
    pub verified: Option<AuditVerified>,
}

/// A recorded change of what may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRow {
    /// Position in the chain, from 1 without gaps.
    pub number: i64,
    /// Time in milliseconds since 1970.
    pub at: Millis,
    /// Author, and the approver that the change came through.
    pub by: AuditBy,
    /// Kind of the changed thing: `agents`, `rules`, `settings`, `skill_folders`, `skill_clis`, `permissions`,
    /// `managed`, `keys`, `secrets`, `hooks`, `renewals` of rules, `refused` of the fleet, or `audit` itself.
    pub subject: String,
    /// Name of the changed thing, escaped.
    pub key: String,
    /// Value before, as JSON text; absent if there was none.
    pub before: Option<String>,
    /// Value after, as JSON text; absent if it was removed.
    pub after: Option<String>,
    /// True if more may run because of it, or if that cannot be ruled out.
    pub widens: bool,
    /// The row that tells of this one too: a renewal of rules tells of the row of each.
    #[ts(optional = nullable)]
    pub part_of: Option<i64>,
    /// The change in one line, ready to be shown.
    pub summary: String,
    /// Hex sha256 over the previous row's hash and this row's content.
    pub hash: String,
}

/// Author of a change, and the approver that it came through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditBy {
    /// `terminal`, `window`, `remote` (a chat, a paired device), `file` (changed on disk), or `postern` itself.
    pub face: String,
    /// The approver's own name (`telegram, Anna (123)`), or the path of a file. Escaped.
    pub name: Option<String>,
    /// User id of the process.
    pub user: Option<u32>,
    pub pid: Option<u32>,
    /// Path of the process's program, escaped.
    pub program: Option<String>,
}

impl AuditBy {
    /// Returns one line that names who made the change and through which approver.
    pub fn describe(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        self.with_process(format!("{}{name}", self.face))
    }

    /// Returns one line that names who made the change, or else the approver that it was made through.
    pub fn author(&self) -> String {
        self.with_process(self.name.clone().unwrap_or_else(|| self.face.clone()))
    }

    fn with_process(&self, who: String) -> String {
        let mut words = vec![who];
        words.extend(self.program.clone());
        words.extend(self.pid.map(|pid| format!("process {pid}")));
        words.extend(self.user.map(|user| format!("user {user}")));
        words.join(", ")
    }
}

/// Result of verifying the whole chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditVerified {
    /// Number of rows.
    pub rows: i64,
    /// Hash of the newest row in hex; empty if there is none.
    pub head: String,
    /// First fault of the chain, as a sentence; absent if there is none.
    pub problem: Option<String>,
    /// Number of the faulty row.
    pub row: Option<i64>,
    /// Differences from the audit, as sentences: another program made these changes.
    pub strayed: Vec<String>,
}
