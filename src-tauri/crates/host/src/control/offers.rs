//! `requests.offers`: what could be saved so that a request of the past is let through from now on. Judged by the very
//! code that judges requests, as the policy and the programs are now; nothing is saved here.

use super::door::asked_before;
use super::{Handle, HostControl, MethodResult};
use crate::ask::ApproverId;
use crate::clock::{lasting, now_millis};
use crate::gate::{AgentToolCall, JudgedRequest, RequestJudgment, judge_call, judge_run, to_pieces};
use postern_contract::methods::{ControlError, OfferRules, RequestNumber, RuleOffer, RuleOffers};
use postern_contract::render::{self, Sentence};
use postern_contract::{RuleDraft, ShownText};
use postern_policy::{AgentId, AlwaysOffer, Decision, Origin, Rule, RuleOrigin, pattern_text};
use postern_store::requests::StoredRequest;
use std::sync::Arc;

impl HostControl {
    /// Returns a request of the past, judged as it would be now. `None` if its agent is gone.
    pub(super) async fn judged_now(
        &self,
        row: &StoredRequest,
    ) -> Result<Option<RequestJudgment>, ControlError> {
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
            let call = AgentToolCall::of_asked(&row.asked).map(Arc::new);
            let call = call.ok_or_else(|| ControlError::refused("what was asked for was not kept"))?;
            self.preview(agent, move |world| (judge_call(world, &policy, version, &call, lasting()), ()))
                .await
                .0
        };
        Ok(Some(judged))
    }
}

impl Handle<OfferRules> for HostControl {
    async fn handle(&self, _: ApproverId, params: RequestNumber) -> MethodResult<OfferRules> {
        let row = self.request(&params.id).await?;
        let none = |why: ShownText| RuleOffers { offers: Vec::new(), why: Some(why) };
        Ok(match self.judged_now(&row).await? {
            None => none(
                Sentence::new("There is no agent ")
                    .code(row.summary.agent.as_str())
                    .literal(" any more.")
                    .pieces(),
            ),
            Some(RequestJudgment::Refused(denial)) => none(render::refusal(&denial.cause)),
            Some(RequestJudgment::Judged(judged)) => match judged.verdict.decision {
                Decision::Allow => none(Sentence::new("It would be allowed now.").pieces()),
                Decision::Deny => none(render::cause_sentence(&judged.verdict.cause)),
                Decision::Ask if judged.offers.is_empty() => {
                    let why = judged.nothing_to_save.map_or("no rule would help", render::nothing_to_save);
                    none(
                        Sentence::new("Nothing can be allowed always here: ")
                            .literal(why)
                            .literal(".")
                            .pieces(),
                    )
                }
                Decision::Ask => RuleOffers {
                    offers: offers(&row.summary.agent, &judged, &self.parts.book.places().home),
                    why: None,
                },
            },
        })
    }
}

pub(super) fn offers(agent: &AgentId, judged: &JudgedRequest, home: &str) -> Vec<RuleOffer> {
    // A line of permissions.jsonc is no rule.
    let rules = judged.offers.iter().filter(|offer| !offer.drafts.is_empty());
    rules.map(|offer| rule_offer(agent, judged.plan.origin, offer, home)).collect()
}

/// Returns an offer as rules, with its paths as they are shown to the person whose home folder is `home`.
pub(super) fn rule_offer(agent: &AgentId, origin: Origin, offer: &AlwaysOffer, home: &str) -> RuleOffer {
    let origin = RuleOrigin::of_answer(origin);
    let of_agent = |rule| Rule { agent: Some(agent.clone()), created_at: now_millis(), ..rule };
    let rules: Vec<Rule> = offer.to_rules(origin).map(of_agent).collect();
    let drafts = rules.iter().cloned().map(RuleDraft::of_rule).collect();
    let patterns = rules.iter().map(|rule| to_pieces(&pattern_text(&rule.pattern))).collect();
    let label = render::placed_offer(&offer.label, offer.folder.as_deref(), home);
    RuleOffer { id: offer.id.to_owned(), label, rules, drafts, shown: patterns }
}
