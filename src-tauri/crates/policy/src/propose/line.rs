//! The offers for exactly this line, as it is or confined: for lines whose steps no rule can cover one by one.

use super::confined::{can_confine, try_offer};
use super::{AlwaysOffer, Draft, OfferLabel, Offered};
use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::Decision;
use crate::facts::{Facts, Input, StepFacts};
use crate::judge::{
    argv_of_line, ends_found_processes, is_repeatable, read_on_input, removes_temporary, sourced,
    takes_commands_by_pipe,
};
use crate::path;
use crate::risk::{RatedEffect, RiskLevel};
use crate::rule::{Limits, Pattern};
use crate::verdict::Verdict;
use postern_command::{CommandEffect, Step, escape};
use postern_protocol::Profile;

/// Bytes of a line that is saved.
const LONGEST: usize = 8 * 1024;

/// Returns the offer for exactly this line in this folder, if it would answer the question and does the same each time.
///
/// A dangerous line has one only where a rule could also cover each of its steps, or where it ends processes that it finds or removes
/// what it made.
pub(super) fn line_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
    dangerous: bool,
) -> Option<AlwaysOffer> {
    let asks = verdict.decision == Decision::Ask && (dangerous || only_ends_own(facts, verdict));
    if !asks || !is_repeatable(facts) {
        return None;
    }
    let label = OfferLabel::Exact { commands: 1, changeable: changeable(facts) };
    let offer = offer_draft(facts, "exact", label, draft_line(facts)?);
    (offer.judge_with(policy, facts).decision == Decision::Allow).then_some(offer)
}

/// Returns the offer for exactly this line in this folder, confined to the project, if the profile holds all of it.
///
/// What its words become at run time need not be known: code of the project could do the same.
pub(super) fn confined_line_offer(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Option<AlwaysOffer> {
    if !can_confine(policy, facts, verdict) {
        return None;
    }
    let draft = Draft { confine: Some(Profile::Project), ..draft_line(facts)? };
    let label = OfferLabel::Confined {
        confined: vec![Offered::Line],
        folders: Vec::new(),
        network: false,
        loopback: false,
        rest: None,
    };
    try_offer(policy, facts, offer_draft(facts, "confined", label, draft))
}

fn offer_draft(facts: &Facts<'_>, id: &'static str, label: OfferLabel, draft: Draft) -> AlwaysOffer {
    let folder = Some(path::normal(facts.cwd).into_owned());
    let (drafts, renews, confinement) = (vec![draft], Vec::new(), Confinement::None);
    AlwaysOffer { id, label, drafts, folder, renews, confinement }
}

/// Returns the rule for exactly this line, if all of it can be shown and nothing is sent to it.
fn draft_line(facts: &Facts<'_>) -> Option<Draft> {
    let text = &facts.reading.text;
    let shown = escape::is_visible(&text.replace(['\n', '\t'], " ")) && text.len() <= LONGEST;
    let whole = facts.shell && facts.reading.invalid.is_none() && *facts.input == Input::Nothing;
    if !shown || !whole {
        return None;
    }
    let mut hooks: Vec<String> = facts.steps.iter().flat_map(|found| found.hooks.iter().cloned()).collect();
    hooks.sort();
    hooks.dedup();
    let limits = Some(Limits { effects: Vec::new(), places: Vec::new(), around: None, hooks });
    let pattern = Pattern::Exact(argv_of_line(text).map(str::to_owned).to_vec());
    Some(Draft { limits, ..Draft::new(0, pattern) })
}

/// Returns true if nothing is dangerous but that it ends its own jobs or processes that it finds, or removes its temporary files.
fn only_ends_own(facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let step = |rated: &RatedEffect| facts.reading.steps.get(rated.step?);
    let is_dangerous = |rated: &&RatedEffect| rated.level == RiskLevel::Dangerous;
    let is_own = |step: &Step| ends_found_processes(facts, step) || removes_temporary(facts, step);
    verdict.risk.effects.iter().filter(is_dangerous).all(|rated| step(rated).is_some_and(is_own))
}

/// Returns the files that the agent can change until the line runs, and those whose content goes to a program or the shell.
fn changeable(facts: &Facts<'_>) -> Vec<String> {
    let mut all: Vec<String> =
        facts.steps.iter().flat_map(StepFacts::changeable).map(str::to_owned).collect();
    let fed = (0..facts.reading.steps.len()).any(|at| takes_commands_by_pipe(facts, at));
    for (step, found) in facts.reading.steps.iter().zip(facts.steps) {
        all.extend(sourced(step).into_iter().chain(read_on_input(step)).map(str::to_owned));
        for rated in crate::risk::of_step(facts, step, found).iter().filter(|_| fed) {
            if let CommandEffect::Read { paths } = &rated.effect {
                all.extend(paths.iter().cloned());
            }
        }
    }
    all.sort();
    all.dedup();
    all
}
