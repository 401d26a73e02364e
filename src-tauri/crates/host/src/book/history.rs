//! Effect of a rule on recent commands of an agent, with what was looked up for them then.

use super::past::{PastRequest, RecordedFacts};
use super::remember::rule_of;
use super::{OfferedRule, PolicyStore, PolicyStoreError, RuleSaveRequest, now_millis};
use postern_command::ParsedCommand;
use postern_contract::{Scope, without_secrets};
use postern_exec::resolve::{Cwd, search_path};
use postern_policy::{AgentId, Effect, Input, Lifetime, Rule};
use postern_request::PlanStdin;
use postern_store::history;
use postern_store::requests::{self, Filter, StoredRequest, Summary};
use std::collections::HashMap;
use uuid::Uuid;

/// Number of recent requests that are examined.
pub(super) const RECENT: u32 = 500;
/// Number of recent requests that an offer is tried on.
const OFFERED: u32 = 50;
pub(super) const SHOWN: usize = 10;

/// Requests that rules would have let through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Matched {
    /// Number of recent requests.
    pub(crate) count: u32,
    /// Of how many.
    pub(crate) of: u32,
    /// Some of them, newest first: each command once, as one line of escaped text.
    pub(crate) examples: Vec<String>,
}

impl PolicyStore {
    /// Returns the recent requests of an agent (of all: `None`) that one of these rules would have matched.
    pub(crate) async fn matched_recently(
        &self,
        agent: Option<AgentId>,
        rules: Vec<Rule>,
    ) -> Result<Matched, PolicyStoreError> {
        self.blocking(move |book| {
            let filter = Filter { agent, ..Filter::default() };
            let recent = book.store().read(|conn| history::list_newest(conn, &filter, RECENT))?;
            Ok(book.look_back(recent, &[rules])?.pop().unwrap_or_default())
        })
        .await
    }

    /// Returns the number of recent requests of an agent that each of these offers would have let through,
    /// and their total. `asking` are not of the past yet.
    pub(crate) async fn would_let_through(
        &self,
        agent: &AgentId,
        offers: Vec<Vec<OfferedRule>>,
        asking: Vec<Uuid>,
    ) -> Result<Vec<(u32, u32)>, PolicyStoreError> {
        let remember = RuleSaveRequest {
            agent: agent.clone(),
            scope: Scope::Agent,
            effect: Effect::Allow,
            origin: postern_policy::RuleOrigin::Any,
            lifetime: Lifetime::Forever,
            why: None,
            rules: Vec::new(),
            renews: Vec::new(),
        };
        let agent = agent.clone();
        self.blocking(move |book| {
            let rule = |new: &OfferedRule| rule_of(new, &remember, Some(agent.clone()));
            let offers: Vec<Vec<Rule>> =
                offers.iter().map(|offer| offer.iter().map(rule).collect()).collect();
            let most = OFFERED.saturating_add(u32::try_from(asking.len()).unwrap_or(u32::MAX));
            let filter = Filter { agent: Some(agent.clone()), ..Filter::default() };
            let mut recent = book.store().read(|conn| history::list_newest(conn, &filter, most))?;
            recent.retain(|summary| !asking.contains(&summary.id));
            recent.truncate(usize::try_from(OFFERED).unwrap_or(usize::MAX));
            let matched = book.look_back(recent, &offers)?;
            Ok(matched.into_iter().map(|Matched { count, of, .. }| (count, of)).collect())
        })
        .await
    }

    /// Returns the matches of each of these sets of rules. Each command is looked up once.
    fn look_back(&self, recent: Vec<Summary>, sets: &[Vec<Rule>]) -> Result<Vec<Matched>, PolicyStoreError> {
        let of = u32::try_from(recent.len()).unwrap_or(u32::MAX);
        let mut found = vec![Matched { of, ..Matched::default() }; sets.len()];
        let mut known: HashMap<(AgentId, String), Vec<bool>> = HashMap::new();
        for summary in recent {
            let key = (summary.agent.clone(), summary.line.clone());
            let (matches, is_new) = match known.get(&key) {
                Some(matches) => (matches.clone(), false),
                None => (self.would_have_matched(&summary, sets)?, true),
            };
            for (found, _) in found.iter_mut().zip(&matches).filter(|(_, matches)| **matches) {
                found.count += 1;
                if is_new && found.examples.len() < SHOWN {
                    found.examples.push(without_secrets(&summary.line));
                }
            }
            known.insert(key, matches);
        }
        Ok(found)
    }

    /// Returns for each set whether it holds a rule that matches a request of the past. One that cannot be
    /// looked up any more is not matched.
    fn would_have_matched(
        &self,
        summary: &Summary,
        sets: &[Vec<Rule>],
    ) -> Result<Vec<bool>, PolicyStoreError> {
        let Some(past) = self.past_request(summary)? else { return Ok(vec![false; sets.len()]) };
        let now = now_millis();
        let any = |rules: &Vec<Rule>| rules.iter().any(|rule| past.is_matched(rule, self.places(), now));
        Ok(sets.iter().map(any).collect())
    }

    /// Returns a request of the past as things were then; as they are now where that was not kept.
    fn past_request(&self, summary: &Summary) -> Result<Option<PastRequest>, PolicyStoreError> {
        let Some(row) = self.store().read(|conn| requests::get_request(conn, summary.id))? else {
            return Ok(None);
        };
        Ok(PastRequest::from_row(&row, &self.places().home).or_else(|| {
            PastRequest::found_again(&row, &self.places().home, |reading| self.find_facts(reading, &row))
        }))
    }

    fn find_facts(&self, reading: &ParsedCommand, row: &StoredRequest) -> Option<RecordedFacts> {
        let places = self.places();
        let folder = row.plan.as_ref().map_or(places.home.as_str(), |plan| plan.cwd.path.as_str());
        let cwd = Cwd::open(folder).ok()?;
        let agent = self.find_agent(&row.summary.agent);
        let configured = agent.as_ref().map_or(&[][..], |entry| &entry.agent.settings.search_path);
        let found = self.resolver().resolve_command(reading, &cwd, &search_path(configured, &places.home));
        let input = match row.plan.as_ref().map(|plan| &plan.stdin) {
            Some(PlanStdin::Inline { sha256, bytes }) if *bytes > 0 => Input::Text(sha256.clone()),
            Some(PlanStdin::Stream) => Input::Stream,
            Some(PlanStdin::Inline { .. } | PlanStdin::Nothing) | None => Input::Nothing,
        };
        let folders = vec![cwd.bound.path.clone()];
        let (cwd, env_to_ask) = (cwd.bound.path.clone(), Vec::new());
        let origin = row.summary.origin;
        Some(RecordedFacts {
            origin,
            steps: found.steps,
            cwd,
            folders,
            confinable: origin.is_host(),
            confinable_project: origin.is_host(),
            confine: None,
            env_to_ask,
            input,
        })
    }
}
