//! Deny rules: any step, at any depth, through any wrapper, quoting or spelling.

use super::invocation::{JudgedInvocation, argv, without_extensions};
use crate::facts::Facts;
use crate::generous::{self, MatchCertainty};
use crate::path;
use crate::rule::{Effect, Pattern, Source};
use crate::ruleset::{Compiled, CompiledRules, RuleSet};
use postern_command::{ProgramClass, class_of};
use std::borrow::Cow;

/// A rule that denies or asks, and how sure that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) rule: &'a Compiled,
    pub(super) sure: bool,
}

impl Hit<'_> {
    pub(super) fn is_managed(&self) -> bool {
        self.rule.rule.source == Source::Managed
    }

    pub(super) fn denies(&self) -> bool {
        self.rule.rule.effect == Effect::Deny
    }

    /// Returns the order of reports: a sure deny before an unsure one before a question, a managed rule
    /// first, then the older rule.
    fn report_order(&self) -> (bool, bool, bool, i64) {
        (!self.denies(), !self.sure, !self.is_managed(), self.rule.rule.id)
    }
}

/// Returns the rule that weighs most against an invocation.
pub(super) fn find_hit<'a>(
    rules: &'a RuleSet,
    call: &JudgedInvocation<'_>,
    facts: &Facts<'_>,
) -> Option<Hit<'a>> {
    let hits = rules.compiled_parts().flat_map(|part| {
        let identity = call.program.and_then(|program| program.identity.as_ref());
        let mut same = Vec::new();
        if let Some(identity) = identity {
            part.deny_index().by_claimed_identity(identity, &mut same);
            same.retain(|at| !acts_by_its_name(part.get(*at), call));
        }
        let mut found = same.clone();
        collect(part, call, &mut found);
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(move |at| weigh_rule(part.get(at), same.contains(&at), call, facts))
    });
    hits.min_by_key(Hit::report_order)
}

/// Returns a rule that matches if the program, which is unknown, is the one that the rule names.
pub(super) fn may_mean<'a>(
    rules: &'a RuleSet,
    call: &JudgedInvocation<'_>,
    facts: &Facts<'_>,
) -> Option<&'a Compiled> {
    let all = rules.compiled_parts().flat_map(CompiledRules::against);
    all.filter(|rule| weigh_rule(rule, true, call, facts).is_some()).min_by_key(|rule| rule.rule.id)
}

/// Rules that may match by name or place.
fn collect(rules: &CompiledRules, call: &JudgedInvocation<'_>, found: &mut Vec<usize>) {
    let index = rules.deny_index();
    let base = call.folded_base_name();
    let spelled = call.spelled.as_deref();
    if let Some(path) = spelled {
        index.by_any_spelling(path, found);
    }
    let named = |name: &str, found: &mut Vec<usize>| {
        index.by_first_word(name, found);
        index.by_exact_head(name, found);
    };
    named(&base, found);
    if let Some(program) = call.program {
        for known in [&program.path, &program.real_path] {
            if spelled != Some(known.as_str()) {
                index.by_any_spelling(known, found);
            }
            let name = path::fold_case(path::base_name(known));
            if name != base {
                named(&name, found);
            }
        }
    } else if spelled.is_none() {
        // Not found, or not looked up: the name is all there is to go by.
        index.by_base_name(&base, found);
    }
    found.extend(index.of_any_program());
}

/// Returns true if the name that a file is called by selects its behavior (busybox; git, python3 and clang on
/// macOS). Names that the agent could have created do not count.
fn acts_by_its_name(rule: &Compiled, call: &JudgedInvocation<'_>) -> bool {
    let (Some(program), Some(denied)) = (call.program, rule.program_name()) else { return false };
    let real = path::base_name(&program.real_path);
    let many = program.links > 1 || class_of(real) == ProgramClass::Multicall;
    let denied = path::fold_case(path::base_name(denied));
    let related = |name: &str| {
        let name = path::fold_case(path::base_name(name));
        name.starts_with(&*denied) || denied.starts_with(&*name)
    };
    many && !program.agent_can_change && ![call.name, &program.path].into_iter().any(related)
}

/// Compares a rule with an invocation; `same` means that the program is the one the rule names, under any
/// name.
fn weigh_rule<'a>(
    rule: &'a Compiled,
    same: bool,
    call: &JudgedInvocation<'_>,
    facts: &Facts<'_>,
) -> Option<Hit<'a>> {
    if !rule.is_alive(facts.now, facts.session) {
        return None;
    }
    let plain = weigh_args(rule, same, call, &call.args);
    let compared = match as_reached(&call.args) {
        Some(reached) => {
            let reached: Vec<Option<&str>> = reached.iter().map(Option::as_deref).collect();
            plain.max(weigh_args(rule, same, call, &reached))
        }
        None => plain,
    };
    // A copy under another name has the original's subcommands.
    let original = rule.program_name().filter(|_| same);
    let foreign = original.and_then(|name| without_extensions(&argv(name, &call.args)));
    let compared = foreign.map_or(compared, |args| compared.max(weigh_args(rule, same, call, &args)));
    match compared {
        MatchCertainty::No => None,
        MatchCertainty::Maybe => Some(Hit { rule, sure: false }),
        MatchCertainty::Yes => Some(Hit { rule, sure: true }),
    }
}

/// Returns the arguments with paths resolved that only macOS knows, or `None` if there are none. The file
/// behind an id stays unknown.
fn as_reached<'a>(args: &[Option<&'a str>]) -> Option<Vec<Option<Cow<'a, str>>>> {
    let is_special = |word: &&str| path::without_aliases_of_word(word).is_some() || path::is_by_number(word);
    args.iter().flatten().any(is_special).then(|| {
        let one = |word: &&'a str| match path::without_aliases_of_word(word) {
            Some(led) => Some(Cow::Owned(led)).filter(|led| !path::is_by_number(led)),
            None => Some(Cow::Borrowed(*word)).filter(|word| !path::is_by_number(word)),
        };
        args.iter().map(|word| word.as_ref().and_then(one)).collect()
    })
}

/// Returns true if a rule matches a call with these arguments.
fn weigh_args(
    rule: &Compiled,
    same: bool,
    call: &JudgedInvocation<'_>,
    args: &[Option<&str>],
) -> MatchCertainty {
    let mut names = call.all_names();
    names.extend(rule.program_name().filter(|_| same));
    let program = match (&rule.rule.pattern, &rule.command) {
        (Pattern::Command(_), Some(words)) => generous::compare(&words.words, words.more, &names, args),
        (Pattern::Exact(argv), _) => exactly(argv.get(1..).unwrap_or_default(), args),
        (Pattern::Path(_) | Pattern::Identity(_), _) => MatchCertainty::Yes,
        (Pattern::Command(_), None) | (Pattern::Read(_) | Pattern::Write(_), _) => MatchCertainty::No,
    };
    let args = match &rule.args {
        None => MatchCertainty::Yes,
        Some(patterns) if patterns.matches(args, call.folder.as_deref()) => MatchCertainty::Yes,
        Some(patterns) if patterns.may_match(args, call.folder.as_deref()) => MatchCertainty::Maybe,
        Some(_) => MatchCertainty::No,
    };
    program.min(args)
}

/// Compares arguments. An argument that is unknown before the run may become any number of words.
fn exactly(wanted: &[String], args: &[Option<&str>]) -> MatchCertainty {
    let known = |(wanted, arg): (&String, Option<&str>)| arg == Some(wanted.as_str());
    let Some(first) = args.iter().position(Option::is_none) else {
        let is_it = wanted.len() == args.len() && wanted.iter().zip(args.iter().copied()).all(known);
        return if is_it { MatchCertainty::Yes } else { MatchCertainty::No };
    };
    let behind = args.iter().rev().take_while(|arg| arg.is_some()).count();
    let begins =
        wanted.len() >= first + behind && wanted.iter().zip(args.iter().copied()).take(first).all(known);
    let ends = wanted.iter().rev().zip(args.iter().copied().rev()).take(behind).all(known);
    if begins && ends { MatchCertainty::Maybe } else { MatchCertainty::No }
}
