//! What a rule would have let through: recent commands of an agent, looked up as they would be now.

use super::{Book, BookError, now};
use crate::resolve::{Cwd, search_path};
use postern_command::{Dialect, read_argv, read_shell};
use postern_policy::{AgentId, Facts, Rule, would_match};
use postern_store::requests::{self, Filter, Summary};
use serde_json::Value;
use std::collections::HashMap;

/// How many recent requests are looked at.
const RECENT: u32 = 200;
/// How many of those that matched are shown.
const SHOWN: usize = 10;

/// What rules would have let through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Matched {
    /// How many recent requests.
    pub(crate) count: u32,
    /// Of how many.
    pub(crate) of: u32,
    /// Some of them, newest first: each command once, as one line of escaped text.
    pub(crate) examples: Vec<String>,
}

impl Book {
    /// Which of the recent requests of an agent (of all: none) one of these rules would have matched.
    pub(crate) async fn matched_recently(
        &self,
        agent: Option<AgentId>,
        rules: Vec<Rule>,
    ) -> Result<Matched, BookError> {
        self.blocking(move |book| {
            let filter = Filter { agent, ..Filter::default() };
            let recent = book.store().read(|conn| requests::list(conn, &filter, RECENT))?;
            let mut known: HashMap<(AgentId, String), bool> = HashMap::new();
            let mut found =
                Matched { of: u32::try_from(recent.len()).unwrap_or(u32::MAX), ..Matched::default() };
            for summary in recent {
                let key = (summary.agent.clone(), summary.line.clone());
                let (matches, is_new) = match known.get(&key) {
                    Some(matches) => (*matches, false),
                    None => (book.would_have_matched(&summary, &rules)?, true),
                };
                known.insert(key, matches);
                if matches {
                    found.count += 1;
                    if is_new && found.examples.len() < SHOWN {
                        found.examples.push(summary.line);
                    }
                }
            }
            Ok(found)
        })
        .await
    }

    /// Whether one of the rules matches a request of the past. One that cannot be looked up any more is not matched.
    fn would_have_matched(&self, summary: &Summary, rules: &[Rule]) -> Result<bool, BookError> {
        let Some(row) = self.store().read(|conn| requests::get(conn, summary.id))? else { return Ok(false) };
        let asked: Value = serde_json::from_str(&row.asked).unwrap_or_default();
        let argv: Option<Vec<String>> =
            asked.get("command").and_then(|argv| serde_json::from_value(argv.clone()).ok());
        let text = asked.get("shell").and_then(Value::as_str);
        let reading = match (argv, text) {
            (Some(argv), _) => read_argv(&argv),
            (None, Some(text)) => read_shell(text, Dialect::Bash),
            (None, None) => return Ok(false),
        };
        let places = self.places();
        let folder = row.plan.as_ref().map_or(places.home.as_str(), |plan| plan.cwd.path.as_str());
        let Ok(cwd) = Cwd::open(folder) else { return Ok(false) };
        let agent = self.agent(&summary.agent);
        let configured = agent.as_ref().map_or(&[][..], |entry| &entry.agent.settings.search_path);
        let found = self.resolver().facts(&reading, &cwd, &search_path(configured, &places.home));
        let data = places.data.to_string_lossy();
        let facts = Facts {
            reading: &reading,
            steps: &found.steps,
            cwd: &cwd.bound.path,
            home: &places.home,
            data: &data,
            session: summary.session.as_deref(),
            now: now(),
            case_insensitive: places.any_case,
            shell: text.is_some(),
            env_to_ask: &[],
        };
        Ok(rules.iter().any(|rule| would_match(rule, &facts)))
    }
}
