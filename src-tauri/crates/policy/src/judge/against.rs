//! Stages 2 to 4: what speaks against a step, whatever the settings say.

use super::deny::{self, Hit};
use super::invocation::{self, Invocation};
use super::line::Line;
use super::near::Near;
use super::outcome::{Outcome, by_rule, entry_ref, rule_ref, whose};
use super::{core, label};
use crate::agent::AgentPolicy;
use crate::facts::Facts;
use crate::generous::Match;
use crate::permissions::host::{HostUse, host_use};
use crate::permissions::{Entry, FileLayer, command};
use crate::rule::Effect;
use crate::verdict::{Decision, Reason};
use postern_command::{Guess, escape};

/// The weightiest thing against the step at `at`; a question at least where something only may be denied.
pub(super) fn step(policy: &AgentPolicy, line: &Line<'_>, at: usize) -> Option<Outcome> {
    let (step, found) = (&line.reading.steps[at], &line.steps[at]);
    let calls = invocation::of_step(step, found, line);
    let own: Vec<Outcome> = calls.iter().filter_map(|call| one(policy, line, call)).collect();
    let opaque = step.opaque.as_ref().and_then(|part| candidates(policy, line, &part.candidates));
    let ways = step.ways_out.iter().filter_map(|way| candidates(policy, line, &way.candidates));
    own.into_iter().chain(opaque).chain(ways).min_by_key(weight)
}

/// Whether the session may use host commands at all: what its layers say about all of them.
pub(super) fn tool_policy(policy: &AgentPolicy, facts: &Facts<'_>) -> Option<Outcome> {
    let (entry, decision, reason) = match host_use(policy, facts.session) {
        HostUse::Open => return None,
        HostUse::Asked(entry) => (entry, Decision::Ask, Reason::AskAlways),
        HostUse::Denied(entry) => (entry, Decision::Deny, Reason::Denylist),
        HostUse::Vetoed(entry) => (entry, Decision::Deny, Reason::Managed),
    };
    let rule = entry_ref(entry);
    let verb = if decision == Decision::Deny { "may not use" } else { "asks about every use of" };
    let message = format!("Tool policy: this session {verb} system.run ({}).", rule.source);
    let outcome = Outcome::new(decision, reason, message).by(rule);
    Some(outcome.advise("Host commands are closed to this session. Do it another way, or ask the person."))
}

/// The weightiest thing against commands that a part which was not understood may run.
pub(super) fn candidates(policy: &AgentPolicy, line: &Line<'_>, guesses: &[Guess]) -> Option<Outcome> {
    if guesses.is_empty() {
        return None;
    }
    let near = Near::new(policy, line);
    let mut denied: Vec<Outcome> = Vec::new();
    for guess in guesses {
        let look = || {
            let close = near.may_be_denied(guess).then_some(guess);
            let call = close.and_then(|guess| invocation::of_candidate(guess, line))?;
            line.spell(call.args.iter().flatten().map(|word| word.len()).sum());
            one(policy, line, &call).filter(|found| found.decision == Decision::Deny)
        };
        let Some(found) = line.guess(look) else {
            denied.push(too_much());
            break;
        };
        denied.extend(found);
    }
    denied.into_iter().min_by_key(weight)
}

/// What is said where text that was not understood holds more commands than are looked at.
pub(crate) const TOO_MUCH: &str =
    "It holds more that may be denied than can be looked at, in text that was not understood.";

/// Nobody writes so many words that may lead anywhere, and a deny rule may be about one that is not looked at.
fn too_much() -> Outcome {
    Outcome::new(Decision::Deny, Reason::Opaque, TOO_MUCH).advise("Split it into several requests.")
}

fn weight(outcome: &Outcome) -> (std::cmp::Reverse<Decision>, u8) {
    (std::cmp::Reverse(outcome.decision), outcome.stage())
}

fn one(policy: &AgentPolicy, line: &Line<'_>, call: &Invocation<'_>) -> Option<Outcome> {
    let veto = layers(policy, line, call, Layer::Parents);
    let rule = deny::find(&policy.rules, call, line).map(|hit| of_rule(&hit));
    let core = core::check(call, line).map(|(entry, word)| of_core(entry, &call_label(call, word)));
    let file = layers(policy, line, call, Layer::All);
    let seen = core::asks(call).then(|| {
        Outcome::new(
            Decision::Ask,
            Reason::AskAlways,
            "It would remove all that is in the folder where it runs.",
        )
    });
    [veto, rule, core, file, seen].into_iter().flatten().min_by_key(weight)
}

fn call_label(call: &Invocation<'_>, word: Option<&str>) -> String {
    if let Some(word) = word {
        return format!("{} with `{}`", label::of_words(&[call.name]), escape::text(word));
    }
    let known: Vec<&str> =
        std::iter::once(call.name).chain(call.args.iter().map_while(|word| *word)).collect();
    label::of_words(&known)
}

pub(super) fn of_core(entry: core::CoreEntry, label: &str) -> Outcome {
    Outcome::new(Decision::Deny, Reason::Core, format!("{} ({}: {label})", entry.reason, entry.id))
        .advise("This is never allowed, in any spelling. Name exactly what is to be changed instead.")
}

fn of_rule(hit: &Hit<'_>) -> Outcome {
    let rule = rule_ref(&hit.rule.rule);
    if !hit.sure {
        let message =
            format!("What it will be told is only known when it runs, and {} may then match.", rule.pattern);
        return Outcome::new(Decision::Ask, Reason::Opaque, message)
            .by(rule)
            .advise("Write the words out.")
            .in_doubt();
    }
    if !hit.denies() {
        return Outcome::new(Decision::Ask, Reason::AskAlways, by_rule(&rule, &whose(&hit.rule.rule.source)))
            .by(rule);
    }
    let reason = if hit.is_managed() { Reason::Managed } else { Reason::Denylist };
    // Why the rule exists stands in the sentence itself.
    Outcome::new(Decision::Deny, reason, by_rule(&rule, &whose(&hit.rule.rule.source)))
        .advise("It is denied in every spelling. Do it another way, or ask the person to change the rule.")
        .by(rule)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Parents,
    All,
}

/// A session's parents' layers, the agent's file and what the session added, in the order in which they are read.
pub(super) fn all_layers<'p>(
    policy: &'p AgentPolicy,
    facts: &Facts<'_>,
) -> (&'p [FileLayer], Vec<&'p FileLayer>) {
    let session = policy.session(facts.session);
    let parents = session.map(|layers| layers.parents.as_slice()).unwrap_or_default();
    let runtime = session.map(|layers| &layers.runtime);
    (parents, parents.iter().chain(policy.file.as_ref()).chain(runtime).collect())
}

/// The last entry of the layers that is about a command, and how sure that is.
fn last<'p>(layers: &[&'p FileLayer], names: &[&str], words: &[Option<&str>]) -> Option<(&'p Entry, Match)> {
    let entries = layers.iter().rev().flat_map(|layer| layer.entries().iter().rev());
    entries.filter(|entry| entry.is_about_commands()).find_map(|entry| {
        let matched = command::matches(entry, names, words);
        (matched != Match::No).then_some((entry, matched))
    })
}

fn layers(policy: &AgentPolicy, facts: &Facts<'_>, call: &Invocation<'_>, which: Layer) -> Option<Outcome> {
    let (parents, all) = all_layers(policy, facts);
    if all.is_empty() {
        return None;
    }
    let names = call.names();
    let words: Vec<Option<&str>> =
        std::iter::once(Some(call.name)).chain(call.args.iter().copied()).collect();
    match which {
        Layer::Parents => {
            let denies =
                |parent| last(&[parent], &names, &words).filter(|(entry, _)| entry.effect == Effect::Deny);
            let (entry, matched) = parents.iter().find_map(denies)?;
            Some(of_entry(entry, matched, Reason::Managed))
        }
        Layer::All => {
            let (entry, matched) = last(&all, &names, &words)?;
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

fn of_entry(entry: &Entry, matched: Match, reason: Reason) -> Outcome {
    let rule = entry_ref(entry);
    match (entry.effect, matched) {
        (Effect::Deny, Match::Yes) => Outcome::new(Decision::Deny, reason, by_rule(&rule, &rule.source))
            .advise("The agent's permissions.jsonc denies this. Do it another way, or ask the person to change the file."),
        (Effect::Deny | Effect::Ask | Effect::Allow, _) => {
            let asked = Outcome::new(Decision::Ask, Reason::AskAlways, format!("{} asks about it.", escape::text(&rule.source)));
            if entry.effect == Effect::Deny { asked.in_doubt() } else { asked }
        }
    }
    .by(rule)
}

/// The file's entry that allows a step, where its last match does.
pub(super) fn allowing_entry<'p>(
    policy: &'p AgentPolicy,
    facts: &Facts<'_>,
    words: &[Option<&str>],
) -> Option<&'p Entry> {
    let names: Vec<&str> = words.first().copied().flatten().into_iter().collect();
    let (_, all) = all_layers(policy, facts);
    let (entry, _) = last(&all, &names, words)?;
    (entry.effect == Effect::Allow).then_some(entry)
}
