//! Deny rules: any step, at any depth, through any wrapper, quoting or spelling.

use super::invocation::Invocation;
use crate::facts::Facts;
use crate::generous::{self, Match};
use crate::path;
use crate::rule::{Effect, Pattern, Source};
use crate::ruleset::{Compiled, Part, RuleSet};
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

    /// What is told: a sure deny before an unsure one before a question, a managed rule first, then the older rule.
    fn rank(&self) -> (bool, bool, bool, i64) {
        (!self.denies(), !self.sure, !self.is_managed(), self.rule.rule.id)
    }
}

/// The rule that weighs most against an invocation.
pub(super) fn find<'a>(rules: &'a RuleSet, call: &Invocation<'_>, facts: &Facts<'_>) -> Option<Hit<'a>> {
    let hits = rules.parts().flat_map(|part| {
        let mut found = Vec::new();
        collect(part, call, &mut found);
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|at| weigh(part.get(at), call, facts))
    });
    hits.min_by_key(Hit::rank)
}

/// Rules that may be about it.
fn collect(rules: &Part, call: &Invocation<'_>, found: &mut Vec<usize>) {
    let index = rules.deny();
    let base = call.base();
    let spelled = call.spelled.as_deref();
    if let Some(path) = spelled {
        index.by_any_spelling(path, found);
    }
    index.by_first_word(&base, found);
    let exact = |name: &str, found: &mut Vec<usize>| {
        let known: Option<Vec<&str>> = call.args.iter().copied().collect();
        if let Some(known) = known {
            let argv: Vec<&str> = std::iter::once(name).chain(known).collect();
            index.by_argv(&argv, found);
        }
    };
    exact(&base, found);
    if let Some(program) = call.program {
        for known in [&program.path, &program.real_path] {
            if spelled != Some(known.as_str()) {
                index.by_any_spelling(known, found);
            }
            let name = path::fold(path::base_name(known));
            if name != base {
                index.by_first_word(&name, found);
                exact(&name, found);
            }
        }
        if let Some(identity) = &program.identity {
            index.by_claimed_identity(identity, found);
        }
    } else if spelled.is_none() {
        // Not found, or not looked up: the name is all there is to go by.
        index.by_base_name(&base, found);
    }
    found.extend(index.of_any_program());
}

fn weigh<'a>(rule: &'a Compiled, call: &Invocation<'_>, facts: &Facts<'_>) -> Option<Hit<'a>> {
    if !rule.is_alive(facts.now, facts.session) {
        return None;
    }
    let plain = weigh_args(rule, call, &call.args);
    let compared = match as_reached(&call.args) {
        Some(reached) => {
            let reached: Vec<Option<&str>> = reached.iter().map(Option::as_deref).collect();
            plain.max(weigh_args(rule, call, &reached))
        }
        None => plain,
    };
    match compared {
        Match::No => None,
        Match::Maybe => Some(Hit { rule, sure: false }),
        Match::Yes => Some(Hit { rule, sure: true }),
    }
}

/// The arguments with those paths as they lead to that have a name which only macOS knows; none where no argument has. What
/// file a number names is not known.
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

/// Whether a rule is about a call, were these its arguments.
fn weigh_args(rule: &Compiled, call: &Invocation<'_>, args: &[Option<&str>]) -> Match {
    let program = match (&rule.rule.pattern, &rule.command) {
        (Pattern::Command(_), Some(words)) => {
            generous::compare(&words.words, words.more, &call.names(), args)
        }
        (Pattern::Command(_), None) => Match::No,
        (Pattern::Path(_) | Pattern::Exact(_) | Pattern::Identity(_), _) => Match::Yes,
    };
    let args = match &rule.args {
        None => Match::Yes,
        Some(patterns) if patterns.matches(args, call.folder.as_deref()) => Match::Yes,
        Some(patterns) if patterns.may_match(args, call.folder.as_deref()) => Match::Maybe,
        Some(_) => Match::No,
    };
    program.min(args)
}
