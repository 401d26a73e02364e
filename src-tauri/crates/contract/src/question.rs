//! A question as every face shows it: everything a person needs to judge, nothing that a page could turn into a run.

use crate::lines::BodyLines;
use crate::piece::{ShownText, join_pieces};
use crate::program_path::is_of_system;
use crate::renewal::Renewal;
use crate::shown::{ShownRisk, ShownStep, ShownTrace};
use crate::subject::ShownSubject;
use postern_command::effect::WordRole;
use postern_policy::{
    AgentIcon, AgentId, Millis, NothingToSave, Origin, Pattern, Profile, RuleInput, RuleRef,
};
use postern_protocol::SessionKind;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Agent that asks, and how it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Asker {
    /// The agent's name, which is also its channel's.
    pub agent: AgentId,
    /// The name that the person gave it.
    pub name: ShownText,
    /// Color, `#rrggbb`.
    pub color: String,
    #[serde(default)]
    pub icon: AgentIcon,
    /// Proof of its identity: "on its own channel".
    pub known_by: ShownText,
    /// Session, if it named one.
    pub session: Option<ShownText>,
    /// Kind of text that `session` is.
    #[serde(default, skip_serializing_if = "SessionKind::is_name")]
    #[ts(as = "Option<_>", optional)]
    pub session_kind: SessionKind,
    /// Reason that the agent gives, quoted as untrusted.
    pub says: Option<ShownText>,
}

impl Asker {
    /// Returns the session's name for people; `None` if there is only an id.
    pub fn session_name(&self) -> Option<&ShownText> {
        self.session.as_ref().filter(|_| self.session_kind.is_name())
    }

    /// Returns the session's id, if it has no name for people.
    pub fn session_id(&self) -> Option<&ShownText> {
        self.session.as_ref().filter(|_| !self.session_kind.is_name())
    }
}

/// A program that would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownProgram {
    /// Name as invoked.
    pub name: ShownText,
    /// Absolute path.
    pub path: ShownText,
    /// Target of the path, if it is a link.
    pub real_path: Option<ShownText>,
    /// Version, where cheaply known.
    pub version: Option<String>,
    /// First eight hex digits of its sha256.
    pub short_hash: Option<String>,
    /// Signer (macOS).
    pub signer: Option<ShownText>,
    /// Remarks in plain words: "a shell", "runs as root", "unchanged since 3 Nov", "changed 14.1 → 15.0, same signer".
    pub remarks: Vec<ShownText>,
    /// The bound script that it would run.
    pub script: Option<ShownScript>,
}

impl ShownProgram {
    /// Returns true if a bare name leads to a program outside of the folders in which only the system installs programs.
    pub fn is_elsewhere(&self) -> bool {
        !join_pieces(&self.name).contains('/') && !is_of_system(&join_pieces(&self.path))
    }
}

/// A script that an interpreter would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownScript {
    pub path: ShownText,
    /// The sha256 of its content, in hex.
    pub sha256: String,
    /// First lines, at most 40.
    pub preview: Vec<ShownText>,
    /// True if the script goes on behind them (`questions.script`).
    #[serde(default)]
    pub more: bool,
    #[serde(default)]
    pub state: ScriptState,
}

impl ShownScript {
    /// Returns the beginning of its hash: enough to compare two by eye.
    pub fn short_hash(&self) -> &str {
        self.sha256.get(..8).unwrap_or(&self.sha256)
    }
}

/// State of a script against what a person last allowed of it, for any agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptState {
    /// Allowed by nobody yet.
    #[default]
    New,
    /// Allowed with another content.
    Changed,
    Unchanged,
}

impl ShownScript {
    /// Returns true if a person has to see its first lines before they allow it.
    pub fn is_unknown(&self) -> bool {
        self.state != ScriptState::Unchanged
    }

    /// Returns what is to be said of it; `None` if it is as it was allowed.
    pub fn news(&self) -> Option<&'static str> {
        match self.state {
            ScriptState::New => Some("new"),
            ScriptState::Changed => Some("changed"),
            ScriptState::Unchanged => None,
        }
    }
}

/// Standard input as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ShownInput {
    /// Text in the request, in full.
    Text {
        /// Length in bytes.
        bytes: u64,
        lines: Vec<ShownText>,
    },
    /// A stream that the agent sends during the run: nobody has seen it, and nothing is bound to it.
    Stream,
}

impl ShownInput {
    /// Describes the input; the text itself is in its lines.
    pub fn describe(&self) -> String {
        match self {
            Self::Text { bytes, .. } => format!("{bytes} bytes of text"),
            Self::Stream => "sent by the agent while it runs: nobody has seen it".to_owned(),
        }
    }

    /// Returns the lines of a text, and none for a stream.
    pub fn text_lines(&self) -> &[ShownText] {
        match self {
            Self::Text { lines, .. } => lines,
            Self::Stream => &[],
        }
    }
}

/// A stretch of the shown command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CommandPart {
    pub text: ShownText,
    pub role: PartRole,
    /// The step it belongs to: index into [`Question::steps`].
    pub step: Option<usize>,
}

/// Role of a stretch of the shown command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum PartRole {
    /// The program's name.
    Program,
    /// An argument, or anything else within a step.
    Argument,
    /// Between steps: `&&`, `|`, `;`.
    Operator,
}

/// A change to the environment that the run would have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EnvChange {
    pub kind: EnvChangeKind,
    pub name: ShownText,
    /// The new value.
    pub value: ShownText,
    /// The value it replaces.
    pub was: Option<ShownText>,
}

/// Kind of change of an environment name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum EnvChangeKind {
    Added,
    /// Replaces a value.
    Changed,
    /// Requested and refused.
    Refused,
}

/// Rule that *Always* would save; offers come narrowest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// `confined`, `exact`, `command`, `path`, `renew` or `renew-everyone`; what `--always` names on the command line.
    pub id: String,
    /// In words: "this exact command", "git push … with any arguments", "everything git does (until git is updated)".
    pub label: ShownText,
    /// Folder in which it would hold, with everything below.
    ///
    /// `None` means every folder, which an answer confirms by `AnswerParams::anywhere`. Rules for a tool
    /// have no folder.
    #[ts(optional = nullable)]
    pub folder: Option<ShownText>,
    /// Other folders in which it could hold, innermost first: `AnswerParams::folder`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub folders: Vec<OfferFolder>,
    /// The rules it would save (a chain saves one for each step that no rule covers).
    pub rules: Vec<ProposedRule>,
    /// Number of rules it renews instead of saving new ones ([`Question::renews`]).
    ///
    /// They stay as they are, and hold for the program as it is now. None of the other choices of an answer
    /// go with it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub renews: u32,
    /// Number of the agent's recent requests it would have let through, and the number of those examined.
    pub would_match: Option<(u32, u32)>,
}

impl Proposal {
    /// Returns whether what it saves has a place, or stays in the one that it has: an answer need not say `anywhere`.
    pub fn is_placed(&self) -> bool {
        self.folder.is_some() || self.renews > 0
    }
}

/// A folder in which an offer could hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OfferFolder {
    /// Real path.
    pub path: String,
    /// The path as it is shown; below the person's home as `~`.
    pub shown: ShownText,
}

/// A rule that an offer would save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposedRule {
    pub pattern: Pattern,
    /// The pattern as it is typed into an editor (`git push *`).
    pub text: String,
    /// Role of each word of the text, where words stand apart and one has a role; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(type = "(\"none\" | \"branch\" | \"host\" | \"path\" | \"remote\")[]", optional)]
    pub words: Vec<WordRole>,
    /// True if it is bound to the program (and script) as it is now.
    pub pinned: bool,
    /// True if a known developer signed the program, so that an answer may say `AnswerParams::by_signer`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub signed: bool,
    /// Folder in which it would hold, as it would be saved.
    #[ts(optional = nullable)]
    pub folder: Option<String>,
    /// Input that it would cover.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub input: RuleInput,
    /// Profile that what it allows would run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confine: Option<Profile>,
}

/// Earlier request of the same session: it helps to judge, and decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Past {
    /// The command's beginning, up to 200 characters.
    pub line: ShownText,
    /// Result, in words: "exit 0", "denied", "runs".
    pub outcome: ShownText,
    /// Time of the request.
    pub at: Millis,
}

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own on the wire")]
pub struct Question {
    /// UUID (v7).
    pub id: String,
    /// Four hex digits, unique among what waits; what people type.
    pub code: String,
    /// Name of the Mac of the fleet on which it waits; absent if it is this one. The headline begins with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<String>,
    /// Digest of what is shown, which an answer names: sha256 over the plan's, the level of danger, and all that *always*
    /// would save.
    pub digest: String,
    /// The requests that wait for it (the same plan asked twice is one question).
    pub requests: Vec<String>,
    pub asker: Asker,
    /// Actor that would carry it out.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub origin: Origin,
    /// The agent's own tool that it is about; `None` for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ShownText>,
    /// Subject, in its own form. All of it is in [`Self::line`] as well.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub subject: ShownSubject,
    /// The command in stretches, as it is shown.
    pub command: Vec<CommandPart>,
    /// Bodies of the here-documents in it that can be folded: no step begins in one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<BodyLines>>", optional)]
    pub bodies: Vec<BodyLines>,
    /// The command as one line of escaped text, for terminals and chat.
    pub line: String,
    /// Arguments, one to a row, for an argv request.
    pub argv: Option<Vec<ShownText>>,
    /// True if it is a line of shell text.
    pub shell: bool,
    /// The command as a line of shell text that a person can change (`EditParams`).
    ///
    /// `None` if it cannot be changed: a tool, or a text with characters that cannot be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub editable: Option<String>,
    /// Command that the agent asked for, if a person changed it: the command on show is the person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited: Option<ShownText>,
    /// Contribution of each step.
    pub steps: Vec<ShownStep>,
    /// Programs that would run.
    pub programs: Vec<ShownProgram>,
    /// Programs and scripts among them that the agent can change until they run, each once. An approval covers
    /// their content at run time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ShownText>>", optional)]
    pub changeable: Vec<ShownText>,
    pub cwd: ShownText,
    /// Repository that the working directory is in, by the address of its `origin`; at GitHub by owner and name.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<ShownText>,
    /// Branch of the repository that the working directory is in.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ShownText>,
    pub env: Vec<EnvChange>,
    /// Standard input, if there is any.
    pub stdin: Option<ShownInput>,
    /// The most consequential effect, as a sentence about the agent without its full stop.
    pub headline: ShownText,
    /// Dangers as sentences that the headline does not say; empty unless it is dangerous.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub danger: Vec<ShownText>,
    /// The rights that it would run with, as a sentence without its full stop.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub confinement: ShownText,
    /// Profiles with fewer rights that a person can choose for it.
    #[ts(as = "Option<Vec<Profile>>", optional)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tighter: Vec<Profile>,
    /// True if a person chose the rights, and not the agent.
    #[ts(as = "Option<bool>", optional)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confined_by_person: bool,
    /// Reason for the question, in one or two sentences.
    pub why: ShownText,
    /// The rule that matched, if any.
    pub rule: Option<RuleRef>,
    /// The policy that asks, in words: "Ask when no rule matches".
    pub policy: ShownText,
    #[ts(as = "Option<Vec<ShownTrace>>", optional)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<ShownTrace>,
    /// Risk level, with the effects that the headline does not name.
    pub risk: ShownRisk,
    /// True if it is never shown as one with others: an effect does not name what it is about.
    #[ts(as = "Option<bool>", optional)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Rules that *Always* would save; empty if nothing is to be saved.
    pub proposals: Vec<Proposal>,
    /// The rules that were given for a program as it was before it changed; a proposal renews them ([`Proposal::renews`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Renewal>>", optional)]
    pub renews: Vec<Renewal>,
    /// Reason why there are no proposals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub nothing_to_save: Option<Unsaved>,
    /// The agent's `env-set` with which the variables of this request are not asked about, where they are the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub env_setting: Option<String>,
    pub asked_at: Millis,
    /// Time at which it ends by itself.
    pub expires_at: Millis,
    /// Result at that time, in words: "Denied".
    pub at_zero: ShownText,
    /// True if it may be allowed then.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub allowed_at_zero: bool,
    /// Time it must have been visible and unchanged before *Allow* works, in milliseconds.
    pub arming_ms: u64,
    /// Number of further questions, of all agents.
    pub waiting: u32,
    /// Number of the same agent's requests that wait for their turn.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub queued: u32,
    /// Number of this agent's requests that people denied in the last ten minutes, without words for it.
    #[ts(as = "Option<u32>", optional)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u32,
    /// Recent requests of this session, newest first, at most three.
    #[serde(default)]
    pub recent: Vec<Past>,
}

impl Question {
    /// Returns true if this is its id or its code.
    pub fn is_named(&self, name: &str) -> bool {
        self.id == name || self.code == name
    }

    /// Returns the offers that hold in the request's folder, narrowest first, or the reason why there are none. A remote approver
    /// saves only these: it can't confirm a rule for every folder (a tool's offer has no folder).
    pub fn placed(&self) -> Result<Vec<&Proposal>, NothingToSave> {
        let placed = |offer: &&Proposal| self.tool.is_some() || offer.is_placed();
        let offers: Vec<&Proposal> = self.proposals.iter().filter(placed).collect();
        match (self.proposals.is_empty(), offers.is_empty()) {
            (true, _) => Err(self.why_unsaved()),
            (false, true) => Err(NothingToSave::EveryFolder),
            (false, false) => Ok(offers),
        }
    }

    /// Returns the reason why there are no proposals.
    pub fn why_unsaved(&self) -> NothingToSave {
        self.nothing_to_save.as_ref().map_or(NothingToSave::NoRuleHelps, |unsaved| unsaved.reason)
    }

    /// Returns the reason why there are no proposals, with the setting that would help, in words.
    pub fn unsaved_words(&self) -> Option<String> {
        let why = &self.nothing_to_save.as_ref()?.text;
        Some(match &self.env_setting {
            Some(setting) => {
                let agent = &self.asker.agent;
                format!("{why}; to allow that from now on: postern agents set {agent} env-set={setting}")
            }
            None => why.clone(),
        })
    }
}

/// The reason why *always* saves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Unsaved {
    pub reason: NothingToSave,
    /// The reason in words, as a clause that follows *because*.
    pub text: String,
}

impl From<NothingToSave> for Unsaved {
    fn from(reason: NothingToSave) -> Self {
        Self { reason, text: crate::render::nothing_to_save(reason).to_owned() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
