//! The verdicts of all cases, computed once for all tests.

use crate::files::{self, File};
use postern_policy::case::{Bins, Case, CaseOutcome};
use serde_json::Value;
use std::sync::OnceLock;
use std::thread::{available_parallelism, scope};

/// A case with its verdict.
pub(crate) struct Judged {
    /// True for a case of the corpus, false for one of our own.
    pub(crate) corpus: bool,
    pub(crate) written: Value,
    pub(crate) case: Case,
    pub(crate) outcome: CaseOutcome,
}

impl Judged {
    /// Describes the case and its verdict.
    pub(crate) fn told(&self) -> String {
        let Self { written, outcome, .. } = self;
        let command = written.get("shell").unwrap_or(&written["argv"]);
        let wanted = &written["expect"];
        format!("{}: {command}: wanted {wanted}, got {:?}: {:?}", outcome.id, outcome.got, outcome.found)
    }
}

/// Returns all cases of all files.
pub(crate) fn judged() -> &'static [Judged] {
    static ALL: OnceLock<Vec<Judged>> = OnceLock::new();
    ALL.get_or_init(|| files::files().iter().flat_map(judge).collect())
}

/// Judges the cases of one file on all processors.
fn judge(file: &File) -> Vec<Judged> {
    let (bins, corpus) = (file.bins(), file.name == files::CORPUS);
    let cases: Vec<(Value, Case)> = file.written.iter().cloned().zip(file.cases()).collect();
    let share = cases.len().div_ceil(available_parallelism().map_or(1, usize::from)).max(1);
    scope(|threads| {
        let running: Vec<_> =
            cases.chunks(share).map(|part| threads.spawn(|| judge_all(part, &bins, corpus))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn judge_all(cases: &[(Value, Case)], bins: &Bins, corpus: bool) -> Vec<Judged> {
    let judge = |(written, case): &(Value, Case)| {
        let outcome = case.run(Some(bins)).unwrap_or_else(|error| panic!("{written}: {error}"));
        Judged { corpus, written: written.clone(), case: case.clone(), outcome }
    };
    cases.iter().map(judge).collect()
}
