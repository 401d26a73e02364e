//! `postern policy test`: judges cases without a host.

use crate::failure::Failure;
use crate::print;
use crate::shared_args::JsonOutput;
use postern_command::escape::visible_text as escaped;
use postern_policy::case::{Bins, Case, CaseError, CaseOutcome};
use postern_policy::{Decision, Reason};
use serde::Serialize;
use std::path::Path;

/// The document of `policy test --json`.
#[derive(Serialize)]
struct TestReport {
    passed: usize,
    failed: usize,
    cases: Vec<JudgedCase>,
}

/// Case of the file.
#[derive(Serialize)]
struct JudgedCase {
    id: String,
    got: Decision,
    ok: bool,
    reason: Reason,
    message: String,
    /// Line to print for a case that was not judged; it names the place in the file.
    #[serde(skip)]
    problem: Option<String>,
}

impl From<CaseOutcome> for JudgedCase {
    fn from(outcome: CaseOutcome) -> Self {
        let CaseOutcome { id, got, ok, reason, found } = outcome;
        let message = postern_contract::pieces_to_text(&postern_contract::render::finding_sentence(&found));
        Self { id, got, ok, reason, message, problem: None }
    }
}

pub(super) fn run(cases: &Path, bins: Option<&Path>, json: JsonOutput) -> Result<(), Failure> {
    let bins = bins.map(load_bins).transpose()?;
    let cases = judge_all(cases, bins.as_ref())?;
    let failed = cases.iter().filter(|case| !case.ok).count();
    let passed = cases.len() - failed;
    if json.json {
        print::write_json(&TestReport { passed, failed, cases })?;
    } else {
        for case in cases.iter().filter(|case| !case.ok) {
            let judged =
                || format!("{}: came out as {}: {}", escaped(&case.id), case.got.name(), case.message);
            print::write_line(case.problem.clone().unwrap_or_else(judged))?;
        }
        print::say!("{passed} passed, {failed} failed")?;
    }
    if failed == 0 { Ok(()) } else { Err(Failure::negative("")) }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::from_path(path, &error))
}

fn load_bins(path: &Path) -> Result<Bins, Failure> {
    let names = serde_json::from_str(&read(path)?);
    let wrong = |error| format!("{} is not a map of names to absolute paths: {error}", path.display());
    names.map(Bins::new).map_err(|error| Failure::usage_error(wrong(error)))
}

/// Judges every case of a file.
///
/// A line that is no case, or whose policy is wrong, counts as failed, and the rest is judged all the same:
/// what is not understood must not pass as tested, nor hide what is.
fn judge_all(path: &Path, bins: Option<&Bins>) -> Result<Vec<JudgedCase>, Failure> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let judged = |(index, line): (usize, &str)| {
        let outcome = Case::parse(line).and_then(|case| case.run(bins));
        outcome.map_or_else(|error| unreadable(line, path, index + 1, &error), JudgedCase::from)
    };
    Ok(lines.map(judged).collect())
}

/// Returns a case that cannot be tried: nothing would run by such a policy.
fn unreadable(line: &str, path: &Path, number: usize, error: &CaseError) -> JudgedCase {
    let place = format!("{}:{number}", path.display());
    let written: Option<serde_json::Value> = serde_json::from_str(line).ok();
    let id = written.and_then(|case| Some(case.get("id")?.as_str()?.to_owned()));
    let message = escaped(&format!("{place}: {error}"));
    let problem = id.as_deref().map_or_else(|| message.clone(), |id| format!("{}: {message}", escaped(id)));
    JudgedCase {
        id: id.unwrap_or(place),
        got: Decision::Deny,
        ok: false,
        reason: Reason::Invalid,
        message,
        problem: Some(problem),
    }
}
