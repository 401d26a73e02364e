//! The offer to allow code of the project confined to it.
//!
//! The agent can change such code at any time, so no hash of it promises anything. The operating system holds the run instead:
//! the words can be wide, and a rule needs no pin.

use super::{AlwaysOffer, Draft, OfferLabel, distinct, label, path_pattern, place, widths_of};
use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::Decision;
use crate::facts::{Facts, Lookup};
use crate::judge::{ProjectCode, judge_request, project_code};
use crate::path;
use crate::risk::RiskLevel;
use crate::rule::{Pattern, Rule, RuleInput, RuleOrigin};
use crate::ruleset::RuleSet;
use crate::verdict::Verdict;
use postern_command::Role;
use postern_protocol::Profile;

/// Returns the offer that allows the steps which run code of the project confined to it.
///
/// The other steps are offered as otherwise. `None` if no step runs such code, or the rules would not answer
/// the question.
pub(super) fn confined_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Option<AlwaysOffer> {
    let asks = verdict.decision == Decision::Ask && verdict.risk.level != RiskLevel::Dangerous;
    if !asks || policy.settings.folders.is_empty() || !facts.confinable.project {
        return None;
    }
    let (mut code, mut others) = (Vec::new(), Vec::new());
    let asked = |step: &crate::StepVerdict| step.decision != Decision::Allow;
    for at in verdict.steps.iter().enumerate().filter(|(_, step)| asked(step)).map(|(at, _)| at) {
        let of_project = project_code(policy, facts, at);
        let otherwise = || widths_of(facts, at).ok().and_then(|widths| widths.useful().cloned());
        match otherwise().filter(|_| of_project != ProjectCode::Runs) {
            Some(draft) => others.push(draft),
            None if of_project == ProjectCode::No => return None,
            None => code.push(draft_rule(facts, at, of_project)?),
        }
    }
    if code.is_empty() {
        return None;
    }
    let folder = if others.is_empty() {
        place::own_folder(facts)?
    } else {
        place::rules_folder(&others, facts).ok()??
    };
    let (code, others) = (distinct(code.into_iter()), distinct(others.into_iter()));
    let rest = (!others.is_empty()).then(|| Box::new(label::each_label(&others, facts)));
    let confined = code.iter().map(label::confined).collect();
    let offer = AlwaysOffer {
        id: "confined",
        label: OfferLabel::Confined { confined, folders: Vec::new(), network: false, loopback: false, rest },
        drafts: code.into_iter().chain(others).collect(),
        folder: Some(folder),
        renews: Vec::new(),
        confinement: Confinement::None,
    };
    try_offer(policy, facts, offer)
}

/// Returns the offer with the profile that its rules would run the request in, if they answer the question.
fn try_offer(policy: &AgentPolicy, facts: &Facts<'_>, mut offer: AlwaysOffer) -> Option<AlwaysOffer> {
    let saved: Vec<Rule> = offer.to_rules(RuleOrigin::of_answer(facts.origin)).collect();
    let saved = RuleSet::compile(&saved, facts.home, facts.case_insensitive);
    let with = AgentPolicy { rules: policy.rules.clone().join_with(&saved), ..policy.clone() };
    let verdict = judge_request(&with, facts);
    let Confinement::Project { folders: own, network: has, loopback: local, .. } = &verdict.confinement
    else {
        return None;
    };
    if let OfferLabel::Confined { folders, network, loopback, .. } = &mut offer.label {
        *folders = own.iter().map(|folder| path::from_home(folder, facts.home).into_owned()).collect();
        (*network, *loopback) = (*has, *local);
    }
    offer.confinement = verdict.confinement;
    (verdict.decision == Decision::Allow).then_some(offer)
}

/// Returns the rule for a step. Of what runs code by its nature any arguments are as good as any others; of anything else its
/// words name the action.
fn draft_rule(facts: &Facts<'_>, at: usize, of_project: ProjectCode) -> Option<Draft> {
    let (step, found) = (&facts.reading.steps[at], &facts.steps[at]);
    let Lookup::Found(program) = &found.program else { return None };
    let name = step.program().filter(|_| step.role == Role::Program)?;
    let words = || {
        super::words::action_pattern(step)
            .filter(|_| of_project == ProjectCode::MayRun && step.opaque.is_none())
    };
    let pattern = if name.contains('/') {
        path_pattern(program)?
    } else {
        Pattern::Command(words().or_else(|| super::words::any_arguments(name))?)
    };
    Some(Draft {
        step: at,
        pattern,
        args: None,
        pin: None,
        input: RuleInput::Nothing,
        allow_writes: false,
        limits: None,
        confine: Some(Profile::Project),
    })
}
