//! Deny and allow rules as a person sees them and the store keeps them.

use crate::settings::AgentId;
use crate::subject::Origin;
use postern_command::EffectScope;
use postern_protocol::Profile;
use serde::{Deserialize, Serialize};

/// A rule's number in the store; rules from files have negative numbers that last until the file is read again.
pub type RuleId = i64;

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

postern_protocol::named_values! {
    /// Effect of a rule.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Effect {
        /// Allows what it matches.
        Allow = "allow",
        /// Denies what it matches, at any depth.
        Deny = "deny",
        /// Forces a question (`permissions.jsonc` only).
        Ask = "ask",
    }
}

/// Pattern of a rule. Its kind comes from how the rule was written, never from a guess when matching.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Pattern {
    /// Path with globs: `~/Projects/**/bin/bird`.
    ///
    /// `*` stays inside one component. Matches the invoked absolute path or the real path.
    Path(String),
    /// Words of a command: `git push *`. Matched word by word; a last `*` means any further arguments.
    Command(String),
    /// This argv, byte for byte.
    Exact(Vec<String>),
    /// The identity of the program alone.
    Identity(IdentityPattern),
    /// Files that no program may read, by a path with globs: `**/.env`. In deny rules only.
    Read(String),
    /// Files that no program may write or delete: `~/Documents/**`. In deny rules only.
    Write(String),
}

impl Pattern {
    /// Returns the files that the pattern is about, and what may not be done to them.
    pub fn file_access(&self) -> Option<(FileAccess, &str)> {
        match self {
            Self::Read(text) => Some((FileAccess::Read, text)),
            Self::Write(text) => Some((FileAccess::Write, text)),
            Self::Path(_) | Self::Command(_) | Self::Exact(_) | Self::Identity(_) => None,
        }
    }
}

/// Access to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileAccess {
    Read,
    /// Writes, moves or deletes it.
    Write,
}

/// The kinds of pattern that can be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PatternKind {
    /// A path with globs.
    Path,
    /// Words of a command.
    Command,
    /// This argv.
    Exact,
    /// The sha256 of a program, or `team:TEAMID`, `signing:TEAMID:ID`, `signing:platform:ID` on macOS.
    Identity,
    /// Files that may not be read.
    Read,
    /// Files that may not be written.
    Write,
}

/// A program by what it is, wherever it lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "by", content = "is", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum IdentityPattern {
    /// sha256 of the file, 64 hex digits.
    Sha256(String),
    /// macOS signing identifier under who signed it: `signing:TEAMID:com.example.tool`, `signing:platform:com.apple.git`.
    Signed {
        /// The signer.
        signer: Signer,
        /// Signing identifier.
        id: String,
    },
    /// macOS signing identifier alone (`signing:com.apple.git`). Any file can claim it: it denies, and allows
    /// nothing.
    SigningId(String),
    /// macOS team identifier.
    TeamId(String),
}

/// Signer that a rule requires.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "by", content = "is", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Signer {
    /// Apple, as a part of macOS.
    Platform,
    /// The developer with this team identifier.
    Team(String),
}

/// Authority of a signature, found by code requirement and never by a name that the signature claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Authority {
    /// Apple: part of macOS.
    Platform,
    AppStore,
    /// A Developer ID certificate.
    DeveloperId,
    /// No signer: signed ad hoc, which anyone can do.
    AdHoc,
    /// Unknown: self-signed, or recorded before authorities were checked.
    #[default]
    Unknown,
}

/// Identity of a file at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Identity {
    /// sha256 of its content, 64 hex digits.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970, as decimal text (it does not fit a JavaScript number).
    pub mtime_ns: String,
    /// Change time in nanoseconds since 1970, as decimal text.
    pub ctime_ns: String,
    /// Device number.
    pub device: u64,
    /// Inode number, as decimal text.
    pub inode: String,
    /// Version, where cheaply known.
    pub version: Option<String>,
    /// macOS code signature, where there is one.
    pub signature: Option<Signature>,
}

/// A macOS code signature.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Signature {
    /// Authority. Without one the names below are only claims.
    #[serde(default)]
    pub authority: Authority,
    /// Signing identifier, as the file claims it.
    pub signing_id: String,
    /// Team identifier, as the file claims it.
    pub team_id: Option<String>,
    /// Hash of the code directory, hex.
    pub cdhash: String,
}

impl Signature {
    /// Returns the developer's team, if an Apple-issued certificate proves it.
    pub fn proven_team(&self) -> Option<&str> {
        match self.authority {
            Authority::AppStore | Authority::DeveloperId => self.team_id.as_deref(),
            Authority::Platform | Authority::AdHoc | Authority::Unknown => None,
        }
    }

    /// Returns the signer, if it is more than a claim.
    pub fn signer(&self) -> Option<Signer> {
        match self.authority {
            Authority::Platform => Some(Signer::Platform),
            Authority::AppStore | Authority::DeveloperId => self.team_id.clone().map(Signer::Team),
            Authority::AdHoc | Authority::Unknown => None,
        }
    }
}

/// The identity a rule was approved with. The rule holds while the file's sha256 is this one, or where that suffices, its signer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Pin {
    /// The program as it was approved.
    pub program: Identity,
    /// The script it was approved with, for an interpreter: path and sha256.
    pub script: Option<ScriptPin>,
    /// True if other versions of the program hold as well, where the same signer signed them under the same name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub by_signer: bool,
}

impl Pin {
    /// Returns a pin on a program's content.
    pub fn new(program: Identity) -> Self {
        Self { program, script: None, by_signer: false }
    }

    /// Returns true if a known signer signed the program.
    pub fn is_signed(&self) -> bool {
        self.program.signature.as_ref().is_some_and(|signature| signature.signer().is_some())
    }

    /// Returns true if it holds for the program as it is now.
    pub fn holds(&self, now: &Identity) -> bool {
        let signed = |identity: &Identity| {
            let signature = identity.signature.as_ref()?;
            Some((signature.signer()?, signature.signing_id.clone()))
        };
        let by_signer =
            || self.by_signer && signed(now).is_some_and(|now| Some(now) == signed(&self.program));
        now.sha256.eq_ignore_ascii_case(&self.program.sha256) || by_signer()
    }
}

/// The script that an interpreter's rule is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ScriptPin {
    /// Real path.
    pub path: String,
    /// sha256 of its content, 64 hex digits.
    pub sha256: String,
}

/// Standard input that an allow rule covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "sha256")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleInput {
    /// No input, except for programs that treat it as data or ignore it.
    #[default]
    Nothing,
    /// This text, by its sha256 (64 hex digits), or no input.
    Text(String),
    /// Any input, also a stream.
    Any,
}

/// Effects and places beyond which a rule covers nothing: those of the step that it was given for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Limits {
    /// Effects that a step may have.
    pub effects: Vec<CoveredEffect>,
    /// Folders that a step may name beside the agent's and the system's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub places: Vec<String>,
    /// Surroundings of an exact command. With no effects they alone bound the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub around: Option<Surroundings>,
    /// Hooks of a repository that an exact command or a whole line may run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub hooks: Vec<String>,
}

/// Parts of a step beside its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Surroundings {
    /// Words of the wrappers that start it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub wrappers: Vec<String>,
    /// Variables that it sets: `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub variables: Vec<String>,
    /// Files that it opens, `< file`, and the sha256 of texts that it is fed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub redirections: Vec<String>,
}

impl Limits {
    /// Returns true if they bound the effects of a step, and not only what is around it.
    pub fn hold_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Returns true for those of a whole line, which has no effects of its own.
    pub fn is_line(&self) -> bool {
        self.effects.is_empty() && self.around.is_none()
    }

    /// Returns the first of these hooks that they do not name.
    pub(crate) fn unnamed_hook<'h>(&self, hooks: &'h [String]) -> Option<&'h str> {
        hooks.iter().find(|hook| !self.hooks.contains(hook)).map(String::as_str)
    }
}

/// An effect that a rule covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CoveredEffect {
    /// Kind: `read`, `write`, `run-project-code`.
    pub kind: String,
    /// Widest reach.
    #[cfg_attr(feature = "ts", ts(type = "\"inside\" | \"outside\" | \"machine\" | \"remote\""))]
    pub scope: EffectScope,
    /// Hosts, remotes or packages that it may be about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub names: Vec<String>,
    /// Words that the effect was shown by: `commit changes`. `None` in rules of before, which cover any of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub says: Option<String>,
}

/// Origins that a rule is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleOrigin {
    /// Postern on this machine, and the agent in its own shell.
    #[default]
    Any,
    /// The agent in its own shell, and nobody else.
    AgentShell,
}

impl RuleOrigin {
    /// Returns for whom an answer to a request allows: what was asked for in the agent's own shell is allowed there alone.
    pub fn of_answer(origin: Origin) -> Self {
        match origin {
            Origin::Host => Self::Any,
            Origin::AgentShell | Origin::Tool => Self::AgentShell,
        }
    }

    /// Returns true if a rule holds for what this origin would run.
    pub fn holds_for(self, origin: Origin) -> bool {
        match self {
            Self::Any => true,
            Self::AgentShell => origin == Origin::AgentShell,
        }
    }
}

/// Source of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "name")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Source {
    /// Written by the person.
    Person,
    /// Saved from a question.
    Always,
    /// A skill's CLI.
    Skill(String),
    /// An agent's `permissions.jsonc`.
    File,
    /// Shipped by an organization; read-only.
    Managed,
    Import,
}

/// Lifetime of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Lifetime {
    /// Lifetime without an end.
    Forever,
    /// Until this time (milliseconds since 1970).
    Until(Millis),
    /// Until this session of the agent closes.
    Session(String),
    /// Until Postern quits.
    Quit,
}

/// A rule, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Rule {
    pub id: RuleId,
    pub effect: Effect,
    /// Agent that it is for; `None` means everybody.
    pub agent: Option<AgentId>,
    pub pattern: Pattern,
    /// A pattern for each argument (`*` one word, a last `**` any further words); `None` means any arguments.
    pub args: Option<Vec<String>>,
    /// The identity it was approved with.
    pub pin: Option<Box<Pin>>,
    /// True if it also allows redirections that write.
    pub allow_writes: bool,
    /// True if the person confirmed that it covers whatever its words cover, also what reaches further than the obvious.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub broad: bool,
    /// Profile that what it allows runs in; `None` runs with the user's rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub confine: Option<Profile>,
    /// Limits of a rule that an answer saved; `None` covers what its words cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub limits: Option<Box<Limits>>,
    /// Folder in which the rule allows, with everything below: a real path, or one that begins with `~`. `None`
    /// means every folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub folder: Option<String>,
    /// Standard input that an allow rule covers.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub input: RuleInput,
    /// In whose hands what it allows is run. What it denies it denies everywhere.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(as = "Option<_>", optional))]
    pub origin: RuleOrigin,
    pub source: Source,
    pub lifetime: Lifetime,
    /// Reason for it, in the person's words.
    pub why: Option<String>,
    /// Commands it must match, checked when it is saved.
    pub matches: Vec<String>,
    /// Commands it must not match, checked when it is saved.
    pub misses: Vec<String>,
    pub created_at: Millis,
    pub usage: Usage,
}

impl Rule {
    /// Returns true if limits bound the effects of what it covers.
    pub fn holds_effects(&self) -> bool {
        self.limits.as_ref().is_some_and(|limits| limits.hold_effects())
    }

    /// Returns true if an answer saved it for a whole line.
    pub fn is_line(&self) -> bool {
        self.limits.as_ref().is_some_and(|limits| limits.is_line())
    }

    /// Returns a rule of everybody's that a person wrote, always and without conditions, as yet in no
    /// store.
    pub fn new(effect: Effect, pattern: Pattern) -> Self {
        Self {
            id: 0,
            effect,
            agent: None,
            pattern,
            args: None,
            pin: None,
            allow_writes: false,
            broad: false,
            confine: None,
            limits: None,
            folder: None,
            input: RuleInput::Nothing,
            origin: RuleOrigin::Any,
            source: Source::Person,
            lifetime: Lifetime::Forever,
            why: None,
            matches: Vec::new(),
            misses: Vec::new(),
            created_at: 0,
            usage: Usage::default(),
        }
    }
}

/// Use of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Usage {
    /// Number of times it allowed or denied.
    pub count: u64,
    /// Time of the last use.
    pub last_used_at: Option<Millis>,
    /// The command then.
    pub last_command: Option<String>,
    /// The program's resolved absolute path then.
    pub last_path: Option<String>,
    /// The program's identity then.
    pub last_seen: Option<Box<Identity>>,
}
