//! Settings of an agent.

use crate::classes::{Access, Class};
use serde::{Deserialize, Serialize};

/// Folders searched for programs by default. On macOS those of `/etc/paths.d` follow.
#[cfg(target_os = "macos")]
pub const SEARCH_PATH: &[&str] = &[
    "/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/local/bin", "/System/Cryptexes/App/usr/bin", "/usr/bin",
    "/bin", "/usr/sbin", "/sbin",
];

/// Folders searched for programs by default.
#[cfg(not(target_os = "macos"))]
pub const SEARCH_PATH: &[&str] =
    &["/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// The name of an agent: 1 to 64 of `a-z A-Z 0-9 . _ -`, not starting with `.` or `-`. It is also a folder name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct AgentId(String);

/// Error for a text that is not an agent's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an agent's name: one has 1 to 64 of a-z A-Z 0-9 . _ - and begins with neither . nor -")]
pub struct BadAgentId(pub String);

impl AgentId {
    /// Checks a name.
    pub fn new(name: impl Into<String>) -> Result<Self, BadAgentId> {
        let name = name.into();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let fits = (1..=64).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-']);
        if fits { Ok(Self(name)) } else { Err(BadAgentId(name)) }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AgentId {
    type Error = BadAgentId;
    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> Self {
        id.0
    }
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

postern_protocol::named_values! {
    /// Extent of what an agent may run at all.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Security {
        /// Nothing.
        Deny = "deny",
        /// Commands that a rule allows; the rest as `ask` says.
        Allowlist = "allowlist",
        /// Everything but what a deny rule or the core names.
        Full = "full",
    }
}

postern_protocol::named_values! {
    /// Occasions on which a person is asked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Ask {
        /// Never.
        Off = "off",
        /// Asks if no rule covers the request.
        OnMiss = "on-miss",
        /// Every time, whatever the rules allow.
        Always = "always",
    }
}

postern_protocol::named_values! {
    /// Fallback if nobody answered in time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Fallback {
        /// Denied (`expired`).
        Deny = "deny",
        /// Judged again as if `ask` were off.
        Allowlist = "allowlist",
        /// Allowed. Shown in red for as long as it is set.
        Full = "full",
    }
}

postern_protocol::named_values! {
    /// Treatment of shell text that cannot be read in full.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Unreadable {
        /// The person is asked.
        Ask = "ask",
        /// Sent back to the agent with advice, silently.
        SendBack = "send-back",
    }
}

postern_protocol::named_values! {
    /// Treatment of a question while no approver is connected at all.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Unattended {
        /// Denied after a short while in which one can connect.
        Deny = "deny",
        /// Kept waiting for as long as any other.
        Wait = "wait",
    }
}

/// The settings of one agent. The defaults are those of a new agent: deny rules and *Ask*.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Settings {
    pub security: Security,
    pub ask: Ask,
    /// True if it may ask for this machine at all (source 1's elevated gate). Off, every host command is
    /// denied; its tools are judged as before.
    pub elevated: bool,
    /// Decision if nobody answers.
    pub fallback: Fallback,
    /// Time that a question waits, in milliseconds: 10 s to 30 min.
    pub approval_timeout_ms: u64,
    /// A question that nobody is connected to see.
    pub unattended: Unattended,
    /// Time limit of a run when the request names none, in milliseconds.
    pub run_timeout_ms: u64,
    /// The most a request may ask for, in milliseconds; none lifts the cap.
    pub run_timeout_cap_ms: Option<u64>,
    /// CLIs of known skills are allowed while unchanged since they were approved.
    pub allow_skills: bool,
    /// Reading its folders and the system's files.
    #[serde(alias = "allowReadOnly", deserialize_with = "crate::classes::access_or_switch")]
    pub look: Access,
    /// Changing files and repositories in its folders.
    pub files: Access,
    /// Running code of its projects.
    pub build: Access,
    /// Fetching from the network.
    pub network: Access,
    /// Sending and publishing.
    pub share: Access,
    /// Installing software.
    pub install: Access,
    /// Changing this machine, and reaching outside of its folders.
    pub system: Access,
    /// Using keys, passwords and tokens.
    pub secrets: Access,
    /// True if confined builds may serve and connect on loopback.
    pub loopback: bool,
    /// Shell text that cannot be read.
    pub unreadable: Unreadable,
    /// Environment names that a request may set without being asked about them.
    pub env_set: Vec<String>,
    /// Environment names passed through from the person's own environment (`SSH_AUTH_SOCK`).
    pub env_pass: Vec<String>,
    /// Folders it may run in (`~` allowed); none means any.
    pub folders: Vec<String>,
    /// Folders searched for programs, in order; empty means [`SEARCH_PATH`].
    pub search_path: Vec<String>,
    /// Output kept per stream, in bytes (head and tail).
    pub output_cap_bytes: u64,
    /// Questions per minute that open in parallel; further ones open one after the other.
    pub questions_per_minute: u32,
    /// Requests a second, sustained.
    pub requests_per_second: u32,
    /// Runs at the same time.
    pub max_running: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            security: Security::Allowlist,
            ask: Ask::OnMiss,
            elevated: true,
            fallback: Fallback::Deny,
            approval_timeout_ms: 120_000,
            unattended: Unattended::Deny,
            run_timeout_ms: 30_000,
            run_timeout_cap_ms: Some(300_000),
            allow_skills: false,
            look: Access::Ask,
            files: Access::Ask,
            build: Access::Ask,
            network: Access::Ask,
            share: Access::Ask,
            install: Access::Ask,
            system: Access::Ask,
            secrets: Access::Ask,
            loopback: false,
            unreadable: Unreadable::Ask,
            env_set: Vec::new(),
            env_pass: Vec::new(),
            folders: Vec::new(),
            search_path: Vec::new(),
            output_cap_bytes: 1024 * 1024,
            questions_per_minute: 6,
            requests_per_second: 50,
            max_running: 4,
        }
    }
}

/// The three choices that the window shows before *Advanced*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Preset {
    /// `deny` / `off`
    Deny,
    /// `allowlist` / `on-miss`
    Ask,
    /// `full` / `off`
    Allow,
}

impl Settings {
    /// Returns the preset these settings stand for, where it is one of the three.
    pub fn preset(&self) -> Option<Preset> {
        match (self.security, self.ask) {
            (Security::Deny, Ask::Off) => Some(Preset::Deny),
            (Security::Allowlist, Ask::OnMiss) => Some(Preset::Ask),
            (Security::Full, Ask::Off) => Some(Preset::Allow),
            (Security::Deny | Security::Full, Ask::OnMiss | Ask::Always)
            | (Security::Allowlist, Ask::Off | Ask::Always) => None,
        }
    }

    /// Sets `security` and `ask` as a preset does; the rest stays.
    pub fn apply_preset(&mut self, preset: Preset) {
        (self.security, self.ask) = match preset {
            Preset::Deny => (Security::Deny, Ask::Off),
            Preset::Ask => (Security::Allowlist, Ask::OnMiss),
            Preset::Allow => (Security::Full, Ask::Off),
        };
    }
}

impl Settings {
    /// Returns what the agent may do about a class.
    pub fn access(&self, class: Class) -> Access {
        match class {
            Class::Look => self.look,
            Class::Files => self.files,
            Class::Build => self.build,
            Class::Network => self.network,
            Class::Share => self.share,
            Class::Install => self.install,
            Class::System => self.system,
            Class::Secrets => self.secrets,
        }
    }

    /// Sets what the agent may do about a class.
    pub fn set_access(&mut self, class: Class, access: Access) {
        *match class {
            Class::Look => &mut self.look,
            Class::Files => &mut self.files,
            Class::Build => &mut self.build,
            Class::Network => &mut self.network,
            Class::Share => &mut self.share,
            Class::Install => &mut self.install,
            Class::System => &mut self.system,
            Class::Secrets => &mut self.secrets,
        } = access;
    }

    /// Returns true if the agent has effects of a class silently. It needs folders of its own for all but looking.
    pub fn allows(&self, class: Class) -> bool {
        self.access(class) == Access::Allow && (!class.needs_folders() || !self.folders.is_empty())
    }

    /// Returns true if a class decides anything.
    pub(crate) fn has_classes(&self) -> bool {
        Class::ALL.into_iter().any(|class| self.access(class) != Access::Ask)
    }
}
