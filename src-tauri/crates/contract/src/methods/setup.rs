//! Methods that connect the agents of this computer: which are here, the change of their settings, their
//! rules.

use crate::{AgentRow, DiffLine, MultilineText, ShownText, Start};
use postern_policy::{AgentId, Effect};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::policy::Replayed;

postern_protocol::named_values! {
    /// An agent program that Postern knows how to connect.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
    pub enum KnownAgent {
        ClaudeCode = "claude-code",
        /// OpenAI's Codex.
        Codex = "codex",
        Cursor = "cursor",
        GeminiCli = "gemini-cli",
        /// The agent in VS Code.
        VsCode = "vs-code",
        Openclaw = "openclaw",
        /// Agents in containers of Docker or Podman.
        Containers = "containers",
    }
}

impl KnownAgent {
    /// Returns the name that people know it by.
    pub fn display_name(self) -> &'static str {
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

/// Way in which a known agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Wiring {
    /// Hook: its settings name a program of Postern's that it asks before each tool.
    Hook,
    /// MCP: its settings name Postern as a server.
    Mcp,
    /// An integration of Postern's speaks its protocol; the user sets up the other side.
    Integration,
    /// The user puts the channel into its sandbox.
    Channel,
}

/// State of a known agent's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    None,
    Connected,
    /// Connected to a Postern with another program or data folder.
    Elsewhere,
}

/// Folders of the agents' settings, if the caller knows them better than the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupScope {
    /// Home folder, absolute; the host's user's where left out.
    pub home: Option<String>,
    /// Search path of the user's shell, with `:`; the host's where left out.
    pub path: Option<String>,
    /// Folder of Claude Code's settings, absolute (`CLAUDE_CONFIG_DIR`); `.claude` in the home folder where left out.
    pub claude_config_dir: Option<String>,
    /// Folder of Codex's settings, absolute (`CODEX_HOME`); `.codex` in the home folder where left out.
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
    pub kind: KnownAgent,
    /// The name that people know it by.
    pub title: String,
    pub wiring: Wiring,
    /// Configuration folder, if there is one.
    pub folder: Option<String>,
    /// Program on the search path, if there is one.
    pub program: Option<String>,
    /// The settings that connecting it changes, if it has some.
    pub file: Option<String>,
    /// True if it asks this Postern.
    pub connection: Connection,
    /// The agent whose rules hold for it: the one that it asks by, otherwise the one that connecting it enrolls.
    pub agent: AgentId,
    /// True if that agent exists.
    pub enrolled: bool,
    /// Reason why its settings cannot be changed.
    pub problem: Option<String>,
    /// Files with rules that can be imported.
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
    /// Path, escaped.
    pub path: String,
    /// Number of its entries; `None` if it cannot be read.
    pub entries: Option<usize>,
    /// Reason why it cannot be read.
    pub problem: Option<String>,
}

/// Asks what connecting or disconnecting an agent would change. Changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupPreview {
    pub kind: KnownAgent,
    /// The agent that it asks by; the one that `setup.find` names where left out.
    pub agent: Option<AgentId>,
    /// Disconnect it.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub remove: bool,
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
    /// The file, ready to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub place: Option<ShownText>,
    /// The lines of the file, in order; none if nothing changes.
    pub lines: Vec<DiffLine>,
    /// True if the file is removed, because nothing else is in it.
    pub removes_file: bool,
    /// Digest of the change that was shown: the change is made only if it is still this one.
    pub digest: String,
    /// Steps that the user still has to take in the agent.
    pub remains: Option<String>,
}

/// Search path of the user's shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellPath {
    /// Folders that agents may look in: absolute, there, and not for everybody to write. Escaped.
    pub folders: Vec<String>,
    /// Those that the built-in search path doesn't have.
    pub added: Vec<String>,
}

/// Connects an agent: enrolls it if it does not exist, and changes its settings as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupConnect {
    pub kind: KnownAgent,
    /// The agent that it asks by; the one that `setup.find` names where left out.
    pub agent: Option<AgentId>,
    /// The name to show of an agent that is enrolled now; the one that people know it by where left out.
    pub name: Option<String>,
    /// Classes that an agent that is enrolled now starts with.
    pub start: Option<Start>,
    /// Folders of an agent that is enrolled now. `start` = `work` needs one.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub folders: Vec<String>,
    /// The digest of the change that was shown.
    pub digest: String,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// A connected agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupConnected {
    pub agent: AgentRow,
    /// True if it was enrolled now.
    pub enrolled: bool,
    /// True if its settings were changed now.
    pub changed: bool,
    /// The search path that an agent that was enrolled now was given, because the user's shell finds more programs. Escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub search_path: Vec<String>,
    /// Text that the user has to put into the agent, if no file was changed for it.
    #[ts(as = "Option<String>")]
    pub lines: Option<MultilineText>,
    /// Steps that the user still has to take in the agent.
    pub remains: Option<String>,
}

/// Disconnects an agent: takes back the change of its settings, and removes what connecting it enrolled and imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
pub struct SetupDisconnect {
    pub kind: KnownAgent,
    /// The digest of the change that was shown.
    pub digest: String,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// Changes that were undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupDisconnected {
    /// True if its settings were changed.
    pub changed: bool,
    /// The agent that was removed with its rules; `None` if it existed before it was connected.
    pub removed: Option<AgentId>,
}

/// Imports the rules that an agent has in its own files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields = nullable)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own on the wire")]
pub struct SetupImport {
    /// Agent whose files are read.
    pub kind: KnownAgent,
    /// The agent that gets the rules.
    pub agent: AgentId,
    /// Files to read, absolute; those that `setup.find` names where left out.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub files: Vec<String>,
    /// Project whose files are read, absolute; their rules hold in it. Those of no project where left out.
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
    /// Keep what is imported when the agent is disconnected: the user imports it apart from connecting the agent.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub keep: bool,
    /// With `check`: number of requests to judge again, at most 1000; `None` if left out.
    pub last: Option<u32>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub scope: SetupScope,
}

/// Result of importing rules from other programs' files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Imported {
    /// The files, entry by entry.
    pub files: Vec<ImportedFile>,
    /// Number of rules that were added, or would be.
    pub added: u32,
    /// Number of rules that were there already.
    pub same: u32,
    /// True if nothing was saved.
    pub check: bool,
    /// The last requests, as they would have come out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub replayed: Option<Replayed>,
}

impl Imported {
    /// Returns the number of entries that ended like this.
    pub fn count_taken(&self, taken: Taken) -> usize {
        self.files.iter().flat_map(|file| &file.entries).filter(|entry| entry.taken == taken).count()
    }
}

/// A file of another program. All texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedFile {
    pub path: String,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// Reason why it cannot be read.
    pub problem: Option<String>,
    pub entries: Vec<ImportedEntry>,
}

/// An entry of another program's file. All texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedEntry {
    /// The entry as it was written.
    pub written: String,
    /// Effect there.
    pub effect: Effect,
    pub taken: Taken,
    /// The rules that it became.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub rules: Vec<String>,
    /// The lines of `permissions.jsonc` that it became.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub lines: Vec<String>,
    /// Reason why it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<String>,
}

/// Result for an entry.
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
    /// Session that the test's question belongs to.
    pub session: String,
}

/// State of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupTested {
    pub state: TestState,
    /// Message that the agent would get, or the problem; escaped.
    pub message: Option<String>,
}

/// Progress of a test.
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
