//! Stages 2 to 4: what denies a step, whatever the settings say.

use super::deny::{self, Hit};
use super::host::{HostUse, host_use};
use super::invocation::{self, JudgedInvocation};
use super::line::JudgmentContext;
use super::near::Near;
use super::outcome::{StepOutcome, entry_ref, named_entry, origin, rule_ref, to_named_rule, whole_pattern};
use super::{core, files, label};
use crate::advice::Advice;
use crate::agent::{AgentPolicy, Layers};
use crate::cause::{Cause, Label};
use crate::decision::{Decision, Reason};
use crate::facts::Facts;
use crate::generous::MatchCertainty;
use crate::permissions::{FileLayer, PermissionEntry};
use crate::rule::Effect;
use crate::subject::{Origin, SHELL_TOOL};
use postern_command::CandidateCommand;

/// Returns the weightiest thing against the step at `at`; a question at least where something only may be
/// denied.
pub(super) fn find_against_step(
    policy: &AgentPolicy,
    line: &JudgmentContext<'_>,
    at: usize,
) -> Option<StepOutcome> {
    let (step, found) = (&line.reading.steps[at], &line.steps[at]);
    let calls = invocation::of_step(step, found, line);
    let own: Vec<StepOutcome> =
        calls.iter().filter_map(|call| weigh_invocation(policy, line, call)).collect();
    let opaque = step.opaque.as_ref().and_then(|part| candidates(policy, line, &part.candidates));
    let ways = step.ways_out.iter().filter_map(|way| candidates(policy, line, &way.candidates));
    let files = files::of_step(policy, line, at);
    own.into_iter().chain(opaque).chain(ways).chain(files).min_by_key(weight)
}

/// Returns whether the session may use host commands at all: what its layers say about all of them.
pub(super) fn tool_policy(policy: &AgentPolicy, facts: &Facts<'_>) -> Option<StepOutcome> {
    let (entry, decision, reason) = match host_use(policy, facts.session) {
        HostUse::Open => return None,
        HostUse::Asked(entry) => (entry, Decision::Ask, Reason::AskAlways),
        HostUse::Denied(entry) => (entry, Decision::Deny, Reason::Denylist),
        HostUse::Vetoed(entry) => (entry, Decision::Deny, Reason::Managed),
    };
    let rule = entry_ref(entry);
    let cause = Cause::ToolPolicy { asks: decision == Decision::Ask, source: origin(entry) };
    let outcome = StepOutcome::new(decision, reason, cause).with_rule(rule);
    Some(outcome.advise(Advice::WithoutHost))
}

/// Returns the weightiest thing against commands that a part which was not understood may run.
pub(super) fn candidates(
    policy: &AgentPolicy,
    line: &JudgmentContext<'_>,
    guesses: &[CandidateCommand],
) -> Option<StepOutcome> {
    if guesses.is_empty() {
        return None;
    }
    let near = Near::new(policy, line);
    let mut denied: Vec<StepOutcome> = Vec::new();
    for guess in guesses {
        let look = || {
            let close = near.may_be_denied(guess).then_some(guess);
            let call = close.and_then(|guess| invocation::of_candidate(guess, line))?;
            line.spend_budget(call.args.iter().flatten().map(|word| word.len()).sum());
            weigh_invocation(policy, line, &call).filter(|found| found.decision == Decision::Deny)
        };
        let Some(found) = line.try_candidate(look) else {
            denied.push(too_much());
            break;
        };
        denied.extend(found);
    }
    denied.into_iter().min_by_key(weight)
}

/// Returns the outcome for too many words that may be paths: a deny rule may be about one that is not looked
/// at.
fn too_much() -> StepOutcome {
    StepOutcome::new(Decision::Deny, Reason::Opaque, Cause::TooManyCandidates).advise(Advice::Split)
}

/// Returns the weight of an outcome. A doubt comes before another question: if nobody is asked it denies.
fn weight(outcome: &StepOutcome) -> (std::cmp::Reverse<Decision>, bool, u8) {
    (std::cmp::Reverse(outcome.decision), !outcome.doubt, outcome.stage_order())
}

fn weigh_invocation(
    policy: &AgentPolicy,
    line: &JudgmentContext<'_>,
    call: &JudgedInvocation<'_>,
) -> Option<StepOutcome> {
    let veto = layers(policy, line, call, Layer::Parents);
    let rule = deny::find_hit(&policy.rules, call, line).map(|hit| of_rule(&hit));
    let core = core::check_invocation(call, line)
        .map(|(entry, word)| of_core(entry, Some(call_label(call, word)), word));
    let file = layers(policy, line, call, Layer::All);
    let seen = core::must_be_seen(call)
        .then(|| StepOutcome::new(Decision::Ask, Reason::AskAlways, Cause::EmptiesFolder));
    [veto, rule, core, file, seen].into_iter().flatten().min_by_key(weight)
}

fn call_label(call: &JudgedInvocation<'_>, word: Option<&str>) -> String {
    if word.is_some() {
        return label::of_words(&[call.name]);
    }
    let known: Vec<&str> =
        std::iter::once(call.name).chain(call.args.iter().map_while(|word| *word)).collect();
    label::of_words(&known)
}

pub(super) fn of_core(entry: core::CoreEntry, command: Label, word: Option<&str>) -> StepOutcome {
    let (id, why, word) = (entry.id.to_owned(), entry.reason.into(), word.map(str::to_owned));
    StepOutcome::new(Decision::Deny, Reason::Core, Cause::Core { id, why, command, word })
        .advise(Advice::NameExactly)
}

fn of_rule(hit: &Hit<'_>) -> StepOutcome {
    let rule = rule_ref(&hit.rule.rule);
    if !hit.sure {
        let cause = Cause::RuleMayMatch { pattern: whole_pattern(&hit.rule.rule) };
        return StepOutcome::new(Decision::Ask, Reason::Opaque, cause)
            .with_rule(rule)
            .advise(Advice::WriteOut)
            .in_doubt();
    }
    let cause = Cause::Rule(to_named_rule(&hit.rule.rule));
    if !hit.denies() {
        return StepOutcome::new(Decision::Ask, Reason::AskAlways, cause).with_rule(rule);
    }
    let reason = if hit.is_managed() { Reason::Managed } else { Reason::Denylist };
    // Why the rule exists is part of the cause itself.
    StepOutcome::new(Decision::Deny, reason, cause).advise(Advice::ChangeRule).with_rule(rule)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Parents,
    All,
}

/// Returns the last entry of the layers that is about a command, and how sure that is. The agent's own shell
/// has one name, the host two.
fn last_entry<'p>(
    origin: Origin,
    layers: &[&'p FileLayer],
    names: &[&str],
    words: &[Option<&str>],
) -> Option<(&'p PermissionEntry, MatchCertainty)> {
    let entries = layers.iter().rev().flat_map(|layer| layer.entries().iter().rev());
    let about = |entry: &&PermissionEntry| {
        if origin.is_host() { entry.is_about_commands() } else { entry.is_for(SHELL_TOOL) }
    };
    entries.filter(about).find_map(|entry| {
        let matched = entry.match_command(names, words);
        (matched != MatchCertainty::No).then_some((entry, matched))
    })
}

fn layers(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    call: &JudgedInvocation<'_>,
    which: Layer,
) -> Option<StepOutcome> {
    let Layers { parents, all } = policy.layers(facts.session);
    if all.is_empty() {
        return None;
    }
    let names = call.all_names();
    let words: Vec<Option<&str>> =
        std::iter::once(Some(call.name)).chain(call.args.iter().copied()).collect();
    match which {
        Layer::Parents => {
            let denies = |parent| {
                last_entry(facts.origin, &[parent], &names, &words)
                    .filter(|(entry, _)| entry.effect == Effect::Deny)
            };
            let (entry, matched) = parents.into_iter().find_map(denies)?;
            Some(of_entry(entry, matched, Reason::Managed))
        }
        Layer::All => {
            let (entry, matched) = last_entry(facts.origin, &all, &names, &words)?;
            // A catch-all that asks is what happens anyway where no rule matches: it forces nothing.
            let speaks = match entry.effect {
                Effect::Allow => false,
                Effect::Ask => !entry.is_catch_all(),
                Effect::Deny => true,
            };
            speaks.then(|| of_entry(entry, matched, Reason::Denylist))
        }
    }
}

fn of_entry(entry: &PermissionEntry, matched: MatchCertainty, reason: Reason) -> StepOutcome {
    let rule = entry_ref(entry);
    match (entry.effect, matched) {
        (Effect::Deny, MatchCertainty::Yes) => {
            StepOutcome::new(Decision::Deny, reason, Cause::Rule(named_entry(entry)))
                .advise(Advice::ChangeFile)
        }
        (Effect::Deny | Effect::Ask | Effect::Allow, _) => {
            let asked = StepOutcome::new(Decision::Ask, Reason::AskAlways, Cause::LineAsks(origin(entry)));
            if entry.effect == Effect::Deny { asked.in_doubt() } else { asked }
        }
    }
    .with_rule(rule)
}

/// Returns the file's entry that allows a step, where its last match does.
pub(super) fn allowing_entry<'p>(
    policy: &'p AgentPolicy,
    facts: &Facts<'_>,
    words: &[Option<&str>],
) -> Option<&'p PermissionEntry> {
    let names: Vec<&str> = words.first().copied().flatten().into_iter().collect();
    let all = policy.layers(facts.session).all;
    let (entry, _) = last_entry(facts.origin, &all, &names, words)?;
    (entry.effect == Effect::Allow).then_some(entry)
}
