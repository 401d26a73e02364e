//! Findings of `postern doctor`.

use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DoctorFinding {
    pub(crate) ok: bool,
    pub(crate) what: String,
    /// Way to put it right.
    pub(crate) fix: Option<String>,
    /// True if it is right and still worth a look.
    #[serde(skip)]
    pub(crate) noted: bool,
}

impl DoctorFinding {
    pub(crate) fn healthy(what: impl Into<String>) -> Self {
        Self { ok: true, what: what.into(), fix: None, noted: false }
    }

    pub(crate) fn problem(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { ok: false, what: what.into(), fix: Some(fix.into()), noted: false }
    }

    /// Makes a finding that is no fault of Postern's, and takes something away.
    pub(crate) fn note(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { ok: true, what: what.into(), fix: Some(fix.into()), noted: true }
    }

    /// Returns the word in front of it.
    pub(crate) fn mark(&self) -> &'static str {
        match (self.ok, self.noted) {
            (false, _) => "WRONG",
            (true, true) => "note ",
            (true, false) => "ok   ",
        }
    }
}
