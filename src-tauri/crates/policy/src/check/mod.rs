//! Rules before they are saved: their examples, what is too broad, and what else is to be said about them.

mod beyond;
mod cover;
mod example;
mod lint;
mod remark;
mod widen;

pub use beyond::{AlsoCovered, also_covered, left_out};
pub use lint::{
    Carrier, Changeable, FindingKind, LintProblem, NeverMatches, RuleFinding, Seen, TooBroad, lint_file,
    lint_rules,
};
pub use remark::{Remark, remarks};
pub use widen::{Widening, covers_step, edit_draft, widened_place};

use crate::agent::AgentPolicy;
use crate::decision::Reason;
use crate::facts::Facts;
use crate::pattern::{PatternError, kind_name, parse_pattern, pattern_text};
use crate::readable::{self, why_not_readable};
use crate::rule::{Effect, IdentityPattern, Pattern, Rule, RuleInput, RuleOrigin};
use crate::rule_problem::RuleProblem;
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use postern_command::{ProgramClass, Step, class_of, read_argv};

/// Checks a rule before it is saved. `home` is the person's home folder.
pub fn check_rule(rule: &Rule, home: &str) -> Result<(), RuleProblem> {
    let text = pattern_text(&rule.pattern);
    match &rule.pattern {
        // Its words are data: a line break in one of them is as good as any other character.
        Pattern::Exact(argv) if argv.first().is_some_and(|program| !program.is_empty()) => {}
        Pattern::Exact(_) => return Err(PatternError::Empty.into()),
        Pattern::Path(_)
        | Pattern::Command(_)
        | Pattern::Identity(_)
        | Pattern::Read(_)
        | Pattern::Write(_) => {
            parse_pattern(&text, Some(kind_name(&rule.pattern)))?;
        }
    }
    if rule.broad && (rule.effect != Effect::Allow || matches!(rule.pattern, Pattern::Identity(_))) {
        return Err(RuleProblem::NotBroad);
    }
    if rule.confine.is_some() && rule.effect != Effect::Allow {
        return Err(RuleProblem::DeniesConfined);
    }
    match rule.effect {
        Effect::Allow => not_too_broad(rule, &text, home)?,
        Effect::Deny => {}
        Effect::Ask => return Err(RuleProblem::Asks),
    }
    let denies = rule.effect == Effect::Deny;
    let for_some = rule.args.is_some() || rule.pin.is_some() || denies && rule.origin != RuleOrigin::Any;
    let of_programs = for_some
        || rule.allow_writes
        || rule.broad
        || rule.confine.is_some()
        || rule.limits.is_some()
        || rule.input != RuleInput::Nothing;
    if rule.pattern.file_access().is_some() && of_programs {
        return Err(RuleProblem::Files);
    }
    check_place(rule)?;
    for (examples, expected) in [(&rule.matches, true), (&rule.misses, false)] {
        for example in examples {
            let matched = example::matches(rule, example, home)
                .ok_or_else(|| RuleProblem::Unreadable(example.clone()))?;
            match (matched, expected) {
                (true, true) | (false, false) => {}
                (false, true) => return Err(RuleProblem::Misses(example.clone())),
                (true, false) => return Err(RuleProblem::Matches(example.clone())),
            }
        }
    }
    Ok(())
}

/// Checks that a deny rule holds in every folder and with any input.
fn check_place(rule: &Rule) -> Result<(), RuleProblem> {
    let problem = |text: &str| Err(RuleProblem::Folder(text.to_owned()));
    if rule.effect == Effect::Deny && (rule.folder.is_some() || rule.input != RuleInput::Nothing) {
        return problem("a rule that denies holds in every folder and with any input: leave both out");
    }
    if rule.limits.is_some() && (rule.effect == Effect::Deny || rule.broad) {
        return problem("limits belong to an allow rule that is not broad");
    }
    match rule.folder.as_deref() {
        Some(folder) if folder != "~" && !folder.starts_with("~/") && !folder.starts_with('/') => {
            problem("the folder of a rule begins with / or ~/")
        }
        Some(folder) if folder.split('/').any(|part| part == "..") => {
            problem("the folder of a rule has no ..")
        }
        Some(_) | None => Ok(()),
    }
}

fn not_too_broad(rule: &Rule, text: &str, home: &str) -> Result<(), RuleProblem> {
    match &rule.pattern {
        Pattern::Path(path) => {
            let everything = path.trim_start_matches('/').split('/').all(|part| matches!(part, "*" | "**"));
            if everything { Err(RuleProblem::Everything(text.to_owned())) } else { Ok(()) }
        }
        Pattern::Command(_) => {
            let words = postern_command::words_of(text).unwrap_or_default();
            if !rule.broad && rule.confine.is_none() && words.len() > 1 && runs_anything(&words) {
                Err(RuleProblem::Carrier(text.to_owned()))
            } else {
                Ok(())
            }
        }
        Pattern::Identity(IdentityPattern::SigningId(id)) => Err(RuleProblem::Claimed(id.clone())),
        Pattern::Read(_) => {
            let folder = readable::folder_of(text, home)?;
            match why_not_readable(&folder, home, None) {
                Some(why) => Err(RuleProblem::Reads(text.to_owned(), why)),
                None => Ok(()),
            }
        }
        Pattern::Write(_) => Err(RuleProblem::Writes),
        Pattern::Exact(_) | Pattern::Identity(_) => Ok(()),
    }
}

/// Returns true if a pattern's program runs what it is told, and the pattern leaves open what that is.
fn runs_anything(words: &[String]) -> bool {
    const ANY: &str = "any";
    let Some(first) = words.first().filter(|first| class_of(first) != ProgramClass::Ordinary) else {
        return false;
    };
    let open = words.iter().position(|word| word.contains(['*', '?']));
    if words.get(1).is_none_or(|second| !second.starts_with('-')) {
        return open == Some(1) || words.len() == 1;
    }
    // Options come first: what they leave open shows when something stands in the place of the first wildcard.
    let Some(open) = open else { return false };
    let argv: Vec<String> = words[..open].iter().cloned().chain([ANY.to_owned()]).collect();
    let reading = read_argv(&argv);
    let told = |step: &Step| {
        let value = |at: usize| step.argv.get(at).and_then(|word| word.value.as_deref());
        let is_any = |at: usize| value(at) == Some(ANY);
        let is_option = |at: usize| value(at).is_some_and(|word| word.starts_with('-'));
        // An option that runs something names it in the next word.
        let leaves_open = |at: usize| is_any(at) || is_option(at) && is_any(at + 1);
        step.opaque.is_some()
            || step.program().is_none_or(|name| name == ANY)
            || step.script.is_some_and(is_any)
            || step.ways_out.iter().any(|way| leaves_open(way.argument))
    };
    let own = reading.steps.len() == 1 && reading.steps.iter().all(|step| step.program() == Some(first));
    !own || !reading.opaque.is_empty() || reading.steps.iter().any(told)
}

/// Returns true if a rule is about a request.
///
/// For an allow rule: it covers a step of it. For a deny rule: it denies one.
pub fn would_match(rule: &Rule, facts: &Facts<'_>) -> bool {
    let Ok(agent) = AgentId::new("rule") else { return false };
    if facts.reading.steps.len() != facts.steps.len() {
        return false;
    }
    // A rule that names a profile holds for an agent with folders.
    let folders = if rule.confine.is_some() { facts.folders.to_vec() } else { Vec::new() };
    let settings = Settings { allow_skills: true, folders, ..Settings::default() };
    let rules = RuleSet::compile(std::slice::from_ref(rule), facts.home, facts.case_insensitive);
    let policy = AgentPolicy { rules, ..AgentPolicy::new(agent, settings) };
    match (rule.effect, &rule.pattern) {
        (Effect::Allow, Pattern::Read(text)) => readable::folder_of(text, facts.home)
            .is_ok_and(|folder| crate::judge::is_named_in(facts, &folder)),
        (Effect::Allow, _) => (0..facts.steps.len()).any(|at| crate::judge::covers(&policy, facts, at)),
        (Effect::Deny | Effect::Ask, _) => {
            let verdict = crate::judge::judge_request(&policy, facts);
            matches!(verdict.reason, Reason::Denylist | Reason::Managed)
                && verdict.rule.is_some_and(|told| told.id == rule.id)
        }
    }
}

#[cfg(test)]
mod tests;
