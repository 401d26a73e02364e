//! The only place where a request changes state.

use crate::denial::Denial;
use crate::plan::Digest;
use postern_protocol::{AllowedBy, EndReason, Outcome, RunState};
use serde::{Deserialize, Serialize};

/// State of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestState {
    /// Received, looked up and judged; nothing of it was done.
    Received,
    /// A person is to be asked, and its turn for that has not come.
    Queued,
    /// A question is open.
    Asking {
        /// Digest on show.
        digest: Digest,
    },
    /// Let through; the last checks and the start are under way.
    Starting {
        /// Actor that let it through.
        by: AllowedBy,
        /// A stop that came before the process id was known.
        stop: Option<Stop>,
    },
    Running {
        pid: u32,
    },
    /// TERM was sent; KILL follows after the grace.
    Stopping {
        pid: u32,
        stop: Stop,
    },
    /// Ended; nothing changes it any more.
    Ended(RequestEnding),
}

/// Reason why a run is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    TimedOut,
    /// The agent or the person ended it.
    Killed,
    /// Postern quits.
    Shutdown,
}

/// End of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum RequestEnding {
    Denied(Denial),
    Finished {
        #[serde(rename = "outcome")]
        end: RunEnd,
    },
    /// Let through, but not started.
    Failed {
        /// Reason, in words.
        message: String,
    },
    /// Left to its agent: Postern starts nothing, and does not learn what becomes of it.
    Allowed,
}

impl RequestEnding {
    /// Returns the reason of a denial or the outcome of a run; `None` if its agent does it itself.
    pub fn reason(&self) -> Option<EndReason> {
        match self {
            Self::Denied(denial) => Some(EndReason::Denied(denial.reason)),
            Self::Finished { end } => Some(EndReason::Ran(end.outcome)),
            Self::Failed { .. } => Some(EndReason::Ran(Outcome::Failed)),
            Self::Allowed => None,
        }
    }

    /// Returns the stable name of the reason, or `allowed`.
    pub fn name(&self) -> &'static str {
        self.reason().map_or(RunState::Allowed.name(), EndReason::name)
    }
}

/// End of a run, with what its process did if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Outcome, in the protocol's word.
    #[serde(rename = "kind")]
    pub outcome: Outcome,
    /// Exit of the process, with any cause.
    #[serde(flatten)]
    pub exit: Option<Exit>,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    Code(i32),
    /// The signal of this number ended it.
    Signal(i32),
}

impl RunEnd {
    /// Returns the exit code of a run that ended by itself.
    pub fn exit_code(self) -> Option<i32> {
        match self {
            Self { outcome: Outcome::Exited, exit: Some(Exit::Code(code)) } => Some(code),
            Self { .. } => None,
        }
    }
}

impl From<Outcome> for RunEnd {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, exit: None }
    }
}

impl From<Exit> for RunEnd {
    fn from(exit: Exit) -> Self {
        let outcome = match exit {
            Exit::Code(_) => Outcome::Exited,
            Exit::Signal(_) => Outcome::Signalled,
        };
        Self { outcome, exit: Some(exit) }
    }
}

impl From<&RequestState> for RunState {
    fn from(state: &RequestState) -> Self {
        match state {
            RequestState::Received => Self::Received,
            RequestState::Queued => Self::Resolving,
            RequestState::Asking { .. } => Self::Asking,
            RequestState::Starting { .. } => Self::Starting,
            RequestState::Running { .. } => Self::Running,
            RequestState::Stopping { .. } => Self::Stopping,
            RequestState::Ended(ending) => Self::from(ending),
        }
    }
}

impl From<&RequestEnding> for RunState {
    fn from(ending: &RequestEnding) -> Self {
        match ending {
            RequestEnding::Denied(_) => Self::Denied,
            RequestEnding::Finished { .. } => Self::Finished,
            RequestEnding::Failed { .. } => Self::Failed,
            RequestEnding::Allowed => Self::Allowed,
        }
    }
}

/// Events that change a request's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestEvent {
    JudgedAllow {
        /// Actor that let it through.
        by: AllowedBy,
        /// Digest that was let through.
        digest: Digest,
    },
    JudgedAsk {
        /// Digest that will be shown.
        digest: Digest,
    },
    /// The verdict is ask, and the question waits for its turn.
    JudgedQueue,
    /// The verdict is deny, or the request could not be resolved.
    JudgedDeny(Denial),
    AnsweredAllow {
        /// Digest that the person saw.
        digest: Digest,
        /// Digest of the same plan in the profile that the answer asks for, if it asks for one.
        confined: Option<Digest>,
        /// True if a rule is to be remembered first.
        remember: bool,
    },
    /// A person changed the command: something else is on show from now on, and nobody has said yes to that yet.
    Edited {
        /// Digest that is shown now.
        digest: Digest,
    },
    /// A person answered no, or a new deny rule did.
    AnsweredDeny(Denial),
    /// Judged again while it waited (a new rule, or the fallback): it may run now.
    Allowed {
        /// Actor that let it through.
        by: AllowedBy,
        /// Digest that was let through.
        digest: Digest,
    },
    /// Let through, and its agent's to do: where a run would start, it ends.
    LeftToAgent,
    /// No answer came in time and the fallback denies.
    Expired(Denial),
    /// The agent withdrew it, its session closed, or its connection went away when that was asked for.
    Withdrawn(Denial),
    /// The last check found a difference.
    Drifted(Denial),
    SpawnFailed {
        /// Reason, in words.
        message: String,
    },
    Started {
        pid: u32,
    },
    TimedOut,
    /// The agent or the person wants it ended.
    Killed,
    /// Postern quits.
    Shutdown,
    /// The process and what it started are gone.
    Exited(RunEnd),
}

/// Effect of an event, to be carried out in order, except for those that wait for nothing
/// ([`RequestEffect::is_immediate`]).
///
/// An entry of the record is durable before what follows it.
#[derive(Debug)]
pub enum RequestEffect {
    /// Write this down, durably, before anything that follows; the first time, the request with it.
    Record(RecordEntry),
    /// Tell a caller that only wanted to know that the request was taken.
    Accept,
    /// Open a question and its timer.
    Ask {
        /// Digest on show.
        digest: Digest,
    },
    /// Close the question wherever it is shown. Never waits for a record.
    CloseQuestion,
    /// Tell the person who answered that the answer is written down.
    Acknowledge,
    /// Save the rule that the person chose, durably, and tell the person.
    Remember,
    /// Check everything again, then start it. Given at most once in a request's life.
    Start(Approved),
    /// TERM, grace, KILL for the whole tree. Never waits for a record.
    Stop(Stop),
    /// Answer those who wait for the end. Given exactly once.
    TellEnded,
}

impl RequestEffect {
    /// Returns whether it is carried out at once, before what was to be done already.
    pub fn is_immediate(&self) -> bool {
        match self {
            Self::CloseQuestion | Self::Stop(_) => true,
            Self::Record(_)
            | Self::Accept
            | Self::Ask { .. }
            | Self::Acknowledge
            | Self::Remember
            | Self::Start(_)
            | Self::TellEnded => false,
        }
    }
}

/// An entry of the record: where a request is, and the event that its agent is told of in the same transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordEntry {
    pub state: RequestState,
    /// Notification for its agent.
    pub tells: Option<Tells>,
    /// True if the start that follows is written down as intended: from here on it may have been started.
    pub intends: bool,
}

/// Notification that goes out with an entry of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tells {
    /// A person is asked, or is asked about something else.
    Pending,
    Started {
        pid: u32,
    },
    /// Given exactly once.
    Ended,
}

pub use self::life::{FailedWrite, Life, pause_after};
pub use self::step::{Approved, step};

mod life;
#[cfg(test)]
mod life_tests;
mod step;
#[cfg(test)]
mod tests;
