//! What connects the agents of this computer: which are here, what would change in their settings, which rules they have.

use crate::{AgentRow, DiffLine, Lines, Start};
use postern_policy::{AgentId, Effect};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::policy::Replayed;

/// An agent program that Postern knows how to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum KnownAgent {
    /// Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    GeminiCli,
    /// The agent in VS Code.
    VsCode,
    /// OpenClaw.
    Openclaw,
    /// Agents in containers of Docker or Podman.
    Containers,
}

impl KnownAgent {
    /// Every one, in the order of a list.
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::GeminiCli,
        Self::VsCode,
        Self::Openclaw,
        Self::Containers,
    ];

    /// Returns its name on the command line and the wire, which is also the default id of its agent.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini-cli",
            Self::VsCode => "vs-code",
            Self::Openclaw => "openclaw",
            Self::Containers => "containers",
        }
    }

    /// Returns the name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::GeminiCli => "Gemini CLI",
            Self::VsCode => "VS Code",
            Self::Openclaw => "OpenClaw",
            Self::Containers => "Containers",
        }
    }
}

/// How a known agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Wiring {
    /// Its settings name a program of Postern's that it asks before each tool.
    Hook,
    /// Its settings name Postern as an MCP server.
    Mcp,
    /// An integration of Postern's speaks its protocol; the user sets up the other side.
    Integration,
    /// The user puts the channel into its sandbox.
    Channel,
}

/// Whether a known agent asks this Postern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// It does not.
    None,
    /// It does.
    Connected,
    /// Its settings name a Postern with another program or data folder.
    Elsewhere,
}

/// Where the settings of agents are, if the caller knows it better than the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupScope {
    /// Home folder, absolute; the host's user's where left out.
    #[serde(default)]
    pub home: Option<String>,
    /// Search path of the user's shell, with `:`; the host's where left out.
    #[serde(default)]
    pub path: Option<String>,
    /// Folder of Claude Code's settings, absolute (`CLAUDE_CONFIG_DIR`); `.claude` in the home folder where left out.
    #[serde(default)]
    pub claude_config_dir: Option<String>,
    /// Folder of Codex's settings, absolute (`CODEX_HOME`); `.codex` in the home folder where left out.
    #[serde(default)]
    pub codex_home: Option<String>,
}

/// The known agents, each with what was found of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupFound {
    /// Every known agent, also those that are not here.
    pub agents: Vec<FoundAgent>,
}

/// A known agent and what was found of it. All paths are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FoundAgent {
    /// Which.
    pub kind: KnownAgent,
    /// The name that people know it by.
    pub title: String,
    /// How it is connected.
    pub wiring: Wiring,
    /// Its configuration folder, if there is one.
    pub folder: Option<String>,
    /// Its program on the search path, if there is one.
    pub program: Option<String>,
    /// The settings that connecting it changes, if it has some.
    pub file: Option<String>,
    /// Whether it asks this Postern.
    pub connection: Connection,
    /// The agent whose rules hold for it: the one that it asks by, otherwise the one that connecting it enrolls.
    pub agent: AgentId,
    /// Whether that agent exists.
    pub enrolled: bool,
    /// Why its settings cannot be changed.
    pub problem: Option<String>,
    /// Its files with rules that can be imported.
    pub rules: Vec<RuleSource>,
}

impl FoundAgent {
    /// Returns true if the agent is on this computer.
    pub fn is_here(&self) -> bool {
        self.folder.is_some() || self.program.is_some()
    }
}

/// A file with rules of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleSource {
    /// Where it is, escaped.
    pub path: String,
    /// Number of its entries; `None` if it cannot be read.
    pub entries: Option<usize>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// Asks what connecting or disconnecting an agent would change. Changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupPreview {
    /// Which.
    pub kind: KnownAgent,
    /// The agent that it asks by; the one that `setup.find` names where left out.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// Disconnect it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub remove: bool,
    /// Where its settings are.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// A change of an agent's settings that is not made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsChange {
    /// The file, escaped; `None` if no file changes.
    pub file: Option<String>,
    /// The lines of the file, in order; none if nothing changes.
    pub lines: Vec<DiffLine>,
    /// Whether the file is removed, because nothing else is in it.
    pub removes_file: bool,
    /// What was shown: the change is made only if it is still this one.
    pub digest: String,
    /// What the user still has to do in the agent.
    pub remains: Option<String>,
}

/// Connects an agent: enrolls it if it does not exist, and changes its settings as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupConnect {
    /// Which.
    pub kind: KnownAgent,
    /// The agent that it asks by; the one that `setup.find` names where left out.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// The name to show of an agent that is enrolled now; the one that people know it by where left out.
    #[serde(default)]
    pub name: Option<String>,
    /// What an agent that is enrolled now may do without a question.
    #[serde(default)]
    pub start: Option<Start>,
    /// Folders of an agent that is enrolled now. `start` = `work` needs one.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub folders: Vec<String>,
    /// The digest of the change that was shown.
    pub digest: String,
    /// Where its settings are.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// A connected agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupConnected {
    /// The agent.
    pub agent: AgentRow,
    /// Whether it was enrolled now.
    pub enrolled: bool,
    /// Whether its settings were changed now.
    pub changed: bool,
    /// What the user has to put into the agent, if no file was changed for it.
    #[ts(as = "Option<String>")]
    pub lines: Option<Lines>,
    /// What the user still has to do in the agent.
    pub remains: Option<String>,
}

/// Disconnects an agent: takes back the change of its settings, and removes what connecting it enrolled and imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupDisconnect {
    /// Which.
    pub kind: KnownAgent,
    /// The digest of the change that was shown.
    pub digest: String,
    /// Where its settings are.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupDisconnected {
    /// Whether its settings were changed.
    pub changed: bool,
    /// The agent that was removed with its rules; `None` if it existed before it was connected.
    pub removed: Option<AgentId>,
}

/// Imports the rules that an agent has in its own files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupImport {
    /// Whose files.
    pub kind: KnownAgent,
    /// The agent that gets the rules.
    pub agent: AgentId,
    /// Files to read, absolute; those that `setup.find` names where left out.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub files: Vec<String>,
    /// Project whose files are read, absolute; their rules hold in it. Those of no project where left out.
    #[serde(default)]
    pub project: Option<String>,
    /// Import rules as broad as they were there.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub broad: bool,
    /// Let the rules hold for commands that Postern runs, too.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub host: bool,
    /// Save nothing.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub check: bool,
    /// With `check`: number of requests to judge again, at most 1000; none where left out.
    #[serde(default)]
    pub last: Option<u32>,
    /// Where its settings are.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// What became of the rules in other programs' files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Imported {
    /// The files, entry by entry.
    pub files: Vec<ImportedFile>,
    /// Number of rules that were added, or would be.
    pub added: u32,
    /// Number of rules that were there already.
    pub same: u32,
    /// Whether nothing was saved.
    pub check: bool,
    /// The last requests, as they would have come out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub replayed: Option<Replayed>,
}

impl Imported {
    /// Returns the number of entries that ended like this.
    pub fn count(&self, taken: Taken) -> usize {
        self.files.iter().flat_map(|file| &file.entries).filter(|entry| entry.taken == taken).count()
    }
}

/// A file of another program. All texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedFile {
    /// Where it is.
    pub path: String,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// Its entries.
    pub entries: Vec<ImportedEntry>,
}

/// An entry of another program's file. All texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedEntry {
    /// The entry as it was written.
    pub written: String,
    /// What it does there.
    pub effect: Effect,
    /// What became of it.
    pub taken: Taken,
    /// The rules that it became.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub rules: Vec<String>,
    /// The lines of `permissions.jsonc` that it became.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub lines: Vec<String>,
    /// Why it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<String>,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Taken {
    /// Rules for commands.
    Rules,
    /// Rules that cover more than the obvious.
    Broad,
    /// Lines of `permissions.jsonc`.
    Lines,
    /// Nothing.
    LeftOut,
}

/// Starts a test: one harmless command on the way that the agent's own requests take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupTest {
    /// Which.
    pub kind: KnownAgent,
    /// The agent that it asks by.
    pub agent: AgentId,
    /// True for a command that is asked about also where looking around is allowed, if the test runs nothing.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub asks: bool,
}

/// Names a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupTestRef {
    /// Its session: a question of the test belongs to it.
    pub session: String,
}

/// How a test stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupTested {
    /// How far it is.
    pub state: TestState,
    /// What the agent would be told, or what went wrong; escaped.
    pub message: Option<String>,
}

/// How far a test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum TestState {
    /// Nothing has come back: a question waits, or the program runs.
    Waiting,
    /// The agent may run the command.
    Allowed,
    /// The agent may not run it.
    Denied,
    /// The agent decides by its own rules.
    LeftToAgent,
    /// The program did not answer.
    Failed,
}
