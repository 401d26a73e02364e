//! Parameters of the methods of requests, and of verdicts on what could be asked.

use postern_policy::{AgentId, Millis, RuleId};
use postern_protocol::{Decided, RunState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Filter of requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestFilter {
    /// Those of this agent.
    pub agent: Option<AgentId>,
    /// Those in this state.
    pub state: Option<RunState>,
    /// Those that came in at or after this time.
    pub since: Option<Millis>,
    /// Those that came in before this time.
    pub until: Option<Millis>,
    /// Those that were decided like this ([`crate::RequestRow::decided`]).
    pub decided: Option<Decided>,
    /// Those that this rule decided.
    pub rule: Option<RuleId>,
    /// Those with an effect of this kind (`delete`, `send`, `run-project-code`).
    pub effect: Option<String>,
    /// Those that would run in this folder itself, by its real path.
    pub folder: Option<String>,
    /// Those whose command line has these words.
    pub search: Option<String>,
    /// Those older than this one: [`crate::methods::Requests::next`] of the page before.
    pub before: Option<String>,
    /// Most requests to return: 1 to 1000, 100 if left out.
    pub limit: Option<u32>,
    /// True to show the secrets in them too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub secrets: bool,
}

/// Text to find in the output of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputSearch {
    /// Text, in any case of its ASCII letters.
    pub text: String,
    /// Most requests to return: 1 to 1000, 100 if left out.
    pub limit: Option<u32>,
    /// True to show the secrets in their commands too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub secrets: bool,
}

/// Names a request to be shown in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestAsk {
    /// The host's own number for it ([`crate::RequestRow::id`]).
    pub id: String,
    /// True to show the secrets in it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub secrets: bool,
}

/// Names a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestNumber {
    /// The host's own number for it ([`crate::RequestRow::id`]).
    pub id: String,
}

/// Part of the history to examine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct InsightsAsk {
    /// The last so many days, today among them: 1 to 366.
    pub days: u32,
    /// Of this agent; none means of all.
    pub agent: Option<AgentId>,
    /// Those with an effect of this kind (`delete`, `send`, `run-project-code`).
    pub effect: Option<String>,
}

/// Watch the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestsWatch {
    /// Those of this agent only.
    pub agent: Option<AgentId>,
    /// Number of requests to begin with: 0 to 1000, 100 if left out.
    pub limit: Option<u32>,
}

/// Ends a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestKill {
    /// The host's own number for it.
    pub id: String,
    /// `TERM` (the default), which KILL follows after the grace; `KILL`, at once; or a signal that is only
    /// sent.
    ///
    /// Those are `HUP`, `INT`, `QUIT`, `USR1`, `USR2`, `CONT`, `STOP`. A request that waits is denied by any
    /// signal.
    pub signal: Option<String>,
}

/// A command to be explained. One of `argv` and `shell`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Explain {
    /// Agent that would ask.
    pub agent: AgentId,
    /// Program and arguments.
    pub argv: Option<Vec<String>>,
    /// A line of shell text.
    pub shell: Option<String>,
    /// Working directory; the home folder if left out.
    pub cwd: Option<String>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub env: BTreeMap<String, String>,
    pub session: Option<String>,
}

/// Asks for the verdict on a use of an agent's own tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct ToolExplain {
    /// Agent that would use the tool.
    pub agent: AgentId,
    /// The tool, as `permissions.jsonc` names it.
    pub tool: String,
    /// Arguments: an object.
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub arguments: serde_json::Map<String, serde_json::Value>,
    pub session: Option<String>,
}
