//! Parts of a verdict as approvers show them.

use super::audience::Audience;
use crate::shown::{RiskText, ShownEffect, ShownRisk, ShownStep, ShownTrace};
use postern_policy::{Cause, RatedEffect, Risk, RiskLevel, StepVerdict, TraceLine, Verdict};

/// Returns the cause as plain text to an agent.
pub fn cause_text(cause: &Cause) -> String {
    crate::piece::pieces_to_text(&super::cause::cause_to(Audience::Agent, cause))
}

/// Returns a risk with its reasons in words.
pub fn shown_risk(risk: &Risk) -> ShownRisk {
    ShownRisk { level: risk.level, reasons: needing_care(risk).map(super::effect_sentence).collect() }
}

/// Returns a risk in plain text.
pub fn risk_text(risk: &Risk) -> RiskText {
    let reason = |rated| crate::piece::pieces_to_text(&super::effect_sentence(rated));
    RiskText { level: risk.level, reasons: needing_care(risk).map(reason).collect() }
}

fn needing_care(risk: &Risk) -> impl Iterator<Item = &RatedEffect> {
    risk.effects.iter().filter(|rated| rated.level != RiskLevel::Safe)
}

/// Returns effects in words, with their facts.
pub fn effects(effects: &[RatedEffect]) -> Vec<ShownEffect> {
    let shown = |rated: &RatedEffect| ShownEffect {
        kind: rated.effect.kind().to_owned(),
        text: super::effect_sentence(rated),
        level: rated.level,
        scope: rated.scope,
        reversible: rated.reversible,
        step: rated.step,
        span: rated.span,
        guessed: rated.guessed,
        facts: rated.effect.clone(),
    };
    effects.iter().map(shown).collect()
}

/// Returns a step with its cause in words; its own texts are as they are.
fn shown_step(step: &StepVerdict) -> ShownStep {
    ShownStep {
        argv: step.argv.clone(),
        text: step.text.clone(),
        program: step.program.clone(),
        path: step.path.clone(),
        decision: step.decision,
        dangerous: false,
        reason: step.reason,
        why: super::cause_sentence(&step.cause),
        rule: step.rule.clone(),
        span: step.span,
    }
}

/// Returns all steps of a verdict with their causes in words; their own texts are as they are.
pub fn shown_steps(verdict: &Verdict) -> Vec<ShownStep> {
    let dangerous = |at| {
        let of_step = |rated: &RatedEffect| rated.step == Some(at) && !rated.guessed;
        verdict.risk.effects.iter().any(|rated| of_step(rated) && rated.level == RiskLevel::Dangerous)
    };
    let of = |(at, one)| ShownStep { dangerous: dangerous(at), ..shown_step(one) };
    verdict.steps.iter().enumerate().map(of).collect()
}

/// Returns a trace in words.
pub fn shown_trace(trace: &[TraceLine]) -> Vec<ShownTrace> {
    let line = |line: &TraceLine| ShownTrace {
        stage: line.stage.to_string(),
        found: super::finding_sentence(&line.found),
    };
    trace.iter().map(line).collect()
}
