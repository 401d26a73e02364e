//! Saves a person's answer: rules of an offer, or lines of `permissions.jsonc`.

use super::changed_offer::{ChangedOffer, edited_pattern};
use super::judge::{JudgedRequest, World};
use super::live::LiveRequest;
use super::message::AnswerPreview;
use crate::book::{OfferedRule, RuleSaveRequest, ToolRemember};
use crate::clock::lasting;
use postern_command::escape;
use postern_contract::{Answer, AnswerParams, NotApplied, Saved, SavedPlace, Scope, render};
use postern_policy::{
    AgentPolicy, AlwaysOffer, Effect, Lifetime, Origin, Pattern, Rule, RuleOrigin, from_home, pattern_text,
};

/// Returns true if what the person wants saved is a line of the agent's `permissions.jsonc`.
pub(super) fn adds_line(request: &LiveRequest, params: &AnswerParams) -> bool {
    let by_number = params.proposal.as_deref() == Some(super::call::FILE);
    params.answer == Answer::Always
        && (request.origin == Origin::Tool || (request.origin == Origin::AgentShell && by_number))
}

/// Returns the lines of the agent's `permissions.jsonc` that the person wants added, where that is what
/// *Always* does here.
pub(super) fn line_of(
    request: &LiveRequest,
    params: &AnswerParams,
    world: &World,
    policy: &AgentPolicy,
) -> Option<ToolRemember> {
    let call = request.call.as_ref().filter(|_| adds_line(request, params))?;
    let judged = request.judged.as_ref()?;
    Some(ToolRemember {
        agent: request.agent.clone(),
        session: request.run.session.clone(),
        tool: call.tool.clone(),
        patterns: judged.patterns(world, policy),
    })
}

/// World and policy that a person's answer is read with.
pub(super) struct SaveContext<'a> {
    pub(super) world: &'a World,
    pub(super) policy: &'a AgentPolicy,
}

impl SaveContext<'_> {
    /// Returns what the person wants to save of a request's question, if the answer says whatever that adds to the offer.
    pub(super) fn remember_of(
        &self,
        request: &LiveRequest,
        params: &AnswerParams,
    ) -> Result<RuleSaveRequest, NotApplied> {
        let (remember, added) = self.preview(request, params)?;
        if added.is_empty() || params.broad { Ok(remember) } else { Err(NotApplied::Broad(added)) }
    }

    /// Returns what the person wants to save of a request's question, and what that adds to the offer.
    ///
    /// That is one of its offers, perhaps with an edited pattern and in another place.
    pub(super) fn preview(
        &self,
        request: &LiveRequest,
        params: &AnswerParams,
    ) -> Result<AnswerPreview, NotApplied> {
        if request.origin == Origin::Tool {
            return Err(NotApplied::ToolRule);
        }
        let judged = request.judged.as_ref().ok_or(NotApplied::NotJudged)?;
        let effect = match params.answer {
            Answer::Once | Answer::Always => Effect::Allow,
            Answer::Deny | Answer::DenyAlways | Answer::DenyAll => Effect::Deny,
        };
        let offer = chosen(&judged.offers, params);
        if let Some(offer) = offer.filter(|offer| !offer.renews.is_empty()) {
            return renewed(request, params, offer, effect).map(|remember| (remember, Vec::new()));
        }
        let placed = params.anywhere || params.folder.is_some();
        if effect == Effect::Allow && !placed && offer.is_some_and(|offer| offer.folder.is_none()) {
            return Err(NotApplied::EveryFolder);
        }
        let origin = match effect {
            Effect::Allow if !params.on_host => RuleOrigin::of_answer(request.origin),
            // What is denied is denied everywhere.
            _ => RuleOrigin::Any,
        };
        let (rules, added) = match offer {
            Some(offer) if effect == Effect::Allow => {
                let facts = judged.policy_facts(self.world, self.policy, lasting());
                let offers = judged.offers.as_slice();
                ChangedOffer { policy: self.policy, facts, offers, offer, params, origin }.rules()?
            }
            _ => (denying(judged, offer, params)?, Vec::new()),
        };
        let lifetime = match &params.lifetime {
            Some(Lifetime::Session(_)) => {
                let session = request.run.session.clone().ok_or(NotApplied::NoSession)?;
                Lifetime::Session(session)
            }
            Some(other) => other.clone(),
            None => Lifetime::Forever,
        };
        let why = params.feedback.clone().filter(|_| effect == Effect::Deny);
        let (agent, scope) = (request.agent.clone(), params.scope);
        let renews = Vec::new();
        Ok((RuleSaveRequest { agent, scope, effect, origin, lifetime, why, rules, renews }, added))
    }
}

/// Returns the rules that deny what an offer, or the exact command, is about.
fn denying(
    judged: &JudgedRequest,
    offer: Option<&AlwaysOffer>,
    params: &AnswerParams,
) -> Result<Vec<OfferedRule>, NotApplied> {
    let wanted = wanted(&judged.offers, params);
    let denies = matches!(params.answer, Answer::Deny | Answer::DenyAlways | Answer::DenyAll);
    let mut rules = match (offer, &judged.reading.plain) {
        (Some(offer), _) => rules_of(offer, Effect::Deny),
        // What is too wide to be allowed always can still be denied always.
        (None, Some(argv)) if denies && wanted == "exact" => {
            vec![OfferedRule::new(Pattern::Exact(argv.clone()))]
        }
        (None, _) => return Err(NotApplied::NoOffer { wanted: wanted.to_owned() }),
    };
    if let Some(edited) = &params.edited {
        let [rule] = rules.as_mut_slice() else {
            return Err(NotApplied::SeveralRules);
        };
        let pattern = edited_pattern(&rule.pattern, edited)?;
        if !matches!((&rule.pattern, &pattern), (Pattern::Path(_), Pattern::Path(_))) {
            rule.args = None;
        }
        rule.pattern = pattern;
    }
    Ok(rules)
}

/// Returns the offer that an answer names: without a name the exact command, or the first one where that is none.
pub(super) fn chosen<'o>(offers: &'o [AlwaysOffer], params: &AnswerParams) -> Option<&'o AlwaysOffer> {
    let wanted = wanted(offers, params);
    let allows = matches!(params.answer, Answer::Once | Answer::Always);
    // A rule for a whole line denies none of its steps.
    offers.iter().find(|offer| offer.id == wanted && (allows || !offer.is_line()))
}

fn wanted<'p>(offers: &'p [AlwaysOffer], params: &'p AnswerParams) -> &'p str {
    let allows = matches!(params.answer, Answer::Once | Answer::Always);
    let has_exact = offers.iter().any(|offer| offer.id == "exact");
    let first = offers.first().filter(|_| allows && !has_exact);
    params.proposal.as_deref().or(first.map(|offer| offer.id)).unwrap_or("exact")
}

/// Returns what an offer to renew rules saves: their agent, folder and lifetime stay.
fn renewed(
    request: &LiveRequest,
    params: &AnswerParams,
    offer: &AlwaysOffer,
    effect: Effect,
) -> Result<RuleSaveRequest, NotApplied> {
    if effect != Effect::Allow {
        return Err(NotApplied::RenewalDenies);
    }
    let lasts = params.lifetime.as_ref().is_none_or(|lifetime| *lifetime == Lifetime::Forever);
    if params.changes_offer() || params.scope != Scope::Agent || !lasts {
        return Err(NotApplied::RenewalChanges);
    }
    Ok(RuleSaveRequest {
        agent: request.agent.clone(),
        scope: Scope::Agent,
        effect,
        origin: RuleOrigin::Any,
        lifetime: Lifetime::Forever,
        why: None,
        rules: Vec::new(),
        renews: offer.renews.clone(),
    })
}

pub(super) fn saved_lines(remember: &ToolRemember) -> Vec<Saved> {
    let rule = |pattern: &String| escape::visible_text(&format!("{} {pattern}", remember.tool));
    let place = || SavedPlace::Permissions;
    let saved = |pattern| Saved {
        rule: rule(pattern),
        place: place(),
        pinned: false,
        by_signer: false,
        own_shell: false,
        confine: None,
    };
    remember.patterns.iter().map(saved).collect()
}

pub(super) fn saved_of(remember: &RuleSaveRequest, home: &str) -> Vec<Saved> {
    let saved = |rule: &OfferedRule| {
        let place = rule.folder.as_ref().map_or(SavedPlace::Anywhere, |folder| SavedPlace::Folder {
            path: escape::visible_text(&from_home(folder, home)),
        });
        let whole = Rule::new(remember.effect, rule.pattern.clone());
        let rule_text = postern_contract::pieces_to_text(&render::rule_pattern(&whole));
        let own_shell = remember.origin == RuleOrigin::AgentShell;
        let by_signer = rule.pin.as_ref().is_some_and(|pin| pin.by_signer);
        let pinned = rule.pin.is_some();
        Saved { rule: rule_text, place, pinned, by_signer, own_shell, confine: rule.confine }
    };
    let renewed = remember.renews.iter().flat_map(|renewal| &renewal.rules);
    let renewed = renewed.map(|rule| Saved {
        rule: escape::visible_text(&pattern_text(&rule.pattern)),
        place: SavedPlace::Renewed { rule: rule.id },
        pinned: true,
        by_signer: rule.pin.as_ref().is_some_and(|pin| pin.by_signer),
        own_shell: rule.origin == RuleOrigin::AgentShell,
        confine: rule.confine,
    });
    remember.rules.iter().map(saved).chain(renewed).collect()
}

pub(super) fn rules_of(offer: &AlwaysOffer, effect: Effect) -> Vec<OfferedRule> {
    let rule = |draft| OfferedRule::of_draft(draft, offer.folder.as_deref(), effect);
    offer.drafts.iter().map(rule).collect()
}
