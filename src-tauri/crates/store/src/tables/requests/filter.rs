//! Filter of requests, for lists of them.

use super::row::Summary;
use postern_policy::{AgentId, Millis, RuleId};
use postern_protocol::{Decided, RunState};
use uuid::Uuid;

/// Filter of requests. The default is the newest of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub agent: Option<AgentId>,
    pub phase: Option<RunState>,
    /// Only those that came in then or later.
    pub since: Option<Millis>,
    /// Only those that came in before then.
    pub until: Option<Millis>,
    /// Only those that were decided like this.
    pub decided: Option<Decided>,
    pub rule: Option<RuleId>,
    pub effect: Option<&'static str>,
    /// Only those that would run in this folder itself.
    pub folder: Option<String>,
    /// Only those whose command line holds these words, each from its beginning.
    pub search: Option<String>,
    /// Only those that came in before this one: the last of the page before.
    pub before: Option<Uuid>,
}

impl Filter {
    /// Returns true if a request is one of them, but for when it came in. `words` in lower case.
    pub(crate) fn matches(&self, summary: &Summary, words: &[String]) -> bool {
        let line = || summary.line.to_lowercase();
        self.agent.as_ref().is_none_or(|agent| *agent == summary.agent)
            && self.phase.is_none_or(|phase| phase == summary.phase)
            && self.decided.is_none_or(|decided| summary.decided() == Some(decided))
            && self.rule.is_none_or(|rule| summary.rule_id() == Some(rule))
            && self.effect.is_none_or(|effect| summary.effects().any(|kind| kind == effect))
            && self.folder.as_ref().is_none_or(|folder| summary.folder.as_ref() == Some(folder))
            && (words.is_empty() || words.iter().all(|word| line().contains(word)))
    }
}
