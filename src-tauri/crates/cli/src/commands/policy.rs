//! `postern policy test`: judges cases without a host.

use crate::args::Policy;
use crate::failure::Failure;
use crate::print;
use postern_command::escape::text as escaped;
use postern_policy::case::{self, Bins, Case, Outcome};
use serde::Serialize;
use std::path::Path;

/// The document of `policy test --json`.
#[derive(Serialize)]
struct Report {
    passed: usize,
    failed: usize,
    cases: Vec<Outcome>,
}

pub(crate) fn run(command: Policy) -> Result<(), Failure> {
    let Policy::Test { cases, bins, json } = command;
    let bins = bins.map(|path| load_bins(&path)).transpose()?;
    let cases = load_cases(&cases)?;
    let outcomes: Vec<Outcome> = cases.iter().map(|case| case::judge_case(case, bins.as_ref())).collect();
    let failed = outcomes.iter().filter(|outcome| !outcome.ok).count();
    let passed = outcomes.len() - failed;
    if json.json {
        print::json(&Report { passed, failed, cases: outcomes })?;
    } else {
        for outcome in outcomes.iter().filter(|outcome| !outcome.ok) {
            print::line(format!("{}: {}", escaped(&outcome.id), outcome.difference()))?;
        }
        print::line(format!("{passed} passed, {failed} failed"))?;
    }
    if failed == 0 { Ok(()) } else { Err(Failure::no("")) }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn load_bins(path: &Path) -> Result<Bins, Failure> {
    serde_json::from_str(&read(path)?).map_err(|error| {
        Failure::usage(format!("{} is not a map of names to absolute paths: {error}", path.display()))
    })
}

fn load_cases(path: &Path) -> Result<Vec<Case>, Failure> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                Failure::usage(format!("{}:{}: not a case: {error}", path.display(), index + 1))
            })
        })
        .collect()
}
