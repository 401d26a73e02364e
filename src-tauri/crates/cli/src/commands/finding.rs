//! Findings of `postern doctor`.

use serde::Serialize;

/// Finding of `doctor`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DoctorFinding {
    pub(crate) ok: bool,
    pub(crate) what: String,
    /// Fix of it.
    pub(crate) mend: Option<String>,
}

impl DoctorFinding {
    pub(crate) fn healthy(what: impl Into<String>) -> Self {
        Self { ok: true, what: what.into(), mend: None }
    }

    pub(crate) fn problem(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { ok: false, what: what.into(), mend: Some(mend.into()) }
    }
}
