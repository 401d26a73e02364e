//! Rules that name a profile: they allow what their words cover, confined, as far as the profile holds it.
//!
//! The operating system holds such a run, so nothing else has to: an argument that runs something else, a script that the agent
//! can change, or text on standard input can do no more than the profile lets it. What no class covers, no such rule covers. A
//! rule with limits, which an offer saved, is held to them as well.

use super::allow;
use super::broad::{holds_there, starts};
use super::classes::{Classes, Need, StepClasses};
use super::places::StepPlaces;
use super::subject::StepSubject;
use crate::agent::AgentPolicy;
use crate::cause::ClassGap;
use crate::classes::Class;
use crate::facts::Facts;
use crate::risk::{self, RatedEffect};
use crate::rule::{Pattern, Rule};
use postern_command::Role;
use postern_protocol::Profile;
use std::cell::OnceCell;

/// Result of the rules that name a profile for a step.
#[derive(Debug, Clone)]
pub(super) enum Ruled<'a> {
    /// No match.
    Not,
    /// The words of this one match, and its profile does not hold the step.
    But(&'a Rule, Profile, ClassGap),
    /// This one allows the step in a run that has what it needs.
    Allowed(&'a Rule, Profile, Need),
}

/// Returns what the rules that name a profile say about a step: of those that match, the one whose profile allows the most.
pub(super) fn of_step<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    classes: &Classes<'_>,
    subject: &StepSubject<'_>,
    effects: &[RatedEffect],
    found: &StepClasses,
) -> Ruled<'a> {
    let mut best = Ruled::Not;
    for (rule, profile) in matching(policy, facts, subject) {
        let said = weigh_rule(policy, classes, subject, effects, found, (rule, profile));
        let wider = match (&best, &said) {
            (Ruled::Allowed(_, than, _), Ruled::Allowed(..)) => profile > *than,
            (Ruled::Not, _) | (Ruled::But(..), Ruled::Allowed(..)) => true,
            _ => false,
        };
        if wider {
            best = said;
        }
    }
    best
}

/// Returns true if a rule that names a profile covers the step at `at`, if the run is confined so.
pub(super) fn covers(policy: &AgentPolicy, facts: &Facts<'_>, at: usize) -> bool {
    if !policy.rules.has_confined(facts) {
        return false;
    }
    let subject = StepSubject::at(facts, at);
    let places: OnceCell<StepPlaces<'_>> = OnceCell::new();
    let classes = Classes::new(policy, facts, &places);
    let effects = risk::of_step(facts, subject.step, subject.found);
    let found = classes.find_classes(&subject, &effects);
    matches!(of_step(policy, facts, &classes, &subject, &effects, &found), Ruled::Allowed(..))
}

/// Returns the rules that name a profile and whose words cover a step.
fn matching<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'_>,
) -> impl Iterator<Item = (&'a Rule, Profile)> {
    let starts = if subject.step.role == Role::Program { starts(policy, facts, subject) } else { Vec::new() };
    let rules = policy
        .rules
        .compiled_parts()
        .flat_map(|part| part.confined().map(move |(at, rule)| (part, at, rule)));
    rules.filter_map(move |(part, at, rule)| {
        let named = || starts.iter().any(|start| start.is_covered(part, at, rule));
        let is_covered = || {
            let limited = rule.rule.limits.is_some();
            holds_there(rule, facts, subject)
                && (limited && rule.command.is_some() || named())
                && (!limited || allow::is_within_limits(rule, subject, facts))
        };
        (rule.is_in_force(facts) && is_covered()).then_some((&rule.rule, rule.rule.confine?))
    })
}

fn weigh_rule<'a>(
    policy: &AgentPolicy,
    classes: &Classes<'_>,
    subject: &StepSubject<'_>,
    effects: &[RatedEffect],
    found: &StepClasses,
    (rule, profile): (&'a Rule, Profile),
) -> Ruled<'a> {
    if profile == Profile::Project && policy.settings.folders.is_empty() {
        return Ruled::But(rule, profile, ClassGap::NoFolders);
    }
    let exact = matches!(rule.pattern, Pattern::Exact(_));
    let network = policy.settings.allows(Class::Network);
    let held = found.held_by(profile, network).filter(|_| exact || !found.is_dangerous());
    if let Some(need) = held {
        return Ruled::Allowed(rule, profile, need);
    }
    let effect = classes.beyond(subject, effects, profile, network);
    Ruled::But(rule, profile, ClassGap::Beyond { effect: effect.map(Box::new) })
}
