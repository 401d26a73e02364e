//! The words that the wire, the record, the gate and every approver share. Each is said here and nowhere else.

use serde::{Deserialize, Serialize};

/// Result of judging. The strictest wins: `Deny > Ask > Allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
#[must_use]
pub enum Decision {
    Allow,
    /// A person decides.
    Ask,
    Deny,
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

/// Profile that confines a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Read-only.
    Look,
    /// Local work: it writes in its agent's folders, except protected places.
    Project,
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

impl Profile {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Project => "project",
        }
    }
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
}

/// State of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Written down.
    Received,
    /// Waits for its turn to be asked about.
    Resolving,
    /// A question is open.
    Asking,
    /// Let through; the last checks and the start are under way.
    Starting,
    Running,
    /// A signal was sent, and the process has not exited yet.
    Stopping,
    Denied,
    Finished,
    /// Let through, but not started.
    Failed,
    /// Left to its agent: what `tool.check` asks about, and never a run.
    Allowed,
}

impl RunState {
    /// Every state, in the order of a life.
    pub const ALL: [Self; 10] = [
        Self::Received,
        Self::Resolving,
        Self::Asking,
        Self::Starting,
        Self::Running,
        Self::Stopping,
        Self::Denied,
        Self::Finished,
        Self::Failed,
        Self::Allowed,
    ];

    /// Returns the stable name: `received`, `resolving`, ….
    pub fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Resolving => "resolving",
            Self::Asking => "asking",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Denied => "denied",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Allowed => "allowed",
        }
    }

    /// Returns the state of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

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

/// Output stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl OutputStream {
    /// Returns the stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// End of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// By itself.
    Exited,
    /// By a signal that Postern did not send.
    Signalled,
    Timeout,
    /// Killed on request, or because Postern quit.
    Killed,
    /// A later program of it was not the approved one when its turn came: the rest did not run.
    Drifted,
    /// Let through, but not started.
    Failed,
    /// Running when Postern ended, and gone afterwards.
    Lost,
    /// Perhaps started when Postern ended. Never run again.
    Unknown,
}

impl Outcome {
    /// Returns the stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::Signalled => "signalled",
            Self::Timeout => "timeout",
            Self::Killed => "killed",
            Self::Drifted => "drifted",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Unknown => "unknown",
        }
    }
}

/// Reason why a request was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum DenyReason {
    /// The built-in core.
    Core,
    /// A deny rule, a managed rule or a parent's layer.
    Denylist,
    /// The agent's settings.
    Policy,
    /// No rule covers it and nobody is to be asked.
    AllowlistMiss,
    /// A person said no.
    User,
    Expired,
    /// The agent withdrew it, or its session closed.
    Cancelled,
    /// The program was not found.
    NotFound,
    /// Malformed, oversized or impossible to show in full.
    Invalid,
    /// File, script, folder or policy changed between the yes and the start.
    Drifted,
    /// Too many questions wait.
    QueueFull,
    /// Too many requests at once, or in a short time.
    RateLimited,
    EnvRefused,
    CwdRefused,
    /// No approver could show the question.
    CannotPresent,
    /// A folder or file that it names did not answer in time.
    NoAnswer,
    /// Postern is paused.
    Paused,
    /// Postern was restarted before it was decided or started.
    Restarted,
}

impl DenyReason {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Denylist => "denylist",
            Self::Policy => "policy",
            Self::AllowlistMiss => "allowlist-miss",
            Self::User => "user",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::NotFound => "not-found",
            Self::Invalid => "invalid",
            Self::Drifted => "drifted",
            Self::QueueFull => "queue-full",
            Self::RateLimited => "rate-limited",
            Self::EnvRefused => "env-refused",
            Self::CwdRefused => "cwd-refused",
            Self::CannotPresent => "cannot-present",
            Self::NoAnswer => "no-answer",
            Self::Paused => "paused",
            Self::Restarted => "restarted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_the_wire<T: Serialize>(word: &T) -> String {
        serde_json::to_value(word).unwrap().as_str().unwrap().to_owned()
    }

    #[test]
    fn a_name_is_what_the_wire_says() {
        use Outcome::{Exited, Failed, Killed, Lost, Signalled, Timeout, Unknown};
        for state in RunState::ALL {
            assert_eq!(state.name(), on_the_wire(&state));
            assert_eq!(RunState::from_name(state.name()), Some(state));
        }
        assert_eq!(RunState::from_name("other"), None);
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            assert_eq!(stream.name(), on_the_wire(&stream));
        }
        for outcome in [Exited, Signalled, Timeout, Killed, Failed, Lost, Unknown] {
            assert_eq!(outcome.name(), on_the_wire(&outcome));
        }
    }
}
