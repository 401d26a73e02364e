//! Saves a person's answer: rules of an offer, or lines of `permissions.jsonc`.

use super::judge::World;
use super::live::LiveRequest;
use crate::book::{OfferedRule, RuleSaveRequest, ToolRemember};
use postern_command::escape;
use postern_contract::{Answer, AnswerParams, NotApplied, Saved, SavedPlace, Scope, render};
use postern_policy::{
    AgentPolicy, AlwaysOffer, Draft, Effect, Lifetime, Origin, Pattern, Rule, RuleInput, RuleOrigin,
    from_home, kind_name, parse_pattern, pattern_text,
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

/// Returns what the person wants to save of a request's question: one of its offers, perhaps with an edited
/// pattern.
pub(super) fn remember_of(
    request: &LiveRequest,
    params: &AnswerParams,
) -> Result<RuleSaveRequest, NotApplied> {
    if request.origin == Origin::Tool {
        return Err(NotApplied::ToolRule);
    }
    let judged = request.judged.as_ref().ok_or(NotApplied::NotJudged)?;
    let effect = match params.answer {
        Answer::Once | Answer::Always => Effect::Allow,
        Answer::Deny | Answer::DenyAlways | Answer::DenyAll => Effect::Deny,
    };
    let offer = chosen(&judged.offers, params);
    let wanted = wanted(&judged.offers, params);
    if let Some(offer) = offer.filter(|offer| !offer.renews.is_empty()) {
        return renewed(request, params, offer, effect);
    }
    if effect == Effect::Allow && !params.anywhere && offer.is_some_and(|offer| offer.folder.is_none()) {
        return Err(NotApplied::EveryFolder);
    }
    let mut rules: Vec<OfferedRule> = match (offer, &judged.reading.plain) {
        (Some(offer), _) => rules_of(offer, effect),
        // What is too wide to be allowed always can still be denied always.
        (None, Some(argv)) if effect == Effect::Deny && wanted == "exact" => {
            let pattern = Pattern::Exact(argv.clone());
            let input = RuleInput::Nothing;
            let (args, pin, limits, confine) = (None, None, None, None);
            vec![OfferedRule {
                pattern,
                args,
                pin,
                allow_writes: false,
                limits,
                confine,
                folder: None,
                input,
            }]
        }
        (None, _) => return Err(NotApplied::NoOffer { wanted: wanted.to_owned() }),
    };
    if let Some(edited) = &params.edited {
        let [rule] = rules.as_mut_slice() else {
            return Err(NotApplied::SeveralRules);
        };
        *rule = edited_rule(rule, edited)?;
    }
    if params.anywhere {
        for rule in &mut rules {
            rule.folder = None;
        }
    }
    let lifetime = match &params.lifetime {
        Some(Lifetime::Session(_)) => {
            let session = request.run.session.clone().ok_or(NotApplied::NoSession)?;
            Lifetime::Session(session)
        }
        Some(other) => other.clone(),
        None => Lifetime::Forever,
    };
    let why = params.feedback.clone().filter(|_| effect == Effect::Deny);
    // What is denied is denied everywhere.
    let origin =
        if effect == Effect::Allow { RuleOrigin::of_answer(request.origin) } else { RuleOrigin::Any };
    let (agent, scope) = (request.agent.clone(), params.scope);
    Ok(RuleSaveRequest { agent, scope, effect, origin, lifetime, why, rules, renews: Vec::new() })
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
    if params.anywhere || params.edited.is_some() || params.scope != Scope::Agent || !lasts {
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

/// Describes the lines that will be saved for a tool.
pub(super) fn saved_lines(remember: &ToolRemember) -> Vec<Saved> {
    let rule = |pattern: &String| escape::visible_text(&format!("{} {pattern}", remember.tool));
    let place = || SavedPlace::Permissions;
    let saved = |pattern| Saved {
        rule: rule(pattern),
        place: place(),
        pinned: false,
        own_shell: false,
        confine: None,
    };
    remember.patterns.iter().map(saved).collect()
}

/// Describes the rules that will be saved.
pub(super) fn saved_of(remember: &RuleSaveRequest, home: &str) -> Vec<Saved> {
    let saved = |rule: &OfferedRule| {
        let place = rule.folder.as_ref().map_or(SavedPlace::Anywhere, |folder| SavedPlace::Folder {
            path: escape::visible_text(&from_home(folder, home)),
        });
        let whole = Rule::new(remember.effect, rule.pattern.clone());
        let rule_text = postern_contract::pieces_to_text(&render::rule_pattern(&whole));
        let own_shell = remember.origin == RuleOrigin::AgentShell;
        Saved { rule: rule_text, place, pinned: rule.pin.is_some(), own_shell, confine: rule.confine }
    };
    let renewed = remember.renews.iter().flat_map(|renewal| &renewal.rules);
    let renewed = renewed.map(|rule| Saved {
        rule: escape::visible_text(&pattern_text(&rule.pattern)),
        place: SavedPlace::Renewed { rule: rule.id },
        pinned: true,
        own_shell: rule.origin == RuleOrigin::AgentShell,
        confine: rule.confine,
    });
    remember.rules.iter().map(saved).chain(renewed).collect()
}

/// Returns the rules that an offer would save.
pub(super) fn rules_of(offer: &AlwaysOffer, effect: Effect) -> Vec<OfferedRule> {
    offer.drafts.iter().map(|draft| rule_of(draft, offer.folder.as_deref(), effect)).collect()
}

fn rule_of(draft: &Draft, folder: Option<&str>, effect: Effect) -> OfferedRule {
    let allows = effect == Effect::Allow;
    OfferedRule {
        // A deny holds everywhere, whatever comes on standard input.
        folder: folder.filter(|_| allows).map(str::to_owned),
        input: if allows { draft.input.clone() } else { RuleInput::Nothing },
        pattern: draft.pattern.clone(),
        args: draft.args.clone(),
        // A deny holds for whatever the program becomes.
        pin: draft.pin.clone().filter(|_| allows),
        allow_writes: allows && draft.allow_writes,
        limits: draft.limits.clone().filter(|_| allows).map(Box::new),
        confine: draft.confine.filter(|_| allows),
    }
}

/// Returns the offer's rule with the pattern as the person edited it. A pattern with other arguments has none
/// of its own.
fn edited_rule(rule: &OfferedRule, edited: &str) -> Result<OfferedRule, NotApplied> {
    // A rule about files stays one: the same text by itself would name programs.
    let kind = rule.pattern.file_access().map(|_| kind_name(&rule.pattern));
    let pattern = parse_pattern(edited, kind).map_err(NotApplied::Pattern)?;
    let same_kind = std::mem::discriminant(&pattern) == std::mem::discriminant(&rule.pattern);
    let args = if same_kind && matches!(pattern, Pattern::Path(_)) { rule.args.clone() } else { None };
    Ok(OfferedRule { pattern, args, ..rule.clone() })
}

#[cfg(test)]
mod tests {
    use super::{OfferedRule, edited_rule};
    use postern_policy::{Pattern, RuleInput};

    #[test]
    fn an_edited_rule_for_reading_names_no_program() {
        let pattern = Pattern::Read("/Users/u/notes".to_owned());
        let (args, pin, limits, confine, folder) = (None, None, None, None, None);
        let input = RuleInput::Nothing;
        let rule = OfferedRule { pattern, args, pin, allow_writes: false, limits, confine, folder, input };
        for edited in ["/Users/u/code", "~/bin/**"] {
            let saved = edited_rule(&rule, edited).unwrap();
            assert_eq!(saved.pattern, Pattern::Read(edited.to_owned()));
        }
        assert!(edited_rule(&rule, "git push *").is_err(), "words of a command are no folder");
    }
}
