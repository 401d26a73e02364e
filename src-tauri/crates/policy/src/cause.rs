//! Facts behind a verdict, with their data: `contract::render` makes every sentence from them, nothing else does.
//!
//! Texts of requests, rules and files are kept as they are. They are escaped where they are rendered.

use crate::classes::Class;
use crate::confinement::Confinement;
use crate::decision::{Decision, Reason};
use crate::elevation::Elevation;
use crate::protected::Protection;
use crate::risk::RatedEffect;
use crate::rule::{Effect, FileAccess};
use crate::settings::{Fallback, Security};
use postern_command::{ArgFact, Note, Words};
use postern_protocol::Profile;
use serde::{Deserialize, Serialize};

/// Reason of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The request cannot be judged as it was sent.
    Invalid(Words),
    /// The steps that were looked up are not those that were read.
    LookupMismatch,
    /// Nothing in the request would run.
    NothingRuns,
    /// The agent may run everything that no deny rule names.
    RunsAnything,
    /// Every request of the agent is asked about; this is why it would be allowed.
    AskAlways(Box<Cause>),
    /// A policy wants several people to approve it; `would` is why it would be allowed.
    SeveralPeople {
        people: u8,
        /// Names of the managed policies in force.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<String>,
        would: Box<Cause>,
    },
    /// Several steps are asked about; this is the cause of the first.
    Steps { cause: Box<Cause>, asking: usize, steps: usize },
    /// No one answered, and this is what happens then.
    NoAnswer(Fallback),
    /// No rule for host commands denies a tool's command.
    NothingDenies,

    /// The request asks for a profile that this system cannot enforce.
    CannotConfine,
    /// The session's tool policy denies host commands, or asks about each.
    ToolPolicy { asks: bool, source: NamedRuleSource },
    /// The elevated gate is off.
    Elevated(Elevation),
    /// The agent's file of rules cannot be read.
    FileUnreadable { problem: String },
    /// The organization's rules cannot be read.
    ManagedUnreadable { problem: String },
    /// A deny rule cannot be read.
    BrokenDeny { problem: String },
    /// The agent may not run anything.
    RunsNothing,
    /// A folder is none of those that the agent may run in; `None` is one that is only known when it runs.
    FolderRefused { folder: Option<String>, folders: Vec<String> },
    /// The program was not found.
    NotFound { program: String },
    /// The program is no program; `what` is a sentence fragment of the host.
    Unusable { path: String, what: String },
    /// Only the user's shell finds the program: the folder is not on the agent's search path.
    OutsideSearchPath { program: String, folder: String },
    /// The request sets variables that the agent has to ask about.
    SetsVariables { names: Vec<String> },

    /// A rule, or a line of a file, decided.
    Rule(NamedRule),
    /// A line of a file asks.
    LineAsks(NamedRuleSource),
    /// A rule would allow the step confined, which its profile does not hold here.
    RuleBut { command: Label, rule: Box<NamedRule>, profile: Profile, gap: ClassGap },
    /// A rule may match once the words are known.
    RuleMayMatch { pattern: String },
    /// The built-in core denies; `word` is the argument that names what it guards.
    Core { id: String, why: Words, command: Label, word: Option<String> },
    /// A rule denies a file to every program; `path` is the word that names it.
    File { path: String, access: FileAccess, rule: Box<NamedRule> },
    /// A word, or a program that goes through a folder, may mean a file that a rule denies.
    FileMayBeMeant { word: String, access: FileAccess, rule: Box<NamedRule> },
    /// The command would empty the folder where it runs.
    EmptiesFolder,
    /// Text that was not understood holds too many commands that may be denied.
    TooManyCandidates,

    /// A part was not understood.
    Unparsed(Note),
    /// Something was not understood, and it names what a rule denies.
    MayMeanNamed { doubt: Doubt, word: String, pattern: String },
    /// Something was not understood while deny rules are in force.
    MayMeanDenied { doubt: Doubt },
    /// A program is named by the number of its file.
    ByNumber { name: String },
    /// Text that was not understood holds more words than are looked at.
    TooManyWords,
    /// A guarded word is behind more words than are looked at.
    BehindTooManyWords { word: String, program: String },
    /// Program of unknown identity that a deny rule may mean.
    Unidentified { name: String, why: Unidentified, pattern: String },

    /// No rule can cover the step.
    NotCoverable { command: Label, obstacle: Obstacle },
    /// The step writes to a file.
    Writes { target: String },
    /// An argument makes a program do more than its ordinary work.
    UnsafeArg(ArgFact),
    /// The step is harmless.
    NeedsNoRule,
    /// The step only reads, and the system holds it to that.
    ReadsConfined,
    /// The step only reads, and names no file.
    ReadsNoFile,
    /// The step is on the read-only list, which does not hold here.
    ReadOnlyBut { command: Label, gap: ClassGap },
    /// The agent's classes allow the step's effects; `confined` says that the system holds it to them.
    Classes { classes: Vec<Class>, confined: bool },
    /// The agent's classes would allow the step, which they do not here.
    ClassesBut { command: Label, classes: Vec<Class>, gap: ClassGap },
    /// A class of the step's effects is denied.
    ClassDenied { command: Label, class: Class },
    /// A rule matches, and the program or script is not the approved one.
    Changed { command: Label, pattern: String, change: PinMismatch },
    /// A rule rests on a file that the agent can change until it runs.
    NotHeld { pattern: String, file: String },
    /// A rule matches and does not cover the step.
    NotCovered { command: Label, pattern: String, gap: Gap },
    /// No rule matches.
    NoRule { command: Label },
    /// Nothing was found about the step.
    NothingKnown,
    /// A line of the agent's own shell touches a protected place that nothing names.
    Protected { place: String, protection: Protection },

    /// A cause that only uses of a tool have.
    Tool(ToolCause),

    /// A sentence that an earlier version of Postern recorded.
    #[serde(untagged)]
    Recorded(String),
}

impl Cause {
    /// Returns true if a step is only asked about because other steps of the request are.
    pub const fn follows_from_others(&self) -> bool {
        matches!(
            self,
            Self::ReadOnlyBut { gap: ClassGap::NotConfined, .. }
                | Self::ClassesBut { gap: ClassGap::NotConfined, .. }
                | Self::RuleBut { gap: ClassGap::NotConfined, .. }
        )
    }
}

impl From<ToolCause> for Cause {
    fn from(cause: ToolCause) -> Self {
        Self::Tool(cause)
    }
}

/// Reason why a use of a tool is allowed, asked about or denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolCause {
    /// A line of a file about a tool decided, or none did.
    Line { tool: String, of: ToolUse, line: Option<Box<NamedRule>> },
    /// A line allows it, and it does more than that line says.
    Beyond(Box<Cause>),
    /// A default allows it, and the agent's own rules ask.
    Default(Box<Cause>),
    /// The tool's arguments lack what rules are compared with.
    Missing { tool: String, argument: String },
    /// A line may be meant for the value.
    MayMean { tool: String, value: String, pattern: String },
    /// The arguments cannot be compared with a line that may be meant; `folder` says that only the folder is missing.
    NotCompared { tool: String, folder: bool, pattern: String },
    /// A value holds a NUL.
    Nul { tool: String },
    /// The call names no value.
    NoValue { tool: String },
    /// No command could be read in a shell tool's line.
    NoCommand,
    /// A part of a shell tool's line could not be read.
    Unparsed,
    /// The call touches a protected place.
    Protected { place: String, protection: Protection },
}

/// The words that name a command (`git push`); `None` where it has no name.
pub type Label = Option<String>;

/// A rule as a sentence names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedRule {
    pub effect: Effect,
    /// Pattern with its argument patterns.
    pub pattern: String,
    pub source: NamedRuleSource,
    /// Reason, in the person's words.
    pub why: Option<String>,
    /// True if it allows because it was confirmed as broad.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broad: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confine: Option<Profile>,
}

/// Source of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedRuleSource {
    /// The person wrote it.
    Person,
    /// An answer saved it.
    Always,
    /// A skill brought it.
    Skill(String),
    /// The agent's `permissions.jsonc`.
    File,
    /// A line of the agent's `permissions.jsonc`.
    Line(usize),
    /// An organization shipped it.
    Managed,
    Import,
    /// The subagent's layer.
    Subagent,
    /// The session added it.
    Session,
}

/// Something that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// A part of the text.
    Part(Note),
    /// An argument.
    Argument(ArgFact),
}

/// Reason why the identity of a program is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unidentified {
    /// Not a program; a sentence fragment of the host has the reason.
    Unusable(String),
    /// Not there yet.
    NotThere,
    /// In a folder that is only known when it runs.
    FolderUnknown,
}

/// Fact about a step that prevents every rule from covering it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// Run on another machine, or where nothing can be looked up.
    Elsewhere,
    /// Program that was not found.
    NotFound,
    /// File that is no program; `what` is a sentence fragment of the host.
    Unusable { path: String, what: String },
    /// Program that is only known when it runs.
    ProgramUnknown,
    /// Assignment of a variable.
    Sets { name: String },
    /// Folder that is only known when it runs.
    FolderUnknown,
    /// Work outside the working directory.
    Leaves { folder: String },
    /// A wrapper is not one that is known.
    StrangeWrapper { name: String },
    /// A wrapper was not looked up.
    WrapperUnknown,
}

/// Reason why a rule that matches does not cover a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// Bound to a folder, and the line changes its folder.
    FolderChanges { folder: String },
    /// Bound to another folder.
    OtherFolder { folder: String, cwd: String },
    /// Given with other text on standard input.
    OtherInput,
    /// Given without standard input.
    NoInput,
    /// Standard input is sent while the command runs.
    StreamedInput,
    /// Given with other wrappers, variables or redirections.
    OtherSurroundings,
    /// The program starts others, and the rule does not name it.
    StartsOthers,
    /// The program runs as another user, and the rule does not name it.
    OtherUser,
    /// The rule does not name an unsafe argument.
    UnsafeArg(ArgFact),
    /// The rule does not allow writing.
    Writes { target: String },
    /// Given for fewer effects.
    Beyond(Box<RatedEffect>),
    /// Given for folders that a path of the step is outside of.
    Outside { path: String },
    /// Only the run tells which files it is about.
    RunTimePath,
}

/// Reason why a command that is allowed only confined is not allowed here.
///
/// Such commands are allowed by the read-only list, a class, or a rule that names a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassGap {
    /// The request asks to run unconfined.
    Unconfined,
    /// This system cannot confine it.
    CannotConfine,
    /// The other steps prevent its confinement.
    NotConfined,
    /// Nothing confines the agent's own shell.
    OwnShell,
    /// Last step that changes the agent's shell, while confined it would be in a shell of its own.
    ChangesShell,
    /// Step that sends its data to someone else.
    Sends,
    /// Step that is dangerous.
    Dangerous,
    /// The agent can write where its program is.
    AgentWrites,
    /// A path is outside of the agent's folders.
    Outside { path: String },
    /// Path through a folder that holds keys, and that is not named as the agent's.
    HoldsKeys,
    /// Agent without folders of its own.
    NoFolders,
    /// A folder of its agent holds the home folder or Postern's data.
    TooWide { folder: String },
    /// Effect that the profile does not hold; `effect` is set if it is one effect.
    Beyond { effect: Option<Box<RatedEffect>> },
}

impl ClassGap {
    /// Returns the name of the cause.
    pub(crate) fn reason(&self) -> Reason {
        if *self == Self::CannotConfine { Reason::CannotConfine } else { Reason::AllowlistMiss }
    }
}

/// Change since a rule was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PinMismatch {
    /// A skill's program was not approved yet.
    NotApproved,
    /// The script is not the approved one.
    Script { path: String },
    /// The program is not the approved one.
    Program(Difference),
    /// The program cannot be identified.
    Unidentified,
}

/// Difference between two identities of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub content: ContentDifference,
    /// Their signers; `None` where neither is signed.
    pub signer: Option<SignerDifference>,
}

/// Difference between the contents of two programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentDifference {
    /// Their versions differ.
    Versions { was: String, now: String },
    /// Their versions are the same, their contents are not.
    SameVersion(String),
    /// Only the beginnings of their hashes are known.
    Hashes { was: String, now: String },
}

/// Difference between the signers of two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignerDifference {
    Same,
    /// Another.
    Another,
    /// Unsigned now.
    Lost,
    /// Signed now.
    New,
}

/// Kind of a tool's use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolUse {
    /// Any use.
    Any,
    /// This value.
    Value(String),
    /// A part of the line.
    Part,
}

/// Finding of a stage of the judgment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageFinding {
    /// Cause that may decide.
    Cause(Box<Cause>),
    /// Decision with its cause.
    Decided { decision: Decision, cause: Box<Cause> },
    /// The request was read.
    Read { shell: bool, steps: usize, clear: bool },
    /// No rule of the stage denies.
    NoneDenies,
    /// The core has nothing on it.
    NotInCore,
    /// No deny rule matches.
    NoneMatches,
    /// The session may use host commands.
    MayUseHost,
    /// Nothing closes the agent's own shell.
    ShellOpen,
    /// Protected places are touched, and each is named.
    AllNamed,
    /// The state of the elevated gate.
    Elevated(Elevation),
    /// Every step of shell text is looked up by itself.
    EveryStep,
    /// The program that a name is.
    Program { name: String, path: String },
    /// The program is not looked up.
    NotLookedUp { name: String },
    /// The agent's security setting.
    Security(Security),
    /// Confinement of the run.
    Confinement(Box<Confinement>),
    /// Names of the managed policies in force, with their versions.
    Managed(Vec<String>),
    /// A protected place is touched.
    Touched { place: String, named: bool },
    /// A sentence of the host, or one that an earlier version of Postern recorded.
    #[serde(untagged)]
    Said(String),
}

impl From<Cause> for StageFinding {
    fn from(cause: Cause) -> Self {
        Self::Cause(cause.into())
    }
}
