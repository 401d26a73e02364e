//! What control methods take.

use crate::RuleDraft;
use postern_policy::{AgentId, Millis, Preset, Rule, RuleId, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

use super::policy::ImportedSettings;
use super::results::RuleFile;

/// Takes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// How long to deny everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Pause {
    /// Milliseconds; none lasts until resumed.
    #[serde(default)]
    pub for_ms: Option<u64>,
}

/// Names a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionRef {
    /// Its id or its four-digit code.
    pub question_id: String,
}

/// What a face is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum FaceKind {
    /// The approval window.
    Window,
    /// A terminal.
    Terminal,
    /// Something that only looks on: it does not count as being on duty.
    Observer,
}

/// Watch the questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionsWatch {
    /// Who watches.
    pub face: FaceKind,
}

/// What a face shows of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Presented {
    /// The question's id.
    pub question_id: String,
    /// The digest of what is on show.
    pub digest: String,
    /// Whether it is visible: not covered, not hidden, screen unlocked.
    pub visible: bool,
    /// Whether its end was seen: it fits, or it was scrolled to the end.
    pub end_seen: bool,
    /// A number that the face raises at every move, resize and change of focus: each starts the waiting over. The same
    /// report again only asks how long it still takes.
    pub change: u64,
}

/// A question that a face cannot show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unpresented {
    /// The question's id.
    pub question_id: String,
    /// Why not, in words: "the screen is locked", "its page crashed".
    pub why: String,
}

/// Names an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRef {
    /// The agent.
    pub agent: AgentId,
}

/// A new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AgentAdd {
    /// Its name and folder.
    pub agent: AgentId,
    /// The name to show; its id where left out.
    #[serde(default)]
    pub name: Option<String>,
    /// Its colour, `#rrggbb`; the next free one where left out.
    #[serde(default)]
    pub color: Option<String>,
    /// Where to start; *Ask* where left out.
    #[serde(default)]
    pub preset: Option<Preset>,
}

/// A change to an agent. What is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct AgentSet {
    /// The agent.
    pub agent: AgentId,
    /// All its settings at once.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Single values as a person types them, applied after `settings`: `ask` = `always`, `approvalTimeout` = `2m`,
    /// `preset` = `deny`, `name`, `color`, `uids` = `1000,1001`, `deniedUntil` = `10m` or `none`. `fallback` =
    /// `full` needs `confirm` = `yes` beside it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub values: BTreeMap<String, String>,
}

/// What a channel is to be put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelKind {
    /// A Docker container.
    Docker,
    /// A development container, by its feature.
    Devcontainer,
    /// bubblewrap.
    Bwrap,
    /// `sandbox-exec` on macOS.
    SandboxExec,
    /// An MCP client, which starts `postern mcp`.
    Mcp,
    /// A container in a virtual machine, by the door `forwarder`.
    Forwarder,
    /// Anything that is told by environment variables.
    Plain,
}

/// Asks for an agent's channel lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChannelAsk {
    /// The agent.
    pub agent: AgentId,
    /// What for.
    pub kind: ChannelKind,
}

/// Which rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RuleFilter {
    /// Those of this agent; none means every agent's.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// Leave out everybody's rules (with `agent`), so that only the agent's own are listed.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub own: bool,
    /// Leave out so many of the first, for the next page of a long list.
    #[serde(default)]
    pub skip: Option<u32>,
    /// How many at most; all where left out.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Names a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleNumber {
    /// Its number.
    pub id: RuleId,
}

/// A rule written anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleUpdate {
    /// Its number.
    pub id: RuleId,
    /// What it is from now on.
    pub rule: RuleDraft,
    /// Keep the pin it has instead of pinning the program as it is now (with `rule.pin`).
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub keep_pin: bool,
}

/// How rules from a file are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum RulesWrite {
    /// To what is there; the same rule twice is one.
    #[default]
    Add,
    /// Only look: nothing is saved.
    Check,
}

/// Rules from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RulesImport {
    /// The file's content.
    pub file: RuleFile,
    /// Give every rule to this agent, whatever the file says.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// How.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub write: RulesWrite,
    /// The rules of this batch behind those of the file.
    #[serde(default)]
    pub batch: Option<String>,
    /// Settings that `agent` gets with them, or, where a rule is refused, does not.
    #[serde(default)]
    pub settings: Option<ImportedSettings>,
}

/// A new text for an agent's `permissions.jsonc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionsSet {
    /// The agent.
    pub agent: AgentId,
    /// The whole text, comments and all.
    pub text: String,
}

/// Which sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SessionFilter {
    /// Those of this agent; none means every agent's.
    #[serde(default)]
    pub agent: Option<AgentId>,
}

/// Names an open session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionName {
    /// Whose.
    pub agent: AgentId,
    /// Its name, escaped as `sessions.list` tells it.
    pub session: String,
}

/// Names a folder of skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillFolder {
    /// Absolute, or with `~`.
    pub folder: String,
}

/// Approves a skill's CLIs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SkillApprove {
    /// The skill's name.
    pub skill: String,
    /// One CLI of it; none approves all that were found.
    #[serde(default)]
    pub cli: Option<String>,
}

/// Which requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestFilter {
    /// Those of this agent.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// Those in this state (`denied`, `finished`, `running`, …).
    #[serde(default)]
    pub state: Option<String>,
    /// Those that came in at or after this time.
    #[serde(default)]
    pub since: Option<Millis>,
    /// Those that came in before this time.
    #[serde(default)]
    pub until: Option<Millis>,
    /// Those that were decided like this ([`crate::RequestRow::decided`]).
    #[serde(default)]
    pub decided: Option<String>,
    /// Those that this rule decided.
    #[serde(default)]
    pub rule: Option<RuleId>,
    /// Those whose command line has these words.
    #[serde(default)]
    pub search: Option<String>,
    /// Those older than this one: [`super::Requests::next`] of the page before.
    #[serde(default)]
    pub before: Option<String>,
    /// How many at most: 1 to 1000, 100 where left out.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Names a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestNumber {
    /// The host's own number for it ([`crate::RequestRow::id`]).
    pub id: String,
}

/// Rules as they are to be: what undoes and redoes a change, and what a clean-up does, in one transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesPut {
    /// Rules to write whole, with pin and use. One whose number is 0 is new; another number is one that was given
    /// before, whether the rule is still there or not.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub put: Vec<Rule>,
    /// Rules to remove. Those that are gone already are passed over.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub remove: Vec<RuleId>,
}

/// Which part of the history to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct InsightsAsk {
    /// The last so many days, today among them: 1 to 366.
    pub days: u32,
    /// Of this agent; none means of all.
    #[serde(default)]
    pub agent: Option<AgentId>,
}

/// Watch the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestsWatch {
    /// Those of this agent only.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// How many to begin with: 0 to 1000, 100 where left out.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Ends a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RequestKill {
    /// The host's own number for it.
    pub id: String,
    /// `TERM` (left out: the same), which KILL follows after the grace; `KILL`, at once; or `HUP`, `INT`, `QUIT`, `USR1`,
    /// `USR2`, `CONT`, `STOP`, which are only sent. One that waits is denied, whatever the signal.
    #[serde(default)]
    pub signal: Option<String>,
}

/// A command to be explained. One of `argv` and `shell`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct Explain {
    /// Whose request it would be.
    pub agent: AgentId,
    /// Program and arguments.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// A line of shell text.
    #[serde(default)]
    pub shell: Option<String>,
    /// Where; the home folder where left out.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Environment overrides.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub env: BTreeMap<String, String>,
    /// The session.
    #[serde(default)]
    pub session: Option<String>,
}

/// Asks for the verdict on a use of an agent's own tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct ToolExplain {
    /// Whose tool it is.
    pub agent: AgentId,
    /// The tool, as `permissions.jsonc` names it.
    pub tool: String,
    /// Its arguments: an object.
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The session.
    #[serde(default)]
    pub session: Option<String>,
}

/// Approves a tool call (source 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolApprove {
    /// The session.
    pub session_id: String,
    /// The approval.
    pub approval_id: String,
    /// Also allow what is like it from now on.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub always: bool,
}

/// Denies a tool call (source 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct ToolDeny {
    /// The session.
    pub session_id: String,
    /// The approval.
    pub approval_id: String,
    /// Words for the agent.
    #[serde(default)]
    pub feedback: Option<String>,
}
