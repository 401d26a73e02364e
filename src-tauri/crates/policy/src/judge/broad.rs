//! Rules that the person confirmed as broad: they cover what their words cover, also where an argument runs something else.
//!
//! Denials, the core and protected places are stronger: what touches one of those is asked about unless the rule names it.

use super::allow::with_input;
use super::subject::{StepSubject, is_harmless, is_pinned_to};
use crate::agent::AgentPolicy;
use crate::facts::{Facts, FoundProgram, Lookup};
use crate::needed::folders_of;
use crate::protected::ProtectedPlaces;
use crate::rule::{Pattern, Rule};
use crate::ruleset::{Compiled, CompiledRules};
use postern_command::{Power, Role, Unparsed, UnparsedSpan};

/// Returns the broad rule that covers the step at `at`, if one does.
pub(super) fn covering<'a>(
    policy: &'a AgentPolicy,
    facts: &Facts<'_>,
    at: usize,
    subject: &StepSubject<'_>,
) -> Option<&'a Rule> {
    let mut rules = policy
        .rules
        .compiled_parts()
        .flat_map(|part| part.broad_rules().map(move |(at, rule)| (part, at, rule)));
    let first = rules.next()?;
    if !may_be_covered(policy, facts, subject) {
        return None;
    }
    let starts = starts(policy, facts, subject);
    let mut all = std::iter::once(first).chain(rules);
    let (_, _, covering) = all.find(|(part, place, rule)| {
        rule.is_in_force(facts)
            && rule.rule.limits.is_none()
            && with_input(&rule.rule, subject, facts).is_none()
            && holds_there(rule, facts, subject)
            && (rule.rule.allow_writes || !subject.step.writes_by_redirection())
            && starts.iter().any(|start| start.is_covered(part, *place, rule))
            && !touches_unnamed(rule, facts, at)
    })?;
    Some(&covering.rule)
}

/// Returns true if nothing stands in the way that no words of a rule speak about.
fn may_be_covered(policy: &AgentPolicy, facts: &Facts<'_>, subject: &StepSubject<'_>) -> bool {
    let step = subject.step;
    step.role == Role::Program
        && step.opaque.as_ref().is_none_or(is_in_words)
        && step.assignments.iter().all(|assignment| is_harmless(assignment, &policy.settings))
        && subject.strange_folder(policy, facts).is_none()
}

/// Returns true if what was not understood is what the program does with its arguments, and nothing else.
fn is_in_words(part: &UnparsedSpan) -> bool {
    matches!(
        part.kind,
        Unparsed::InlineCode
            | Unparsed::InputCode
            | Unparsed::Interpreter
            | Unparsed::UnknownFlag
            | Unparsed::Wrapper
    )
}

/// A program of the step with everything behind it: the step's own, or a wrapper.
pub(super) struct StartedProgram<'a> {
    program: &'a FoundProgram,
    words: Vec<Option<&'a str>>,
}

/// Returns where a rule's words may begin: at the step's own program, or at a wrapper that nothing but plain wrappers start.
pub(super) fn starts<'a>(
    policy: &AgentPolicy,
    facts: &Facts<'_>,
    subject: &StepSubject<'a>,
) -> Vec<StartedProgram<'a>> {
    let (step, found) = (subject.step, subject.found);
    let plain = step.via.iter().take_while(|via| via.power == Power::Transparent).count();
    let trusted = subject.strange_wrapper(policy, facts).is_none();
    let of = |at: usize| {
        let lookup = found.via.get(at).unwrap_or(&found.program);
        let Lookup::Found(program) = lookup else { return None };
        let words = step.via.get(at..)?.iter().flat_map(|via| via.argv.iter()).chain(&step.argv);
        let words = words.map(|word| word.value.as_deref()).collect();
        Some(StartedProgram { program, words })
    };
    let last = plain.min(step.via.len());
    (0..=last).filter(|at| *at == 0 || trusted).filter_map(of).collect()
}

impl StartedProgram<'_> {
    /// Returns true if a rule's words, arguments and pin match what begins here.
    pub(super) fn is_covered(&self, part: &CompiledRules, place: usize, rule: &Compiled) -> bool {
        let script = rule.rule.pin.as_ref().is_some_and(|pin| pin.script.is_some());
        !script
            && is_pinned_to(&rule.rule, self.program)
            && self.is_meant(part, place, rule)
            && rule
                .args
                .as_ref()
                .is_none_or(|args| args.matches(self.words.get(1..).unwrap_or_default(), None))
    }

    fn is_meant(&self, part: &CompiledRules, place: usize, rule: &Compiled) -> bool {
        match (&rule.rule.pattern, &rule.command) {
            (Pattern::Command(_), Some(command)) => command.names_word(0) && command.matches(&self.words),
            (Pattern::Exact(argv), _) => {
                argv.len() == self.words.len()
                    && argv.iter().zip(&self.words).all(|(own, word)| *word == Some(own.as_str()))
            }
            (Pattern::Path(_), _) => {
                let mut found = Vec::new();
                part.allow_index().by_path(&part.allow_key(&self.program.path), &mut found);
                found.contains(&place) && !(rule.is_glob && self.program.setuid)
            }
            (Pattern::Identity(_), _) => {
                let mut found = Vec::new();
                if let Some(identity) = &self.program.identity {
                    part.allow_index().by_proven_identity(identity, &mut found);
                }
                found.contains(&place)
            }
            (Pattern::Command(_), None) | (Pattern::Read(_) | Pattern::Write(_), _) => false,
        }
    }
}

/// Returns true if the rule's folder holds every folder that the step may run in.
pub(super) fn holds_there(rule: &Compiled, facts: &Facts<'_>, subject: &StepSubject<'_>) -> bool {
    rule.rule.folder.is_none()
        || folders_of(facts.cwd, &subject.step.dir)
            .is_some_and(|folders| folders.iter().all(|folder| rule.holds_in(folder, facts.case_insensitive)))
}

/// Returns true if the step touches a protected place that the rule does not name.
fn touches_unnamed(rule: &Compiled, facts: &Facts<'_>, at: usize) -> bool {
    let touches = ProtectedPlaces::of_home(facts.home).of_line(facts);
    let named = |word: &str| match (&rule.rule.pattern, &rule.command) {
        (Pattern::Exact(_), _) => true,
        (_, Some(command)) => command.words.iter().any(|own| own.is_literal() && own.as_written() == word),
        (_, None) => false,
    };
    touches.iter().any(|touch| touch.step == at && !named(&touch.word))
}
