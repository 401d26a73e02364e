//! `requests.offers`: what could be saved so that a request of the past is let through from now on. Judged by the very
//! code that judges requests, as the policy and the programs are now; nothing is saved here.

use super::door::asked_before;
use super::rules::draft_of;
use super::{Answer, Control, Handle};
use crate::ask::FaceId;
use crate::clock::{lasting, now};
use crate::gate::{Call, Judged, Judgement, judge_call, judge_run, shown};
use postern_contract::Shown;
use postern_contract::methods::{ControlError, OfferRules, RequestNumber, RuleOffer, RuleOffers};
use postern_contract::render::{self, Sentence};
use postern_policy::{AgentId, Decision, Offer, Origin, Rule, RuleOrigin, pattern_text};
use postern_store::requests::RequestRow;
use std::sync::Arc;

impl Control {
    /// Returns a request of the past, judged as it would be now. `None` if its agent is gone.
    pub(super) async fn judged_now(&self, row: &RequestRow) -> Result<Option<Judgement>, ControlError> {
        let snapshot = self.parts.book.snapshot();
        let Some(entry) = snapshot.agents.get(&row.summary.agent) else { return Ok(None) };
        let (policy, version) = (Arc::clone(&entry.policy), snapshot.version);
        let agent = &row.summary.agent;
        let judged = if row.summary.origin.is_host() {
            let run = asked_before(&row.asked)?;
            self.preview(agent, move |world| (judge_run(world, &policy, version, &run, lasting()), ()))
                .await
                .0
        } else {
            let call = Call::of_asked(&row.asked).map(Arc::new);
            let call = call.ok_or_else(|| ControlError::refused("what was asked for was not kept"))?;
            self.preview(agent, move |world| (judge_call(world, &policy, version, &call, lasting()), ()))
                .await
                .0
        };
        Ok(Some(judged))
    }
}

impl Handle<OfferRules> for Control {
    async fn handle(&self, _: FaceId, params: RequestNumber) -> Answer<OfferRules> {
        let row = self.request(&params.id).await?;
        let none = |why: Shown| RuleOffers { offers: Vec::new(), why: Some(why) };
        Ok(match self.judged_now(&row).await? {
            None => none(
                Sentence::new("There is no agent ")
                    .code(row.summary.agent.as_str())
                    .say(" any more.")
                    .pieces(),
            ),
            Some(Judgement::Refused(denial)) => none(render::refusal(&denial.cause)),
            Some(Judgement::Judged(judged)) => match judged.verdict.decision {
                Decision::Allow => none(Sentence::new("It would be allowed now.").pieces()),
                Decision::Deny => none(render::cause(&judged.verdict.cause)),
                Decision::Ask if judged.offers.is_empty() => {
                    let why = judged.nothing_to_save.map_or("no rule would help", render::nothing_to_save);
                    none(Sentence::new("Nothing can be allowed always here: ").say(why).say(".").pieces())
                }
                Decision::Ask => RuleOffers { offers: offers(&row.summary.agent, &judged), why: None },
            },
        })
    }
}

/// Returns the offers as rules of the agent.
pub(super) fn offers(agent: &AgentId, judged: &Judged) -> Vec<RuleOffer> {
    // A line of permissions.jsonc is no rule.
    let rules = judged.offers.iter().filter(|offer| !offer.drafts.is_empty());
    rules.map(|offer| rule_offer(agent, judged.plan.origin, offer)).collect()
}

/// Returns an offer as rules.
pub(super) fn rule_offer(agent: &AgentId, origin: Origin, offer: &Offer) -> RuleOffer {
    let origin = RuleOrigin::of_answer(origin);
    let of_agent = |rule| Rule { agent: Some(agent.clone()), created_at: now(), ..rule };
    let rules: Vec<Rule> = offer.rules(origin).map(of_agent).collect();
    let drafts = rules.iter().cloned().map(draft_of).collect();
    let patterns = rules.iter().map(|rule| shown(&pattern_text(&rule.pattern))).collect();
    let label = render::placed_offer(&offer.label, offer.folder.as_deref());
    RuleOffer { id: offer.id.to_owned(), label, rules, drafts, shown: patterns }
}
