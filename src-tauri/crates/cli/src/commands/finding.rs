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
    #[serde(rename = "note", skip_serializing_if = "std::ops::Not::not")]
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

#[cfg(test)]
mod tests {
    use super::DoctorFinding;
    use serde_json::{json, to_value};

    #[test]
    fn a_document_tells_a_note_from_what_is_well_and_from_a_problem() {
        let note = json!({ "ok": true, "what": "nobody answers", "fix": "open the app", "note": true });
        assert_eq!(to_value(DoctorFinding::note("nobody answers", "open the app")).unwrap(), note);
        let problem = json!({ "ok": false, "what": "x", "fix": "y" });
        assert_eq!(to_value(DoctorFinding::problem("x", "y")).unwrap(), problem);
    }
}
