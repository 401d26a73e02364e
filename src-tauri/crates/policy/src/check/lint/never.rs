//! Rules that can do nothing, found out by trying: a command is made up that fits the pattern, and judged.

use super::super::example::{example_facts, steps_of, timeless};
use super::super::would_match;
use super::problem::{LintProblem, NeverMatches};
use crate::agent::AgentPolicy;
use crate::arguments::bound_hash;
use crate::cause::Cause;
use crate::decision::Reason;
use crate::judge::{describes, judge_request};
use crate::path;
use crate::pattern::pattern_text;
use crate::rule::{Effect, Lifetime, Pattern, Rule};
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use crate::words::WordsPattern;
use postern_command::{ParsedCommand, ProgramClass, class_of, read_argv};
use std::collections::HashMap;

/// Returns why a rule can never match; `None` where it can, or that is not plain to see.
pub(super) fn matches(rule: &Rule, home: &str) -> Option<NeverMatches> {
    let mut rule = timeless(rule);
    // What limits cover depends on the place: the words alone are tried, as a broad rule's.
    rule.broad |= rule.limits.take().is_some();
    let rule = &rule;
    if describes(rule) {
        return carrier_by_glob(rule);
    }
    if rule.args.as_deref().is_some_and(|args| bound_hash(args).is_some()) {
        // A hash does not say what it is of.
        return None;
    }
    let tried: Vec<Vec<String>> = examples(rule, home);
    if tried.is_empty() {
        return impossible_arguments(rule);
    }
    let mut why = None;
    for argv in &tried {
        let reading = read_argv(argv);
        let steps = steps_of(&reading, rule, home);
        let facts = example_facts(&reading, &steps, (rule, home), false);
        if would_match(rule, &facts) {
            return None;
        }
        why = why.or_else(|| Some(reason(rule, argv, &reading, judged(rule, &facts))));
    }
    why
}

fn judged(rule: &Rule, facts: &crate::facts::Facts<'_>) -> Option<Cause> {
    let rules = RuleSet::compile(std::slice::from_ref(rule), facts.home, false);
    Some(judge_request(&policy_of(rules)?, facts).cause)
}

fn policy_of(rules: RuleSet) -> Option<AgentPolicy> {
    let agent = AgentId::new("lint").ok()?;
    Some(AgentPolicy { rules, ..AgentPolicy::new(agent, Settings::default()) })
}

fn reason(rule: &Rule, argv: &[String], reading: &ParsedCommand, judged: Option<Cause>) -> NeverMatches {
    let argv = argv.to_vec();
    if rule.effect == Effect::Deny {
        return NeverMatches::NotEven { argv, allows: false, cause: None };
    }
    let wrapper = reading.steps.first().and_then(|step| step.via.first());
    if wrapper.is_some() && matches!(rule.pattern, Pattern::Command(_)) {
        return NeverMatches::Wrapper { argv };
    }
    NeverMatches::NotEven { argv, allows: true, cause: judged }
}

/// Commands that fit the pattern: as short as it goes, and with one more word where it takes any.
fn examples(rule: &Rule, home: &str) -> Vec<Vec<String>> {
    let (words, more) = match &rule.pattern {
        Pattern::Exact(argv) => (argv.clone(), false),
        Pattern::Path(text) if class_of(path::base_name(text)) == ProgramClass::Ordinary => {
            (vec![path::expand_home(text, home).into_owned()], true)
        }
        Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => return vec![],
        Pattern::Command(text) => {
            let mut words = postern_command::words_of_at(text, home).unwrap_or_default();
            let more = words.last().is_some_and(|last| matches!(last.as_str(), "*" | "**"));
            if more {
                words.pop();
            }
            (words, more)
        }
    };
    let plain =
        |word: &String| if word.contains(['*', '?']) { word.replace(['*', '?'], "x") } else { word.clone() };
    let keep = matches!(rule.pattern, Pattern::Exact(_));
    let words: Vec<String> = words.iter().map(|word| if keep { word.clone() } else { plain(word) }).collect();
    let Some(args) = &rule.args else {
        let longer = words.iter().cloned().chain(["x".to_owned()]).collect();
        return if more { vec![words, longer] } else { vec![words] };
    };
    // Both have to fit: the words of the arguments, behind the program.
    let program = words.first().cloned().into_iter();
    let rest = args.iter().filter(|arg| *arg != "**").map(plain);
    let by_arguments: Vec<String> = program.chain(rest).collect();
    let pattern = WordsPattern::of_arguments(args);
    let command = match &rule.pattern {
        Pattern::Command(text) => {
            postern_command::words_of_at(text, home).ok().map(|words| WordsPattern::of_command(&words))
        }
        Pattern::Path(_)
        | Pattern::Exact(_)
        | Pattern::Identity(_)
        | Pattern::Read(_)
        | Pattern::Write(_) => None,
    };
    let fits = |argv: &Vec<String>| {
        let known: Vec<Option<&str>> = argv.iter().map(|word| Some(word.as_str())).collect();
        pattern.matches(known.get(1..).unwrap_or_default())
            && command.as_ref().is_none_or(|command| command.matches(&known))
    };
    [by_arguments, words].into_iter().filter(fits).collect()
}

fn impossible_arguments(rule: &Rule) -> Option<NeverMatches> {
    let known = matches!(&rule.pattern, Pattern::Command(_) | Pattern::Exact(_));
    (known && rule.args.is_some()).then(|| NeverMatches::Contradicts { pattern: pattern_text(&rule.pattern) })
}

fn carrier_by_glob(rule: &Rule) -> Option<NeverMatches> {
    let Pattern::Path(text) = &rule.pattern else { return None };
    let name = path::base_name(text);
    let carrier = rule.effect == Effect::Allow && class_of(name) != ProgramClass::Ordinary;
    carrier.then(|| NeverMatches::GlobOfCarrier { name: name.to_owned() })
}

/// The deny rules of each agent, those that deny a command whatever follows.
pub(super) struct Denies {
    by_agent: HashMap<Option<AgentId>, Option<AgentPolicy>>,
}

impl Denies {
    pub(super) fn new(rules: &[Rule], home: &str) -> Self {
        let owners = rules.iter().map(|rule| rule.agent.clone());
        let mut by_agent: HashMap<Option<AgentId>, Option<AgentPolicy>> =
            owners.map(|owner| (owner, None)).collect();
        for (owner, policy) in &mut by_agent {
            let denies = |rule: &&Rule| {
                rule.effect == Effect::Deny
                    && rule.args.is_none()
                    && rule.lifetime == Lifetime::Forever
                    && !matches!(rule.pattern, Pattern::Exact(_))
                    && (rule.agent.is_none() || rule.agent == *owner)
            };
            let denies: Vec<Rule> = rules.iter().filter(denies).cloned().collect();
            if !denies.is_empty() {
                *policy = policy_of(RuleSet::compile(&denies, home, false));
            }
        }
        Self { by_agent }
    }

    /// Returns the deny rule that keeps an allow rule from ever allowing anything.
    pub(super) fn shadow(&self, rule: &Rule, home: &str) -> Option<LintProblem> {
        if rule.effect != Effect::Allow || describes(rule) {
            return None;
        }
        let policy = self.by_agent.get(&rule.agent)?.as_ref()?;
        let argv = examples(rule, home).into_iter().next()?;
        let reading = read_argv(&argv);
        let steps = steps_of(&reading, rule, home);
        let verdict = judge_request(policy, &example_facts(&reading, &steps, (rule, home), false));
        let denied = matches!(verdict.reason, Reason::Denylist | Reason::Managed);
        let by = verdict.rule.filter(|_| denied)?;
        Some(LintProblem::Shadowed { by: by.id, pattern: by.pattern })
    }
}
