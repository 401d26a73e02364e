//! Finder of rules that cover others, without comparing each with each.
//!
//! A pattern that matches a text begins, up to its first wildcard, as the text does. So the rules that may cover others
//! are found by that beginning: the folder of a path, the first words of a command. Only those are compared.

use crate::judge::describes;
use crate::path;
use crate::rule::{Effect, Lifetime, Pattern, Rule, RuleInput, RuleOrigin};
use crate::settings::AgentId;
use crate::words::{WordPattern, WordsPattern};
use globset::GlobMatcher;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// Bytes of a beginning that are compared.
const BEGINNING: usize = 128;

/// Positions in the list, in its order.
type Positions = Vec<usize>;
type EffectAndAgent<'a> = (Effect, Option<&'a AgentId>);
/// Pattern of a rule, written the same way.
type PatternKey<'a> = (&'a Pattern, Option<&'a [String]>);

/// The rules of a list, by what may be covered by them.
pub(super) struct Covers<'a> {
    rules: Vec<ComparedRule<'a>>,
    by_reach: HashMap<EffectAndAgent<'a>, Same<'a>>,
}

/// The rules with one reach that may cover others.
#[derive(Default)]
struct Same<'a> {
    written: HashMap<PatternKey<'a>, Positions>,
    /// By length, then by beginning.
    begins: BTreeMap<usize, HashMap<Vec<u8>, Positions>>,
}

/// A rule with what is worked out about it once.
pub(super) struct ComparedRule<'a> {
    rule: &'a Rule,
    /// Of a command: its words.
    words: Vec<String>,
    glob: OnceCell<Option<GlobMatcher>>,
}

impl<'a> Covers<'a> {
    pub(super) fn new(rules: &'a [Rule]) -> Self {
        let rules: Vec<ComparedRule<'a>> = rules.iter().map(ComparedRule::new).collect();
        let mut by_reach: HashMap<EffectAndAgent<'a>, Same<'a>> = HashMap::new();
        for (at, known) in rules.iter().enumerate().filter(|(_, known)| known.may_cover()) {
            let rule = known.rule;
            let same = by_reach.entry((rule.effect, rule.agent.as_ref())).or_default();
            same.written.entry((&rule.pattern, rule.args.as_deref())).or_default().push(at);
            if let Some(beginning) = known.beginning() {
                let begins = same.begins.entry(beginning.len()).or_default();
                begins.entry(beginning).or_default().push(at);
            }
        }
        Self { rules, by_reach }
    }

    pub(super) fn first_covering(&self, at: usize) -> Option<&'a Rule> {
        let known = self.rules.get(at)?;
        let rule = known.rule;
        let whose = [None, rule.agent.as_ref()];
        let whose = &whose[..if rule.agent.is_some() { 2 } else { 1 }];
        let text = known.compared_text();
        let mut first: Option<usize> = None;
        for agent in whose {
            let Some(same) = self.by_reach.get(&(rule.effect, *agent)) else { continue };
            for positions in same.candidates(rule, text.as_deref()) {
                let found = positions
                    .iter()
                    .copied()
                    .take_while(|position| first.is_none_or(|first| *position < first))
                    .find(|position| self.rules.get(*position).is_some_and(|other| known.is_covered(other)));
                first = found.or(first);
            }
        }
        self.rules.get(first?).map(|other| other.rule)
    }
}

impl Same<'_> {
    /// Returns the rules that may cover `rule`, whose text is `text`.
    fn candidates<'s>(
        &'s self,
        rule: &'s Rule,
        text: Option<&'s [u8]>,
    ) -> impl Iterator<Item = &'s Positions> {
        let anything = rule.args.is_some().then_some((&rule.pattern, None));
        let written = [Some((&rule.pattern, rule.args.as_deref())), anything];
        let written = written.into_iter().flatten().filter_map(|said| self.written.get(&said));
        let begins = text.into_iter().flat_map(|text| {
            let beginning = |(length, begins): (&usize, &'s HashMap<Vec<u8>, Positions>)| {
                text.get(..*length).and_then(|beginning| begins.get(beginning))
            };
            self.begins.iter().filter_map(beginning)
        });
        written.chain(begins)
    }
}

impl<'a> ComparedRule<'a> {
    pub(super) fn new(rule: &'a Rule) -> Self {
        let words = match &rule.pattern {
            Pattern::Command(text) => postern_command::words_of(text).unwrap_or_default(),
            Pattern::Exact(argv) => argv.clone(),
            Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => Vec::new(),
        };
        Self { rule, words, glob: OnceCell::new() }
    }

    /// Returns true if it is bound to nothing that would keep it from covering others.
    fn may_cover(&self) -> bool {
        self.rule.pin.is_none() && matches!(self.rule.lifetime, Lifetime::Forever)
    }

    /// Returns the beginning of all that the rule matches; `None` if it matches only what is written like
    /// itself.
    fn beginning(&self) -> Option<Vec<u8>> {
        let mut beginning = match &self.rule.pattern {
            Pattern::Command(_) => {
                let mut beginning = vec![b'c'];
                for word in &WordsPattern::of_command(&self.words).words {
                    match word {
                        WordPattern::Literal(text) => beginning.extend(text.bytes().chain([0])),
                        WordPattern::Glob(text) => {
                            beginning.extend(text.split(['*', '?']).next().unwrap_or_default().bytes());
                            break;
                        }
                    }
                }
                beginning
            }
            Pattern::Path(text) if describes(self.rule) => {
                let plain = text.split(['*', '?', '[', ']', '{', '}', '\\']).next().unwrap_or_default();
                // `/a/**` may stand for the folder itself.
                [b'p'].into_iter().chain(plain.trim_end_matches('/').bytes()).collect()
            }
            Pattern::Path(_)
            | Pattern::Exact(_)
            | Pattern::Identity(_)
            | Pattern::Read(_)
            | Pattern::Write(_) => return None,
        };
        beginning.truncate(BEGINNING);
        Some(beginning)
    }

    /// Returns the text that beginnings are compared with; `None` if only what is written like it covers it.
    fn compared_text(&self) -> Option<Vec<u8>> {
        match &self.rule.pattern {
            Pattern::Command(_) | Pattern::Exact(_) => {
                let words = self.words.iter().flat_map(|word| word.bytes().chain([0]));
                Some([b'c'].into_iter().chain(words).take(BEGINNING).collect())
            }
            Pattern::Path(text) if !describes(self.rule) => {
                Some([b'p'].into_iter().chain(text.bytes()).take(BEGINNING).collect())
            }
            Pattern::Path(_) | Pattern::Identity(_) | Pattern::Read(_) | Pattern::Write(_) => None,
        }
    }

    /// Returns true if `other` matches at least all that this one does, as far as that is plain to see.
    pub(super) fn is_covered(&self, other: &ComparedRule<'_>) -> bool {
        let (rule, theirs) = (self.rule, other.rule);
        let same_reach = theirs.id != rule.id
            && rule.effect == theirs.effect
            && (theirs.agent.is_none() || theirs.agent == rule.agent)
            && other.may_cover()
            && (theirs.allow_writes || !rule.allow_writes)
            && is_as_wide(theirs, rule)
            && (theirs.limits.is_none() || theirs.limits == rule.limits)
            && self.is_inside(theirs)
            && (theirs.input == RuleInput::Any || theirs.input == rule.input)
            && (theirs.origin == RuleOrigin::Any || theirs.origin == rule.origin);
        if !same_reach {
            return false;
        }
        match (&rule.pattern, &theirs.pattern) {
            (mine, pattern) if mine == pattern => {
                let newer = rule.args == theirs.args && rule.id > theirs.id;
                (theirs.args.is_none() && rule.args.is_some()) || newer
            }
            (Pattern::Command(_), Pattern::Command(_)) => theirs.args.is_none() && other.has_words(self),
            (Pattern::Exact(_), Pattern::Command(_)) => other.has_words(self),
            (Pattern::Path(mine), Pattern::Path(_)) => {
                theirs.args.is_none() && !describes(rule) && other.has_path(mine)
            }
            (
                Pattern::Path(_)
                | Pattern::Command(_)
                | Pattern::Exact(_)
                | Pattern::Identity(_)
                | Pattern::Read(_)
                | Pattern::Write(_),
                _,
            ) => false,
        }
    }

    /// Returns true if `theirs` holds wherever this one does, comparing their folders as text.
    fn is_inside(&self, theirs: &Rule) -> bool {
        match (&self.rule.folder, &theirs.folder) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(mine), Some(theirs)) => path::is_within(&path::normal(mine), &path::normal(theirs)),
        }
    }

    fn has_words(&self, rule: &ComparedRule<'_>) -> bool {
        let words: Vec<_> = rule.words.iter().map(|word| Some(word.as_str())).collect();
        WordsPattern::of_command(&self.words).matches(&words)
    }

    fn has_path(&self, path: &str) -> bool {
        let glob = self.glob.get_or_init(|| {
            let Pattern::Path(text) = &self.rule.pattern else { return None };
            crate::pattern::path_glob(text, false).ok().map(|glob| glob.compile_matcher())
        });
        glob.as_ref().is_some_and(|glob| glob.is_match(path))
    }
}

/// Returns true if a rule reads its words as widely as another one, and lets them do as much.
fn is_as_wide(theirs: &Rule, rule: &Rule) -> bool {
    match (theirs.confine, rule.confine) {
        (None, None) => theirs.broad || !rule.broad,
        (None, Some(_)) => theirs.broad,
        (Some(theirs), Some(own)) => theirs >= own,
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{ComparedRule, Covers};
    use crate::testing::person_rule;
    use crate::{AgentId, Effect, Lifetime, Pattern, Rule};
    use proptest::prelude::*;

    fn pattern() -> BoxedStrategy<Pattern> {
        let words = "(git|g\\*|g\\?t|'git'|\\*)( (push|p\\*|log|\\*|'a b'|\\*\\*)){0,3}";
        let path = "(/|~/)(a|b|\\*|\\*\\*|a\\*|\\{a,b\\}|\\[ab\\])(/(a|b|\\*|\\*\\*|\\?|\\\\a)){0,3}/?";
        let argv = prop::collection::vec("git|push|log|a b|\\*|", 1..4);
        prop_oneof![
            words.prop_map(Pattern::Command),
            path.prop_map(Pattern::Path),
            argv.prop_map(Pattern::Exact)
        ]
        .boxed()
    }

    prop_compose! {
        fn any_rule()(
            id in 0_i64..12,
            effect in prop::sample::select(vec![Effect::Allow, Effect::Deny]),
            agent in prop::option::of(prop::sample::select(vec!["a", "b"])),
            pattern in pattern(),
            args in prop::option::weighted(0.2, Just(vec!["x".to_owned()])),
            quit in prop::bool::weighted(0.1),
            allow_writes in prop::bool::weighted(0.2),
        ) -> Rule {
            let agent = agent.map(|agent| AgentId::new(agent).unwrap());
            let lifetime = if quit { Lifetime::Quit } else { Lifetime::Forever };
            Rule { effect, agent, pattern, args, allow_writes, lifetime, ..person_rule(id, effect, "x") }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn the_first_cover_is_the_one_that_comparing_all_with_all_finds(
            rules in prop::collection::vec(any_rule(), 0..24)
        ) {
            let covers = Covers::new(&rules);
            for (at, rule) in rules.iter().enumerate() {
                let mine = ComparedRule::new(rule);
                let slow = rules.iter().find(|other| mine.is_covered(&ComparedRule::new(other)));
                prop_assert_eq!(covers.first_covering(at), slow, "{:?}", &rule.pattern);
            }
        }
    }

    #[test]
    fn of_many_rules_few_are_compared() {
        let rules: Vec<Rule> = (0..10_000)
            .map(|id| match id % 4 {
                0 => person_rule(id, Effect::Allow, &format!("tool{id} sub *")),
                1 => person_rule(id, Effect::Allow, &format!("git sub{id} --flag")),
                2 => person_rule(id, Effect::Deny, &format!("/opt/tools/{id}/bin/*")),
                _ => person_rule(id, Effect::Deny, &format!("/opt/tools/{id}/bin/x")),
            })
            .collect();
        let covers = Covers::new(&rules);
        let compared: usize = rules
            .iter()
            .enumerate()
            .map(|(at, rule)| {
                let text = covers.rules[at].compared_text();
                let same = &covers.by_reach[&(rule.effect, None)];
                same.candidates(rule, text.as_deref()).map(Vec::len).sum::<usize>()
            })
            .sum();
        assert!(compared <= 3 * rules.len(), "{compared} comparisons for {} rules", rules.len());
    }
}
