//! Text that cannot be read and may be what a deny rule names.
//!
//! While rules that deny or ask are in force, it is never let through unseen: it is asked about even if
//! everything else is allowed, and denied if nobody is asked.
//!
//! Only what stands in the request is looked at. A script, a module and a sourced file are files: no deny rule looks
//! into those, whatever they run.

use super::mention::{self, Mention};
use super::outcome::{StepOutcome, rule_ref, whole_pattern};
use crate::advice::Advice;
use crate::agent::AgentPolicy;
use crate::cause::{Cause, Doubt};
use crate::decision::{Decision, Reason};
use crate::facts::{Facts, Lookup};
use crate::path;
use crate::rule::Effect;
use crate::subject::SHELL_TOOL;
use postern_command::environment::decides_what_runs;
use postern_command::{Step, Unparsed, UnparsedSpan, UnsafeArg};
use std::collections::HashMap;
use std::ops::Range;

/// Returns true if anything denies or asks that could be evaded by not being read.
fn rules_in_force(policy: &AgentPolicy, facts: &Facts<'_>) -> bool {
    let of_files = |of_files: bool, entry: &crate::permissions::PermissionEntry| match entry.effect {
        // A later line for everything takes back what an earlier one said.
        Effect::Allow => of_files && !entry.is_catch_all(),
        Effect::Ask => of_files || !entry.is_catch_all(),
        Effect::Deny => true,
    };
    let layers = policy.layers(facts.session).all;
    let entries = layers.iter().flat_map(|layer| layer.entries());
    policy.rules.denies_anything(facts.now, facts.session)
        || entries.filter(|entry| entry.is_for(SHELL_TOOL)).fold(false, of_files)
}

/// Names of deny rules in a request's text. Each part of the text is searched once for all its steps.
pub(super) struct Named<'a> {
    policy: &'a AgentPolicy,
    facts: &'a Facts<'a>,
    found: HashMap<Range<usize>, Option<Mention<'a>>>,
}

impl<'a> Named<'a> {
    /// Prepares the search; `None` if there is nothing that could be named.
    pub(super) fn new(policy: &'a AgentPolicy, facts: &'a Facts<'a>) -> Option<Self> {
        rules_in_force(policy, facts).then(|| Self { policy, facts, found: HashMap::new() })
    }

    /// Returns the doubt about the step at `at`, if a rule that denies may mean it.
    pub(super) fn of_step(&mut self, at: usize) -> Option<StepOutcome> {
        let step = &self.facts.reading.steps[at];
        match &step.opaque {
            Some(part) if may_hide_program(step, part) => Some(self.doubt_of_part(part)),
            Some(part) => {
                self.within(&step.span).map(|mention| named_doubt(mention, of_part(part), advice_of(part)))
            }
            None => self
                .by_number(at)
                .or_else(|| step.ways_out.iter().find_map(|way| of_way(self.policy, self.facts, step, way))),
        }
    }

    /// Returns a program named by its file id, which was not looked up: any rule may match it.
    fn by_number(&self, at: usize) -> Option<StepOutcome> {
        let name = self.facts.reading.steps[at].program()?;
        let found = matches!(self.facts.steps[at].program, Lookup::Found(_));
        (!found && path::is_by_number(&path::normal(name)))
            .then(|| doubt_outcome(Cause::ByNumber { name: name.to_owned() }, Some(Advice::NamePath)))
    }

    /// Returns the doubt about the parts that belong to no step.
    pub(super) fn of_rest(&mut self) -> Option<StepOutcome> {
        let part = self.facts.reading.opaque.iter().find(|part| !is_about_files(part))?;
        Some(self.doubt_of_part(part))
    }

    fn doubt_of_part(&mut self, part: &UnparsedSpan) -> StepOutcome {
        match self.within(&(0..self.facts.reading.text.len())) {
            Some(mention) => named_doubt(mention, of_part(part), advice_of(part)),
            None => unnamed_doubt(of_part(part), advice_of(part)),
        }
    }

    fn within(&mut self, span: &Range<usize>) -> Option<&Mention<'a>> {
        let (policy, facts) = (self.policy, self.facts);
        let look =
            || mention_in_text(policy, facts, facts.reading.text.get(span.clone()).unwrap_or_default());
        self.found.entry(span.clone()).or_insert_with(look).as_ref()
    }
}

fn mention_in_text<'p>(policy: &'p AgentPolicy, facts: &Facts<'_>, text: &str) -> Option<Mention<'p>> {
    mention::find_mention(&policy.rules, facts, text)
}

fn of_part(part: &UnparsedSpan) -> Doubt {
    Doubt::Part(part.note().clone())
}

fn advice_of(part: &UnparsedSpan) -> Option<Advice> {
    part.advice().map(|words| Advice::Reader(words.into()))
}

fn named_doubt(mention: &Mention<'_>, doubt: Doubt, advice: Option<Advice>) -> StepOutcome {
    let (word, pattern) = (mention.word.clone(), whole_pattern(mention.rule));
    doubt_outcome(Cause::MayMeanNamed { doubt, word, pattern }, advice).with_rule(rule_ref(mention.rule))
}

fn unnamed_doubt(doubt: Doubt, advice: Option<Advice>) -> StepOutcome {
    doubt_outcome(Cause::MayMeanDenied { doubt }, advice)
}

pub(super) fn doubt_outcome(cause: Cause, advice: Option<Advice>) -> StepOutcome {
    StepOutcome::new(Decision::Ask, Reason::Opaque, cause)
        .advise(advice.unwrap_or(Advice::WriteCommands))
        .in_doubt()
}

/// Returns true if a part is a file to write or an address to connect to, and not what runs.
fn is_about_files(part: &UnparsedSpan) -> bool {
    matches!(part.kind, Unparsed::RedirectTarget | Unparsed::NetworkRedirect)
}

/// Returns true if what is not understood about the step could start a program that is not to be seen in it.
pub(super) fn may_hide_program(step: &Step, part: &UnparsedSpan) -> bool {
    let known = |at: usize| step.argv.get(at).and_then(|word| word.value.as_deref());
    match part.kind {
        _ if is_about_files(part) => false,
        Unparsed::Environment => {
            let set = step.assignments.iter().map(|assignment| Some(assignment.name.as_str()));
            let named = step.argv.iter().skip(1).map(|word| word.value.as_deref());
            let exported = named.map(|word| word.map(|word| word.split('=').next().unwrap_or(word)));
            set.chain(exported).any(|name| name.is_none_or(|name| decides_what_runs(name, None)))
        }
        // A file of commands and a module are files.
        Unparsed::Source => known(1).is_none_or(|file| file.starts_with("/dev/") || file == "-"),
        Unparsed::InlineCode | Unparsed::InputCode => !(known(1) == Some("-m") && known(2).is_some()),
        _ => true,
    }
}

/// Returns an argument that runs something else: a text that the shell would expand hides what, a name in it
/// may be meant. A word that is not known is no such argument: almost any may be one (`git log "$branch"`).
fn of_way(policy: &AgentPolicy, facts: &Facts<'_>, step: &Step, way: &UnsafeArg) -> Option<StepOutcome> {
    if !way.effect.may_start_programs() {
        return None;
    }
    let own = step.argv.get(way.argument)?;
    let has_value = own.value.as_deref().is_some_and(|word| word.contains('='));
    let next = step.argv.get(way.argument + 1).filter(|_| !has_value);
    let words = || std::iter::once(own).chain(next);
    let expanded = |value: &str| value.contains(['$', '`']);
    let text = words().filter_map(|word| word.value.as_deref()).collect::<Vec<_>>().join("\n");
    let doubt = || Doubt::Argument(way.fact().clone());
    if let Some(mention) = mention_in_text(policy, facts, &text) {
        return Some(named_doubt(&mention, doubt(), None));
    }
    words().any(|word| word.value.as_deref().is_none_or(expanded)).then(|| unnamed_doubt(doubt(), None))
}
