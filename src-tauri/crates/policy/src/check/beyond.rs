//! Commands that a broad rule covers and a narrow one with the same words does not.
//!
//! Found by trying each argument that is known of its program.

use super::example::{example_facts, steps_of, timeless};
use crate::agent::AgentPolicy;
use crate::facts::Facts;
use crate::path;
use crate::risk;
use crate::risk::RiskLevel;
use crate::rule::{Effect, Limits, Pattern, Rule};
use crate::ruleset::RuleSet;
use crate::settings::{AgentId, Settings};
use postern_command::{ArgEffect, UnsafeArg, known_arguments, read_argv};
use serde::{Deserialize, Serialize};

/// Arguments of one effect that are named.
const MOST_NAMED: usize = 3;

/// Command that a rule covers besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlsoCovered {
    /// The kind of the effect; `None` is that it runs any program it is told to.
    pub effect: Option<String>,
    /// Some of the arguments that have it; empty if it needs none of them.
    pub by: Vec<String>,
}

/// A word that stands for anything.
pub(super) const ANY: &str = "any";

/// Returns what a rule covers if it is broad and does not cover otherwise, the most consequential first. `home` is the person's
/// home folder.
pub fn also_covered(rule: &Rule, home: &str) -> Vec<AlsoCovered> {
    let Some(words) = open_words(rule, home) else { return Vec::new() };
    let mut tried =
        TriedArgument::new(rule, home, RuleSet::compile(&[with_breadth(rule, false)], home, false));
    tried.try_known(&words, &[]);
    tried.into_covered(RiskLevel::Safe)
}

/// Returns what a rule covers if it is broad, beyond effects of these kinds, the most consequential first. Its words have something in
/// the place of each open one but the first: `before` and `behind` are the words around that.
pub(super) fn covered_beyond(
    rule: &Rule,
    home: &str,
    shown: Vec<&'static str>,
    (before, behind): (&[String], &[String]),
) -> Vec<AlsoCovered> {
    let mut tried = TriedArgument { narrowly: shown, ..TriedArgument::new(rule, home, RuleSet::default()) };
    tried.try_known(before, behind);
    tried.into_covered(RiskLevel::NeedsReview)
}

/// Returns arguments that the words of a saved offer let in and its limits keep out, at most `MOST_NAMED`.
///
/// With them its program does something dangerous, or runs another one. Single letters are left out. `home` is the person's home
/// folder.
pub fn left_out(rule: &Rule, home: &str) -> Vec<String> {
    let Some((words, limits)) = open_words(rule, home).zip(rule.limits.as_deref()) else { return Vec::new() };
    let with_limits = |limits: Option<Limits>| Rule { limits: limits.map(Box::new), ..rule.clone() };
    // An example runs in the home folder.
    let places = vec![home.to_owned()];
    let narrow = with_breadth(&with_limits(Some(Limits { places, ..limits.clone() })), false);
    let unlimited = with_limits(None);
    let mut tried = TriedArgument::new(&unlimited, home, RuleSet::compile(&[narrow], home, false));
    // It covers nothing that goes elsewhere.
    let names = limits.effects.iter().flat_map(|effect| effect.names.iter().cloned());
    let words: Vec<String> = words.into_iter().chain(names).collect();
    tried.try_argv(&words, None);
    tried.try_known(&words, &[]);
    if tried.narrowly.is_empty() {
        return Vec::new();
    }
    let mut dangerous = tried.found;
    dangerous.retain(|(level, _)| *level == RiskLevel::Dangerous);
    // What an argument does says more than what it may start.
    dangerous.sort_by_key(|(_, one)| one.effect.is_none());
    let mut named: Vec<String> = Vec::new();
    for word in dangerous.into_iter().flat_map(|(_, one)| one.by) {
        if word.len() > 2 && !named.contains(&word) {
            named.push(word);
        }
    }
    named.truncate(MOST_NAMED);
    named
}

/// Returns the words of an allow rule before any further ones that it covers; `None` if it covers none.
fn open_words(rule: &Rule, home: &str) -> Option<Vec<String>> {
    if rule.effect != Effect::Allow {
        return None;
    }
    match &rule.pattern {
        Pattern::Command(text) => {
            let mut words = postern_command::words_of_at(text, home).unwrap_or_default();
            words.pop_if(|last| last == "*").map(|_| words)
        }
        Pattern::Path(text) if !crate::pattern::is_glob(text) => {
            Some(vec![path::expand_home(text, home).into_owned()])
        }
        Pattern::Path(_)
        | Pattern::Exact(_)
        | Pattern::Identity(_)
        | Pattern::Read(_)
        | Pattern::Write(_) => None,
    }
}

/// Returns the rule read as a broad one or not, with its words alone.
fn with_breadth(rule: &Rule, broad: bool) -> Rule {
    Rule { broad, confine: None, ..timeless(rule) }
}

struct TriedArgument<'a> {
    rule: &'a Rule,
    home: &'a str,
    narrow: Option<AgentPolicy>,
    broad: Option<AgentPolicy>,
    found: Vec<(RiskLevel, AlsoCovered)>,
    /// Kinds of effects that the narrow rule covers.
    narrowly: Vec<&'static str>,
}

impl<'a> TriedArgument<'a> {
    fn new(rule: &'a Rule, home: &'a str, narrow: RuleSet) -> Self {
        let policy = |rules| {
            let settings = Settings { allow_skills: true, ..Settings::default() };
            Some(AgentPolicy { rules, ..AgentPolicy::new(AgentId::new("rule").ok()?, settings) })
        };
        let broad = policy(RuleSet::compile(&[with_breadth(rule, true)], home, false));
        Self { rule, home, narrow: policy(narrow), broad, found: Vec::new(), narrowly: Vec::new() }
    }

    /// Tries every argument that is known of the program between these words.
    fn try_known(&mut self, before: &[String], behind: &[String]) {
        let Some(program) = before.first() else { return };
        let mut try_words = |more: &[&str], by| {
            let more = more.iter().map(|word| (*word).to_owned());
            self.try_argv(
                &before.iter().cloned().chain(more).chain(behind.iter().cloned()).collect::<Vec<_>>(),
                by,
            );
        };
        try_words(&[ANY], None);
        for argument in &known_arguments(path::base_name(program)) {
            try_words(&[argument, ANY], Some(argument));
            try_words(&[argument, ANY, ";"], Some(argument));
        }
    }

    /// Tries a command. `by` is the argument that is looked at.
    fn try_argv(&mut self, argv: &[String], by: Option<&str>) {
        let reading = read_argv(argv);
        let steps = steps_of(&reading, self.rule, self.home);
        if steps.len() != reading.steps.len() {
            return;
        }
        let facts = example_facts(&reading, &steps, (self.rule, self.home), false);
        for at in 0..steps.len() {
            self.add_step(&facts, at, by);
        }
    }

    fn add_step(&mut self, facts: &Facts<'_>, at: usize, by: Option<&str>) {
        let covers = |policy: &Option<AgentPolicy>| {
            policy.as_ref().is_some_and(|one| crate::judge::covers(one, facts, at))
        };
        let narrow = covers(&self.narrow);
        if !narrow && !covers(&self.broad) {
            return;
        }
        let step = &facts.reading.steps[at];
        if step.program() == Some(ANY) {
            self.note_effect(RiskLevel::Dangerous, None, by);
            return;
        }
        let runs = |way: &UnsafeArg| matches!(way.effect, ArgEffect::Runs | ArgEffect::Shell);
        if !narrow && step.ways_out.iter().any(runs) {
            self.note_effect(RiskLevel::Dangerous, None, by);
        }
        for rated in risk::of_step(facts, step, &facts.steps[at]) {
            let kind = rated.effect.kind();
            if narrow {
                self.narrowly.push(kind);
            } else {
                self.note_effect(rated.level, Some(kind), by);
            }
        }
    }

    fn note_effect(&mut self, level: RiskLevel, effect: Option<&'static str>, by: Option<&str>) {
        let known = self.found.iter().position(|(_, one)| one.effect.as_deref() == effect);
        let at = known.unwrap_or_else(|| {
            let one = AlsoCovered { effect: effect.map(str::to_owned), by: Vec::new() };
            self.found.push((level, one));
            self.found.len() - 1
        });
        let (worst, one) = &mut self.found[at];
        *worst = level.max(*worst);
        // What it does without an argument needs none.
        let alone = known.is_some() && one.by.is_empty();
        let is_new =
            |by: &&str| !alone && one.by.len() < MOST_NAMED && !one.by.iter().any(|other| other == by);
        if let Some(by) = by.filter(is_new) {
            one.by.push(by.to_owned());
        }
    }

    /// Returns what was found, but for what is less consequential than `least`.
    fn into_covered(mut self, least: RiskLevel) -> Vec<AlsoCovered> {
        self.found.retain(|(level, _)| *level >= least);
        self.found.sort_by_key(|(level, one)| (one.effect.is_some(), std::cmp::Reverse(*level)));
        let narrowly = &self.narrowly;
        let is_more = |one: &AlsoCovered| {
            // What is not known of an argument says nothing to a person.
            one.effect.as_deref().is_none_or(|kind| kind != "unknown" && !narrowly.contains(&kind))
        };
        self.found.into_iter().map(|(_, one)| one).filter(is_more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{also_covered, left_out};
    use crate::testing::{HOME, Scene, person_rule};
    use crate::{Effect, Rule, RuleOrigin};

    fn also(text: &str) -> Vec<(Option<String>, bool)> {
        let rule = Rule { broad: true, ..person_rule(1, Effect::Allow, text) };
        also_covered(&rule, HOME).into_iter().map(|one| (one.effect, one.by.is_empty())).collect()
    }

    #[test]
    fn a_broad_rule_says_what_else_it_covers() {
        let kinds = |text: &str| -> Vec<String> {
            also(text)
                .into_iter()
                .map(|(effect, _)| effect.unwrap_or_else(|| "any program".to_owned()))
                .collect()
        };
        let find = kinds("find *");
        assert_eq!(find.first().map(String::as_str), Some("any program"), "{find:?}");
        assert!(find.contains(&"delete".to_owned()) && !find.contains(&"read".to_owned()), "{find:?}");
        let rule = Rule { broad: true, ..person_rule(1, Effect::Allow, "find *") };
        let by: Vec<String> = also_covered(&rule, HOME).into_iter().flat_map(|one| one.by).collect();
        assert!(by.contains(&"-exec".to_owned()) && by.contains(&"-delete".to_owned()), "{by:?}");
        assert!(kinds("npm *").contains(&"publish".to_owned()), "{:?}", kinds("npm *"));
        assert!(kinds("python3 *").contains(&"run-inline-code".to_owned()), "{:?}", kinds("python3 *"));
        assert_eq!(also("xargs *").first(), Some(&(None, true)), "it needs no argument for it");
        assert_eq!(also("rg *").first(), Some(&(None, false)), "an option names a program");
    }

    #[test]
    fn a_narrow_rule_says_what_it_leaves_out() {
        for (command, some) in [
            ("git push origin main", Some("--force")),
            ("find . -name '*.o'", Some("-exec")),
            ("ls src", None),
        ] {
            let scene = Scene::new().with_shell_text(command);
            let offers = scene.offers();
            let rules = offers.iter().flat_map(|offer| offer.to_rules(RuleOrigin::Any));
            let all: Vec<String> = rules.flat_map(|rule| left_out(&rule, HOME)).collect();
            assert!(
                some.map_or(all.is_empty(), |some| all.iter().any(|word| word == some)),
                "{command}: {all:?}"
            );
        }
        assert_eq!(left_out(&Rule { broad: true, ..person_rule(1, Effect::Allow, "find *") }, HOME), [""; 0]);
    }

    #[test]
    fn a_rule_whose_words_leave_nothing_open_covers_no_more() {
        for text in ["wc *", "find . -name x", "echo *"] {
            assert_eq!(also(text), [], "{text}");
        }
    }
}
