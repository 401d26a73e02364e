//! Denials, and why a request is denied: facts with their data, from which `contract::render` makes every sentence.
//!
//! Texts of requests and of the system are kept as they are. They are escaped where they are rendered.

use crate::halt::Halted;
use postern_command::Words;
use postern_policy::environment::RefusedName;
use postern_policy::{Advice, Cause, Reason, RuleId, Verdict};
use postern_protocol::DenyReason;
use serde::{Deserialize, Serialize};

/// Time after which to try again if there is no room at the moment, in milliseconds.
pub const BUSY_MS: u64 = 5_000;
/// Time after which to try again if a person has to answer first, in milliseconds.
const QUEUE_FULL_MS: u64 = 30_000;

/// A denial, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Denial {
    /// Reason, as a stable name.
    pub reason: DenyReason,
    /// Cause, with its data. Earlier versions recorded a sentence.
    #[serde(alias = "message")]
    pub cause: Box<Refusal>,
    /// Advice to the agent, if it is not plain from the cause.
    pub advice: Option<Advice>,
    /// The person's own words.
    pub feedback: Option<String>,
    /// The rule that denied.
    pub rule: Option<RuleId>,
    /// Time after which it makes sense to try again, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Denial {
    /// Returns the denial that a verdict of deny is.
    pub fn of_verdict(verdict: &Verdict) -> Self {
        let (reason, cause) = (verdict.reason, verdict.cause.clone());
        Self {
            advice: verdict.advice.clone(),
            rule: verdict.rule.as_ref().map(|rule| rule.id),
            ..Refusal::Verdict { reason, cause }.into()
        }
    }

    /// Returns the denial of a person, with their words.
    pub fn by_person(feedback: Option<String>) -> Self {
        Self { feedback, ..Refusal::Person.into() }
    }
}

/// Cause of a denial that no rule made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// A verdict denies it.
    Verdict { reason: Reason, cause: Cause },
    /// Request that cannot be judged as it was sent.
    Unreadable(Words),
    /// Refused working directory.
    Folder { path: String, problem: FolderProblem },
    /// Refused environment.
    Environment { names: Vec<RefusedName> },
    /// Everything of every agent is denied for now.
    Paused,
    /// A person stopped the agent, for so many milliseconds more.
    Stopped { left_ms: u64 },
    /// So many of the agent's requests wait for a person that there is no room for another.
    QueueFull { waiting: usize },
    /// More files than may be looked up at once.
    TooManyFiles { most: usize },
    /// The files that it names are too large together.
    TooManyBytes,
    /// Too many of the agent's requests wait to be looked up.
    LookUpsFull,
    /// No thread for looking it up: the system gives no further one.
    NoThread,
    /// Lookup that took too long.
    LookUpLate { seconds: u64 },
    /// Looking it up failed.
    NotJudged,
    /// Too many of the agent's runs wait for a place.
    TooManyRuns,
    /// A confined run is under way in the folder, and what it leaves was not looked at yet.
    ConfinedRunUnderWay,
    /// Request that is too long to be shown in full.
    TooLongToShow,
    /// A person denied it.
    Person,
    /// No one answered in time; `presented` says that someone saw the question.
    Expired { presented: bool },
    /// Several people have to approve it, and fewer did in time. No fallback stands in for one of them.
    TooFewPeople { approved: usize, needed: usize },
    /// The question could not be shown.
    NotShown(NotShown),
    /// No approver that could see a question.
    Nobody,
    /// Request that was withdrawn, or ended before it ran.
    Withdrawn(Withdrawal),
    /// Something is not what it was when it was let through.
    Drifted(Drift),
    /// Failed write of the record.
    NotRecorded,
    /// Postern quit before it was decided.
    Quit,
    /// Postern was restarted before it was decided or started.
    Restarted,
    /// A sentence that an earlier version of Postern recorded.
    #[serde(untagged)]
    Recorded(String),
}

/// Problem of a working directory. The fragments follow its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum FolderProblem {
    #[error("is not an absolute path")]
    NotAbsolute,
    #[error("does not exist")]
    Missing,
    #[error("is not a folder")]
    NotAFolder,
    /// No right to enter it, or a folder above it.
    #[error("may not be entered")]
    Forbidden,
    /// Real path that is not text.
    #[error("has a path that is not UTF-8")]
    NotText,
    /// Path outside the agent's folders.
    #[error("is not in one of the agent’s folders")]
    Outside,
    #[error("cannot be opened: {0}")]
    Other(String),
}

/// Reason why a question could not be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotShown {
    Locked,
    /// The screen shows the session of someone else.
    Away,
    /// No window and no terminal was there.
    Nowhere,
    /// An approver could not show it, and says why.
    Approver(String),
}

/// Reason why a request was withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawal {
    /// The agent took it back.
    TakenBack,
    AgentGone,
    SessionClosed,
    /// The connection that asked for it ended.
    Disconnected,
    /// The agent is not enrolled any more.
    NotEnrolled,
    /// The agent or the person ended it before it started.
    Ended,
}

/// Difference between what was let through and what is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// The working directory is another folder.
    Folder { path: String },
    /// Another file is at the path.
    Replaced { path: String },
    /// The file has other content.
    Changed { path: String },
    /// The `#!` line is another one.
    FirstLine { path: String },
    /// Another program comes before it on the search path.
    Shadowed { path: String, by: String },
    /// Open files that are not those of the plan.
    OtherFiles,
    /// The folder that is held open is not the one that the plan names.
    OtherFolder,
    /// The plan is not the one that was let through.
    OtherPlan,
    /// A file that was judged and no longer exists.
    Gone,
    /// Links, hooks or other facts about what the request names, which a verdict rests on besides its files.
    Facts,
    /// The policy changed between the approval and the start.
    Policy,
    /// The rule that the person chose could not be saved.
    NotSaved,
}

impl Refusal {
    /// Returns the stable name of the reason.
    pub fn reason(&self) -> DenyReason {
        match self {
            Self::Verdict { reason, .. } => of_verdict(*reason),
            Self::Unreadable(_)
            | Self::TooManyFiles { .. }
            | Self::TooManyBytes
            | Self::NotJudged
            | Self::TooLongToShow => DenyReason::Invalid,
            Self::Folder { .. } => DenyReason::CwdRefused,
            Self::Environment { .. } => DenyReason::EnvRefused,
            Self::Paused => DenyReason::Paused,
            Self::Stopped { .. } | Self::Person => DenyReason::User,
            Self::QueueFull { .. } => DenyReason::QueueFull,
            Self::LookUpsFull | Self::NoThread | Self::TooManyRuns | Self::ConfinedRunUnderWay => {
                DenyReason::RateLimited
            }
            Self::LookUpLate { .. } => DenyReason::NoAnswer,
            Self::Expired { .. } | Self::TooFewPeople { .. } => DenyReason::Expired,
            Self::NotShown(_) | Self::Nobody => DenyReason::CannotPresent,
            Self::Withdrawn(_) => DenyReason::Cancelled,
            Self::Drifted(_) => DenyReason::Drifted,
            Self::Quit | Self::Restarted => DenyReason::Restarted,
            // What was recorded before has its reason beside it.
            Self::NotRecorded | Self::Recorded(_) => DenyReason::Policy,
        }
    }

    /// Returns when it makes sense to try again, in milliseconds.
    fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Stopped { left_ms } => Some(*left_ms),
            Self::QueueFull { .. } => Some(QUEUE_FULL_MS),
            Self::LookUpsFull | Self::NoThread => Some(BUSY_MS),
            _ => None,
        }
    }
}

impl From<Refusal> for Denial {
    fn from(cause: Refusal) -> Self {
        Self {
            reason: cause.reason(),
            retry_after_ms: cause.retry_after_ms(),
            cause: Box::new(cause),
            advice: None,
            feedback: None,
            rule: None,
        }
    }
}

impl From<Halted> for Denial {
    fn from(halted: Halted) -> Self {
        match halted {
            Halted::Everything => Refusal::Paused.into(),
            Halted::Agent { left_ms } => Refusal::Stopped { left_ms }.into(),
        }
    }
}

impl From<Drift> for Denial {
    fn from(drift: Drift) -> Self {
        Refusal::Drifted(drift).into()
    }
}

fn of_verdict(reason: Reason) -> DenyReason {
    match reason {
        Reason::Invalid => DenyReason::Invalid,
        Reason::Managed | Reason::Denylist => DenyReason::Denylist,
        Reason::Core => DenyReason::Core,
        Reason::Policy => DenyReason::Policy,
        Reason::NotFound => DenyReason::NotFound,
        Reason::EnvRefused => DenyReason::EnvRefused,
        Reason::CwdRefused => DenyReason::CwdRefused,
        Reason::Rule
        | Reason::Skill
        | Reason::ReadOnly
        | Reason::Class
        | Reason::Builtin
        | Reason::BinaryChanged
        | Reason::AgentCanChange
        | Reason::Opaque
        | Reason::AllowlistMiss
        | Reason::CannotConfine
        | Reason::AskAlways => DenyReason::AllowlistMiss,
    }
}

#[cfg(test)]
mod tests {
    use super::{Denial, Drift, FolderProblem, NotShown, Refusal, Withdrawal};
    use postern_policy::{Advice, Cause, Reason};
    use postern_protocol::DenyReason;

    #[test]
    fn nobody_is_told_no_where_nobody_said_no() {
        for refusal in [
            Refusal::Expired { presented: true },
            Refusal::TooFewPeople { approved: 1, needed: 2 },
            Refusal::NotShown(NotShown::Locked),
            Refusal::Nobody,
            Refusal::Paused,
            Refusal::QueueFull { waiting: 1 },
            Refusal::NotRecorded,
            Refusal::Withdrawn(Withdrawal::AgentGone),
            Refusal::Drifted(Drift::Gone),
        ] {
            assert_ne!(refusal.reason(), DenyReason::User, "{refusal:?}");
        }
        assert_eq!(Denial::by_person(None).reason, DenyReason::User);
        assert_eq!(Denial::from(Refusal::Stopped { left_ms: 7 }).retry_after_ms, Some(7));
    }

    #[test]
    fn denials_are_read_as_they_were_written_and_as_earlier_versions_wrote_them() {
        let cause = Cause::NoRule { command: Some("git push".to_owned()) };
        let refusals = [
            Refusal::Verdict { reason: Reason::AllowlistMiss, cause },
            Refusal::Folder { path: "/x".to_owned(), problem: FolderProblem::Other("EIO".to_owned()) },
            Refusal::Drifted(Drift::Shadowed { path: "/a".to_owned(), by: "/b".to_owned() }),
            Refusal::Paused,
        ];
        for refusal in refusals {
            let denial = Denial { advice: Some(Advice::Split), ..refusal.into() };
            let kept = serde_json::to_string(&denial).unwrap();
            assert_eq!(serde_json::from_str::<Denial>(&kept).unwrap(), denial, "{kept}");
        }
        let before = r#"{"reason":"expired","message":"Paused.","advice":"Wait.","feedback":null,"rule":null,
            "retryAfterMs":null}"#;
        let denial: Denial = serde_json::from_str(before).unwrap();
        assert_eq!(*denial.cause, Refusal::Recorded("Paused.".to_owned()));
        assert_eq!(denial.advice, Some(Advice::Recorded("Wait.".to_owned())));
    }
}
