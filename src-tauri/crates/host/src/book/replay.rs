//! Recorded requests judged again: by the policy as it is now, or as it would be after an edit.

use super::history::{RECENT, SHOWN};
use super::managed::override_settings;
use super::past::PastRequest;
use super::{PolicyStore, PolicyStoreError, now_millis};
use postern_contract::without_secrets;
use postern_policy::permissions::FileLayer;
use postern_policy::{AgentId, AgentPolicy, Decision, Effect, Rule, Source, Verdict};
use postern_store::history;
use postern_store::requests::{Filter, StoredRequest, Summary};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Another policy.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyEdit {
    /// These rules instead of the person's own; those of skills and of an organization stay.
    pub(crate) rules: Option<Vec<Rule>>,
    /// These rules besides.
    pub(crate) and: Option<Vec<Rule>>,
    /// These settings over those of every agent.
    pub(crate) settings: Map<String, Value>,
    /// This instead of the agent's `permissions.jsonc`.
    pub(crate) file: Option<FileLayer>,
}

impl PolicyEdit {
    /// Returns true if anything is edited at all.
    fn is_something(&self) -> bool {
        self.rules.is_some() || self.file.is_some() || self.and.is_some() || !self.settings.is_empty()
    }
}

#[derive(Debug, Default)]
pub(crate) struct PolicyReplay {
    /// Number of requests that were judged again.
    pub(crate) judged: u32,
    /// Number of requests that could not be.
    pub(crate) skipped: u32,
    /// Those that come out otherwise, newest first.
    pub(crate) changes: Vec<ReplayedChange>,
    /// The last that was looked at, where there may be more.
    pub(crate) last: Option<uuid::Uuid>,
}

/// A request that comes out otherwise.
#[derive(Debug)]
pub(crate) struct ReplayedChange {
    pub(crate) request: Summary,
    /// Decision of the policy then, or now.
    pub(crate) was: Decision,
    /// Verdict of the other policy.
    pub(crate) becomes: Verdict,
}

/// Both policies of one agent.
struct Pair {
    before: Option<AgentPolicy>,
    after: AgentPolicy,
}

impl PolicyStore {
    /// Judges recorded requests again, newest first, `limit` of them.
    ///
    /// Without an edit, by the policy as it is, against the decision then; with one, by the edited policy
    /// against the policy as it is.
    pub(crate) async fn replay(
        &self,
        filter: Filter,
        edited: PolicyEdit,
        limit: u32,
    ) -> Result<PolicyReplay, PolicyStoreError> {
        self.blocking(move |book| book.replay_now(&filter, &edited, limit)).await
    }

    fn replay_now(
        &self,
        filter: &Filter,
        edited: &PolicyEdit,
        limit: u32,
    ) -> Result<PolicyReplay, PolicyStoreError> {
        let rows = self.store().read(|conn| history::list_whole(conn, filter, limit))?;
        let mut policies: HashMap<AgentId, Option<Pair>> = HashMap::new();
        let mut replayed = PolicyReplay::default();
        let full = usize::try_from(limit).unwrap_or(usize::MAX);
        replayed.last = rows.last().filter(|_| rows.len() == full).map(|row| row.summary.id);
        for row in rows {
            let agent = &row.summary.agent;
            if !policies.contains_key(agent) {
                policies.insert(agent.clone(), self.policies_to_compare(agent, edited)?);
            }
            let pair = policies.get(agent).and_then(Option::as_ref);
            match pair.and_then(|pair| self.replay_request(pair, &row)) {
                None => replayed.skipped += 1,
                Some((was, becomes)) => {
                    replayed.judged += 1;
                    if was != becomes.decision {
                        replayed.changes.push(ReplayedChange { request: row.summary, was, becomes });
                    }
                }
            }
        }
        Ok(replayed)
    }

    /// Returns the decision on a request then, or now, and the verdict of the other policy.
    fn replay_request(&self, pair: &Pair, row: &StoredRequest) -> Option<(Decision, Verdict)> {
        let past = PastRequest::from_row(row, &self.places().home)?;
        let at = now_millis();
        let was = match &pair.before {
            Some(before) => past.rejudge(before, self.places(), at).decision,
            None => row.verdict.as_ref()?.decision,
        };
        Some((was, past.rejudge(&pair.after, self.places(), at)))
    }

    /// Returns the policies to compare; none for an agent that is gone.
    fn policies_to_compare(
        &self,
        agent: &AgentId,
        edited: &PolicyEdit,
    ) -> Result<Option<Pair>, PolicyStoreError> {
        let Some(entry) = self.find_agent(agent) else { return Ok(None) };
        let now = AgentPolicy::clone(&entry.policy);
        if !edited.is_something() {
            return Ok(Some(Pair { before: None, after: now }));
        }
        let mut after = now.clone();
        if let Some(file) = &edited.file {
            after.file = Some(file.clone());
            after.file_problem = None;
        }
        if !edited.settings.is_empty() {
            let settings = override_settings(&after.settings, &edited.settings);
            after.settings = settings.map_err(PolicyStoreError::Invalid)?;
        }
        if edited.rules.is_some() || edited.and.is_some() {
            after.rules = self.compile(&self.edited_rules(agent, edited)?);
        }
        Ok(Some(Pair { before: Some(now), after }))
    }

    fn edited_rules(&self, agent: &AgentId, edited: &PolicyEdit) -> Result<Vec<Rule>, PolicyStoreError> {
        let kept = self.store().read(postern_store::rules::list_rules)?;
        let own = |rule: &Rule| matches!(rule.source, Source::Person | Source::Always | Source::Import);
        let replaced = edited.rules.is_some();
        let mut rules: Vec<Rule> = kept.iter().filter(|rule| !replaced || !own(rule)).cloned().collect();
        let snapshot = self.snapshot();
        rules.extend(snapshot.managed.iter().flat_map(|managed| &managed.rules).cloned());
        let first = rules.iter().map(|rule| rule.id).max().unwrap_or(0).max(0) + 1;
        for (rule, id) in edited.rules.iter().chain(&edited.and).flatten().zip(first..) {
            let known = kept.iter().find(|other| other.pattern == rule.pattern && other.agent == rule.agent);
            // A file says that a rule is pinned, not to what: to what the rule that is there is pinned to.
            let pin = rule.pin.clone().map(|now| known.and_then(|known| known.pin.clone()).unwrap_or(now));
            rules.push(Rule { id, pin, ..rule.clone() });
        }
        rules.retain(|rule| rule.agent.as_ref().is_none_or(|owner| owner == agent));
        Ok(rules)
    }

    /// Returns the number of recent requests that come out otherwise because of one more rule, and some of
    /// them: each command once.
    pub(crate) async fn changed_by(
        &self,
        agent: Option<AgentId>,
        rule: Rule,
    ) -> Result<(u32, Vec<String>), PolicyStoreError> {
        let wanted = match rule.effect {
            Effect::Allow => Decision::Allow,
            Effect::Deny | Effect::Ask => Decision::Deny,
        };
        let edited = PolicyEdit { and: Some(vec![rule]), ..PolicyEdit::default() };
        let replayed = self.replay(Filter { agent, ..Filter::default() }, edited, RECENT).await?;
        let changed = replayed.changes.iter().filter(|change| change.becomes.decision == wanted);
        let mut lines: Vec<String> = Vec::new();
        for change in changed.clone() {
            let line = without_secrets(&change.request.line);
            if lines.len() < SHOWN && !lines.contains(&line) {
                lines.push(line);
            }
        }
        Ok((u32::try_from(changed.count()).unwrap_or(u32::MAX), lines))
    }
}
