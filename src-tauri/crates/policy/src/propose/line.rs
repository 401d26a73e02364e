//! The offer for exactly this line: for lines whose steps no rule can cover one by one.

use super::{AlwaysOffer, Draft, OfferLabel};
use crate::agent::AgentPolicy;
use crate::confinement::Confinement;
use crate::decision::Decision;
use crate::facts::{Facts, Input, StepFacts};
use crate::judge::{argv_of_line, is_repeatable, judge_request, sourced};
use crate::path;
use crate::risk::RiskLevel;
use crate::rule::{Limits, Pattern, Rule, RuleInput, RuleOrigin};
use crate::ruleset::RuleSet;
use crate::verdict::Verdict;
use postern_command::escape;

/// Bytes of a line that is saved.
const LONGEST: usize = 8 * 1024;

/// Returns the offer for exactly this line in this folder, if it would answer the question, is not dangerous, and does the same
/// each time.
pub(super) fn line_offer(policy: &AgentPolicy, facts: &Facts<'_>, verdict: &Verdict) -> Option<AlwaysOffer> {
    let text = &facts.reading.text;
    let shown = escape::is_visible(&text.replace(['\n', '\t'], " ")) && text.len() <= LONGEST;
    let asks = verdict.decision == Decision::Ask && verdict.risk.level != RiskLevel::Dangerous;
    let whole = facts.shell && facts.reading.invalid.is_none() && *facts.input == Input::Nothing;
    if !shown || !asks || !whole || !is_repeatable(facts) {
        return None;
    }
    let draft = Draft {
        step: 0,
        pattern: Pattern::Exact(argv_of_line(text).map(str::to_owned).to_vec()),
        args: None,
        pin: None,
        input: RuleInput::Nothing,
        allow_writes: false,
        limits: Some(Limits { effects: Vec::new(), places: Vec::new() }),
        confine: None,
    };
    let folder = Some(path::normal(facts.cwd).into_owned());
    let label = OfferLabel::Exact { commands: 1, changeable: changeable(facts) };
    let (drafts, renews, confinement) = (vec![draft], Vec::new(), Confinement::None);
    let offer = AlwaysOffer { id: "exact", label, drafts, folder, renews, confinement };
    let saved: Vec<Rule> = offer.to_rules(RuleOrigin::of_answer(facts.origin)).collect();
    let saved = RuleSet::compile(&saved, facts.home, facts.case_insensitive);
    let with = AgentPolicy { rules: policy.rules.clone().join_with(&saved), ..policy.clone() };
    (judge_request(&with, facts).decision == Decision::Allow).then_some(offer)
}

/// Returns the files that the agent can change until the line runs, and those whose commands the shell reads.
fn changeable(facts: &Facts<'_>) -> Vec<String> {
    let mut all: Vec<String> =
        facts.steps.iter().flat_map(StepFacts::changeable).map(str::to_owned).collect();
    all.extend(facts.reading.steps.iter().filter_map(|step| sourced(step).map(str::to_owned)));
    all.sort();
    all.dedup();
    all
}
