//! Parts of a verdict as approvers show them.

use crate::question::{RiskText, ShownRisk, ShownStep, ShownTrace};
use postern_policy::{Cause, Risk, StepVerdict, TraceLine};

/// Returns the cause as plain text, for agents and logs.
pub fn why(cause: &Cause) -> String {
    crate::piece::text(&super::cause(cause))
}

/// Returns a risk with its reasons in words.
pub fn risk(risk: &Risk) -> ShownRisk {
    ShownRisk { level: risk.level, reasons: risk.reasons.iter().map(super::reason).collect() }
}

/// Returns a risk in plain text.
pub fn risk_text(risk: &Risk) -> RiskText {
    let reason = |reason| crate::piece::text(&super::reason(reason));
    RiskText { level: risk.level, reasons: risk.reasons.iter().map(reason).collect() }
}

/// Returns a step with its cause in words; its own texts are as they are.
pub fn step(step: &StepVerdict) -> ShownStep {
    ShownStep {
        argv: step.argv.clone(),
        text: step.text.clone(),
        program: step.program.clone(),
        path: step.path.clone(),
        decision: step.decision,
        reason: step.reason,
        why: super::cause(&step.cause),
        rule: step.rule.clone(),
        span: step.span,
    }
}

/// Returns all steps with their causes in words; their own texts are as they are.
pub fn steps(steps: &[StepVerdict]) -> Vec<ShownStep> {
    steps.iter().map(step).collect()
}

/// Returns a trace in words.
pub fn trace(trace: &[TraceLine]) -> Vec<ShownTrace> {
    let line = |line: &TraceLine| ShownTrace { stage: line.stage.clone(), found: super::found(&line.found) };
    trace.iter().map(line).collect()
}
