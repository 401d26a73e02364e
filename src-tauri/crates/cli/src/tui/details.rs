//! Details of a question: folded, with what deviates beside them, or open.

use super::rows::{Rows, step_mark};
use super::wrap::{StyledRun, dim, dim_run, plain_run, shown_runs};
use postern_contract::{
    Batch, EnvChange, EnvChangeKind, Question, ShownProgram, ShownStep, ShownText, join_pieces,
};
use postern_policy::RiskLevel;
use ratatui::style::Style;

/// Longest text beside folded details, in letters.
const CHIP: usize = 40;
/// Most changes of the environment beside folded details.
const CHIPS: usize = 4;
/// Letters of a digest: enough to compare two by eye.
const DIGEST: usize = 12;

/// Adds the details, open if the person opened them or if they cannot be folded without a loss.
pub(super) fn add_details(question: &Question, batch: Option<&Batch>, open: bool, rows: &mut Rows) {
    if !open && fits_folded(question) {
        let mut runs = vec![dim_run("▸ Details")];
        for chip in folded_chips(question) {
            runs.push(plain_run("   "));
            runs.extend(chip);
        }
        return rows.add_row(&runs, 2);
    }
    rows.add_row(&[dim_run("▾ Details")], 0);
    for step in &question.steps {
        rows.add_row(&step_runs(step), 4);
    }
    if batch.is_none() {
        for (index, word) in question.argv.iter().flatten().enumerate() {
            rows.add_named(&format!("word {}", index + 1), shown_runs(word, Style::new()));
        }
    }
    for program in &question.programs {
        rows.add_named("runs", program_runs(program));
    }
    for change in &question.env {
        rows.add_named("environment", env_runs(change));
    }
    if let Some(id) = question.asker.session_id() {
        rows.add_named("session", shown_runs(id, Style::new()));
    }
    past_requests(question, rows);
    add_policy(question, rows);
    let digests = batch.map_or_else(
        || vec![&question.digest],
        |batch| batch.members.iter().map(|member| &member.digest).collect(),
    );
    for digest in digests {
        rows.add_named("digest", vec![plain_run(digest.chars().take(DIGEST).collect::<String>())]);
    }
}

/// Returns what deviates, each in a few words.
fn folded_chips(question: &Question) -> Vec<Vec<StyledRun>> {
    let changed = question.renews.iter().map(|renewal| {
        [shown_runs(&renewal.program, Style::new()), vec![plain_run(format!(" {}", renewal.change))]].concat()
    });
    let env = question.env.iter().map(env_runs);
    let places = elsewhere(question).map(|path| shown_runs(path, Style::new()));
    changed.chain(env).chain(places).collect()
}

/// Returns true if what deviates is short enough to stand beside the fold.
fn fits_folded(question: &Question) -> bool {
    let is_short = |texts: &[Option<&ShownText>]| {
        texts.iter().flatten().map(|text| join_pieces(text).chars().count()).sum::<usize>() <= CHIP
    };
    let env = question.env.iter().all(|one| is_short(&[Some(&one.name), Some(&one.value), one.was.as_ref()]));
    question.env.len() <= CHIPS && env && elsewhere(question).all(|path| is_short(&[Some(path)]))
}

/// Returns the places of programs that a bare name leads to outside of the system's folders.
fn elsewhere(question: &Question) -> impl Iterator<Item = &ShownText> {
    question.programs.iter().filter(|program| program.is_elsewhere()).map(|program| &program.path)
}

/// Returns a step: its mark, its words, as the host escaped them, and why.
fn step_runs(step: &ShownStep) -> Vec<StyledRun> {
    let decided = format!("  {}: ", crate::question::decision_mark(step.decision));
    let begun = vec![step_mark(step), plain_run(step.text.clone()), dim_run(decided)];
    [begun, shown_runs(&step.why, dim())].concat()
}

fn program_runs(program: &ShownProgram) -> Vec<StyledRun> {
    let mut runs = shown_runs(&program.path, Style::new());
    if let Some(real) = &program.real_path {
        runs.push(plain_run(" → "));
        runs.extend(shown_runs(real, Style::new()));
    }
    for part in [&program.version, &program.short_hash].into_iter().flatten() {
        runs.push(dim_run(format!(" · {part}")));
    }
    for remark in program.remarks.iter().chain(&program.signer) {
        runs.push(dim_run(" · "));
        runs.extend(shown_runs(remark, dim()));
    }
    runs
}

fn env_runs(change: &EnvChange) -> Vec<StyledRun> {
    let sign = match change.kind {
        EnvChangeKind::Added => "+ ",
        EnvChangeKind::Changed => "~ ",
        EnvChangeKind::Refused => "refused ",
    };
    let name = [vec![plain_run(sign)], shown_runs(&change.name, Style::new()), vec![plain_run("=")]];
    let was = change.was.as_ref().map_or_else(Vec::new, |was| {
        [vec![dim_run("  (was ")], shown_runs(was, dim()), vec![dim_run(")")]].concat()
    });
    [name.concat(), shown_runs(&change.value, Style::new()), was].concat()
}

/// Adds the agent's earlier requests: context, nothing that is checked.
fn past_requests(question: &Question, rows: &mut Rows) {
    for past in &question.recent {
        let line = shown_runs(&past.line, Style::new());
        rows.add_named("before", [line, vec![plain_run("  ")], shown_runs(&past.outcome, dim())].concat());
    }
}

/// Adds the effects that the headline does not name, and what decided.
fn add_policy(question: &Question, rows: &mut Rows) {
    if question.risk.level != RiskLevel::Dangerous || !question.danger.is_empty() {
        for reason in &question.risk.reasons {
            rows.add_named("effect", shown_runs(reason, Style::new()));
        }
    }
    if let Some(rule) = &question.rule {
        rows.add_named("rule", vec![plain_run(format!("{} ({})", rule.pattern, rule.source))]);
    }
    rows.add_named("policy", shown_runs(&question.policy, Style::new()));
}
