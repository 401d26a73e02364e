//! Prefilter of guessed commands: could any rule deny one, by its words alone?
//!
//! Text that was not understood may hold thousands of them, and nearly all have nothing to do with any rule.

use super::core;
use super::line::JudgmentContext;
use crate::agent::AgentPolicy;
use crate::path;
use crate::rule::Effect;
use foldhash::{HashMap, HashSet};
use postern_command::CandidateCommand;
use std::cell::{OnceCell, RefCell};

/// Facts that are the same for all guesses of one request.
pub(super) struct Near<'a> {
    policy: &'a AgentPolicy,
    line: &'a JudgmentContext<'a>,
    core: core::OwnFoldersView<'a>,
    /// Programs that entries of files deny.
    ///
    /// `None` if an entry is about more than a program by its name: then every command is compared with them.
    entries: Option<HashSet<String>>,
    /// For the words that guesses share, by where they are kept: which of them lead to what the core guards.
    leading: RefCell<HashMap<*const String, Vec<usize>>>,
}

impl<'a> Near<'a> {
    pub(super) fn new(policy: &'a AgentPolicy, line: &'a JudgmentContext<'a>) -> Self {
        let layers = policy.layers(line.session).all;
        let entries = layers.iter().flat_map(|layer| layer.entries());
        let denying = entries.filter(|entry| entry.is_about_commands() && entry.effect == Effect::Deny);
        let entries = denying.map(|entry| Some(path::fold_case(entry.program()?).into_owned())).collect();
        Self {
            policy,
            line,
            core: core::OwnFoldersView::new(line, line.cwd),
            entries,
            leading: RefCell::default(),
        }
    }

    /// Returns true if the command has to be looked at closely. Never false for one that would be denied.
    pub(super) fn may_be_denied(&self, guess: &CandidateCommand) -> bool {
        let Some(name) = guess.first() else { return false };
        let base = path::fold_case(path::base_name(name));
        if self.entries.as_ref().is_none_or(|programs| programs.contains(&*base)) {
            return true;
        }
        let named = self.policy.rules.compiled_parts().any(|part| part.deny_index().may_name(&base));
        named || core::is_about(&base) || self.is_given_a_place(guess) || self.may_lie_where_denied(name)
    }

    /// Returns true if a rule that denies is about the place of a program that is written as a path.
    fn may_lie_where_denied(&self, name: &str) -> bool {
        let line = self.line;
        let place = OnceCell::new();
        let at = || place.get_or_init(|| path::join_path(line.cwd, &path::expand_home(name, line.home)));
        let mut parts = self.policy.rules.compiled_parts();
        parts.any(|part| part.deny_index().asks_where(name) && part.deny_index().may_be_at(at()))
    }

    /// Returns true if one of its arguments leads to what the core guards. Each word is looked at once.
    fn is_given_a_place(&self, guess: &CandidateCommand) -> bool {
        let (words, own) = guess.shared_words();
        let mut known = self.leading.borrow_mut();
        // What is spent is denied as a whole.
        let look = || self.line.meant_words(words, |word| self.core.is_named_by(word));
        let leading = known.entry(words.as_ptr()).or_insert_with(look);
        let behind = leading.partition_point(|at| *at <= own.start);
        leading.get(behind).is_some_and(|at| *at < own.end)
    }
}
