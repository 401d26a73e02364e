//! Rules ready to be looked up: a verdict costs the same with ten of them and with ten thousand.
//!
//! What holds for everybody is compiled once and shared; an agent's own rules are a part of their own.

mod files;
mod globs;
mod index;
mod part;

use crate::facts::Facts;
use crate::rule::{Effect, Identity, Millis, Rule, RuleId};
pub use files::DeniedFiles;
pub(crate) use files::FilePattern;
pub(crate) use part::{Compiled, CompiledRules};
use std::sync::Arc;

/// Rules of one agent: its own, everybody's, its skills' and the managed ones, in any order. A clone costs nothing.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    parts: Vec<Arc<CompiledRules>>,
}

/// A rule that could not be compiled. It allows nothing; where it should deny, everything is at best asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRule {
    pub id: RuleId,
    pub effect: Effect,
    pub problem: String,
}

impl RuleSet {
    /// Compiles rules. `home` is the person's home folder; `any_case` says that names of this volume are compared
    /// without case (deny rules always are).
    pub fn compile<'a>(rules: impl IntoIterator<Item = &'a Rule>, home: &str, any_case: bool) -> Self {
        let part = CompiledRules::compile(rules, home, any_case);
        Self { parts: vec![Arc::new(part)] }
    }

    /// Joins two sets, without compiling or copying rules.
    #[must_use]
    pub fn join_with(mut self, others: &Self) -> Self {
        self.parts.extend(others.parts.iter().cloned());
        self
    }

    /// Returns the rules that are bound to a program, without how they were used.
    pub fn pinned(&self) -> impl Iterator<Item = &Rule> {
        self.compiled_parts().flat_map(CompiledRules::all_rules).filter(|rule| rule.pin.is_some())
    }

    /// Rules that could not be compiled.
    pub fn broken(&self) -> impl Iterator<Item = &BrokenRule> {
        self.parts.iter().flat_map(|part| part.broken())
    }

    /// Returns the programs that deny rules name, by path or bare name.
    ///
    /// The host looks up the files there and passes them to [`RuleSet::identify`], so that the same program
    /// under another name is denied as well.
    pub fn denied_programs(&self, home: &str) -> Vec<(RuleId, String)> {
        self.parts.iter().flat_map(|part| part.denied_programs(home)).collect()
    }

    /// Tells what lies where a deny rule's program is found, with the path that the system gives back for it. Rules that are shared
    /// with another set are copied first: tell it before they are.
    pub fn identify(&mut self, id: RuleId, identity: &Identity, real_path: &str) {
        for part in self.parts.iter_mut().filter(|part| part.has_deny(id)) {
            Arc::make_mut(part).identify(id, identity, real_path);
        }
    }

    /// Returns the rules, as they are looked up.
    pub(crate) fn compiled_parts(&self) -> impl Iterator<Item = &CompiledRules> {
        self.parts.iter().map(AsRef::as_ref)
    }

    /// Returns true if a rule that names a profile is in force.
    pub(crate) fn has_confined(&self, facts: &Facts<'_>) -> bool {
        self.compiled_parts().flat_map(CompiledRules::confined).any(|(_, rule)| rule.is_in_force(facts))
    }

    /// Returns the deny rules that could not be compiled.
    pub(crate) fn broken_denies(&self) -> impl Iterator<Item = &BrokenRule> {
        self.broken().filter(|broken| broken.effect != Effect::Allow)
    }

    /// Rules about files that are in force.
    pub(crate) fn of_files(&self, now: Millis, session: Option<&str>) -> impl Iterator<Item = &Compiled> {
        self.compiled_parts()
            .flat_map(CompiledRules::of_files)
            .filter(move |rule| rule.is_alive(now, session))
    }

    /// Returns true if a rule about programs that denies or asks is in force.
    pub(crate) fn denies_anything(&self, now: Millis, session: Option<&str>) -> bool {
        self.compiled_parts().flat_map(CompiledRules::against).any(|rule| rule.is_alive(now, session))
    }
}
