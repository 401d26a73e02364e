//! Facts of an earlier request, kept with it: so it can be judged again later, as things were then.

use super::HostPaths;
use crate::touches::touches_of_line;
use postern_command::{Dialect, ParsedCommand, read_argv_at, read_shell_at};
use postern_policy::{
    AgentPolicy, Confinable, Facts, Input, Millis, Origin, Rule, StepFacts, Verdict, conclude, judge_request,
    protect_in_own_shell, would_match,
};
use postern_protocol::RequestedConfinement;
use postern_request::Launch;
use postern_store::requests::StoredRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Facts that were looked up for a request, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordedFacts {
    /// Actor that would run it.
    #[serde(default)]
    pub(crate) origin: Origin,
    pub(crate) steps: Vec<StepFacts>,
    /// The working directory: real.
    pub(crate) cwd: String,
    /// Folders that the agent could read, as real paths.
    #[serde(default)]
    pub(crate) folders: Vec<String>,
    /// True if the system could confine a run with the profile `look`.
    #[serde(default)]
    pub(crate) confinable: bool,
    /// True if the profile `project` could hold it.
    #[serde(default)]
    pub(crate) confinable_project: bool,
    pub(crate) confine: Option<RequestedConfinement>,
    /// Names of environment overrides that had to be asked about.
    pub(crate) env_to_ask: Vec<String>,
    /// Standard input.
    #[serde(default)]
    pub(crate) input: Input,
}

impl RecordedFacts {
    /// Returns the text to store.
    pub(crate) fn to_json(&self) -> String {
        // Structs, lists and texts: nothing that could not be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A request of the past, with what was looked up for it.
#[derive(Debug)]
pub(crate) struct PastRequest {
    reading: ParsedCommand,
    found: RecordedFacts,
    shell: bool,
    session: Option<String>,
}

impl PastRequest {
    /// Returns a request from its record.
    ///
    /// `None` if nothing was looked up for it, or if its text reads otherwise now than it did then.
    pub(crate) fn from_row(row: &StoredRequest, home: &str) -> Option<Self> {
        let found: RecordedFacts = serde_json::from_str(row.facts.as_deref()?).ok()?;
        let (reading, shell) = parse_recorded(row, home)?;
        Self::from_parts(reading, found, shell, row)
    }

    /// Returns a request from its record, with what is found for it now; `None` if it cannot be read any
    /// more.
    pub(crate) fn found_again(
        row: &StoredRequest,
        home: &str,
        find: impl FnOnce(&ParsedCommand) -> Option<RecordedFacts>,
    ) -> Option<Self> {
        let (reading, shell) = parse_recorded(row, home)?;
        let found = find(&reading)?;
        Self::from_parts(reading, found, shell, row)
    }

    fn from_parts(
        reading: ParsedCommand,
        found: RecordedFacts,
        shell: bool,
        row: &StoredRequest,
    ) -> Option<Self> {
        let fits = reading.steps.len() == found.steps.len();
        fits.then(|| Self { reading, found, shell, session: row.summary.session.clone() })
    }

    /// Judges it again: the same facts, by this policy, at this time.
    pub(crate) fn rejudge(&self, policy: &AgentPolicy, places: &HostPaths, now: Millis) -> Verdict {
        let data = places.data.to_string_lossy();
        let facts = self.policy_facts(places, &data, now);
        let verdict = judge_request(policy, &facts);
        let verdict = if self.found.origin.is_host() {
            verdict
        } else {
            protect_in_own_shell(verdict, policy, &facts, &touches_of_line(&facts))
        };
        conclude(verdict, policy)
    }

    pub(crate) fn is_matched(&self, rule: &Rule, places: &HostPaths, now: Millis) -> bool {
        would_match(rule, &self.policy_facts(places, &places.data.to_string_lossy(), now))
    }

    fn policy_facts<'a>(&'a self, places: &'a HostPaths, data: &'a str, now: Millis) -> Facts<'a> {
        Facts {
            origin: self.found.origin,
            reading: &self.reading,
            steps: &self.found.steps,
            cwd: &self.found.cwd,
            home: &places.home,
            data,
            own_pid: Some(std::process::id()),
            session: self.session.as_deref(),
            now,
            case_insensitive: places.any_case,
            shell: self.shell,
            folders: &self.found.folders,
            root_entries: &places.root_entries,
            confinable: Confinable { look: self.found.confinable, project: self.found.confinable_project },
            confine: self.found.confine,
            env_to_ask: &self.found.env_to_ask,
            input: &self.found.input,
        }
    }
}

/// Returns the command of a recorded request, or a person's version of it, and whether it was shell text.
fn parse_recorded(row: &StoredRequest, home: &str) -> Option<(ParsedCommand, bool)> {
    let argv_of = |argv: &[String]| (read_argv_at(argv, home), false);
    let shell_of = |text: &str| (read_shell_at(text, Dialect::Bash, home), true);
    if let (Some(_), Some(plan)) = (&row.asked_line, &row.plan) {
        return Some(match &plan.launch {
            Launch::Argv { argv } => argv_of(argv),
            Launch::Shell { text } => shell_of(text),
            Launch::Nothing => return None,
        });
    }
    // It is kept as it came over the wire.
    let asked: Value = serde_json::from_str(&row.asked).ok()?;
    let argv: Option<Vec<String>> =
        asked.get("command").and_then(|argv| serde_json::from_value(argv.clone()).ok());
    match (argv, asked.get("shell").and_then(Value::as_str)) {
        (Some(argv), _) => Some(argv_of(&argv)),
        (None, Some(text)) => Some(shell_of(text)),
        (None, None) => None,
    }
}
