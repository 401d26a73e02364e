//! The words that the wire, the record, the gate and every approver share. Each is said here and nowhere else.

use serde::{Deserialize, Serialize};

crate::named_values! {
    /// Result of judging. The strictest wins: `Deny > Ask > Allow`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    #[must_use]
    pub enum Decision {
        Allow = "allow",
        /// A person decides.
        Ask = "ask",
        Deny = "deny",
    }
}

/// Actor that let a request through. On the wire its two members are `by` and `rule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "by", content = "rule")]
pub enum AllowedBy {
    /// An allow rule, by its number.
    Rule(i64),
    /// The agent's settings, the read-only list, or harmless builtins only.
    Policy,
    /// A person.
    Person,
    /// A skill's rule, by its number.
    Skill(i64),
    /// The fallback, when nobody answered.
    Fallback,
    /// No rule or person: only a default allows it, so the agent's own prompt decides. Never a run.
    Default,
}

impl AllowedBy {
    /// Returns the number of the rule that let it through, where one did.
    pub fn rule_id(self) -> Option<i64> {
        match self {
            Self::Rule(rule) | Self::Skill(rule) => Some(rule),
            Self::Policy | Self::Person | Self::Fallback | Self::Default => None,
        }
    }
}

crate::named_values! {
    /// Profile that confines a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Profile {
        /// Read-only.
        Look = "look",
        /// Local work: it writes in its agent's folders, except protected places.
        Project = "project",
    }
}

crate::named_values! {
    /// Kind of text by which an agent names its session.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum SessionKind {
        /// Name for people.
        #[default]
        Name = "name",
        /// Id that says nothing to a person: shown in details only.
        Id = "id",
    }
}

impl SessionKind {
    /// Returns true for a name for people.
    pub fn is_name(&self) -> bool {
        *self == Self::Name
    }
}

/// Confinement that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RequestedConfinement {
    /// At least the profile `look`.
    Look,
    /// At least the profile `project`.
    Project,
    /// No confinement: a command that Postern would allow only confined is asked about.
    None,
}

/// Confinement that an agent has to run a command of its own shell with: `postern confine` applies it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Confined {
    /// Profile.
    pub profile: Profile,
    /// Folders that it may use, as real paths.
    pub folders: Vec<String>,
    /// True if it may use the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// True if it may serve and connect on loopback.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loopback: bool,
    /// Files that it may not read: patterns of deny rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny_read: Vec<String>,
    /// Files that it may not write: patterns of deny rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny_write: Vec<String>,
    /// True if it may not read files that hold secrets by their names: `.env`, `id_rsa`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deny_secrets: bool,
}

crate::named_values! {
    /// State of a request.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum RunState {
        /// Written down.
        #[default]
        Received = "received",
        /// Waits for its turn to be asked about.
        Resolving = "resolving",
        /// A question is open.
        Asking = "asking",
        /// Let through; the last checks and the start are under way.
        Starting = "starting",
        Running = "running",
        /// A signal was sent, and the process has not exited yet.
        Stopping = "stopping",
        Denied = "denied",
        Finished = "finished",
        /// Let through, but not started.
        Failed = "failed",
        /// Left to its agent: what `tool.check` asks about, and never a run.
        Allowed = "allowed",
    }
}

impl RunState {
    /// Returns `true` where nothing changes it any more.
    pub fn has_ended(self) -> bool {
        match self {
            Self::Denied | Self::Finished | Self::Failed | Self::Allowed => true,
            Self::Received
            | Self::Resolving
            | Self::Asking
            | Self::Starting
            | Self::Running
            | Self::Stopping => false,
        }
    }
}

crate::named_values! {
    /// Output stream of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum OutputStream {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

crate::named_values! {
    /// End of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Outcome {
        /// By itself.
        Exited = "exited",
        /// By a signal that Postern did not send.
        Signalled = "signalled",
        Timeout = "timeout",
        /// Killed on request, or because Postern quit or could not confine it any more.
        Killed = "killed",
        /// A later program of it was not the approved one when its turn came: the rest did not run.
        Drifted = "drifted",
        /// Let through, but not started.
        Failed = "failed",
        /// Running when Postern ended, and gone afterwards.
        Lost = "lost",
        /// Perhaps started when Postern ended. Never run again.
        Unknown = "unknown",
    }
}

crate::named_values! {
    /// Reason why a request was denied.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum DenyReason {
        /// The built-in core.
        Core = "core",
        /// A deny rule, a managed rule or a parent's layer.
        Denylist = "denylist",
        /// The agent's settings.
        Policy = "policy",
        /// No rule covers it and nobody is to be asked.
        AllowlistMiss = "allowlist-miss",
        /// A person said no.
        User = "user",
        Expired = "expired",
        /// The agent withdrew it, or its session closed.
        Cancelled = "cancelled",
        /// The program was not found.
        NotFound = "not-found",
        /// Malformed, oversized or impossible to show in full.
        Invalid = "invalid",
        /// File, script, folder or policy changed between the yes and the start.
        Drifted = "drifted",
        /// Too many questions wait.
        QueueFull = "queue-full",
        /// Too many requests at once, or in a short time.
        RateLimited = "rate-limited",
        EnvRefused = "env-refused",
        CwdRefused = "cwd-refused",
        /// No approver could show the question.
        CannotPresent = "cannot-present",
        /// A folder or file that it names did not answer in time.
        NoAnswer = "no-answer",
        /// Postern is paused.
        Paused = "paused",
        /// Postern was restarted before it was decided or started.
        Restarted = "restarted",
    }
}
