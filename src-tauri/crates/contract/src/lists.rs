//! Rows of lists: agents, rules, requests, skills, and the state of the whole.

use crate::piece::ShownText;
use postern_policy::{
    AgentIcon, AgentId, Effect, Lifetime, Limits, Millis, PatternError, PatternKind, Preset, Profile, Rule,
    RuleId, RuleInput, RuleOrigin, Settings, kind_name, parse_typed, pattern_text,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of the whole, for the menu-bar item and `postern status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub version: String,
    /// Process id of the host.
    pub pid: u32,
    /// The data folder.
    pub data: String,
    pub mode: Mode,
    /// End of the pause; `None` if it lasts until resumed.
    pub paused_until: Option<Millis>,
    /// Questions that wait.
    pub waiting: u32,
    /// Commands that run.
    pub running: u32,
    /// Faces that can show a question: "window", "terminal".
    pub faces: Vec<String>,
    /// Concerns that need the person's attention.
    pub attention: Vec<Concern>,
    /// Policy of the organization, in plain words; `None` if there is none.
    #[ts(optional = nullable)]
    pub managed: Option<String>,
    /// Agents that the user stopped for a while.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub stopped: Vec<StoppedAgent>,
    /// Reason why this system cannot confine a run, so that the read-only list asks; absent if it can.
    #[ts(optional = nullable)]
    pub cannot_confine: Option<String>,
    /// Reason why this system cannot confine local work with the profile `project`; absent if it can.
    #[ts(optional = nullable)]
    pub cannot_confine_project: Option<String>,
    /// Reason why lines go to the shell as a whole; absent if Postern starts their steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lines_to_shell: Option<LinesToShell>,
    pub started_at: Millis,
}

/// Reason why lines go to the shell as a whole: the programs of their steps are then compared only when a
/// line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum LinesToShell {
    /// The program that starts steps does not lie beside the host.
    Missing,
    /// Replaced since the host started.
    Replaced,
    /// In a place that a confined run does not see.
    Hidden,
    /// The system can't execute an open file.
    System,
}

/// Something that needs the person's attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Concern {
    pub kind: ConcernKind,
    /// Problem, in plain words.
    pub message: String,
    /// Since when; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub since: Option<Millis>,
}

impl Concern {
    /// Names what is wrong and what it is about.
    pub fn new(kind: ConcernKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), since: None }
    }

    /// Adds since when it is so.
    #[must_use]
    pub fn with_since(self, since: Millis) -> Self {
        Self { since: Some(since), ..self }
    }
}

/// Kind of a concern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ConcernKind {
    /// The rules and settings of an organization.
    Managed,
    /// An agent's `permissions.jsonc`.
    Permissions,
    /// A rule that cannot be read.
    Rule,
    Audit,
    /// The records: while they are in doubt, everything is denied.
    Records,
    /// Records that could not be written yet: they are tried again.
    Unwritten,
    /// Threads or processes, of which the system gives no further ones.
    Threads,
    /// An agent's channel that cannot be opened.
    Channel,
    /// The computer's clock, which was set while Postern ran.
    Clock,
    /// Changes of the fleet that wait for the person's signature.
    Signatures,
    /// A window that could not show a question.
    Window,
    /// A folder of skills that does not answer.
    Skills,
}

/// An agent that the user stopped for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StoppedAgent {
    pub agent: AgentId,
    /// End of the stop.
    pub until: Millis,
}

/// State of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Accepts and decides requests.
    Listening,
    /// Denies everything until resumed.
    Paused,
    /// Denies everything because its records are in doubt.
    DenyAll,
}

/// An agent in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    /// Id, which is also the name of its folder.
    pub id: AgentId,
    /// The name that the person gave it.
    pub name: String,
    /// Color, `#rrggbb`.
    pub color: String,
    #[serde(default)]
    pub icon: AgentIcon,
    pub settings: Settings,
    /// The preset they stand for.
    pub preset: Option<Preset>,
    /// True if something is connected to its channel.
    pub connected: bool,
    /// Path of its channel's socket.
    pub socket: String,
    /// Path of its key's file.
    pub key_file: String,
    /// Uids besides the person's own that may connect.
    pub uids: Vec<u32>,
    /// Allow rules of its own.
    pub allow_rules: u32,
    /// Deny rules of its own.
    pub deny_rules: u32,
    pub created_at: Millis,
    /// Time of its last request.
    pub last_seen_at: Option<Millis>,
    /// Denied everything until then, because the person said so.
    pub denied_until: Option<Millis>,
    /// The settings that an organization decides: they cannot be changed here.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub locked: Vec<String>,
}

/// A rule in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleRow {
    pub rule: Rule,
    /// Pattern as it is typed (`git push *`): for an editor, not for showing.
    pub text: String,
    /// Pattern ready to be shown; of a rule about files, a clause about them (`read files in ~/notes`).
    pub shown: ShownText,
    /// Folder in which it holds, ready to be shown; `None` means every folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub place: Option<ShownText>,
    /// Last path of its program, ready to be shown.
    pub last_path: Option<String>,
    /// Reason for it, ready to be shown.
    pub why: Option<String>,
    /// Source, in a word or two.
    pub from: String,
    pub remarks: Vec<RuleRemark>,
}

/// A remark on a rule in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields = nullable)]
pub struct RuleRemark {
    pub kind: RemarkKind,
    /// The remark in words, ready to be shown.
    pub text: String,
    /// The rule that covers this one.
    pub by: Option<RuleId>,
}

/// The kind of a remark on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum RemarkKind {
    /// Allows more than a person can see.
    TooBroad,
    /// Allows all that its words cover, as the person confirmed.
    Broad,
    /// Another rule does all that it does.
    Covered,
    /// Unused for 90 days.
    Unused,
    Expired,
    /// The program is not the one that it was given for.
    Changed,
    /// Bound to a program that is not there.
    NotFound,
    /// Read from a file of the person or an organization, and changed there.
    ReadOnly,
    /// Refused if it was saved now.
    Invalid,
}

/// A rule as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct RuleDraft {
    /// Allow or deny.
    pub effect: Effect,
    /// Agent that it is for; left out, everybody.
    pub agent: Option<AgentId>,
    /// The pattern as typed.
    pub text: String,
    /// Kind; left out, a pattern with `/` or a leading `~` is a path, else a command.
    pub kind: Option<PatternKind>,
    /// Argument patterns, one a word.
    pub args: Option<Vec<String>>,
    /// Bind it to the program as it is now.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub pin: bool,
    /// Also allow redirections that write.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub allow_writes: bool,
    /// Cover whatever the words cover, as the person confirmed.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub broad: bool,
    /// Profile that what it allows runs in; absent means the user's rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confine: Option<Profile>,
    /// Limits of a rule that an answer saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<Limits>>,
    /// Folder in which it allows, with everything below; absent means every folder.
    pub folder: Option<String>,
    /// Standard input that an allow rule covers.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub input: RuleInput,
    /// Origins that it is for.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub origin: RuleOrigin,
    pub lifetime: Option<Lifetime>,
    pub why: Option<String>,
    /// Commands it must match.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub matches: Vec<String>,
    /// Commands it must not match.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub misses: Vec<String>,
}

impl RuleDraft {
    /// Returns a rule for everybody and always, its kind told by how `text` is written.
    pub fn new(effect: Effect, text: impl Into<String>) -> Self {
        Self {
            effect,
            agent: None,
            text: text.into(),
            kind: None,
            args: None,
            pin: false,
            allow_writes: false,
            broad: false,
            confine: None,
            limits: None,
            folder: None,
            input: RuleInput::Nothing,
            origin: RuleOrigin::Any,
            lifetime: None,
            why: None,
            matches: Vec::new(),
            misses: Vec::new(),
        }
    }

    /// Returns a rule as a person would write it.
    pub fn of_rule(rule: Rule) -> Self {
        Self {
            effect: rule.effect,
            text: pattern_text(&rule.pattern),
            kind: Some(kind_name(&rule.pattern)),
            agent: rule.agent,
            args: rule.args,
            pin: rule.pin.is_some(),
            allow_writes: rule.allow_writes,
            broad: rule.broad,
            confine: rule.confine,
            limits: rule.limits,
            folder: rule.folder,
            input: rule.input,
            origin: rule.origin,
            lifetime: Some(rule.lifetime),
            why: rule.why,
            matches: rule.matches,
            misses: rule.misses,
        }
    }

    /// Returns the rule that it stands for, as a person's and without a pin. `home` is the person's home folder.
    pub fn into_rule(self, home: &str) -> Result<Rule, PatternError> {
        let pattern = parse_typed(&self.text, self.kind, home)?;
        Ok(Rule {
            agent: self.agent,
            args: self.args,
            allow_writes: self.allow_writes,
            broad: self.broad,
            confine: self.confine,
            limits: self.limits,
            folder: self.folder,
            input: self.input,
            origin: self.origin,
            lifetime: self.lifetime.unwrap_or(Lifetime::Forever),
            why: self.why.filter(|why| !why.trim().is_empty()),
            matches: self.matches,
            misses: self.misses,
            ..Rule::new(self.effect, pattern)
        })
    }
}

/// A skill and its CLIs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SkillRow {
    pub name: String,
    pub description: String,
    pub folder: String,
    /// Name, ready to be shown.
    pub shown: ShownText,
    /// Description, ready to be shown.
    pub about: ShownText,
    /// Folder, ready to be shown.
    pub place: ShownText,
    pub clis: Vec<SkillCli>,
    /// Fault of its `SKILL.md`, escaped.
    pub problem: Option<String>,
}

/// A CLI that a skill uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SkillCli {
    pub name: String,
    /// Path of its program, if it was found.
    pub path: Option<String>,
    /// Name, ready to be shown.
    pub shown: ShownText,
    /// Path, ready to be shown.
    pub place: Option<ShownText>,
    /// Rule for it, once approved.
    pub rule: Option<i64>,
    pub state: CliState,
    /// First eight hex digits of its sha256.
    pub short_hash: Option<String>,
    /// Version, where cheaply known.
    pub version: Option<String>,
}

postern_protocol::named_values! {
    /// The state of a CLI that a skill uses.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
    pub enum CliState {
        /// Never approved: requests for it ask.
        New = "new",
        /// Unchanged since it was approved.
        Approved = "approved",
        /// Changed or moved since it was approved: requests for it ask.
        Changed = "changed",
        Missing = "missing",
        /// Skills may not bring it, because it runs other code.
        Refused = "refused",
    }
}
