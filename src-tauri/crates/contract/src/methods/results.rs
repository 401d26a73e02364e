//! Results of the control methods.

use crate::{
    AgentRow, AlsoCovers, MultilineText, Question, RequestRow, RuleDraft, RuleRow, ShownEffect, ShownRisk,
    ShownStep, ShownText, ShownTrace, SkillRow,
};
use postern_policy::{AgentId, Decision, Millis, Reason, RuleRef, Settings};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::doors::DoorRow;

/// True if something was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Applied {
    pub applied: bool,
}

/// Questions that wait, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Questions {
    pub questions: Vec<Question>,
}

/// Text of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptText {
    /// All of its lines; at most 256 KiB together.
    pub lines: Vec<ShownText>,
}

/// Readiness of *Allow* in the approver that asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Arming {
    /// True if an allow would count now.
    pub armed: bool,
    /// Time until it is ready, or until it is worth asking again, in milliseconds, if nothing changes.
    ///
    /// `None` if something must happen first.
    pub remaining_ms: Option<u64>,
    /// Missing condition, in words; empty when armed.
    pub missing: String,
}

/// Agents, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agents {
    pub agents: Vec<AgentRow>,
}

/// Kind of sandbox that a channel is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelKind {
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

/// Commands that give a sandbox its agent's channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChannelLines {
    pub kind: ChannelKind,
    /// The lines, ready to be copied.
    #[ts(as = "String")]
    pub text: MultilineText,
    /// The profile in them, for sandboxes that have one.
    #[ts(as = "Option<String>")]
    pub profile: Option<MultilineText>,
    /// The socket on the host.
    pub socket: String,
    /// The key's file on the host.
    pub key_file: String,
}

/// Rules, in the order of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rules {
    pub rules: Vec<RuleRow>,
}

/// Rules as a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleFile {
    /// The file's format: 1.
    pub version: u32,
    /// The rules as they are typed. Pins are not part of a file: they belong to one machine.
    pub rules: Vec<RuleDraft>,
}

/// Result of writing rules from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesImported {
    /// The rules that were saved (or would be): the first thousand of them.
    pub added: Vec<RuleRow>,
    /// Number of those in all.
    pub count: u32,
    /// Number of rules that were there already.
    pub same: u32,
    /// Those that were refused.
    pub refused: Vec<RefusedRule>,
}

/// A rule that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefusedRule {
    /// Pattern as typed.
    pub text: String,
    /// Problem with it.
    pub why: String,
}

/// Effect of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulePreview {
    /// Reason why it would not be saved.
    pub problem: Option<String>,
    /// Remarks to read before it is saved ("the program does not exist").
    pub remarks: Vec<String>,
    /// Number of recent requests that it would have matched.
    pub matched: u32,
    /// Of how many.
    pub of: u32,
    /// Some of them, newest first, as one line of escaped text each.
    pub examples: Vec<String>,
    /// Number of those that would have come out otherwise: let through (or, for a deny rule, denied) where
    /// they were not.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub changed: u32,
    /// Some of those.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub changes: Vec<String>,
    /// Of a broad rule, or of one that has to be: what it covers besides. Of an answer: what it adds to its offer, so that it has to be broad.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub also: Vec<AlsoCovers>,
    /// Arguments that its words would let in and that it does not cover: those that do something dangerous. A few of them, escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub left_out: Vec<String>,
}

/// A place in a text, counted from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
    /// Problem there.
    pub message: String,
    /// That line of the text, escaped and cut where it is long.
    pub text: String,
}

/// An agent's `permissions.jsonc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Permissions {
    pub agent: AgentId,
    /// The file.
    pub path: String,
    /// Text as it is on disk.
    pub text: String,
    /// First fault in it; while there is one, everything the agent asks for is denied.
    pub problem: Option<Place>,
    /// Settings that take the person out of the loop, in plain words; empty for most.
    pub dangers: Vec<String>,
}

/// Sessions that are open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sessions {
    /// By agent and name.
    pub sessions: Vec<SessionRow>,
}

/// A session that an agent has open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionRow {
    pub agent: AgentId,
    /// Name, escaped.
    pub session: String,
    /// True if it may ask for host commands, the agent's own setting counted in.
    pub elevated: bool,
    /// The layers above it, outermost first: each a list of `tool pattern: action`, escaped.
    pub layers: Vec<Vec<String>>,
    /// Lines that *Always* added to it, in the same form.
    pub runtime: Vec<String>,
}

/// A session is closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionClosed {
    /// Number of requests and tool checks that waited in it, and are denied.
    pub denied: u64,
}

/// Skills and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skills {
    /// The folders that are watched.
    pub folders: Vec<String>,
    /// Watched folders, ready to be shown.
    pub places: Vec<ShownText>,
    /// The skills in them, by name.
    pub skills: Vec<SkillRow>,
}

/// A request that was sent on an agent's own channel, as the agent would have sent it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Submitted {
    /// The host's own number for it ([`crate::RequestRow::id`]).
    pub id: String,
}

/// Connected agents and approvers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Doors {
    /// Every door: whether it is open, and who is paired with it.
    pub doors: Vec<DoorRow>,
    /// Connections on agents' channels, oldest first.
    pub clients: Vec<DoorClient>,
    /// Faces connected, oldest first.
    pub approvers: Vec<DoorApprover>,
}

/// A connection on an agent's channel that proved itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorClient {
    pub agent: AgentId,
    /// Name that it gives itself, escaped.
    pub name: String,
    /// The version it says it is, escaped.
    pub version: String,
    pub since: Millis,
}

/// A face that can show a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoorApprover {
    /// `window`, `terminal` or `remote`.
    pub kind: String,
    pub since: Millis,
}

/// A page of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Requests {
    /// The requests, newest first.
    pub requests: Vec<RequestRow>,
    /// Value of `before` for the next page; `None` on the last one.
    ///
    /// A page may be short and have a next one: no reading looks through everything at once.
    pub next: Option<String>,
}

/// The verdict on a command with its whole trace: what `postern explain --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Explained {
    pub decision: Decision,
    pub reason: Reason,
    /// Reason, in one or two sentences.
    pub message: ShownText,
    /// Advice to the agent.
    pub advice: Option<String>,
    /// Risk level, with effects.
    pub risk: ShownRisk,
    /// The rule that decided.
    pub rule: Option<RuleRef>,
    /// The digest of what would be shown and run; empty where nothing could run.
    pub digest: String,
    /// Contribution of each step.
    pub steps: Vec<ShownStep>,
    /// Effects of all steps, the most consequential first.
    pub effects: Vec<ShownEffect>,
    /// Every stage with what it found.
    pub trace: Vec<ShownTrace>,
}

/// The verdict on a use of a tool with its whole trace: what `postern explain --tool NAME --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolExplained {
    pub decision: Decision,
    /// Reason, in one or two sentences.
    pub message: ShownText,
    /// Lines that *Always* would add to the file for this tool; empty if nothing can be saved.
    pub always: Vec<String>,
    /// Risk level, with effects.
    pub risk: ShownRisk,
    /// Effects of the use, the most consequential first.
    pub effects: Vec<ShownEffect>,
    /// Every layer with what it found: the tool gate, and for a shell tool the rules for host commands.
    pub trace: Vec<ShownTrace>,
}

/// Settings of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HostSettings {
    /// Days of history that are kept: 1 to 3650.
    pub keep_days: u32,
    /// The settings that a new agent starts with.
    pub new_agent: Settings,
    /// While the screen is locked, only paired approvers (a chat, a device) are asked and may allow. With none
    /// connected, a request that needs an answer is denied at once.
    pub deny_when_locked: bool,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self { keep_days: 90, new_agent: Settings::default(), deny_when_locked: true }
    }
}

/// Amount of data that is kept on this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataUse {
    /// The data folder.
    pub folder: String,
    /// Bytes of the record in use: history, rules, agents and settings.
    pub bytes: u64,
    /// Time of the oldest request in the history; `None` if there is none.
    pub oldest: Option<Millis>,
}

/// A tool call that waits for a person: what source 4 calls `tool_approval_required`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolQuestion {
    pub approval_id: String,
    pub agent: AgentId,
    /// The tool, MCP tools by qualified name.
    pub tool_name: String,
    /// The arguments as a JSON text, in which characters that cannot be seen are written as `\u` escapes.
    pub arguments: String,
    pub session_id: String,
}

/// Tool calls that wait, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolQuestions {
    /// The calls.
    pub tools: Vec<ToolQuestion>,
}
